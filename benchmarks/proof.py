"""Proof that two versions give the same: record what one makes of many pages, record the other, compare the records.

`python benchmarks/proof.py record OUT --corpora FOLDER --archive FILE.warc.gz` takes 100 pages of each corpus, evenly
spaced, and all pages of the archive, parsed and rendered. What is in OUT already is not done again.
`python benchmarks/proof.py compare A B` prints what differs; the exit code is 1 if anything does, and 2 where the two
cannot be compared. The section "The same results" of CONTRIBUTING.md says what is recorded, and what is left out.
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
    """Return the plan that the options of `record` name; `--quick` stands for those that were not given."""
    usual = (QUICK_PAGES, QUICK_EXPLAINED) if options.quick else (PAGES, EXPLAINED)
    archive_count = QUICK_PAGES if options.quick else 0
    return Plan(
        out=str(options.out),
        corpora=[str(path.resolve()) for path in corpora_in(options.corpora)],
        archive=str(options.archive.resolve()) if options.archive else "",
        pages=options.pages or usual[0],
        archive_pages=archive_count,
        command_pages=QUICK_COMMAND_PAGES if options.quick else COMMAND_PAGES,
        explained=usual[1] if options.explained is None else options.explained,
        methods=options.method or [],
    )


def parse_args(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    _add_record(commands.add_parser("record", help="record what this version makes of pages"))
    _add_compare(commands.add_parser("compare", help="say what differs between two records"))
    commands.add_parser("work").add_argument("plan")
    options = parser.parse_args(arguments)
    if options.command == "record":
        if not corpora_in(options.corpora):
            parser.error(f"{options.corpora} holds no corpus: name a folder of Parquet files with id, url and html")
        if unknown := set(options.only or ()) - set(plan_of(options).names()):
            parser.error(f"no part {', '.join(sorted(unknown))}: choose from {', '.join(plan_of(options).names())}")
    return options


def _add_record(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("out", type=Path, metavar="OUT", help="the folder of the record")
    add("--corpora", type=Path, required=True, metavar="FOLDER", help="of corpora as Parquet")
    add("--archive", type=Path, metavar="FILE", help="a web archive")
    add("--pages", type=int, metavar="N", help=f"of each corpus, evenly spaced ({PAGES}, with --quick {QUICK_PAGES})")
    text = f"explain pages of so many blocks at most ({EXPLAINED}, with --quick {QUICK_EXPLAINED})"
    add("--explained", type=int, metavar="N", help=text)
    add("--quick", action="store_true", help="everything, on few pages")
    add("--only", nargs="+", metavar="PART", help=f"names of corpora, of the archive, {FARM}, {COMMANDS}, {MARKED}")
    add("--mode", choices=MODES, help="parsed or rendered pages alone")
    add("--method", action="append", metavar="NAME", help="ask this method; may be repeated (all)")
    add("--jobs", type=int, default=2, metavar="N", help="processes at once (%(default)d)")
    add("--fresh", action="store_true", help="record again what is there already")


def _add_compare(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("before", type=Path, metavar="A", help="a record")
    add("after", type=Path, metavar="B", help="another one")
    add("--renamed", type=Path, metavar="FILE", help="names that changed from A to B, as TOML or JSON")
    add("--only", nargs="+", metavar="PART", help="compare these corpora or parts alone")
    add("--ignore", nargs="+", default=[], metavar="KIND", help="kinds that do not count, such as 'overlay *'")
    add(
        "--loose", action="store_true", help="of documents, space between tags and the order of attributes do not count"
    )
    add("--shown", type=int, default=3, metavar="N", help="differences that are shown of each kind (%(default)d)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    options = parse_args(arguments)
    if options.command == "work":
        return work(Plan(**json.loads(options.plan)))
    try:
        if options.command == "record":
            plan = plan_of(options)
            modes = [options.mode] if options.mode else MODES
            return record(plan, options.only or plan.names(), modes, jobs=options.jobs, fresh=options.fresh)
        given = {name: getattr(options, name) for name in ("renamed", "only", "ignore", "loose", "shown")}
        return compare(options.before, options.after, Options(**given))
    except (OSError, ValueError) as error:
        print(f"proof.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does
    sys.exit(main())
