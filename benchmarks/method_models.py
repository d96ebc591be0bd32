"""The models of trained methods that ship in the package, made by `vclean train` on samples of the corpora.

`python benchmarks/method_models.py CORPUS.parquet... --method victor --method stupidos -o classify/data/methods`

A sample has the same number of pages of every corpus, evenly taken, so that no corpus speaks for all. The same corpora
give the same files. Methods that look at rendered pages render them; `--snapshots` keeps those for the next run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from vclean.classify.methods import all_facts
from vclean.classify.methods.registry import DEFAULT
from vclean.cli.main import main as vclean

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGES = 150
"""Pages of a corpus, unless it has fewer."""


def sample(corpus: Path, folder: Path, pages: int) -> Path:
    """A corpus of so many pages of `corpus`, evenly taken, under its name in `folder`; all where it has fewer."""
    table = pq.read_table(corpus)
    if table.num_rows > pages:
        table = table.take([at * table.num_rows // pages for at in range(pages)])
    path = folder / corpus.name
    pq.write_table(table, path, compression="zstd")
    return path


def train(method: str, corpora: Sequence[Path], out: Path, snapshots: Path | None) -> int:
    """Train a method on `corpora` into the folder `out`; the exit code of `vclean train`."""
    kept = ["--snapshots", str(snapshots)] if snapshots else []
    file = str(out / f"{method}.model")
    return vclean(["train", *map(str, corpora), "--method", method, "-o", file, *kept])


def parse_args(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    trained = [found.name for found in all_facts() if found.trained and found.name != DEFAULT]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    add("--method", action="append", choices=trained, metavar="NAME", help="may be repeated (all that are trained)")
    add("--pages", type=int, default=PAGES, metavar="N", help="pages of each corpus (%(default)d)")
    add("--snapshots", type=Path, metavar="FOLDER", help="rendered pages, for the methods that need them")
    add("-o", "--out", type=Path, required=True, metavar="FOLDER", help="where the models go")
    options = parser.parse_args(arguments)
    options.method = options.method or trained
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Train one after the other; the greatest exit code, which is 1 where pages failed and the models are written."""
    options = parse_args(arguments)
    with TemporaryDirectory(prefix="vclean-") as folder:
        corpora = [sample(corpus, Path(folder), options.pages) for corpus in options.corpora]
        return max(train(method, corpora, options.out, options.snapshots) for method in options.method)


if __name__ == "__main__":
    sys.exit(main())
