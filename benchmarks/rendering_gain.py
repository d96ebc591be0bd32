"""Measure the gain in word F1 by rendering: `python benchmarks/rendering_gain.py CORPUS... --predictions CV.jsonl`.

The predictions come from `vclean train` or `vclean evaluate --folds 5 --render`, with `--predictions`. The table shows
the mean difference, rendered minus unrendered, with its 95 % interval (bootstrap over sites), by corpus and page type.
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

METHODS = ("vclean, unrendered", "vclean, rendered")


def difference(page: GoldPage, texts: Mapping[str, Texts]) -> float:
    """Return the word F1 of the rendered page minus that of the unrendered page.

    Raises:
        InputError: one of the two predictions is missing.
    """
    if not set(METHODS) <= set(texts):
        raise InputError(f"a prediction is missing for {page.id} of {page.corpus}: make the predictions with --render")
    unrendered, rendered = (word_score(texts[name][0], page.text).f1 for name in METHODS)
    return rendered - unrendered


def groups(page: GoldPage) -> Iterator[str]:
    """Yield the groups that a page belongs to: its corpus, and its page type in the corpus."""
    yield page.corpus
    if page.page_type:
        yield f"{page.corpus}: {page.page_type}"


def compare(pages: Sequence[tuple[GoldPage, float]]) -> dict[str, tuple[int, float, float, float]]:
    """Return by group the number of pages, the mean difference, and its interval (low, high)."""
    gains_by_group: dict[str, list[tuple[str, float]]] = {}
    for page, gain in pages:
        for name in groups(page):
            gains_by_group.setdefault(name, []).append((site(page), gain))
    return {name: (len(gains), *_interval(gains)) for name, gains in gains_by_group.items()}


def _interval(gains: Sequence[tuple[str, float]]) -> tuple[float, float, float]:
    numbers = np.unique([site_name for site_name, _ in gains], return_inverse=True)[1]
    return interval(np.array([gain for _, gain in gains]), numbers)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    parser.add_argument(
        "--predictions", type=Path, required=True, metavar="FILE", help="predictions with and without rendering"
    )
    options = parser.parse_args(arguments)
    try:
        texts = read_predictions(options.predictions)
        pages = [
            (page, difference(page, texts.get((page.corpus, page.id), {})))
            for corpus in options.corpora
            for page in read_corpus(corpus)
        ]
    except VcleanError as error:
        sys.stderr.write(f"rendering_gain.py: {error}\n")
        return error.exit_code
    rows = ((name, n, f"{d:+.4f}", f"{low:+.4f} to {high:+.4f}") for name, (n, d, low, high) in compare(pages).items())
    print(table(("pages of", "pages", "rendered minus unrendered", "95 % interval"), rows), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
