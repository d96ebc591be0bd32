"""Rules for values that trees cannot judge: placeholders, dates of other things, and dates that only markup has."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.metadata import titles
from vclean.features.metadata.mentions import Field, Source
from vclean.labels import PageType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.metadata.candidates import Candidate, Candidates
    from vclean.features.metadata.mentions import Mention

_VARIABLE: Final = re.compile(
    r"\{\{[^{}]*\}\}|\{%[^{}]*%\}|<[?%][^<>]*>|\$\{[^{}]*\}|\{\w+\}|%\w+%|\[\w*(?:author|title|name)\w*\]",
    re.IGNORECASE,
)
"""Variables of templates that were not filled in."""
_NO_TITLE: Final = re.compile(r"(?:untitled(?:[ -](?:document|page))?|no title|new page \d*|index\.\w+)", re.IGNORECASE)
"""What editors and servers call documents without a title."""
_ANY_PAGE: Final = re.compile(
    r"(?:home(?: ?page)?|document|index|page title|new page|welcome|loading\W*)", re.IGNORECASE
)
"""Titles that say nothing about a page; readers may see them in `<h1>` nevertheless, such as in an encyclopedia."""
_ACCOUNT: Final = re.compile(
    r"(?:(?:web|site|sys|wp|super)?[ _-]?admin(?:istrator)?|root|editor|webmaster|user|superuser|test|guest|author|"
    r"null|none|undefined|n/a)\d*",
    re.IGNORECASE,
)
"""Names of accounts that belong to no person."""
_IS_H1: Final = titles.COLUMNS.index("is_h1")
_IN_TITLE: Final = titles.COLUMNS.index("in_title")

_JSON_LD_DATES: Final = ("article.datePublished", "untyped.datePublished", "page.datePublished")
_OTHER_DATES: Final = frozenset(
    ("timestamp", "created", "ptime", "pubyear", "last-publication-date", "og:release_date", "book:release_date")
)
"""Names of `<meta>` that are used for other dates, too."""
_NO_ARTICLES: Final = (
    PageType.PRODUCT, PageType.LISTING, PageType.COLLECTION, PageType.SERVICE, PageType.HOME, PageType.OTHER,
)  # fmt: skip
"""Types of pages whose dates of publication are those of database entries, and interest no reader."""
_LOWEST: Final = 0.05
"""Lowest probability of a date that only markup declares."""
_LOWEST_SHOWN: Final = 0.02
"""Lowest probability of a title that only a block shows, in an element with such a name."""


def possible(field: Field, candidates: Candidates, page_type: str) -> NDArray[np.bool_]:
    """Return which of C candidates for a field can be its value, whatever their probability: bool (C,).

    Args:
        field: the title, the authors or the day of publication.
        candidates: its candidates.
        page_type: the type of the page; empty if unknown.
    """
    if field is Field.TITLE:
        pairs = zip(candidates.rows, candidates.x[:, _IS_H1].tolist(), strict=True)
        return np.array([not _is_placeholder(row.values[0], is_h1=is_h1 == 1) for row, is_h1 in pairs], dtype=bool)
    if field is Field.AUTHORS:
        mask = np.array([bool(persons(row.values)) for row in candidates.rows], dtype=bool)
    else:
        mask = np.array([not _is_change(row) for row in candidates.rows], dtype=bool)
    return mask if page_type == PageType.FORUM else mask & ~candidates.in_comments


def _is_placeholder(title: str, *, is_h1: bool) -> bool:
    text = _VARIABLE.sub("", title).strip(" -|:.")
    if not text or _NO_TITLE.fullmatch(text):
        return True
    return not is_h1 and bool(_ANY_PAGE.fullmatch(text))


def persons(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names without variables of templates and names of accounts.

    >>> persons(("Ann Lee", "admin")), persons(("{{author}}",))
    (('Ann Lee',), ())
    """
    return tuple(name for name in names if not _VARIABLE.search(name) and not _ACCOUNT.fullmatch(name))


def _is_change(candidate: Candidate) -> bool:
    """Return whether only markup gives a day, and as that of a change. On pages, days of changes are shown as dates."""
    return all(mention.field is Field.MODIFIED and mention.block < 0 for mention in candidate.mentions)


def declared_date(candidates: Candidates, probability: NDArray[np.float64], page_type: str) -> int | None:
    """Return the candidate for the day of publication that markup declares for a text, if all such declarations agree.

    The trees give such days a low probability if no text shows them: on the training corpora, half of them are of
    pages without text, such as products and services, whose gold has no date.

    Args:
        candidates: C candidates.
        probability: float64 (C,), the probability that they are right.
        page_type: the type of the page; empty if unknown.
    """
    if page_type in _NO_ARTICLES:
        return None
    rows = [row for row, each in enumerate(candidates.rows) if any(map(_is_declared, each.mentions))]
    days = [date.fromisoformat(candidates.rows[row].values[0][:10]).toordinal() for row in rows]
    if not rows or max(days) - min(days) > 1:  # days of one moment in two time zones agree
        return None
    best = max(rows, key=lambda row: float(probability[row]))
    return best if probability[best] >= _LOWEST else None


def shown_title(candidates: Candidates, probability: NDArray[np.float64]) -> int | None:
    """Return the block that is named as the title, for pages without a title in markup; None if there is none.

    The trees give it a low probability: on the training corpora, markup confirms nearly every title.

    Args:
        candidates: C candidates.
        probability: float64 (C,), the probability that they are right; 0 for those that cannot be titles.
    """
    best = int(probability.argmax())
    is_only = all(mention.source is Source.PAGE for row in np.flatnonzero(probability).tolist()
                  for mention in candidates.rows[row].mentions)  # fmt: skip
    is_named = candidates.x[best, _IN_TITLE] == 1
    return best if is_only and is_named and probability[best] >= _LOWEST_SHOWN else None


def _is_declared(mention: Mention) -> bool:
    """Return whether a mention is the declaration of a day of publication."""
    if mention.field is not Field.PUBLISHED:
        return False
    if mention.source is Source.JSON_LD:
        return mention.name in _JSON_LD_DATES
    return mention.source in (Source.META, Source.OPEN_GRAPH) and mention.name not in _OTHER_DATES
