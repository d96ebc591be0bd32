"""Find the texts whose inline color is that of what is behind them, without a browser.

Backgrounds count that inline styles and the attribute `bgcolor` declare. Between a text and such a background there is
nothing that a style sheet may give another one: no class and no id.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.render.css_colors import WHITE, Color, parse_color
from vclean.render.static.declarations import parse_declarations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from lxml import etree
    from numpy.typing import NDArray

LEAST_CONTRAST: Final = 1.2
"""Contrast of letters that can be read (WCAG 2.2), as in `vclean.features.visibility.colors`."""
_LEAST_ALPHA: Final = 0.05
_HEX: Final = re.compile(r"#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_NAMES: Final = {
    "transparent": "0000", "black": "000", "silver": "c0c0c0", "gray": "808080", "grey": "808080", "white": "fff",
    "maroon": "800000", "red": "f00", "purple": "800080", "fuchsia": "f0f", "magenta": "f0f", "green": "008000",
    "lime": "0f0", "olive": "808000", "yellow": "ff0", "navy": "000080", "blue": "00f", "teal": "008080",
    "aqua": "0ff", "cyan": "0ff", "orange": "ffa500", "snow": "fffafa", "ivory": "fffff0", "whitesmoke": "f5f5f5",
    "ghostwhite": "f8f8ff", "floralwhite": "fffaf0", "lightgray": "d3d3d3", "lightgrey": "d3d3d3",
    "gainsboro": "dcdcdc", "azure": "f0ffff", "beige": "f5f5dc",
}  # fmt: skip
_PAINTED_LETTERS: Final = ("background-clip", "-webkit-background-clip", "text-shadow", "-webkit-text-stroke")
"""Properties by which letters are painted in another way than by their color."""
_PAINTED_BEHIND: Final = ("background-image", "filter", "mix-blend-mode", "backdrop-filter")
_MOVED: Final = ("position", "float", "transform", "margin-top", "margin-left")
"""Properties of elements that may be elsewhere than the background of their parents."""
_PAINTED_TAGS: Final = ("button", "mark", "input", "select", "option", "dialog")
"""Elements with a background of the user agent style sheet."""
_LINEAR_LIMIT: Final = 0.04045
_SEEN_DISTANCE: Final = 48.0
"""Distance of two colors of equal luminance that readers distinguish."""
_TOKEN: Final = re.compile(r"[#\w-]+(?:\([^()]*\))?")
_CLEAR: Final = Color(0, 0, 0, 0)


class _Paint(NamedTuple):
    """What an inline style paints; None is a color that is not known.

    Attributes:
        declares_color: whether it declares the color of letters.
        color: that color.
        background: the color behind them; `_CLEAR` if it declares none.
    """

    declares_color: bool = False
    color: Color | None = None
    background: Color | None = _CLEAR


_NO_PAINT: Final = _Paint()


class InlineColors:
    """Compare the inline colors of a page with the backgrounds behind them.

    Args:
        elements: the N elements of the page.
        parents: the parents of the elements; -1 for the root.
        end: int32 (N,), one past the last elements of their subtrees.
        styles: the inline styles by element.
        is_styled: whether style sheets may declare backgrounds; if not, the page is white.
    """

    def __init__(
        self,
        elements: Sequence[etree._Element],
        parents: Sequence[int],
        end: NDArray[np.int32],
        styles: Mapping[int, str],
        *,
        is_styled: bool,
    ) -> None:
        self._elements = elements
        self._parents = parents
        self._end = end
        self._is_styled = is_styled
        self._behind: dict[int, Color | None] = {-1: None if is_styled else WHITE}
        self._styles = styles
        self._paints: dict[str, _Paint] = {}

    def unreadable(self, fonts: Sequence[int]) -> list[int]:
        """Return the elements whose own texts have the color of what is behind them.

        Args:
            fonts: the `font` elements.
        """
        colors = {node: read_color(self._elements[node].get("color", "")) for node in fonts}
        declaring = {style for style in set(self._styles.values()) if "color" in style or "COLOR" in style}
        colors |= {
            node: paint.color
            for node, style in (self._styles.items() if declaring else ())
            if style in declaring and (paint := self._paint(style)).declares_color
        }
        outermost = [node for node, color in colors.items() if color and self._is_unreadable(node, color)]
        return [inner for node in outermost for inner in self._with_color_of(node, colors)]

    def _paint(self, style: str) -> _Paint:
        paint = self._paints.get(style)
        if paint is None:
            paint = self._paints[style] = _paint(style)
        return paint

    def _is_unreadable(self, node: int, color: Color) -> bool:
        if color.alpha < _LEAST_ALPHA:
            return True
        behind = self._background(node)
        return behind is not None and is_alike(color.over(behind), behind)

    def _background(self, node: int) -> Color | None:
        """Return the color behind the texts of an element; None if it is not known."""
        path = []
        while node not in self._behind:
            path.append(node)
            own = self._own_background(node)
            if own is not _CLEAR:
                self._behind[node] = own
                break
            node = self._parents[node]
        behind = self._behind[node]
        self._behind.update(dict.fromkeys(path, behind))
        return behind

    def _own_background(self, node: int) -> Color | None:
        """Return the background of an element: `_CLEAR` if it has none, None if it is not known."""
        style, element = self._styles.get(node), self._elements[node]
        paint = self._paint(style) if style else _NO_PAINT
        if paint.background is not _CLEAR:
            return paint.background
        if element.tag in _PAINTED_TAGS or "background" in element.attrib:
            return None
        if bgcolor := element.get("bgcolor"):
            return read_color(bgcolor)
        return None if self._is_styled and ("class" in element.attrib or "id" in element.attrib) else _CLEAR

    def _with_color_of(self, node: int, colors: Mapping[int, Color | None]) -> Iterator[int]:
        """Yield an element and those inside it that have its color, and no background of their own."""
        yield node
        inner, end = node + 1, int(self._end[node])
        while inner < end:
            is_link = self._elements[inner].tag == "a"
            if is_link or inner in colors or self._own_background(inner) is not _CLEAR:
                inner = int(self._end[inner])
                continue
            yield inner
            inner += 1


def _paint(style: str) -> _Paint:
    declarations = parse_declarations(style)
    color = declarations.get("-webkit-text-fill-color") or declarations.get("color", "inherit")
    is_painted = any(name in declarations for name in _PAINTED_LETTERS)
    return _Paint(
        declares_color=color not in ("inherit", "currentcolor", "unset"),
        color=None if is_painted else read_color(color),
        background=_background(style.lower(), declarations),
    )


def _background(style: str, declarations: Mapping[str, str]) -> Color | None:
    """Return the background that declarations give an element; `_CLEAR` if none, None if it is not known."""
    if "url(" in style or "gradient(" in style or any(name in declarations for name in _PAINTED_BEHIND):
        return None
    declared = declarations.get("background-color") or declarations.get("background", "")
    colors = [color for token in _TOKEN.findall(declared) if (color := read_color(token)) is not None]
    if not declared or (colors and colors[0].alpha == 0):
        return None if any(name in declarations for name in _MOVED) else _CLEAR
    return colors[0] if colors and colors[0].alpha == 1 else None


@lru_cache(maxsize=1024)
def read_color(text: str) -> Color | None:
    """Return a color of a style or an attribute; None where it is none, or one that is not read.

    >>> read_color("#FFF"), read_color("transparent")
    (Color(red=255, green=255, blue=255, alpha=1.0), Color(red=0, green=0, blue=0, alpha=0.0))
    """
    text = text.strip().lower()
    digits = _HEX.fullmatch(_NAMES.get(text, text))
    if digits is None:
        return parse_color(text) if "(" in text else None
    pairs = [2 * digit for digit in digits[1]] if len(digits[1]) < 6 else re.findall("..", digits[1])
    red, green, blue, alpha = (int(pair, 16) for pair in [*pairs, "ff"][:4])
    return Color(red, green, blue, alpha / 255)


def is_alike(one: Color, other: Color) -> bool:
    """Return whether readers do not distinguish two opaque colors."""
    a, b = sorted((_luminance(one), _luminance(other)))
    return (b + 0.05) / (a + 0.05) < LEAST_CONTRAST and math.dist(one[:3], other[:3]) < _SEEN_DISTANCE


def _luminance(color: Color) -> float:
    """Return the relative luminance of a color, 0 to 1 (WCAG 2.2)."""
    parts = (part / 255 for part in color[:3])
    red, green, blue = (part / 12.92 if part <= _LINEAR_LIMIT else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
