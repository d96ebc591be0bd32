"""`Snapshot -> BlockColumns`: the page cut into text blocks.

A block is a maximal run of inline text inside one block container, split at a double line break and where hidden text
begins or ends. Containers are told by tag and by computed display, so that a page cuts alike rendered or not.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import tree
from vclean.features.names.element_names import NAME_CACHE_SIZE
from vclean.labels import Visibility
from vclean.render.static import styles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_INLINE_DISPLAY = frozenset(("", "inline", "inline-block", "inline-flex", "inline-grid", "inline-table", "none",
                             "contents", "ruby", "ruby-text", "ruby-base", "math"))  # fmt: skip
_BREAK_TAGS = frozenset(("iframe", "object", "select", "video"))
"""Elements without text of ours that still stand between two texts as a block would."""

_REVEALING_TAGS = frozenset(("details", "dialog"))
_REVEALING_ROLES = frozenset(("tabpanel", "dialog", "tooltip", "menu", "region"))
_REVEALING_CLASS = re.compile(
    r"tab|accordion|collaps|panel|toggle|expand|reveal|faq|read-?more|show-?more|slide|carousel|spoiler|modal|dropdown",
    re.IGNORECASE,
)
"""Names that tabs, accordions and sliders go by in the common component libraries (Bootstrap, jQuery UI, WAI-ARIA)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockColumns:
    """The text blocks of a page as columns, one row each, in document order: B blocks over T text nodes of a snapshot.

    Attributes:
        snapshot: the page they were cut from.
        text: B strings; white space is collapsed (kept inside preformatted text) and a space stands where one inline
            element ends and the next begins, as it does in a reader's eye: `<b>Price</b><i>$10</i>` is `Price $10`.
        node: int32 (B,), the block container: the innermost element of block level round the run.
        text_block: int32 (T,), the block of a text node, -1 where it is in none.
        box: float32 (B, 4), x, y, width, height of the union of its line boxes, CSS px; NaN where nothing is painted.
        visibility: uint8 (B,), `vclean.labels.Visibility`.
    """

    snapshot: Snapshot
    text: list[str]
    node: NDArray[np.int32]
    text_block: NDArray[np.int32]
    box: NDArray[np.float32]
    visibility: NDArray[np.uint8]

    def __repr__(self) -> str:
        return f"<BlockColumns {self.snapshot.url!r}: {len(self)} blocks>"

    def __len__(self) -> int:
        """The number of blocks."""
        return len(self.text)

    @cached_property
    def members(self) -> NDArray[np.int32]:
        """int32 (K,): the text nodes that are in a block, in document order, grouped by block."""
        return np.flatnonzero(self.text_block >= 0).astype(np.int32)

    @cached_property
    def first(self) -> NDArray[np.int32]:
        """int32 (B,): where each block's text nodes begin in `members`."""
        owner = self.text_block[self.members]
        return np.flatnonzero(np.diff(owner, prepend=-1)).astype(np.int32)

    @cached_property
    def line_block(self) -> NDArray[np.int32]:
        """int32 (L,): the block of every line box of the snapshot, -1 where it is in none."""
        return self.text_block[self.snapshot.line_text]

    @cached_property
    def main_element(self) -> NDArray[np.int32]:
        """int32 (B,): the parent element of each block's longest text node, the first of equals."""
        snapshot, members = self.snapshot, self.members
        length = np.array([len(snapshot.texts[text].strip()) for text in members.tolist()], dtype=np.int64)
        owner = self.text_block[members]
        order = np.lexsort((members, -length, owner))
        first = np.searchsorted(owner, np.arange(len(self)))
        return snapshot.text_parent[members[order[first]]]

    @property
    def xpath(self) -> list[str]:
        """B absolute XPaths, of the block containers."""
        return [self.snapshot.xpath(node) for node in self.node.tolist()]

    @property
    def tag(self) -> list[str]:
        """B tag names, of the block containers."""
        return [self.snapshot.tags[tag] for tag in self.snapshot.tag[self.node].tolist()]

    @property
    def font_size(self) -> NDArray[np.float32]:
        """float32 (B,): font size of the main element, CSS px; NaN if the page was not rendered."""
        return self.snapshot.styles.number("font-size")[self.snapshot.style[self.main_element]]

    @property
    def color(self) -> list[str | None]:
        """B text colors of the main elements, as `#rrggbb` or `#rrggbbaa`; None if the page was not rendered."""
        names = [_hex(row) for row in self.snapshot.styles.colour("color").tolist()]
        return [names[row] for row in self.snapshot.style[self.main_element].tolist()]

    @property
    def background(self) -> list[str | None]:
        """B colors behind the main elements: of the nearest element that paints a background; None if none does."""
        snapshot = self.snapshot
        colors = snapshot.styles.colour("background-color")
        paints = colors[:, 3] > 0
        names = [_hex(row) if shows else None for row, shows in zip(colors.tolist(), paints.tolist(), strict=True)]
        behind = tree.nearest_ancestor(paints[snapshot.style], snapshot.parent)[self.main_element]
        return [names[row] for row in snapshot.style[behind].tolist()]

    def take(self, rows: Sequence[int]) -> BlockColumns:
        """Return the columns of some blocks, `rows` in ascending order; text nodes of others are in no block."""
        number = np.full(len(self) + 1, -1, dtype=np.int32)
        number[rows] = np.arange(len(rows))
        return replace(
            self,
            text=[self.text[row] for row in rows],
            node=self.node[rows],
            text_block=number[self.text_block],
            box=self.box[rows],
            visibility=self.visibility[rows],
        )


