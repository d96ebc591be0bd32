"""The arguments of `vclean farm`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from vclean.arguments import (
    Parser,
    add_caps,
    add_loudness,
    add_policy,
    port,
    positive,
    take_policy,
    take_settings,
    take_verbosity,
)
from vclean.farm.settings import CleaningSettings, RunSettings

if TYPE_CHECKING:
    from collections.abc import Callable

Engine = Literal["local", "ray"]

_UNITS: Final = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}

_EPILOG: Final = """\
INPUT is a WARC, WACZ, Parquet or JSONL file (columns or fields html, url, id), a folder, an HTML or MHTML file, a URL,
a list of such (.txt), a pattern such as 'crawl/*.warc.gz', or - for a list on standard input. Rows go to OUT/parts,
one line a page to OUT/pages.jsonl, the counts to OUT/summary.json.

Exit codes: 0 every page cleaned, 1 some failed (their rows say why), 130 or 143 interrupted (--resume goes on), others
as for `vclean`, after which --resume goes on too.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FarmOptions:
    """`vclean farm`: inputs and output, what decides the rows, and how the run works.

    Attributes:
        inputs: as given.
        out: the output folder.
        pages: file with the URLs that are wanted of archives; None for all pages.
        cleaning, run: see there.
        resume: go on with what is in `out`.
        retry_failed: try the pages again that failed in it.
        engine, address: where the workers are.
        metrics_port: port for Prometheus, or None.
        verbosity: -1 quiet, 0 normal, 1 talkative.
    """

    inputs: list[str]
    out: Path
    pages: Path | None
    cleaning: CleaningSettings
    run: RunSettings
    resume: bool
    retry_failed: bool
    engine: Engine
    address: str | None
    metrics_port: int | None
    verbosity: int


def parse_farm(arguments: list[str]) -> FarmOptions:
    """The options of the command.

    Raises:
        UsageError: unknown options, missing or impossible values.
    """
    parser = Parser(
        prog="vclean farm",
        description="Clean pages in bulk, into Parquet; every page once, a result or the reason of its failure.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_work(parser)
    _add_cleaning(parser)
    _add_run(parser)
    values = vars(parser.parse_args(arguments))
    values["resume"] |= values["retry_failed"]
    if values["address"] and values["engine"] != "ray":
        parser.error("argument --address: needs --engine ray")
    return FarmOptions(
        cleaning=_take_cleaning(values), run=_take_run(values), verbosity=take_verbosity(values), **values
    )


def _add_work(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("inputs", nargs="+", metavar="INPUT", help="what to clean (see below)")
    add("-o", "--out", type=Path, required=True, metavar="OUT", help="the output folder")
    add("--resume", action="store_true", help="go on with the run in OUT; what is done is not done again")
    add("--retry-failed", action="store_true", help="go on, and try again what failed")
    add("--pages", type=Path, metavar="FILE", help="of archives, clean the pages whose URLs this file lists, no others")


def _add_cleaning(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what decides the rows")
    add = group.add_argument
    add(
        "--no-render",
        dest="render",
        action="store_false",
        help="parse pages only: no browser, a fifth of the time",
    )
    add("--js", action="store_true", help="run the pages' scripts")
    text = "where pages load from what no archive or folder has: nowhere, or public addresses (%(default)s)"
    add("--network", choices=("none", "public"), default="none", help=text)
    add("--method", default="vclean", metavar="NAME", help="what labels the blocks: see `vclean methods` (%(default)s)")
    add("--model", type=Path, metavar="FILE", help="a model in place of the shipped one")
    add("--templates", type=Path, metavar="FOLDER", help="files of selectors, HOST.txt, each for its site alone")
    add_policy(parser)
    add_caps(parser)


def _add_run(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how the run works")
    add = group.add_argument
    add("--engine", choices=("local", "ray"), default="local", help="this machine, or a Ray cluster (%(default)s)")
    add("--address", metavar="ADDR", help="of the Ray cluster; without it, the one that is found, or a new one here")
    add("--workers", type=positive(int), metavar="N", default=0, help="pages in work at once (processors + 1)")
    add("--retries", type=_count, metavar="N", default=2, help="attempts after a crash of the browser (%(default)d)")
    add("--max-memory", type=_size, metavar="SIZE", default=3 * 2**30, help="for one page, with its browser (3G)")
    add("--part-rows", type=positive(int), metavar="N", default=500, help="pages in one part (%(default)d)")
    add("--keep-snapshots", dest="snapshots", action="store_true", help="keep the rendered pages in OUT/snapshots")
    add("--metrics-port", type=port, metavar="PORT", help="serve metrics for Prometheus on this machine")
    add_loudness(parser)


def _take_cleaning(values: dict[str, Any]) -> CleaningSettings:
    names = ("method", "model", "templates", "network")
    chosen = {name: values.pop(name) for name in names}
    scripts = values.pop("js")
    rendered = values.pop("render")
    page = take_settings(values, scripts=scripts)
    return CleaningSettings(**chosen, render=rendered or scripts, page=page, policy=take_policy(values))


def _take_run(values: dict[str, Any]) -> RunSettings:
    names = ("workers", "retries", "max_memory", "part_rows", "snapshots")
    return RunSettings(**{name: values.pop(name) for name in names})


def _size(text: str) -> int:
    """An argument type: bytes, or with a unit, as 512M or 3G.

    >>> _size("3G") == 3 * 2**30
    True
    """
    number, unit = text[:-1], text[-1:].lower()
    if unit not in _UNITS:
        number, unit = text, ""
    convert: Callable[[str], float] = positive(float)
    return int(convert(number) * _UNITS[unit])


def _count(text: str) -> int:
    """An argument type: a whole number, 0 or more."""
    return 0 if text == "0" else int(positive(int)(text))
