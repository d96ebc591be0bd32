"""Apply rules after the trees: adjust probabilities by site and policy, keep the headline and the facts of a subject.

Corpora disagree about headlines, users do not: of 97 news pages whose gold text begins with the headline, a model
trained on all corpora keeps it on 39. The headline is therefore kept by rule, and once.

Gold texts of most corpora leave out prices and numbers of products. A reader who wants the text of a product page wants
its name, its price and its number; without the rule 74 of 155 such values on 47 pages of shops are kept, with it 132.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content.expected_f import adjust_for_kind, bounded_log_odds
from vclean.classify.prediction import Change, Headline, HeadlineSource
from vclean.features.facts.subject import find_subject
from vclean.features.headline import find_headline, has_home_url, title_agreement
from vclean.features.text.page_title import normalize, strip_site_name
from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.content.kinds import KindRequest
    from vclean.classify.content.site_evidence import SiteEvidence
    from vclean.features.facts.subject import Subject
    from vclean.features.page_context import PageContext
    from vclean.settings import Policy


class AdjustedProbability:
    """Probability of content of the B blocks of a page, with the changes of its log odds.

    Attributes:
        value: float32 (B,), the probability after all adjustments.
        changes: float64 (B,) by `Change`, what was added to the log odds, without the evidence of the site.
    """

    def __init__(self, probability: NDArray[np.float32]) -> None:
        self.value = probability
        self.changes: dict[Change, NDArray[np.float64]] = {}

    def add_evidence(self, evidence: SiteEvidence) -> None:
        """Add the evidence of the other pages of the site, which is not recorded as a change."""
        from vclean.classify.content.site_evidence import add_evidence

        self.value = add_evidence(self.value, evidence.log_odds)

    def add_comments(self, comments: NDArray[np.float32], words: NDArray[np.float32], *, include: bool) -> None:
        """Keep or leave out readers' comments: see `adjust_for_kind`."""
        self._replace(Change.COMMENTS, adjust_for_kind(self.value, comments, words, include=include))

    def add_requests(self, requests: Sequence[KindRequest], words: NDArray[np.float32]) -> None:
        """Keep or leave out kinds of blocks, as the policy requests."""
        for request in requests:
            self._replace(Change.KINDS, adjust_for_kind(self.value, request.members, words, include=request.include))

    def _replace(self, change: Change, value: NDArray[np.float32]) -> None:
        if value is not self.value:
            total = self.changes.get(change, 0)
            self.changes[change] = total + bounded_log_odds(value) - bounded_log_odds(self.value)
        self.value = value


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


def place_subject(
    context: PageContext, labels: Sequence[Label], policy: Policy
) -> tuple[list[Label], Subject | None, frozenset[int]]:
    """Label what a page shows of its product or recipe as content.

    The rule does not apply to a page without content, and to policies with the convention of a corpus, whose annotators
    decided otherwise.

    Returns:
        The labels, the product or recipe, and the blocks that are content by this rule.
    """
    if policy.convention or not any(label.is_content for label in labels):
        return list(labels), None, frozenset()
    subject = find_subject(context, ~context.blocks.is_excluded(policy))
    if subject is None:
        return list(labels), None, frozenset()
    snapshot, placed = context.snapshot, list(labels)
    kept = frozenset(row for row in subject.blocks.rows if not labels[row].is_content)
    for row in kept:
        is_item = snapshot.tags[snapshot.tag[context.blocks.node[row]]] == "li"
        placed[row] = Label.LIST_ITEM if is_item else Label.PARAGRAPH
    return placed, subject, kept
