"""Measure and train the model of page types, for `benchmarks/metadata.py`.

Types are those of the column `page_type` of the corpora, and those of a file of types, which overrule them. Recipes and
the news of DAnIEL are articles; they count a fifth, because they are as many as all other articles, and alike.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from documents import table

from vclean.classify.corpora.corpora import assign_folds, read_corpus, site
from vclean.classify.page_type import THRESHOLD
from vclean.classify.training import fits
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.features.facts.page_type import address_values, page_features
from vclean.features.page_context import PageContext
from vclean.labels import PAGE_TYPES, PageType
from vclean.render.static.parse import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from vclean.classify.corpora.gold import GoldPage
    from vclean.classify.forest import Forest

    Types = Mapping[tuple[str, str], tuple[str, str]]
    """Type of a page and its URL (`-`: that of the corpus), by corpus and id or URL."""

FOLDS = 5
WCXB: Final = "wcxb"
_ARTICLES: Final = frozenset(("recipes", "daniel"))
"""Corpora of articles whose column `page_type` has something else."""
_OTHER_URLS: Final = frozenset(("daniel",))
"""Corpora whose URLs are often those of front pages or of other sites."""
_WEIGHTS: Final = {"recipes": 0.2, "daniel": 0.2}
_BALANCE: Final = 0.5
"""Exponent of the balance of types: 0 counts every page the same, 1 every type. Half of the pages are articles."""
_NAMES: Final = frozenset(page_type.value for page_type in PageType)


@dataclass(frozen=True, eq=False)
class TypedPage:
    """Page with its type.

    Attributes:
        corpus, url, site: where it comes from.
        x: float32 (F,), its features, see `vclean.features.facts.page_type`.
        page_type: its type.
        weight: how much it counts.
        own: its type in the corpus; None if the corpus has none.
    """

    corpus: str
    url: str
    site: str
    x: NDArray[np.float32]
    page_type: PageType
    weight: float
    own: PageType | None


def read_types(path: Path) -> Types:
    """Read a file of types: tab-separated corpus, id or URL, type, and URL or `-`, below a line with these names."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return {(corpus, page): (page_type, url) for corpus, page, page_type, url in rows}


def typed_pages(corpora: Sequence[Path], types: Types) -> Iterator[TypedPage]:
    """Yield the pages of known type that can be read."""
    for path in corpora:
        for page in read_corpus(path):
            own = PageType.ARTICLE.value if page.corpus in _ARTICLES else page.page_type
            page_type, url = types.get((page.corpus, page.id), types.get((page.corpus, page.url), (own, "-")))
            if page_type not in _NAMES:
                continue
            url = "" if page.corpus in _OTHER_URLS else page.url if url == "-" else url
            try:
                yield _typed(replace(page, url=url), page_type, own)
            except VcleanError as error:
                sys.stderr.write(f"metadata.py: {page.id} of {page.corpus} is left out: {error}\n")


def _typed(page: GoldPage, page_type: str, own: str) -> TypedPage:
    x = page_features(PageContext(extract_blocks(parse(page.to_page()))))
    weight, own_type = _WEIGHTS.get(page.corpus, 1.0), PageType(own) if own in _NAMES else None
    return TypedPage(page.corpus, page.url, site(page), x, PageType(page_type), weight, own_type)