def _hex(color: list[float]) -> str | None:
    """Return `#rrggbb`, with two digits more for the alpha of a color that is not opaque."""
    if not all(map(math.isfinite, color)):
        return None
    red, green, blue = (min(max(round(part), 0), 255) for part in color[:3])
    alpha = f"{round(color[3] * 255):02x}" if color[3] < 1 else ""
    return f"#{red:02x}{green:02x}{blue:02x}{alpha}"


def extract_blocks(snapshot: Snapshot) -> BlockColumns:
    """Cut a page into its text blocks."""
    stripped = [" ".join(text.split()) for text in snapshot.texts]
    kept = _kept(snapshot, stripped)
    level = block_level(snapshot)
    container = tree.nearest_ancestor(level, snapshot.parent)
    breaks = _breaks(snapshot, kept)
    starts = _starts(snapshot, kept, container, level, breaks)
    first = np.flatnonzero(starts)
    parent = snapshot.text_parent[kept[first]]
    text_block = np.full(len(snapshot.texts), -1, dtype=np.int32)
    text_block[kept] = np.cumsum(starts) - 1
    return BlockColumns(
        snapshot=snapshot,
        text=_join_texts(snapshot, stripped, kept, first, breaks),
        node=container[parent],
        text_block=text_block,
        box=_union_boxes(snapshot, text_block, len(first)),
        visibility=_visibility(snapshot, parent),
    )


