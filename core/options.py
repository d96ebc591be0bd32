"""The command line's arguments, parsed into one frozen dataclass per command."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from vclean.arguments import (
    Parser,
    add_caps,
    add_loudness,
    add_policy,
    check_outputs,
    check_overlay,
    check_pages,
    share,
    take_policy,
    take_settings,
    take_verbosity,
)
from vclean.errors import UsageError
from vclean.files import write_stream
from vclean.formats import EXPLANATION, FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vclean.compare.options import DiffOptions, ReportOptions
    from vclean.corpus_options import EvaluateOptions, TrainOptions
    from vclean.evaluate_segments_options import EvaluateSegmentsOptions
    from vclean.farm.options import FarmOptions
    from vclean.labelling.options import LabelOptions
    from vclean.methods_options import CleanevalScoreOptions, MethodsOptions
    from vclean.segment_options import SegmentOptions
    from vclean.settings import Policy, RenderSettings
    from vclean.train_segments_options import TrainSegmentsOptions

_PARSERS: Final = {
    "cleaneval-score": "vclean.methods_options.parse_cleaneval_score",
    "diff": "vclean.compare.options.parse_diff",
    "doctor": "vclean.options.parse_doctor",
    "evaluate": "vclean.corpus_options.parse_evaluate",
    "evaluate-segments": "vclean.evaluate_segments_options.parse_evaluate_segments",
    "farm": "vclean.farm.options.parse_farm",
    "label": "vclean.labelling.options.parse_label",
    "methods": "vclean.methods_options.parse_methods",
    "report": "vclean.compare.options.parse_report",
    "segment": "vclean.segment_options.parse_segment",
    "setup": "vclean.options.parse_setup",
    "train": "vclean.corpus_options.parse_train",
    "train-segments": "vclean.train_segments_options.parse_train_segments",
}
"""What reads the arguments of each command; imported when it is called."""

_REVIEW_BELOW: Final = 0.8
"""A page of this confidence has a word F1 of about as much."""

_LIKENESS: Final = 0.75
"""Of a word to a command, by `difflib`, from which on it is taken for that command mistyped."""

_EPILOG: Final = """\
PAGE is an HTML file, - for standard input, an http(s) URL, a folder of HTML files, or an MHTML, WARC, WACZ, Parquet
or JSON lines file (with a column or field html). Other commands, each with its own --help:

  vclean segment    cut pages into segments, by what a reader sees
  vclean farm       clean pages in bulk, from archives and crawls, to Parquet
  vclean label      label pages by click, to correct the model and train it further
  vclean setup      find or install the Chromium that --render needs
  vclean doctor     say what of the installation works, and the remedy for what does not
  vclean train      train a model on corpora
  vclean evaluate   score methods on corpora
  vclean methods    list the methods, and what each needs
  vclean cleaneval-score     score clean text against gold text as CleanEval 2007 did
  vclean diff       show where two methods or models disagree on a page
  vclean report     score methods on corpora, and show it all on one HTML page
  vclean evaluate-segments   score ways to cut pages into segments
  vclean train-segments      train one of them on pages marked by hand

