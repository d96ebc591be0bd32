"""Find what the style sheets of a page paint, without a browser: colors of letters, and backgrounds.

Only pages count whose style sheets are all in the page. Where a rule leaves doubt about what is behind a text, the
element gets a background that is not known.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.render.css_colors import WHITE
from vclean.render.static.css_rules import style_rules
from vclean.render.static.hiding_rules import changed_names
from vclean.render.static.inline_colors import is_alike, read_color
from vclean.render.static.selectors import Matcher, last_compound, parse_selector, split_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lxml import etree

    from vclean.render.css_colors import Color
    from vclean.render.static.css_rules import Rule
    from vclean.render.static.page_names import PageNames
    from vclean.render.static.selectors import Compound, Selector
    from vclean.render.static.style_sheets import StyleSheets

MAX_CHARACTERS: Final = 40_000
"""Characters of style sheets; of longer ones colors are not read."""
MAX_STEPS: Final = 10_000
"""Comparisons of selectors with elements; after them colors are not known."""

_LETTERS: Final = re.compile(r"(?:(?<![\w-])|-fill-)color\s*:\s*([^;}!]+)")
_BACKGROUND: Final = re.compile(r"(?<![\w-])background(?:-color)?\s*:\s*([^;}!]+)")
_OVERLAPPING: Final = re.compile(r"margin-bottom\s*:\s*-|z-index\s*:\s*-|color-scheme")
"""Declarations by which boxes lie behind texts that are not inside them, and other colors of the page itself."""
_WORDS: Final = ("color", "background", "position", "float", "transform", "translate", "margin", "filter", "blend",
                 "shadow", "stroke", "animation", "grid-")  # fmt: skip
_KEPT: Final = frozenset(
    ("color", "-webkit-text-fill-color", "background", "background-color", "background-image", "background-clip",
     "-webkit-background-clip", "text-shadow", "-webkit-text-stroke", "position", "float", "transform", "filter",
     "mix-blend-mode", "backdrop-filter")
)  # fmt: skip
"""Properties that `vclean.render.static.inline_colors` reads."""
_MOVING: Final = (
    "margin",
    "margin-top",
    "margin-left",
    "translate",
    "grid-area",
    "grid-row",
    "grid-column",
    "animation",
)
_NO_BACKGROUND: Final = "background:url()"
_NO_COLOR: Final = "-webkit-text-fill-color:? !important"
_LETTER_COLORS: Final = frozenset(("color", "-webkit-text-fill-color"))
_INITIAL: Final = ("static", "none", "")
_SHORTHAND: Final = re.compile(r"(?<![\w-])background\s*:", re.IGNORECASE)
_LAZY_IMAGE: Final = re.compile(r"data-[\w-]*(?:bg|background|image|img|src|parallax)", re.IGNORECASE)
_PSEUDO_BOX: Final = re.compile(r"::?(?:before|after|backdrop)")
_PSEUDO_ELEMENT: Final = re.compile(r"::|:first-l")
_STATE_OF_ROOT: Final = re.compile(r"(?:^|[\s>+~])(?:html|body)[.#\[:]|:root")
_NAME: Final = re.compile(r"[.#][\w-]+")
_TAG: Final = re.compile(r"[a-zA-Z][\w-]*")


class _Painting(NamedTuple):
    """What a selector paints.

    Attributes:
        key: a name or the tag of the elements; empty for all.
        selector: the selector; None if all elements with the key may be meant.
        rank: whether the rule is outside layers, the specificity of the selector, and the order of the rule.
        declarations: what is painted.
    """

    key: str
    selector: Selector | None
    rank: tuple[bool, tuple[int, int, int], int]
    declarations: str


def painted_styles(
    sheets: StyleSheets, page: PageNames, elements: Sequence[etree._Element], inline: Mapping[int, str]
) -> dict[int, str] | None:
    """Return the declarations that paint elements, of rules and then inline, in the order in which they win.

    Args:
        sheets: those of the page.
        page: the names of the elements.
        elements: the N elements.
        inline: the inline styles by element.

    Returns:
        The declarations by element; None if no rule gives letters a color that may be that of a background, or if it
        is not known what the rules paint.
    """
    css = sheets.colors
    if not css or len(css) > MAX_CHARACTERS or not _has_suspect(css, inline) or _OVERLAPPING.search(css):
        return None
    rules = style_rules(css, lambda block: any(word in block for word in _WORDS))
    paintings = [each for rule in rules if rule.applies is not False for each in _paintings(rule, page)]
    nodes = page.nodes({each.key for each in paintings if each.key})
    matcher = Matcher(MAX_STEPS)
    painted: dict[int, list[_Painting]] = defaultdict(list)
    for each in paintings:
        for node in nodes[each.key] if each.key else range(len(elements)):
            if each.selector is None or matcher.matches(each.selector, elements[node]):
                painted[node].append(each)
    if matcher.is_exhausted:
        return None
    styles = {node: ";".join(each.declarations for each in sorted(own, key=_rank)) for node, own in painted.items()}
    names = {
        node: page.names(node) for node, own in painted.items() if any("color:" in each.declarations for each in own)
    }
    changed = changed_names(frozenset().union(*names.values()), sheets.scripts, elements[0])
    for node, own_names in names.items():
        if not own_names.isdisjoint(changed):
            styles[node] += f";{_NO_COLOR}"
    for node, style in inline.items():
        styles[node] = f"{styles.get(node, '')};{_SHORTHAND.sub('background-color:', style)}"
    for node, element in enumerate(elements):
        if any(_LAZY_IMAGE.match(str(name)) for name in element.attrib):
            styles[node] = f"{styles.get(node, '')};{_NO_BACKGROUND}"
    return styles


def _has_suspect(css: str, inline: Mapping[int, str]) -> bool:
    """Return whether a color of letters is like a background of the page."""
    letters = {color for text in set(_LETTERS.findall(css)) if (color := read_color(text))}
    sources = [css, *(style for style in set(inline.values()) if "background" in style)] if letters else []
    found = (read_color(token) for source in sources for text in _BACKGROUND.findall(source) for token in text.split())
    behind: set[Color] = {WHITE, *(color for color in found if color and color.alpha == 1)}
    return any(is_alike(color.over(below), below) for color in letters for below in behind)


def _paintings(rule: Rule, page: PageNames) -> Iterator[_Painting]:
    """Yield what the selectors of a rule paint that may match an element of the page."""
    declarations = _painting_declarations(rule.declarations)
    if not declarations:
        return
    for text in split_list(rule.selectors):
        is_box = _PSEUDO_BOX.search(text) is not None
        if not is_box and _PSEUDO_ELEMENT.search(text):
            continue
        selector = None if is_box or rule.applies is None or _STATE_OF_ROOT.search(text) else parse_selector(text)
        if selector is None:
            yield from _doubts(text, declarations, rule, page, is_box=is_box)
        elif all(page.has(name) for compound in selector.compounds for name in compound.names):
            first = selector.compounds[0]
            key = min(first.names) if first.names else first.tag
            if not key or page.has(key):
                rank = (not rule.is_layered, _specificity(selector), rule.order)
                yield _Painting(key, selector, rank, ";".join(declarations.values()))


def _painting_declarations(text: str) -> dict[str, str]:
    """Return the declarations of a rule that affect what is painted, whole, by property."""
    declarations = {}
    for part in text.split(";"):
        name, _, value = part.partition(":")
        name = name.strip().lower()
        if name in _KEPT and value.strip() not in _INITIAL:
            # Shorthands set the color too: as one property, the last one wins.
            declarations[name] = f"background-color:{value}" if name == "background" else part
        elif name in _MOVING and (not name.startswith("margin") or "-" in value):
            declarations[name] = _NO_BACKGROUND
    if "url(" in text or "gradient(" in text or "inset" in text:  # shadows inside a box are painted behind letters
        declarations["background-image"] = _NO_BACKGROUND
    return declarations


def _doubts(text: str, declared: Iterable[str], rule: Rule, page: PageNames, *, is_box: bool) -> Iterator[_Painting]:
    """Yield that it is not known what the elements paint that a selector may select by its last part."""
    last = last_compound(text)
    keys: list[str] = _NAME.findall(last)
    if not keys and (tag := _TAG.match(last)):
        keys = [tag[0].lower()]
    doubts = _NO_BACKGROUND if is_box or _LETTER_COLORS.isdisjoint(declared) else f"{_NO_BACKGROUND};{_NO_COLOR}"
    rank = (True, (0, 0, 0), rule.order)
    yield from (_Painting(key, None, rank, doubts) for key in keys or [""] if not key or page.has(key))


def _specificity(selector: Selector) -> tuple[int, int, int]:
    """Return the specificity of a selector: ids, classes with attributes and positions, and tags (Selectors 4, 17)."""
    ids = classes = tags = 0
    pending: list[Compound] = list(selector.compounds)
    while pending:
        each = pending.pop()
        own = sum(name.startswith("#") for name in each.names)
        ids += own
        classes += len(each.names) - own + len(each.attributes) + len(each.positions)
        tags += bool(each.tag)
        pending += each.negated
    return ids, classes, tags


def _rank(painting: _Painting) -> tuple[bool, tuple[int, int, int], int]:
    return painting.rank
