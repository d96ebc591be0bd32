"""The rows a model learns from: the features of a page's blocks beside their gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify import gold, region_model
from vclean.classify.comments import among_comments
from vclean.classify.scores import count_words
from vclean.classify.smoothing import groups
from vclean.features import matrix, tokens, tree
from vclean.features.groups import Groups
from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora import GoldPage
    from vclean.classify.forest import Forest
    from vclean.features.blocks import Blocks
    from vclean.features.context import Layout
    from vclean.features.tokens import Ragged

_HEADING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ITEM_TAGS, _CELL_TAGS = ("li", "dt", "dd"), ("td", "th")

WEIGHT_CAP = 200
"""Words from which a block weighs no more in training."""


@dataclass(frozen=True, eq=False)
class PageRows:
    """One page, read one way, as B training rows.

    Attributes:
        corpus, id: the page.
        site: its registered domain; folds never split a site.
        rendered: whether it was read in a browser.
        fixed: float32 (B, F), the columns that depend on the page alone.
        region: float32 (B, len(region_blocks.COLUMNS)), by a region model that saw no page of the site.
        layout: what averaging the linear verdicts needs.
        path, word: the tokens of the two linear models, B rows each.
        share: float32 (B,), share of a block's words that are in the gold.
        content: bool (B,).
        label: int8 (B,), an index into `Label`, or `gold.UNKNOWN`.
        comments: float32 (B,), that a block is among readers' comments.
        group: int32 (B,), the list, table or code a block is of, or -1: see `smoothing.groups`.
        gold_words: words of the page's gold.
        importance: as many pages it counts as.
    """

    corpus: str
    id: str
    site: str
    rendered: bool
    fixed: NDArray[np.float32]
    region: NDArray[np.float32]
    layout: Layout
    path: Ragged
    word: Ragged
    share: NDArray[np.float32]
    content: NDArray[np.bool_]
    label: NDArray[np.int8]
    comments: NDArray[np.float32]
    group: NDArray[np.int32]
    gold_words: int
    importance: float = 1.0

    def __len__(self) -> int:
        """The number of blocks."""
        return len(self.content)

    @property
    def weight(self) -> NDArray[np.float32]:
        """float32 (B,): training weight, the root of the words up to `WEIGHT_CAP`, times the importance."""
        return (self.importance * np.sqrt(np.clip(self.layout.tokens, 1, WEIGHT_CAP))).astype(np.float32)


def page_rows(page: GoldPage, site: str, blocks: Blocks, regions: Forest | None = None) -> PageRows:
    """The training rows of `page`, cut into `blocks`; `regions` is a region model that saw no page of the site."""
    features = matrix.extract(blocks)
    posterior = region_model.posterior(regions, features.region) if regions else None
    region = matrix.with_regions(features, posterior)
    truth = gold.align(blocks.text, page)
    return PageRows(
        corpus=page.corpus,
        id=page.id,
        site=site,
        rendered=blocks.snapshot.rendered,
        fixed=features.fixed,
        region=region,
        layout=features.layout,
        path=tokens.path_rows(features.view, features.element_tokens) if len(blocks) else features.word_tokens,
        word=features.word_tokens,
        share=truth.content_share,
        content=truth.is_content,
        label=_told_types(truth.label, page, blocks),
        comments=among_comments(features.view, region),
        group=groups(blocks),
        gold_words=count_words(page.text),
    )


def _told_types(label: NDArray[np.int8], page: GoldPage, blocks: Blocks) -> NDArray[np.int8]:
    """int8 (B,): `label`, without what gold in Markdown leaves untold.

    Such gold leaves marks out: a paragraph in a heading tag or an item is of unknown type. And it puts what the page
    sets apart on one line: only what does not begin its item or container, or is in a cell, is told to continue.
    """
    if page.markup or not page.markdown:
        return label
    snapshot, node = blocks.snapshot, blocks.node
    marked = tree.nearest(snapshot.is_tag(_HEADING_TAGS), snapshot.parent)[node] > 0
    marked |= snapshot.is_tag(_ITEM_TAGS)[node]
    in_cell = tree.nearest(snapshot.is_tag(_CELL_TAGS), snapshot.parent)[node] > 0
    holder = tree.nearest(snapshot.is_tag(_ITEM_TAGS), snapshot.parent)[node]
    begins = Groups.by(np.where(holder > 0, holder, node)).place == 0
    untold = (label == gold.CODES.index(Label.PARAGRAPH)) & marked
    untold |= (label == gold.CODES.index(Label.CONTINUATION)) & begins & ~in_cell
    return np.where(untold, np.int8(gold.UNKNOWN), label)


def concatenate(rows: Sequence[Ragged]) -> Ragged:
    """The rows of several tables, one after the other."""
    lengths = np.concatenate([np.diff(table.start) for table in rows])
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return tokens.Ragged(start, np.concatenate([table.bucket for table in rows]))
