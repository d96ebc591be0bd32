"""Compute the features of what a page contains: its text, elements, names of elements, and repeated records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.names import lexicon
from vclean.features.page_type.word_groups import groups_of, name_bit, text_terms
from vclean.features.records.groups import INLINE
from vclean.features.text import number_patterns
from vclean.features.text.lexicon import MONTHS
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot

_LONG: Final = 20
"""Words from which a block without links is running text."""
_LINKED: Final = 0.5
"""Share of linked characters from which a block is a link."""
_DATE_WORDS: Final = 15
"""Most words of a block that is a date with its label."""
_LEAST_RECORDS, _MOST_RECORDS = 3, 500
"""Fewest and most members of a group of records."""

_TAGS: Final = {
    "h1": ("h1",), "h2": ("h2",), "h3": ("h3", "h4", "h5", "h6"), "p": ("p",), "li": ("li",), "a": ("a",),
    "img": ("img", "picture"), "table": ("table",), "tr": ("tr",), "code": ("pre", "code", "samp"), "form": ("form",),
    "field": ("input", "textarea", "select"), "password": (), "button": ("button",), "textarea": ("textarea",),
    "select": ("select",), "video": ("video", "iframe", "object", "embed"), "article": ("article",), "time": ("time",),
    "nav": ("nav",), "aside": ("aside",), "section": ("section",), "svg": ("svg",), "dl": ("dl", "dt", "dd"),
    "quote": ("blockquote",), "main": ("main",), "frame": ("frame", "frameset"), "option": ("option",),
}  # fmt: skip
_RECORD: Final = ("size", "share", "words", "linked", "heading", "image", "price", "date", "links", "long")

COLUMNS: Final = (
    "words", "blocks", "elements", "link_words", "long_blocks", "long_share", "long_words", "longest_run",
    "largest_body", "heading_words", "item_words", "code_words", "table_words", "linked_items",
    "paragraphs_per_heading", "questions", "prices", "price_blocks", "dates", "date_blocks", "phones", "digits",
    "first_long", "first_heading",
    *(f"tag_{name}" for name in _TAGS),
    *(f"text_{name}" for name in groups_of("text")),
    *(f"rate_{name}" for name in groups_of("text")),
    *(f"name_{name}" for name in groups_of("name")),
    *(f"record_{name}" for name in _RECORD),
    "records_image", "records_price", "records_date", "records_heading", "record_groups",
)  # fmt: skip


def content_values(context: PageContext) -> list[float]:
    """Return the values of `COLUMNS` for a page; a page without blocks has zeros."""
    contents = _Contents(context)
    return [
        *contents.text_values(),
        *contents.tag_values(),
        *contents.term_values(),
        *contents.name_values(),
        *contents.record_values(),
    ]


@dataclass(frozen=True, eq=False)
class _Contents:
    """Page with B blocks and N elements, and what several features need of it."""

    context: PageContext

    @property
    def snapshot(self) -> Snapshot:
        return self.context.snapshot

    @cached_property
    def words(self) -> NDArray[np.float64]:
        """Return the number of words per block: float64 (B,)."""
        return self.context.tokens.astype(np.float64)

    @cached_property
    def total(self) -> float:
        """Return the number of words of the page, at least 1."""
        return max(float(self.words.sum()), 1.0)

    @cached_property
    def is_long(self) -> NDArray[np.bool_]:
        """Return which blocks are running text: bool (B,)."""
        return (self.words >= _LONG) & (self.context.link_share < _LINKED)

    @cached_property
    def patterns(self) -> dict[str, NDArray[np.float32]]:
        """Return the number of dates, prices and telephone numbers per block: float32 (B,) each."""
        texts = self.context.blocks.text
        plain = "\n".join([*texts, ""])
        return {name: np.asarray(values) for name, values in number_patterns.compute(self.context.texts, plain).items()}

    @cached_property
    def is_date(self) -> NDArray[np.bool_]:
        """Return which blocks are dates with their label: bool (B,)."""
        months = self.context.terms.count(MONTHS) > 0
        has_date = (self.patterns["dates"] > 0) | (months & (self.context.digit_words > 0))
        return has_date & (self.words <= _DATE_WORDS)

    @cached_property
    def is_price(self) -> NDArray[np.bool_]:
        """Return which blocks are prices with their label: bool (B,)."""
        return (self.patterns["prices"] > 0) & (self.words <= _DATE_WORDS)

    def share(self, mask: NDArray[np.bool_]) -> float:
        """Return the share of the words of the page in the blocks of a mask (B,)."""
        return float(self.words[mask].sum()) / self.total

    def inside(self, *tags: str) -> NDArray[np.bool_]:
        """Return which blocks are in elements with one of some tags: bool (B,)."""
        return self.context.within(tags)[self.context.blocks.node]

    def text_values(self) -> list[float]:
        """Return the values of the columns before `tag_h1`."""
        context, is_long = self.context, self.is_long
        linked = context.link_share >= _LINKED
        in_item, in_heading = self.inside("li"), self.inside("h1", "h2", "h3", "h4", "h5", "h6")
        before = context.words_before / np.float32(self.total)
        patterns = self.patterns
        return [
            _log(self.words.sum()), _log(len(context)), _log(len(self.snapshot)),
            float((self.words * context.link_share).sum()) / self.total,
            _log(is_long.sum()), self.share(is_long), float(self.words[is_long].mean()) if is_long.any() else 0.0,
            _log(_longest_run(is_long, self.words)), self._largest_body(),
            self.share(in_heading), self.share(in_item), self.share(self.inside("pre", "code", "samp")),
            self.share(self.inside("table")), float((linked & in_item).sum()) / max(len(context), 1),
            float(is_long.sum()) / max(float(in_heading.sum()), 1.0),
            _log(np.count_nonzero(context.texts.code == ord("?"))),
            _log(patterns["prices"].sum()), _log(self.is_price.sum()), _log(patterns["dates"].sum()),
            _log(self.is_date.sum()), _log(patterns["phones"].sum()), float(context.digit_words.sum()) / self.total,
            float(before[is_long.argmax()]) if is_long.any() else 1.0,
            float(before[in_heading.argmax()]) if in_heading.any() else 1.0,
        ]  # fmt: skip

    def _largest_body(self) -> float:
        """Return the largest share of the words that are running text directly below the same element."""
        above = self.snapshot.parent[self.context.blocks.node]
        sums = np.bincount(np.maximum(above, 0), self.words * self.is_long) if len(above) else np.zeros(1)
        return float(sums.max()) / self.total

    def tag_values(self) -> list[float]:
        """Return how often each group of tags occurs, as logarithms."""
        snapshot = self.snapshot
        count = np.bincount(snapshot.tag, minlength=len(snapshot.tags))
        by_tag = dict(zip(snapshot.tags, count.tolist(), strict=True))
        counts = {name: sum(by_tag.get(tag, 0) for tag in tags) for name, tags in _TAGS.items()}
        types = snapshot.values("type")
        is_password = np.array([value.lower() == "password" for value in types.distinct], dtype=bool)
        counts["password"] = int(is_password[types.index].sum()) if len(types.index) else 0
        return [_log(number) for number in counts.values()]

    def term_values(self) -> list[float]:
        """Return how often the terms of each group of texts occur, as logarithms, then per hundred words."""
        matches = text_terms().find(self.context.words)
        counts = [float(matches.count(name).sum()) for name in groups_of("text")]
        return [*map(_log, counts), *(100 * number / self.total for number in counts)]

    def name_values(self) -> list[float]:
        """Return the number of elements with a name of each group, as logarithms."""
        bits = lexicon.element_bits(self.context.names, name_bit)
        return [_log(np.count_nonzero(bits & np.uint64(1 << bit))) for bit in range(len(groups_of("name")))]

    def record_values(self) -> list[float]:
        """Return the columns from `record_size` on: of the group of records with most words, and of all groups.

        A group has elements with the same chain of tags and classes, which cannot contain each other.
        """
        group, size = self.records
        is_candidate = (size >= _LEAST_RECORDS) & (size <= _MOST_RECORDS)
        if not is_candidate.any():
            return [0.0] * (len(_RECORD) + 5)
        every = self.context.sum_over_subtrees(self.context.tokens)
        unlinked = self.context.sum_over_subtrees(self.context.tokens * (1 - self.context.link_share))
        best = int(np.where(is_candidate, np.bincount(group, unlinked), -1).argmax())
        marks = {name: self._contained(mask) for name, mask in self._marks().items()}
        counts = {name: np.bincount(group, number > 0) for name, number in marks.items()}
        words, number = float(np.bincount(group, every)[best]), float(size[best])
        shares = {name: float(count[best]) / number for name, count in counts.items()}
        links = float(np.bincount(group, marks["linked"])[best]) / number
        return [
            _log(number), words / self.total, _log(words / number),
            *(shares[name] for name in ("linked", "heading", "image", "price", "date")),
            min(links, 50.0), shares["long"],
            *(_log((counts[name] * is_candidate).max()) for name in ("image", "price", "date", "heading")),
            _log(np.count_nonzero(is_candidate)),
        ]  # fmt: skip

    @cached_property
    def records(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the group of each element, and the number of members of each group; inline elements are in group 0."""
        groups = self.context.elements_by_class_path
        group = np.where(self.snapshot.is_tag(INLINE), 0, groups.number + 1)
        size = np.bincount(group)
        size[:1] = 0
        return group, size

    def _marks(self) -> dict[str, NDArray[np.bool_]]:
        """Return the elements that features of records look for: bool (N,) each."""
        snapshot, node = self.snapshot, self.context.blocks.node
        blocks = {"price": self.is_price, "date": self.is_date, "long": self.is_long}
        marks = {
            "linked": snapshot.is_tag(("a",)), "image": snapshot.is_tag(("img", "picture")),
            "heading": snapshot.is_tag(("h1", "h2", "h3", "h4", "h5", "h6")),
        }  # fmt: skip
        for name, mask in blocks.items():
            marks[name] = np.zeros(len(snapshot), dtype=bool)
            marks[name][node[mask]] = True
        return marks

    def _contained(self, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the number of marked elements in each subtree: float64 (N,)."""
        return tree.subtree_sum(mask.astype(np.float64), self.snapshot.end)


def _log(number: float | np.number) -> float:
    """Return log(1 + number)."""
    return float(np.log1p(float(number)))


def _longest_run(mask: NDArray[np.bool_], words: NDArray[np.float64]) -> float:
    """Return the most words of consecutive blocks of a mask."""
    if not mask.any():
        return 0.0
    run = np.cumsum(np.diff(mask, prepend=False))
    return float(np.bincount(run[mask], words[mask]).max())