def without_address(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the features of a page as if its URL were unknown: float32 (F,)."""
    unknown = np.array(address_values(""), dtype=np.float32)
    return np.concatenate([unknown, x[len(unknown) :]])


def fit_types(pages: Sequence[TypedPage]) -> Forest:
    """Fit the model; the same pages give the same trees.

    Each page is there again as one without URL: else such a page is taken for an article, because the others of the
    corpora have a URL.
    """
    x = np.stack([page.x for page in pages] + [without_address(page.x) for page in pages])
    y = np.array([PAGE_TYPES.index(page.page_type) for page in pages] * 2)
    own = np.array([page.weight for page in pages] * 2)
    weight = own * np.bincount(y, own)[y] ** -_BALANCE
    return fits.fit("page types", x, y, weight=weight / weight.mean())


def cross_validate(pages: Sequence[TypedPage], *, hide_address: bool = False) -> NDArray[np.float64]:
    """Return the probabilities of types of each page, by models that saw no page of its site: float64 (P, types).

    With `hide_address`, the pages are scored as if they had no URL.
    """
    fold = assign_folds([page.site for page in pages], FOLDS)
    probability = np.zeros((len(pages), len(PAGE_TYPES)))
    for number in range(FOLDS):
        model = fit_types([page for page, own in zip(pages, fold, strict=True) if own != number])
        rows = np.flatnonzero(fold == number)
        samples = (pages[row].x for row in rows.tolist())
        probability[rows] = model.predict(np.stack([without_address(x) if hide_address else x for x in samples]))
    return probability


def tables(pages: Sequence[TypedPage]) -> str:
    """Return the accuracy on all pages and on the types of WCXB, the scores of each type, and the confusion matrix."""
    probability = cross_validate(pages)
    gold = np.array([PAGE_TYPES.index(page.page_type) for page in pages])
    wcxb = [page for page in pages if page.corpus == WCXB and page.own]
    lines = [_line("all", gold, probability)]
    for corpus in dict.fromkeys(page.corpus for page in pages):
        mask = np.array([page.corpus == corpus for page in pages])
        lines.append(_line(corpus, gold[mask], probability[mask]))
    hidden = cross_validate(pages, hide_address=True)
    lines.append(_line("all, without URL", gold, hidden))
    if wcxb:
        as_own = [replace(page, page_type=page.own) for page in wcxb if page.own]
        own = np.array([PAGE_TYPES.index(page.page_type) for page in as_own])
        lines.append(_line("wcxb, its seven types", own, cross_validate(as_own)))
    scores = table(("corpus", "pages", "accuracy", "macro-F1", "answered", "accuracy of answers"), lines)
    parts = (scores, _type_table(gold, probability), _confusion(gold, probability), _worst(pages, probability))
    return "\n\n".join(parts)


def _line(name: str, gold: NDArray[np.int64], probability: NDArray[np.float64]) -> tuple[str, ...]:
    best, answered = probability.argmax(axis=1), probability.max(axis=1) >= THRESHOLD
    scores = [_f1(gold, best, code) for code in np.unique(gold).tolist()]
    values = (np.mean(best == gold), np.mean(scores), answered.mean(), np.mean((best == gold)[answered]))
    return name, str(len(gold)), *(f"{value:.3f}" for value in values)


def _f1(gold: NDArray[np.int64], best: NDArray[np.int64], code: int) -> float:
    both = np.count_nonzero((gold == code) & (best == code))
    return float(2 * both / max(np.count_nonzero(gold == code) + np.count_nonzero(best == code), 1))


def _type_table(gold: NDArray[np.int64], probability: NDArray[np.float64]) -> str:
    """Return the precision, recall and F1 of each type."""
    best, lines = probability.argmax(axis=1), []
    for code, name in enumerate(PAGE_TYPES):
        is_gold, is_best = gold == code, best == code
        both = np.count_nonzero(is_gold & is_best)
        precision, recall = both / max(is_best.sum(), 1), both / max(is_gold.sum(), 1)
        lines.append(
            (name.value, str(is_gold.sum()), f"{precision:.3f}", f"{recall:.3f}", f"{_f1(gold, best, code):.3f}")
        )
    return table(("type", "pages", "precision", "recall", "F1"), lines)


def _confusion(gold: NDArray[np.int64], probability: NDArray[np.float64]) -> str:
    """Return how many pages of each type have each predicted type."""
    size = len(PAGE_TYPES)
    count = np.bincount(gold * size + probability.argmax(axis=1), minlength=size * size).reshape(size, size)
    rows = [(name.value, *map(str, row)) for name, row in zip(PAGE_TYPES, count.tolist(), strict=True)]
    return table(("gold, predicted", *(name.value for name in PAGE_TYPES)), rows)


def _worst(pages: Sequence[TypedPage], probability: NDArray[np.float64], count: int = 30) -> str:
    """Return the pages with the most probable wrong types."""
    gold = np.array([PAGE_TYPES.index(page.page_type) for page in pages])
    best = probability.argmax(axis=1)
    wrong = np.flatnonzero(best != gold)
    rows = wrong[np.argsort(-probability[wrong, best[wrong]], kind="stable")][:count].tolist()
    return "\n".join(
        f"{PAGE_TYPES[gold[row]]} -> {PAGE_TYPES[best[row]]} {probability[row, best[row]]:.2f} {pages[row].corpus} "
        f"{pages[row].url}" for row in rows
    )  # fmt: skip
