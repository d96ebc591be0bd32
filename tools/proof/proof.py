"""Prove that two versions give the same results: record the results of each version on many pages, and compare them.

`python tools/proof/proof.py record OUT --corpora FOLDER --archive FILE.warc.gz` records 100 evenly spaced pages of each
corpus, and all pages of the archive, parsed and rendered. Parts that are in OUT are not recorded again.
`python tools/proof/proof.py compare A B` prints the differences. The exit code is 1 if there are any, and 2 if the
records cannot be compared. docs/guides/compare-versions.md lists what is recorded and what is not.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from proof_compare import Options, compare
from proof_recorder import (
    COMMAND_PAGES,
    COMMANDS,
    EXPLAINED,
    FARM,
    MARKED,
    MODES,
    PAGES,
    QUICK_COMMAND_PAGES,
    QUICK_EXPLAINED,
    QUICK_PAGES,
    Plan,
    record,
    work,
)
from proof_records import corpora_in

if TYPE_CHECKING:
    from collections.abc import Sequence


def plan_of(options: argparse.Namespace) -> Plan:
    """Return the plan for the options of `record`; `--quick` changes the defaults."""
    default_pages, default_explained = (QUICK_PAGES, QUICK_EXPLAINED) if options.quick else (PAGES, EXPLAINED)
    archive_count = QUICK_PAGES if options.quick else 0
    return Plan(
        out=str(options.out),
        corpora=[str(path.resolve()) for path in corpora_in(options.corpora)],
        archive=str(options.archive.resolve()) if options.archive else "",
        pages=options.pages or default_pages,
        archive_pages=archive_count,
        command_pages=QUICK_COMMAND_PAGES if options.quick else COMMAND_PAGES,
        explained=default_explained if options.explained is None else options.explained,
        methods=options.method or [],
    )


def parse_args(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the command-line options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    _add_record(commands.add_parser("record", help="record the results of this version"))
    _add_compare(commands.add_parser("compare", help="print the differences between two records"))
    commands.add_parser("work").add_argument("plan")
    options = parser.parse_args(arguments)
    if options.command == "record":
        if not corpora_in(options.corpora):
            parser.error(f"{options.corpora} contains no corpus: give a folder of Parquet files with id, url and html")
        if unknown := set(options.only or ()) - set(plan_of(options).names()):
            parser.error(f"no part {', '.join(sorted(unknown))}: choose from {', '.join(plan_of(options).names())}")
    return options


def _add_record(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("out", type=Path, metavar="OUT", help="folder of the record")
    add("--corpora", type=Path, required=True, metavar="FOLDER", help="folder of corpora as Parquet")
    add("--archive", type=Path, metavar="FILE", help="web archive")
    add(
        "--pages",
        type=int,
        metavar="N",
        help=f"pages of each corpus, evenly spaced ({PAGES}, with --quick {QUICK_PAGES})",
    )
    text = f"maximum number of blocks of a page that is explained ({EXPLAINED}, with --quick {QUICK_EXPLAINED})"
    add("--explained", type=int, metavar="N", help=text)
    add("--quick", action="store_true", help="record everything, on few pages")
    add("--only", nargs="+", metavar="PART", help=f"record only these corpora or parts: {FARM}, {COMMANDS}, {MARKED}")
    add("--mode", choices=MODES, help="record only parsed or only rendered pages")
    add("--method", action="append", metavar="NAME", help="record this method; may be repeated (default: all)")
    add("--jobs", type=int, default=2, metavar="N", help="number of processes (%(default)d)")
    add("--fresh", action="store_true", help="record parts again that are in OUT")


def _add_compare(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("before", type=Path, metavar="A", help="a record")
    add("after", type=Path, metavar="B", help="another record")
    add("--renamed", type=Path, metavar="FILE", help="TOML or JSON file of names that changed from A to B")
    add("--only", nargs="+", metavar="PART", help="compare only these corpora or parts")
    add("--ignore", nargs="+", default=[], metavar="KIND", help="ignore these kinds, such as 'overlay *'")
    add("--loose", action="store_true", help="ignore space between tags, and the order of attributes, in documents")
    add("--shown", type=int, default=3, metavar="N", help="differences to show of each kind (%(default)d)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return the exit code."""
    options = parse_args(arguments)
    if options.command == "work":
        return work(Plan(**json.loads(options.plan)))
    try:
        if options.command == "record":
            plan = plan_of(options)
            modes = [options.mode] if options.mode else MODES
            return record(plan, options.only or plan.names(), modes, jobs=options.jobs, fresh=options.fresh)
        values = {name: getattr(options, name) for name in ("renamed", "only", "ignore", "loose", "shown")}
        return compare(options.before, options.after, Options(**values))
    except (OSError, ValueError) as error:
        print(f"proof.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # SIGTERM ends the program as Ctrl-C does
    sys.exit(main())