A page called like a command is written ./setup. Exit codes: 0 success, 1 some of several pages failed, 2 usage,
3 unreadable input, 4 no HTML, 5 over a cap, 6 deadline, 7 network, 8 browser, 9 no browser, 10 model, 11 extra,
12 output, 13 a difference (vclean diff --exit-code), 130 interrupted.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanOptions:
    """The main command: clean pages.

    Attributes:
        pages: the inputs, as given.
        render: use the browser; implied by `js` and `overlay`.
        js: run the pages' scripts.
        format: one of `FORMATS`.
        out: file or folder; None for standard output.
        overlay: file, `.png`, `.svg` or `.html`.
        explain: say why every block was kept or left out.
        review: file for the list of pages whose confidence is under `review_below`; None for no list.
        method, model: what labels the blocks; `model` is the file of selectors of the method `template`.
        templates: folder of files of selectors by host, or None.
        policy: what counts as content.
        same_site: compare the pages of each site before labelling them.
        url: the address of pages that come without one.
        settings: how to render, and what bounds a page.
        verbosity: -1 quiet, 0 normal, 1 talkative.
    """

    pages: list[str]
    render: bool
    js: bool
    format: str
    out: Path | None
    overlay: Path | None
    explain: bool
    review: Path | None
    review_below: float
    method: str
    model: Path | None
    templates: Path | None
    policy: Policy
    same_site: bool
    url: str
    settings: RenderSettings
    verbosity: int

    @property
    def explains(self) -> bool:
        """Whether reasons are wanted: in the output, or in a page to explore."""
        return self.explain or (self.overlay is not None and self.overlay.suffix.lower() == ".html")

    @property
    def output(self) -> str:
        """The name of what is written: the format, or the explanation in place of text."""
        return EXPLANATION if self.explain and self.format == FORMATS[0] else self.format


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupOptions:
    """`vclean setup` takes no arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """`vclean doctor`: `json` for a machine-readable report."""

    json: bool


if TYPE_CHECKING:
    Options = (
        CleanevalScoreOptions
        | CleanOptions
        | DiffOptions
        | DoctorOptions
        | EvaluateOptions
        | EvaluateSegmentsOptions
        | FarmOptions
        | LabelOptions
        | MethodsOptions
        | ReportOptions
        | SegmentOptions
        | SetupOptions
        | TrainOptions
        | TrainSegmentsOptions
    )


def parse_args(arguments: list[str]) -> Options:
    """The options of the command that the first argument names, or of the main command.

    Raises:
        UsageError: unknown options, missing or impossible values.
        SystemExit: after printing, for `--help` and `--version`.
    """
    for word in takewhile("--".__ne__, arguments):
        if word.startswith("-") and word != "-" and os.path.lexists(word):
            raise UsageError(f"{word} begins like an option: write ./{word} for the file")
    if arguments and arguments[0] in _PARSERS:
        return cast("Options", named(_PARSERS[arguments[0]])(arguments[1:]))
    if arguments and (command := _meant(arguments[0], _PARSERS)):
        raise UsageError(f"there is neither a page nor a command {arguments[0]!r}: did you mean vclean {command}?")
    return parse_clean(arguments)


def named(place: str) -> Any:  # noqa: ANN401 - whatever has that name
    """What stands in a module under a name: `package.module.name`."""
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


def _meant(word: str, commands: Iterable[str]) -> str | None:
    """What may have been mistyped as a first argument that is neither a file nor an address."""
    if not word.replace("-", "").isalpha() or word.startswith("-") or os.path.lexists(word):
        return None
    from difflib import get_close_matches

    known = {**{name: name for name in commands}, "help": "--help", "version": "--version"}
    return next((known[name] for name in get_close_matches(word.lower(), known, 1, _LIKENESS)), None)


def parse_clean(arguments: list[str]) -> CleanOptions:
    """The options of the main command; raises as `parse_args` does."""
    parser = Parser(
        prog="vclean",
        description="Clean web pages: cut them into blocks, label every block, print the content.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_input(parser)
    add_policy(parser)
    _add_output(parser)
    parser.add_argument("--version", action=_Version)
    values = vars(parser.parse_args(arguments))
    policy, verbosity = take_policy(values), take_verbosity(values)
    _take_template(parser, values)
    if values["review_below"] is not None and values["review"] is None:
        parser.error("argument --review-below: needs --review FILE")
    values["review_below"] = values["review_below"] or _REVIEW_BELOW
    settings = take_settings(values, scripts=values["js"])
    options = CleanOptions(**values, policy=policy, settings=settings, verbosity=verbosity)
    return _checked(options)


def _add_input(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("pages", nargs="+", metavar="PAGE", help="what to clean (see below)")
    add("--render", action="store_true", help="render in headless Chromium, for boxes, styles and visibility")
    add("--js", action="store_true", help="run the page's scripts (implies --render)")
    add("--url", default="", metavar="BASE", help="the address of a page that comes without one, for its links")
    add("--method", metavar="NAME", help="what labels the blocks: see `vclean methods` (vclean)")
    add("--model", type=Path, metavar="FILE", help="a model in place of the shipped one")
    add("--template", type=Path, metavar="FILE", help="keep what the selectors in this file name, a line each")
    add("--templates", type=Path, metavar="FOLDER", help="such files, HOST.txt, each for its site alone")
    add("--same-site", action="store_true", help="compare the pages of each site: what they repeat is no content")
    add_caps(parser)


def _take_template(parser: Parser, values: dict[str, Any]) -> None:
    """`--template` is short for the method of that name with its file."""
    template = values.pop("template")
    if template and (values["model"] or values["method"] not in (None, "template")):
        parser.error("argument --template: it is a method of its own, without --method and --model")
    values["model"] = template or values["model"]
    values["method"] = values["method"] or ("template" if template else "vclean")


def _add_output(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-f", "--format", choices=FORMATS, default=FORMATS[0], help="output format (%(default)s)")
    add("-o", "--out", type=Path, metavar="OUT", help="file; for several pages a folder, or a file of JSON lines")
    add(
        "--overlay",
        type=Path,
        metavar="FILE",
        help="draw the blocks over the page's picture: .png, .svg, or .html to explore",
    )
    text = "say of every block why it was kept or left out, in place of the text; the figures with -f json"
    add("--explain", action="store_true", help=text)
    add("--review", type=Path, metavar="FILE", help="list the pages of low confidence, the lowest first, as JSON lines")
    text = f"with --review: the confidence under which a page is listed, up to 1 ({_REVIEW_BELOW:g})"
    add("--review-below", type=share, metavar="P", help=text)
    add_loudness(parser)


def _checked(options: CleanOptions) -> CleanOptions:
    if options.explain and options.format not in (FORMATS[0], "json"):
        raise UsageError(f"--explain takes the place of the text: leave out -f {options.format}, or write -f json")
    check_overlay(options.overlay)
    check_pages(options.pages, options.url)
    outputs = {"--out": options.out, "--overlay": options.overlay, "--review": options.review}
    check_outputs(options.pages, outputs)
    return options


def parse_setup(arguments: list[str]) -> SetupOptions:
    """The options of `vclean setup`; raises as `parse_args` does."""
    parser = Parser(prog="vclean setup", description="Find a usable Chromium, or install one, and try it.")
    parser.parse_args(arguments)
    return SetupOptions()


def parse_doctor(arguments: list[str]) -> DoctorOptions:
    """The options of `vclean doctor`; raises as `parse_args` does."""
    parser = Parser(prog="vclean doctor", description="Say what of the installation works; exit code 1 if not all.")
    parser.add_argument("--json", action="store_true", help="as a JSON array")
    return DoctorOptions(**vars(parser.parse_args(arguments)))


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: metadata costs as much as the rest of the start."""

    def __init__(self, option_strings: list[str], **_: object) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        write_stream(sys.stdout, f"vclean {version('vclean')}\n")
        parser.exit()
