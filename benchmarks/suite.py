"""Measure the cost of vclean and of other tools in one run: `python benchmarks/suite.py CORPUS.parquet --json FILE`.

`--only` selects sections:

- rendered: CPU, wall-clock time and memory of a page in Chromium, compared with other clients, a minimal client
  (`raw_client.py`), and Chromium alone
- unrendered: the same, compared with other extractors
- stages: time of each stage of a page, from delivery to text
- start: help, first parsed page and first rendered page, each in a new process
- farm: pages per second with 1 to 4 workers
- growth: memory over a long run, first quarter compared with last quarter
- sizes: cost by bytes and by nodes, with the exponent of its growth

`--before PYTHON` adds an earlier version of vclean as a peer; PYTHON is the interpreter of its environment.

All peers read a page before the next page, and their order reverses from page to page. Other load on the machine then
affects all peers alike. Ratios are medians over the pages. The JSON file is written after each section. An interrupted
run continues with the missing sections; `--only` measures sections again.
`--write docs/reference/tables/performance.md` updates the tables.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psutil
from peer_processes import WARM_UP
from results_file import read_results, replace_last_section
from sizes import BYTES, NODES
from speed import evenly
from suite_sections import SECTIONS
from suite_tables import document
from suite_targets import targets

from vclean.classify.corpora.corpora import read_corpus
from vclean.errors import VcleanError
from vclean.files import check_writable, write_atomic
from vclean.imports import versions
from vclean.render.browser.chromium import find_chromium

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suite_sections import Facts

HEADING: Final = "## Results\n"
"""Last heading of the document; this program writes the text below it."""


def machine() -> Facts:
    """Return facts about this machine, for the results."""
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30),
        "browser": find_chromium().path.name,
        "versions": versions("playwright", "lightgbm", "numpy", "lxml"),
    }


def run(options: argparse.Namespace) -> None:
    """Measure the missing or selected sections, and write the results after each section.

    Raises:
        VcleanError: the corpus or the results cannot be read, a file cannot be written, or a peer does not work.
    """
    for path in filter(None, (options.json, options.write)):
        check_writable(path)
    figures = read_results(options.json, document)
    pages = list(evenly(read_corpus(options.corpus), options.pages + WARM_UP))
    figures["machine"] = machine()
    for name in options.only or [name for name in SECTIONS if name not in figures]:
        start, load = time.perf_counter(), os.getloadavg()[0]
        print(f"{name} ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            figures[name] = SECTIONS[name](options, pages, Path(folder)) | {"load": load}
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        if options.json:
            write_atomic(options.json, json.dumps(figures, indent=1) + "\n")
    figures["targets"] = targets(figures)
    print(document(figures))
    if options.json:
        write_atomic(options.json, json.dumps(figures, indent=1) + "\n")
    if options.write:
        replace_last_section(options.write, HEADING, document(figures))


def parse_args(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the command-line options."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    add = parser.add_argument
    add("corpus", type=Path, help="a Parquet file with the columns id, html and gold_text")
    add(
        "--only",
        type=partial(str.split, sep=","),
        metavar="SECTION,...",
        help="measure these sections, even if they are in the file",
    )
    add("--pages", type=int, default=300, metavar="N", help="pages of the corpus, evenly spaced (%(default)d)")
    add("--farm-pages", type=int, default=100, metavar="N", help="pages for each number of workers (%(default)d)")
    add("--growth-pages", type=int, default=2000, metavar="N", help="pages of the long run (%(default)d)")
    add("--most-bytes", type=int, default=BYTES[-1], metavar="N", help="bytes of the largest page (%(default)d)")
    add("--most-nodes", type=int, default=NODES[-1], metavar="N", help="nodes of the largest page (%(default)d)")
    add("--before", default="", metavar="PYTHON", help="interpreter with an earlier version to compare with")
    add("--json", type=Path, metavar="FILE", help="results: read if the file exists, and written")
    add("--write", type=Path, metavar="DOCUMENT", help="update the tables in this document")
    options = parser.parse_args(arguments)
    if unknown := set(options.only or ()) - SECTIONS.keys():
        parser.error(f"no section {', '.join(sorted(unknown))}: choose from {', '.join(SECTIONS)}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite. Return the exit code."""
    try:
        run(parse_args(arguments))
    except VcleanError as error:
        print(f"suite.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
