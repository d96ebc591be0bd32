"""Cross-validate the model of kinds of blocks: `python benchmarks/kinds.py CORPUS... --metadata GOLD.parquet`.

The kind of a block is known where a corpus annotates it: titles, names and dates of the file `--metadata`, comments of
dragnet, classes of L3S-GN1, posts of forums. Five folds by site; pages are not rendered. The table has precision,
recall and F1 of each kind, over the blocks of known kind.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from documents import table

from vclean.classify.content.kinds import kind_probability
from vclean.classify.corpora.corpora import read_corpus, read_metadata
from vclean.classify.training.dataset import FOLDS, design_matrix
from vclean.classify.training.kinds import fit_kinds, known_rows
from vclean.cli.corpora import open_readers, training_table
from vclean.labels import LEARNED_KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.training.dataset import TrainingTable


def held_out_kinds(training: TrainingTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the predicted and the annotated kinds of the blocks of known kind, as indices into `LEARNED_KINDS`.

    Each block is predicted by trees that saw no page of its site.
    """
    rows = known_rows(training.kind)
    x = design_matrix(training, *training.fits.scores(None))[rows]
    known, fold, page = training.kind[rows], training.row_fold[rows], training.row_page[rows]
    predicted = np.zeros(len(rows), dtype=np.int64)
    for held_out in np.unique(fold).tolist():
        trees = fit_kinds(x[fold != held_out], known[fold != held_out], page[fold != held_out])
        if trees:
            predicted[fold == held_out] = kind_probability(trees, x[fold == held_out]).argmax(axis=1)
    return predicted, known.astype(np.int64)


def scores(predicted: NDArray[np.int64], known: NDArray[np.int64]) -> list[tuple[str, ...]]:
    """Return a row for each kind that occurs: its name, number of blocks, precision, recall and F1."""
    rows = []
    for code, kind in enumerate(LEARNED_KINDS):
        right = np.count_nonzero((predicted == code) & (known == code))
        found, count = np.count_nonzero(predicted == code), np.count_nonzero(known == code)
        if count:
            values = right / max(found, 1), right / count, 2 * right / (found + count)
            rows.append((str(kind), f"{count:,}", *(f"{value:.3f}".removeprefix("0") for value in values)))
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of the corpora on the command line, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS")
    parser.add_argument("--metadata", type=Path, help="Parquet file with titles, authors and dates")
    options = parser.parse_args(arguments)
    metadata = read_metadata(options.metadata) if options.metadata else {}
    corpora = [read_corpus(path, metadata) for path in options.corpora]
    with open_readers(render=False, snapshots=None, keep=False) as readers:
        training = training_table(corpora, readers, FOLDS, None)
    predicted, known = held_out_kinds(training)
    print(table(["kind", "blocks", "precision", "recall", "F1"], scores(predicted, known)))
    print(f"accuracy {np.mean(predicted == known):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