def block_level(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Whether an element ends the line before and after it, bool (N,): by its tag, or by its computed display."""
    by_style = ~snapshot.styles.is_in("display", _INLINE_DISPLAY)
    level = snapshot.is_tag(styles.BLOCK_TAGS | _BREAK_TAGS) | by_style[snapshot.style]
    level[:1] = True
    return level


def _kept(snapshot: Snapshot, stripped: Sequence[str]) -> NDArray[np.intp]:
    """The text nodes that are in a block: more than white space, and in no script and no edit field; K of them."""
    filled = np.fromiter(map(len, stripped), dtype=np.int64, count=len(stripped))
    silent = snapshot.is_tag(styles.REPLACED_TAGS | styles.SKIPPED_TAGS)
    if silent.any():
        filled[tree.path_sum(silent, snapshot.end)[snapshot.text_parent] > 0] = 0
    return np.flatnonzero(filled)


def _breaks(snapshot: Snapshot, kept: NDArray[np.intp]) -> NDArray[np.int64]:
    """int64 (K - 1,): the line breaks between each kept text node and the next."""
    before = np.cumsum(snapshot.is_tag(("br",)))[snapshot.text_after[kept]]
    return np.asarray(before[1:] - before[:-1])


def _starts(
    snapshot: Snapshot,
    kept: NDArray[np.intp],
    container: NDArray[np.int32],
    level: NDArray[np.bool_],
    breaks: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Whether a kept text node begins a block, bool (K,), given the `_breaks` between them."""
    parent = snapshot.text_parent[kept]
    blocks_before = np.cumsum(level)[snapshot.text_after[kept]]
    own = container[parent]
    concealed = snapshot.hidden[parent] > 0
    starts = np.ones(len(kept), dtype=bool)
    starts[1:] = (
        (blocks_before[1:] > blocks_before[:-1])
        | (own[1:] != own[:-1])
        | (breaks > 1)
        | (concealed[1:] != concealed[:-1])
    )
    return starts


def _join_texts(
    snapshot: Snapshot,
    stripped: Sequence[str],
    kept: NDArray[np.intp],
    first: NDArray[np.intp],
    breaks: NDArray[np.int64],
) -> list[str]:
    raw = _preformatted(snapshot)[snapshot.text_parent[kept]]
    spaced = _space_before(snapshot, kept, breaks) & ~raw
    spaced[first] = False
    pieces = [
        " " + stripped[text] if space else stripped[text]
        for text, space in zip(kept.tolist(), spaced.tolist(), strict=True)
    ]
    following = np.append(kept[1:], len(snapshot.texts))
    for place in np.flatnonzero(raw).tolist():  # with the white space between this text node and the next
        pieces[place] = "".join(snapshot.texts[kept[place] : following[place]])
    return ["".join(pieces[begin:end]).strip() for begin, end in pairwise([*first.tolist(), len(pieces)])]


def _space_before(snapshot: Snapshot, kept: NDArray[np.intp], breaks: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether white space, a line break or an inline element's edge on both sides parts a text from the one before."""
    space = np.zeros(len(kept), dtype=bool)
    if not len(kept):
        return space
    parent = snapshot.text_parent[kept]
    apart = ~tree.is_ancestor(parent[:-1], parent[1:], snapshot.end)
    apart &= ~tree.is_ancestor(parent[1:], parent[:-1], snapshot.end)
    texts = [snapshot.texts[text] for text in kept.tolist()]
    opens = np.array([text[0].isspace() for text in texts], dtype=bool)
    closes = np.array([text[-1].isspace() for text in texts], dtype=bool)
    skipped = kept[1:] - kept[:-1] > 1
    space[1:] = apart | opens[1:] | closes[:-1] | skipped | (breaks > 0)
    return space


def _preformatted(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Whether an element keeps its line breaks, bool (N,)."""
    by_style = snapshot.styles.is_in("white-space", ("pre", "pre-wrap", "break-spaces"))[snapshot.style]
    return by_style & (tree.path_sum(snapshot.is_tag(styles.PREFORMATTED_TAGS), snapshot.end) > 0)


def _union_boxes(snapshot: Snapshot, text_block: NDArray[np.int32], count: int) -> NDArray[np.float32]:
    box = np.full((count, 4), np.nan, dtype=np.float32)
    owner = text_block[snapshot.line_text]
    lines = snapshot.line_box[owner >= 0]
    owner = owner[owner >= 0]
    if not len(owner):
        return box
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    low = np.minimum.reduceat(lines[:, :2], first, axis=0)
    high = np.maximum.reduceat(lines[:, :2] + lines[:, 2:], first, axis=0)
    box[owner[first]] = np.hstack([low, high - low])
    return box


def _visibility(snapshot: Snapshot, parent: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Visibility of texts by their parent elements: hidden text below a tab, an accordion or the like is revealable."""
    visibility = np.full(len(parent), Visibility.SHOWN, dtype=np.uint8)
    concealed = snapshot.hidden[parent] > 0
    if concealed.any():
        signs = tree.path_sum(_revealing(snapshot, parent[concealed]), snapshot.end)[parent] > 0
        visibility[concealed & signs] = Visibility.REVEALABLE
        visibility[concealed & ~signs] = Visibility.HIDDEN
    return visibility


def _revealing(snapshot: Snapshot, below: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Elements that a reader can open, bool (N,): by tag, role, class, or because a control names their id.

    Attributes are looked at only of the elements `below` and of those round them.
    """
    found = snapshot.is_tag(_REVEALING_TAGS)
    round_them = np.flatnonzero(tree.subtree_sum(np.bincount(below, minlength=len(snapshot)), snapshot.end)).tolist()
    classes, roles, ids = (snapshot.attributes(name) for name in ("class", "role", "id"))
    controlled = _controlled_ids(snapshot) if any(element in ids for element in round_them) else set()
    for element in round_them:
        found[element] |= (
            _names_revealing(classes.get(element, ""))
            or roles.get(element) in _REVEALING_ROLES
            or ids.get(element) in controlled
        )
    return found


@lru_cache(maxsize=NAME_CACHE_SIZE)
def _names_revealing(classes: str) -> bool:
    return bool(_REVEALING_CLASS.search(classes))


def _controlled_ids(snapshot: Snapshot) -> set[str]:
    named = set(snapshot.attributes("aria-controls").values())
    for name in ("data-target", "href"):
        named.update(value.rpartition("#")[2] for value in snapshot.attributes(name).values() if "#" in value)
    return named - {""}
