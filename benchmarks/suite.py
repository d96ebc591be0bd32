"""What vclean costs, all of it, beside its peers in one run: `python benchmarks/suite.py CORPUS.parquet --json F`.

Sections, each of which can be chosen by `--only`:

- rendered: CPU, clock and memory of a page in Chromium, beside other ways, a yardstick (`raw.py`) and the floor
- unrendered: the same beside other extractors
- stages: where the time of a page goes, from its delivery to the text
- start: the help, the first page parsed, the first page rendered, each in a new process
- farm: pages a second with 1 to 4 workers; growth: memory over a long run, first quarter against last
- sizes: cost against bytes and nodes, with the exponent of its growth

An earlier version of vclean is a peer too: `--before PYTHON` names the Python of an environment that has it.

Peers take each page in turn, in an order that turns round from page to page, so that what else the machine does falls
on all alike; ratios are medians over the pages. Sections are written to the JSON file as they are done; a run that was
broken off goes on with what is missing, and `--only` measures again.
`--write docs/reference/tables/performance.md` renews the tables.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psutil
from contest import WARM_UP
from figures import read_figures, renew
from sizes import BYTES, NODES
from speed import evenly
from suite_sections import SECTIONS
from suite_tables import document
from suite_targets import targets

from vclean.classify.corpora.corpora import read_corpus
from vclean.errors import VcleanError
from vclean.files import check_writable, write_atomic
from vclean.render.browser.chromium import find_chromium

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suite_sections import Facts

HEADING: Final = "## Results\n"
"""What stands below it in the document is made by this program."""


def machine() -> Facts:
    """What the figures were measured on."""
    packages = ("vclean", "playwright", "lightgbm", "numpy", "lxml")
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30),
        "browser": find_chromium().path.name,
        "versions": {name: metadata.version(name) for name in packages},
    }


def run(options: argparse.Namespace) -> None:
    """Measure what is missing or asked for, and write it down section by section.

    Raises:
        VcleanError: the corpus or the figures cannot be read, a file cannot be written, a peer does not work.
    """
    for path in filter(None, (options.json, options.write)):
        check_writable(path)
    figures = read_figures(options.json, document)
    pages = list(evenly(read_corpus(options.corpus), options.pages + WARM_UP))
    figures["machine"] = machine()
    for name in options.only or [name for name in SECTIONS if name not in figures]:
        began, load = time.perf_counter(), os.getloadavg()[0]
        print(f"{name} ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            figures[name] = SECTIONS[name](options, pages, Path(folder)) | {"load": load}
        print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        if options.json:
            write_atomic(options.json, json.dumps(figures, indent=1) + "\n")
    figures["targets"] = targets(figures)
    print(document(figures))
    if options.json:
        write_atomic(options.json, json.dumps(figures, indent=1) + "\n")
    if options.write:
        renew(options.write, HEADING, document(figures))


def parse_args(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    add = parser.add_argument
    add("corpus", type=Path, help="a Parquet file with the columns id, html and gold_text")
    add("--only", type=partial(str.split, sep=","), metavar="SECTION,...", help="measure these, again if need be")
    add("--pages", type=int, default=300, metavar="N", help="of the corpus, evenly (%(default)d)")
    add("--farm-pages", type=int, default=100, metavar="N", help="for each number of workers (%(default)d)")
    add("--growth-pages", type=int, default=2000, metavar="N", help="in the long run (%(default)d)")
    add("--most-bytes", type=int, default=BYTES[-1], metavar="N", help="of the largest page (%(default)d)")
    add("--most-nodes", type=int, default=NODES[-1], metavar="N", help="the same in nodes (%(default)d)")
    add(
        "--before", default="", metavar="PYTHON", help="that of an environment with an earlier version, to compare with"
    )
    add("--json", type=Path, metavar="FILE", help="the figures: read first, where it is there, and written")
    add("--write", type=Path, metavar="DOCUMENT", help="renew the tables in this document")
    options = parser.parse_args(arguments)
    if unknown := set(options.only or ()) - SECTIONS.keys():
        parser.error(f"no section {', '.join(sorted(unknown))}: choose from {', '.join(SECTIONS)}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite; the exit code."""
    try:
        run(parse_args(arguments))
    except VcleanError as error:
        print(f"suite.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
