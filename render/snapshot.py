"""Define `Snapshot`, a page as columns, which rendering and parsing return.

Geometry is in CSS px, with the origin at the top left of the document and y down; it is NaN if a page was not rendered.
Elements are in document order (preorder): the subtree of element `i` is the range `[i, end[i])`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.characters import format_count
from vclean.render import tree
from vclean.render.document_head import DocumentHead

if TYPE_CHECKING:
    import re
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray


ATTRIBUTES = (
    "alt", "aria-controls", "aria-expanded", "aria-hidden", "aria-label", "aria-labelledby", "class", "cite",
    "colspan", "content", "data-target", "data-toggle", "datetime", "dir", "height", "hidden", "href", "id",
    "itemprop", "itemtype", "lang", "name", "open", "placeholder", "property", "rel", "role", "rowspan", "scope",
    "src", "srcset", "start", "style", "title", "type", "value", "width",
    "aria-modal", "commandfor", "data-bs-target", "data-bs-toggle", "for", "popover", "popovertarget",
    "tabindex", "data-lang", "data-language", "data-src", "display",
    "aria-level", "data-depth", "data-level", "depth", "indent",
    "data-lazy-src", "data-original", "data-srcset",
    "onclick", "data-names", "language",
)  # fmt: skip
"""Attributes of a snapshot, and `data-names` for the value of another attribute that names an id (see
`NAMING`); `href`, `src`, `cite`, `data-src`, `data-lazy-src` and `data-original` are absolute if the
page has a URL."""

STYLES = (
    "display", "position", "float", "visibility", "opacity", "overflow-x", "font-size", "font-weight",
    "font-style", "font-family", "line-height", "text-align", "text-decoration-line", "text-transform",
    "white-space", "color", "background-color", "background-image", "border-top-width", "border-bottom-width",
    "border-left-width", "list-style-type", "cursor", "z-index",
    "transform", "filter", "mask-image", "mix-blend-mode", "background-clip", "-webkit-text-fill-color",
    "text-shadow", "-webkit-text-stroke-width", "-webkit-text-stroke-color", "backface-visibility", "isolation",
)  # fmt: skip
"""Computed styles of a snapshot, by CSS name. A page that was not rendered has only `display`, `visibility`,
`font-weight`, `font-style` and `white-space`, derived from the user agent style sheet and inline styles; the other
values are empty."""

NAMING = "^(?:data|[a-z]{1,3})-(?!label|names)|^aria-(?:owns|details)$"
"""Attributes beside `ATTRIBUTES` by which a control may name what it opens: `data-tab`, `uk-toggle`, `aria-details`."""
MAX_ID = 100
"""Characters of such a value."""


class Hidden(IntEnum):
    """Technique that hides an element or a text from readers.

    The walker gives an element the codes up to `OFF_PAGE`, and texts `GLYPHS` too; `vclean.render.visibility` finds the
    others.
    """

    NO = 0
    DISPLAY = 1
    """`display: none`, the `hidden` attribute, a closed `<details>`, content-visibility."""
    VISIBILITY = 2
    """`visibility: hidden` or `collapse`."""
    OPACITY = 3
    """The opacities of the element and its ancestors multiply to almost 0."""
    CLIPPED = 4
    """Clipped away, or inside a box without area that hides its overflow."""
    OFF_PAGE = 5
    """At a position that scrolling cannot reach."""
    FONT_SIZE = 6
    """Letters too small to be read, by their font size."""
    TRANSFORM = 7
    """Letters too small to be read, or turned away, by a transform."""
    SPACING = 8
    """Letters on top of each other, by negative letter spacing."""
    COLOR = 9
    """In a color that readers cannot distinguish from what is painted behind it."""
    FILTER = 10
    """Made invisible by a filter: blur, opacity, brightness and the like."""
    MASK = 11
    """Masked away."""
    BLEND = 12
    """Blended into what is behind it."""
    COVERED = 13
    """Below something opaque."""
    GLYPHS = 14
    """Painted as dots, or in a font without ink."""

    @property
    def technique(self) -> str:
        """Return its name in results, such as `off-page`; empty for what is not hidden."""
        return "" if self is Hidden.NO else self.name.lower().replace("_", "-")


HIDDEN_FOR_NOW: Final = (Hidden.DISPLAY, Hidden.VISIBILITY, Hidden.OPACITY, Hidden.CLIPPED, Hidden.OFF_PAGE)
"""The techniques by which pages hide what a script shows later."""
OPENED_TECHNIQUES: Final = (*HIDDEN_FOR_NOW, Hidden.TRANSFORM, Hidden.COVERED)
"""The techniques by which pages hide what a control opens. No page shows letters of size 0 by a click."""


@dataclass(frozen=True, kw_only=True)
class Styles:
    """Distinct computed styles of a page.

    Attributes:
        names: P names of CSS properties.
        rows: S tuples of P strings as returned by `getComputedStyle`; empty if unknown.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> tuple[str, ...]:
        """Return the values of property `name`, one per style row."""
        return self._columns[name] if self.rows else ()

    @cached_property
    def _columns(self) -> dict[str, tuple[str, ...]]:
        return dict(zip(self.names, zip(*self.rows, strict=True), strict=True))

    def number(self, name: str) -> NDArray[np.float32]:
        """Return the leading number of every value (px for lengths), shape (S,); NaN if there is none."""
        return np.array([_leading_number(value) for value in self.column(name)], dtype=np.float32)

    def color(self, name: str) -> NDArray[np.float32]:
        """Return red, green, blue 0-255 and alpha 0-1, shape (S, 4); NaN if unknown.

        Only `rgb()` and `rgba()` are known, the forms of a computed sRGB color (CSS Color 4, 15.2): models are trained
        with NaN for other spaces.
        """
        from vclean.render.css_colors import color_array

        return color_array(value if value.startswith("rgb") else "" for value in self.column(name))

    def is_in(self, name: str, values: Collection[str]) -> NDArray[np.bool_]:
        """Return whether the value of a property is one of `values`, shape (S,)."""
        return np.array([value in values for value in self.column(name)], dtype=bool)


