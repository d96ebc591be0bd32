"""What rendering is worth for the text: word F1 of the model's two readings of the same pages.

    python benchmarks/seeing.py CORPUS... --predictions cv.jsonl

takes what `vclean train` or `vclean evaluate --folds 5 --render` wrote with `--predictions`, and gives the mean
difference, rendered less unrendered, with a 95 % interval (bootstrap over sites), by corpus and by page type.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from documents import table
from leaderboard import interval, read_predictions

from vclean.classify.corpora.corpora import read_corpus, site
from vclean.classify.evaluation.scores import word_score
from vclean.errors import InputError, VcleanError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rivals import Texts

    from vclean.classify.corpora.corpora import GoldPage

READINGS = ("vclean, unrendered", "vclean, rendered")


def difference(page: GoldPage, texts: Mapping[str, Texts]) -> float:
    """Word F1 of a page rendered, less that of the same page unrendered.

    Raises:
        InputError: one of the readings is missing.
    """
    if not set(READINGS) <= set(texts):
        raise InputError(f"the predictions lack a reading of {page.id} of {page.corpus}: make them with --render")
    unrendered, rendered = (word_score(texts[name][0], page.text).f1 for name in READINGS)
    return rendered - unrendered


def groups(page: GoldPage) -> Iterator[str]:
    """What a page counts for: its corpus, and its type there."""
    yield page.corpus
    if page.page_type:
        yield f"{page.corpus}: {page.page_type}"


def compare(pages: Sequence[tuple[GoldPage, float]]) -> dict[str, tuple[int, float, float, float]]:
    """Pages, mean difference and its interval, of each group; largest corpora last as they come."""
    found: dict[str, list[tuple[str, float]]] = {}
    for page, gain in pages:
        for name in groups(page):
            found.setdefault(name, []).append((site(page), gain))
    return {name: (len(gains), *_interval(gains)) for name, gains in found.items()}


def _interval(gains: Sequence[tuple[str, float]]) -> tuple[float, float, float]:
    numbers = np.unique([place for place, _ in gains], return_inverse=True)[1]
    return interval(np.array([gain for _, gain in gains]), numbers)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit code."""
    parser = argparse.ArgumentParser(prog="seeing", description="What rendering is worth for the text.")
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    parser.add_argument("--predictions", type=Path, required=True, metavar="FILE", help="of both readings")
    options = parser.parse_args(arguments)
    try:
        texts = read_predictions(options.predictions)
        pages = [
            (page, difference(page, texts.get((page.corpus, page.id), {})))
            for corpus in options.corpora
            for page in read_corpus(corpus)
        ]
    except VcleanError as error:
        sys.stderr.write(f"seeing: {error}\n")
        return error.exit_code
    rows = ((name, n, f"{d:+.4f}", f"{low:+.4f} to {high:+.4f}") for name, (n, d, low, high) in compare(pages).items())
    print(table(("pages of", "pages", "rendered less unrendered", "95 % interval"), rows), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
