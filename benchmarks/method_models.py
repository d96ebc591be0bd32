"""Train the shipped models of methods, by `vclean train` on samples of the corpora.

`python benchmarks/method_models.py CORPUS.parquet... --method victor --method stupidos -o classify/data/methods`

A sample has the same number of pages of every corpus, evenly spaced, so no corpus dominates. The same corpora give the
same files. Methods that need rendered pages render them; `--snapshots` caches the renderings for the next run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from vclean.classify.methods import all_method_infos
from vclean.classify.methods.registry import DEFAULT
from vclean.cli.main import main as vclean

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGES = 150
"""Maximum number of pages of a corpus."""


def sample(corpus: Path, folder: Path, pages: int) -> Path:
    """Write `pages` evenly spaced pages of a corpus to `folder`, under the same file name. Return the new path.

    A corpus with fewer pages is copied whole.
    """
    table = pq.read_table(corpus)
    if table.num_rows > pages:
        table = table.take([at * table.num_rows // pages for at in range(pages)])
    path = folder / corpus.name
    pq.write_table(table, path, compression="zstd")
    return path


def parse_args(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the command-line options."""
    trained = [facts.name for facts in all_method_infos() if facts.trained and facts.name != DEFAULT]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    add(
        "--method",
        action="append",
        choices=trained,
        metavar="NAME",
        help="may be repeated (default: all trained methods)",
    )
    add("--pages", type=int, default=PAGES, metavar="N", help="pages of each corpus (%(default)d)")
    add("--snapshots", type=Path, metavar="FOLDER", help="cache of rendered pages, for the methods that need them")
    add("-o", "--out", type=Path, required=True, metavar="FOLDER", help="folder for the models")
    options = parser.parse_args(arguments)
    options.method = options.method or trained
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the methods in turn. Return the greatest exit code.

    Exit code 1 means that pages failed, but the models were written.
    """
    options = parse_args(arguments)
    with TemporaryDirectory(prefix="vclean-") as folder:
        corpora = [sample(corpus, Path(folder), options.pages) for corpus in options.corpora]
        cache = ["--snapshots", str(options.snapshots)] if options.snapshots else []
        arguments = ["train", *map(str, corpora), *cache]
        files = {method: str(options.out / f"{method}.model") for method in options.method}
        return max(vclean([*arguments, "--method", method, "-o", file]) for method, file in files.items())


if __name__ == "__main__":
    sys.exit(main())