@dataclass(frozen=True, eq=False)
class AttributeValues:
    """Values of one attribute: the M elements that have it, and its V distinct values.

    Attributes:
        node: int32 (M,), the elements, ascending.
        index: int32 (M,), the index of the value of each element in `distinct`.
        distinct: V strings.
    """

    node: NDArray[np.int32]
    index: NDArray[np.int32]
    distinct: list[str]

    @classmethod
    def group(cls, node: NDArray[np.int32], values: Sequence[str]) -> AttributeValues:
        """Group M elements by their `values`."""
        distinct = list(dict.fromkeys(values))
        index = dict(zip(distinct, range(len(distinct)), strict=True))
        return cls(node, np.fromiter(map(index.__getitem__, values), dtype=np.int32, count=len(values)), distinct)


def _empty() -> NDArray[np.int32]:
    return np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, kw_only=True, eq=False)
class Snapshot:
    """Page as columns: N elements, A attributes, T text nodes, L line boxes, S distinct styles.

    Attributes:
        url, title: URL and title after loading; the white space of the title is collapsed. If the page was given
            without URL, the canonical URL that it declares.
        language: the `lang` attribute of the root element in lower case, or the empty string.
        head: declarations of the document in `<meta>`, `<link>` and JSON-LD.
        rendered: whether the snapshot has geometry and computed styles.
        width, height: scroll size of the document in CSS px; NaN if not rendered.
        settings: the render settings by name; empty if not rendered.
        build: product and version of the browser or the parser.
        noscript: whether `<noscript>` content is part of the page (see `noscript_needed`).
        scripted: whether the source of the page has scripts.
        ran_scripts: whether they ran before the page was read.
        missed_scripts: number of those that were not at hand then.
        dark: whether the canvas is dark where the page has no background: `color-scheme: dark`.
        notes: what was unusual in reading the page: repairs of its source, and the like.
        tags: lower-case tag names; `tag` indexes it.
        tag: int32 (N,).
        parent: int32 (N,), the parent element, -1 for the root.
        end: int32 (N,), one past the last element of the subtree.
        depth: int32 (N,), 0 for the root.
        box: float32 (N, 4), x, y, width, height of the border box.
        hidden: uint8 (N,), `Hidden` codes.
        styles: the style table; `style` int32 (N,) indexes its rows.
        attr_node: int32 (A,), ascending; attr_name: int32 (A,), index into `ATTRIBUTES`; attr_value: A strings.
        texts: T strings, the text nodes in document order, white space as in the source. A formula is one text: the
            only content of its `math` element, see `vclean.render.formulas`.
        text_parent: int32 (T,), the parent element of each text node.
        text_after: int32 (T,), the last element that starts before each text node.
        text_hidden: uint8 (T,), `Hidden`: what hides each text: in a rendering by layout, styles and pixels, else by
            attributes and inline styles.
        revealed: int32 (J,), ascending, hidden texts that got a place in sight when controls were clicked.
        image: int32 (I,), ascending, the `img` elements whose image is loaded.
        line_text: int32 (L,), ascending, the text node of each line box; line_box: float32 (L, 4), x, y, width, height.
        overlay: int32 (O,), ascending, the outermost elements that float above the page, see
            `vclean.render.visibility.overlays`.
        area: int32 (R,), elements that paint something besides their background: a pseudo-element, a filtered backdrop;
            area_box: float32 (R, 4), where: x, y, width, height.
        clip_path: int32 (C,), elements with a clip path.
        timings: seconds by stage. Neither they nor `area` and `clip_path`, which rendering needs, are stored.

    >>> import vclean
    >>> snapshot = vclean.clean("<h1>Rain</h1><p>It rained.", method="text").columns.snapshot
    >>> snapshot.tags, snapshot.depth.tolist()
    (('html', 'body', 'h1', 'p'), [0, 1, 2, 2])
    """

    url: str = ""
    title: str = ""
    language: str = ""
    head: DocumentHead = field(default_factory=DocumentHead)
    rendered: bool = False
    width: float = float("nan")
    height: float = float("nan")
    settings: dict[str, Any] = field(default_factory=dict)
    build: str = ""
    noscript: bool = False
    scripted: bool = False
    ran_scripts: bool = False
    missed_scripts: int = 0
    dark: bool = False
    notes: tuple[str, ...] = ()
    tags: tuple[str, ...]
    tag: NDArray[np.int32]
    parent: NDArray[np.int32]
    end: NDArray[np.int32]
    depth: NDArray[np.int32]
    box: NDArray[np.float32]
    hidden: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    styles: Styles = Styles(names=STYLES, rows=())
    style: NDArray[np.int32] = field(default_factory=_empty)
    attr_node: NDArray[np.int32]
    attr_name: NDArray[np.int32]
    attr_value: Sequence[str]
    texts: Sequence[str]
    text_parent: NDArray[np.int32]
    text_after: NDArray[np.int32]
    text_hidden: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    image: NDArray[np.int32] = field(default_factory=_empty)
    line_text: NDArray[np.int32] = field(default_factory=_empty)
    line_box: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 4), dtype=np.float32))
    revealed: NDArray[np.int32] = field(default_factory=_empty)
    overlay: NDArray[np.int32] = field(default_factory=_empty)
    area: NDArray[np.int32] = field(default_factory=_empty)
    area_box: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 4), dtype=np.float32))
    clip_path: NDArray[np.int32] = field(default_factory=_empty)
    timings: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the URL and the numbers of elements and texts."""
        state = "rendered" if self.rendered else "not rendered"
        counts = f"{format_count(len(self), 'element')}, {format_count(len(self.texts), 'text')}"
        return f"<Snapshot {self.url!r}: {counts}, {state}>"

    def __len__(self) -> int:
        """Return the number of elements."""
        return len(self.tag)

    def is_tag(self, names: Collection[str]) -> NDArray[np.bool_]:
        """Return whether the tag of each element is one of `names`, shape (N,)."""
        return np.frombuffer(bytes(map(names.__contains__, self.tags)), dtype=bool).take(self.tag)

    @cached_property
    def has_place(self) -> NDArray[np.bool_]:
        """Return which elements take place on the page, bool (N,); all if it was not rendered."""
        if not self.rendered:
            return np.ones(len(self), dtype=bool)
        contents = self.styles.is_in("display", ("contents",))[self.style]
        return np.asarray((self.box[:, 2:] > 1).all(axis=1) | contents)

    @cached_property
    def text_length(self) -> NDArray[np.int64]:
        """Return the characters of each text without white space around them, int64 (T,)."""
        return np.fromiter(map(len, map(str.strip, self.texts)), dtype=np.int64, count=len(self.texts))

    @cached_property
    def length_in(self) -> NDArray[np.float64]:
        """Return the `text_length` of the texts in each element and its descendants together, float64 (N,)."""
        return self.sum_in(self.text_length)

    @cached_property
    def text_box(self) -> NDArray[np.float32]:
        """Return the box around the lines of each text, float32 (T, 4); NaN for texts without lines."""
        return union_boxes(self.line_box, self.line_text, len(self.texts))

    @cached_property
    def line_center(self) -> NDArray[np.float32]:
        """Return the center of each line, float32 (L, 2)."""
        return np.asarray(self.line_box[:, :2] + self.line_box[:, 2:] / 2)

    @cached_property
    def text_start(self) -> NDArray[np.int64]:
        """Return the number of texts before each element, int64 (N + 1,)."""
        return np.append(0, np.cumsum(np.bincount(self.text_after, minlength=len(self))))

    @cached_property
    def _text_count(self) -> NDArray[np.int64]:
        """Return the number of texts in each element and its descendants, int64 (N,)."""
        return self.count_in(self.text_parent)

    def count_in(self, elements: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Count how many of `elements` are in each element or equal it, int64 (N,)."""
        return tree.subtree_sum(np.bincount(elements, minlength=len(self)), self.end)

    def sum_in(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the sum of the values of the texts, (T,), in each element and its descendants, float64 (N,)."""
        own = np.bincount(self.text_parent, values, len(self))
        return tree.subtree_sum(own.astype(np.float64, copy=False), self.end)

    def texts_after(self, element: int) -> range:
        """Return the text nodes after the start of an element and before the next element."""
        return range(*self.text_start[element : element + 2].tolist())

    def texts_in(self, element: int) -> range:
        """Return the text nodes in an element and its descendants."""
        start = int(self.text_start[element])
        return range(start, start + int(self._text_count[element]))

    def text_in(self, element: int) -> str:
        """Return the text in an element and its descendants."""
        return "".join(self.texts[text] for text in self.texts_in(element))

    def inside(self, roots: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return which of `roots`, none of them inside another, each element is in or equals, int32 (N,); else -1."""
        found = np.full(len(self), -1, dtype=np.int32)
        for root in roots.tolist():
            found[root : self.end[root]] = root
        return found

    def attributes(self, name: str) -> Mapping[int, str]:
        """Return the values of attribute `name` by element."""
        cache: dict[str, dict[int, str]] = self._cached["attributes"]
        if name not in cache:
            node, values = self._rows_of(name)
            cache[name] = dict(zip(node.tolist(), values, strict=True))
        return cache[name]

    def values(self, name: str) -> AttributeValues:
        """Return the distinct values of attribute `name`, and the elements that have them."""
        cache: dict[str, AttributeValues] = self._cached["values"]
        if name not in cache:
            cache[name] = AttributeValues.group(*self._rows_of(name))
        return cache[name]

    def has_value(self, name: str, values: Collection[str]) -> NDArray[np.bool_]:
        """Return which elements have one of `values`, in lower case, as attribute `name`, in any case: bool (N,)."""
        mask = np.zeros(len(self), dtype=bool)
        mask[[element for element, value in self.attributes(name).items() if value.lower() in values]] = True
        return mask

    def having(self, name: str, pattern: re.Pattern[str]) -> NDArray[np.bool_]:
        """Return which elements have an attribute `name` in which a pattern is found, bool (N,), read-only.

        It is searched in all values at once first, joined by line feeds: `^` and `$` need `re.MULTILINE`.
        """
        cache: dict[tuple[str, re.Pattern[str]], NDArray[np.bool_]] = self._cached["having"]
        if (name, pattern) not in cache:
            values, mask = self.values(name), np.zeros(len(self), dtype=bool)
            if pattern.search("\n".join(values.distinct)):  # in most pages no value has it
                found = np.array([bool(pattern.search(value)) for value in values.distinct], dtype=bool)
                mask[values.node] = found[values.index]
            mask.flags.writeable = False
            cache[name, pattern] = mask
        return cache[name, pattern]

    def _rows_of(self, name: str) -> tuple[NDArray[np.int32], list[str]]:
        order, start = self._rows_by_name
        number = _ATTRIBUTE_INDEX[name]
        rows = order[start[number] : start[number + 1]]
        return self.attr_node[rows], list(map(self.attr_value.__getitem__, rows.tolist()))

    @cached_property
    def _rows_by_name(self) -> tuple[NDArray[np.intp], list[int]]:
        """Return the attributes in the order of their names, and where each name begins among them."""
        order = np.argsort(self.attr_name.astype(np.uint8), kind="stable")
        return order, [0, *np.cumsum(np.bincount(self.attr_name, minlength=len(ATTRIBUTES))).tolist()]

    @cached_property
    def _cached(self) -> defaultdict[str, dict[Any, Any]]:
        """Cache the results of methods by their names and arguments."""
        return defaultdict(dict)

    def ancestors(self, element: int) -> list[int]:
        """Return the element and its ancestors, innermost first."""
        chain = []
        while element >= 0:
            chain.append(element)
            element = int(self.parent[element])
        return chain

    @cached_property
    def sibling_number(self) -> NDArray[np.int32]:
        """Number the elements among their siblings of the same tag, from 1, as in XPath; int32 (N,)."""
        order = np.lexsort((self.tag, self.parent))
        parent, tag = self.parent[order], self.tag[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (parent[1:] != parent[:-1]) | (tag[1:] != tag[:-1])
        start = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
        numbers = np.empty(len(order), dtype=np.int32)
        numbers[order] = np.arange(len(order)) - start + 1
        return numbers

    def xpath(self, element: int) -> str:
        """Return the absolute XPath of an element with numbered steps: `/html[1]/body[1]/p[2]`."""
        cache: dict[int, str] = self._cached["xpath"]
        parent, tag, number = self._steps
        missing = []
        while element >= 0 and element not in cache:
            missing.append(element)
            element = parent[element]
        path = cache.get(element, "")
        for descendant in reversed(missing):
            path = f"{path}/{self.tags[tag[descendant]]}[{number[descendant]}]"
            if len(path) < _MAX_CACHED_XPATH:
                cache[descendant] = path
        return path

    @cached_property
    def _steps(self) -> tuple[list[int], list[int], list[int]]:
        """Return parents, tags and sibling numbers as lists; their items are cheaper to read than those of arrays."""
        return self.parent.tolist(), self.tag.tolist(), self.sibling_number.tolist()


_MAX_CACHED_XPATH = 4096
"""Largest length of a cached path; longer paths would fill the memory in a page of 100,000 nested elements."""

_ATTRIBUTE_INDEX = {name: index for index, name in enumerate(ATTRIBUTES)}


def subtree_ends(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the end of each subtree (one past its last element), int32 (N,), for parents in preorder."""
    last = np.arange(len(parent), dtype=np.int32)
    last[parent[1:]] = last[1:]  # of several children, the last one is assigned last
    while True:
        further = last[last]
        if np.array_equal(further, last):
            return last + np.int32(1)
        last = further


def union_boxes(box: NDArray[np.float32], owner: NDArray[np.int32], count: int) -> NDArray[np.float32]:
    """Return the box around the boxes of each owner, float32 (count, 4); NaN for owners without a box.

    Args:
        box: float32 (L, 4), x, y, width, height.
        owner: int32 (L,), ascending.
        count: the number of owners.
    """
    union = np.full((count, 4), np.nan, dtype=np.float32)
    if len(owner):
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        top_left = np.minimum.reduceat(box[:, :2], first, axis=0)
        bottom_right = np.maximum.reduceat(box[:, :2] + box[:, 2:], first, axis=0)
        union[owner[first]] = np.hstack([top_left, bottom_right - top_left])
    return union


def _leading_number(value: str) -> float:
    digits = value.removesuffix("px")
    try:
        return float(digits)
    except ValueError:
        return float("nan")


LITTLE_TEXT = 400
"""A page with fewer non-space characters outside `<noscript>` has little text: the shell of an application, a loader, a
cookie notice. Forums that render on the client (Discourse) have their whole text in `<noscript>`, below the menu of the
site."""


HEADING_TAGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
CONTROL_TAGS = ("a", "button", "label", "option")
"""Elements whose text is that of menus: a page with little other text may have a long one."""
SITE_TAGS = (*CONTROL_TAGS, "footer", "nav")
"""Elements whose text is that of the site: what is hidden there is not worth another look at the page."""


def noscript_needed(text_chars: int, control_chars: int, noscript_chars: int) -> bool:
    """Return whether the `<noscript>` content is part of the page.

    Args:
        text_chars: non-space characters of text outside `<noscript>`, scripts, styles and `CONTROL_TAGS`.
        control_chars: non-space characters of text in `CONTROL_TAGS`, outside `<noscript>`.
        noscript_chars: non-space characters of text inside `<noscript>`.
    """
    return text_chars < LITTLE_TEXT and noscript_chars > text_chars + control_chars
