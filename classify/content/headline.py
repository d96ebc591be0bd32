"""Keep or drop the headline of a page, after the model has labelled its blocks.

Corpora disagree about headlines, users do not: of 97 news pages whose gold text begins with the headline, a model
trained on all corpora keeps it on 39. The headline is therefore kept by rule, and once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.prediction import Headline, HeadlineSource
from vclean.features.headline import find_headline, has_home_url, title_agreement
from vclean.features.text.page_title import normalize, strip_site_name
from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.page_context import PageContext
    from vclean.settings import Policy

SAME_TITLE: Final = 0.7
"""Similarity with the title from which a heading of the content repeats it."""
LISTED_LINKS: Final = 3
"""Fewest headings with links in the content of a page that lists articles; the title of such a page is not added."""
_REPEATED: Final = frozenset((Label.HEADING, Label.PARAGRAPH))
"""Labels of blocks that repeat the headline and are left out; cells and items are parts of a table or a list."""
_LINK: Final = 0.5
"""Share of link text above which a heading is a link."""


def place_headline(
    context: PageContext, labels: Sequence[Label], policy: Policy
) -> tuple[list[Label], Headline | None]:
    """Label the headline of a page as heading, or as other if the policy leaves it out.

    Returns:
        The labels, and the headline; None for a page without headline, and for one without content.
    """
    is_content = np.array([label.is_content for label in labels], dtype=bool)
    if not is_content.any():
        return list(labels), None
    block = find_headline(context)
    if not policy.title:
        return _drop(context, labels, block)
    if block >= 0 and not context.blocks.is_excluded(policy)[block]:
        return _keep(context, labels, block)
    return list(labels), _from_title(context, labels, is_content)


def _keep(context: PageContext, labels: Sequence[Label], block: int) -> tuple[list[Label], Headline]:
    """Label the headline as heading, and the blocks that repeat it as other."""
    source = HeadlineSource.MODEL if labels[block] is Label.HEADING else HeadlineSource.RULE
    relabelled = _without_repetitions(context, labels, block)
    relabelled[block] = Label.HEADING
    return relabelled, Headline(context.blocks.text[block], block, source)


def _drop(context: PageContext, labels: Sequence[Label], block: int) -> tuple[list[Label], Headline | None]:
    """Label the headline and the blocks that repeat it as other."""
    if block < 0:
        return list(labels), None
    relabelled = _without_repetitions(context, labels, block)
    relabelled[block] = Label.OTHER
    return relabelled, Headline(context.blocks.text[block], block, HeadlineSource.DROPPED)


def _without_repetitions(context: PageContext, labels: Sequence[Label], block: int) -> list[Label]:
    """Return the labels, with other for headings and paragraphs that have the same words as `block`."""
    relabelled, texts, expected = list(labels), context.blocks.text, normalize(context.blocks.text[block])
    for row in np.flatnonzero(context.tokens == context.tokens[block]).tolist():
        if labels[row] in _REPEATED and normalize(texts[row]) == expected:
            relabelled[row] = Label.OTHER
    return relabelled


def _from_title(context: PageContext, labels: Sequence[Label], is_content: NDArray[np.bool_]) -> Headline | None:
    """Return the title of the document as headline; None if the content repeats it, or the page lists articles."""
    title = strip_site_name(context.snapshot.title, context.snapshot.url)
    is_heading = np.array([label is Label.HEADING for label in labels], dtype=bool)
    is_title_candidate = is_heading | (np.arange(len(labels)) == is_content.argmax())
    is_repeated = is_title_candidate & (title_agreement(context) >= SAME_TITLE)
    is_list = np.count_nonzero(is_heading & (context.link_share > _LINK)) >= LISTED_LINKS
    if not title or is_repeated.any() or is_list or has_home_url(context.snapshot):
        return None
    return Headline(title, None, HeadlineSource.TITLE)
