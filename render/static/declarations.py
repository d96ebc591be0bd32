"""Find out from declarations whether they hide an element, without a layout.

Only what is sure at every size of the page counts. Positions and sizes that depend on other elements are not known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Mapping

FAR: Final = 999.0
"""CSS px beyond the left or top edge of the page, where pages move what they hide."""
_FAR_INDENT: Final = 500.0
_LEAST_OPACITY: Final = 0.02
_LEAST_FONT_SIZE: Final = 5.0
"""CSS px of letters that can be read, as in `vclean.render.visibility.geometry`."""
_FONT_SIZE: Final = 16.0
"""CSS px of an `em`, the initial font size."""
_LEAST_SCALE: Final = 0.1
_LEAST_ZOOM: Final = 0.3
_LEAST_SPACING: Final = -0.5
"""Letter spacing in font sizes; the mean advance of letters is half of one."""
_MOST_BLUR: Final = 8.0
"""CSS px; a blur of .3 font sizes makes letters unreadable, and headings have up to 24 px."""
_SHUT: Final = 1.0
"""CSS px of a box that shows nothing of what overflows: text for screen readers is clipped to 1 x 1."""
_LOW: Final = 4.0
"""CSS px of height of a box that shows no line of text."""
_FAR_MOVE: Final = 4999.0
"""CSS px by which a translation to the left or the top, or a position at the right, moves what nobody is to see; slides
are moved by less."""

_PX: Final = {"px": 1.0, "": 1.0, "em": _FONT_SIZE, "rem": _FONT_SIZE, "ex": 8.0, "ch": 8.0, "pt": 4 / 3, "pc": 16.0,
              "in": 96.0, "cm": 37.8, "mm": 3.78, "vw": 13.66, "vh": 7.68}  # fmt: skip
"""CSS px by unit, in a viewport of 1366 x 768 px."""
_RELATIVE: Final = ("em", "%", "ex", "ch")
_OUTSIDE: Final = {"%": 100.0, "vw": 100.0, "vh": 100.0, "px": 5000.0}
"""By unit, the least offset of a fixed box that is beside every viewport."""
_LENGTH: Final = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(%|[a-z]*)")
_IGNORED: Final = re.compile(r"""/\*.*?(?:\*/|$)|url\([^()]*\)|"[^"]*"|'[^']*'""", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|([^0-9a-fA-F\r\n\f]))")
_MAX_CHARACTER: Final = 0x10FFFF
_FONT: Final = re.compile(r"(?:^|\s)((?:\d+\.?\d*|\.\d+)(?:px|em|rem|pt|%)?)(?:\s*/|\s)")
_SCALE: Final = re.compile(r"\bscale(?:3d|x|y)?\(([^()]*)\)")
_EDGE_ON: Final = re.compile(r"\brotate[xy]\(\s*[+-]?(?:(?:90|270)(?:\.0*)?deg|0?\.[27]50*turn)\s*\)")
_EDGE_ON_AXIS: Final = re.compile(r"[xy]\s+[+-]?(?:90|270)(?:\.0*)?deg")
_TRANSLATION: Final = re.compile(r"\btranslate(?:3d|x|y)?\(([^()]*)\)")
_NO_OPACITY: Final = re.compile(r"\bopacity\(\s*(?:0*\.?0*%?|0?\.0[01]\d*|[01](?:\.\d*)?%)\s*\)")
_BLUR: Final = re.compile(r"\bblur\(\s*([\d.]+)(px|rem)\s*\)")
_SHAPE: Final = re.compile(r"(inset|circle|ellipse|polygon)\(([^()]*)\)")
_SIDES: Final = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
"""Top, right, bottom and left among so many values (CSS Backgrounds 3, 3.4)."""
_PAINTED_LETTERS: Final = ("background-clip", "-webkit-background-clip", "text-shadow", "-webkit-text-stroke")
"""Properties by which letters are painted in another way than by their color."""
_OUT_OF_FLOW: Final = ("absolute", "fixed")
_POSITIONED: Final = ("absolute", "fixed", "relative")
_INLINE: Final = ("inline", "contents", "ruby")
_SIZED: Final = ("block", "inline-block", "list-item", "flow-root", "flex", "inline-flex", "grid", "inline-grid")
"""Display types of boxes whose height and width are as declared; table cells grow with their contents."""
_SIZES: Final = ("height", "max-height", "width", "max-width")
_STRETCHED: Final = ("flex", "flex-grow", "grid-area", "grid-column", "grid-row", "min-height", "min-width", "padding",
                     "padding-top", "padding-bottom", "padding-block", "aspect-ratio", "padding-left")  # fmt: skip
"""Properties that give a box another size than its height and width."""


class Effect(NamedTuple):
    """How declarations hide an element.

    Attributes:
        display: the display type; empty if none is declared.
        visibility: `visible` or `hidden`; empty if none is declared.
        subtree: the technique that hides the element with all it contains.
        block: the same, if the element is not inline.
        sized: the same, if the box has the declared size: in a table it has not.
        is_blockified: whether the element is a block whatever its display type: out of flow, or a float.
        letters: the technique that hides letters, which descendants inherit; None if nothing about letters is declared,
            `Hidden.NO` if they can be read.
    """

    display: str = ""
    visibility: str = ""
    subtree: Hidden = Hidden.NO
    block: Hidden = Hidden.NO
    sized: Hidden = Hidden.NO
    is_blockified: bool = False
    letters: Hidden | None = None

    def hides(self, display: str) -> Hidden:
        """Return the technique that hides an element with this display type and all it contains."""
        if self.is_blockified:
            display = "block"
        if self.subtree or display in _INLINE:
            return self.subtree
        return self.block or (self.sized if display in _SIZED else Hidden.NO)


NO_EFFECT: Final = Effect()


def parse_declarations(text: str) -> dict[str, str]:
    """Return the values of a list of declarations by property, in lower case, without strings and URLs.

    >>> parse_declarations("Color: RED !important; color: blue; display: none /* x */")
    {'color': 'red', 'display': 'none'}
    """
    text = text.lower()
    if "(" in text or "'" in text or '"' in text or "/*" in text:
        text = _IGNORED.sub(" ", text)
    if "\\" in text:
        text = unescape(text)
    declarations: dict[str, str] = {}
    important: set[str] = set()
    for part in text.split(";"):
        name, colon, value = part.partition(":")
        if not colon:
            continue
        name = name.strip()
        if "!" in value:
            value, _, priority = value.partition("!")
            if priority.strip() == "important":
                important.add(name)
        elif name in important:
            continue
        declarations[name] = value.strip()
    return declarations


def unescape(text: str) -> str:
    r"""Replace the escapes of CSS (CSS Syntax 3, 4.3.7).

    >>> unescape(r"md\:hidden \64 isplay")
    'md:hidden display'
    """
    return _ESCAPE.sub(_unescaped, text)


def _unescaped(escape: re.Match[str]) -> str:
    if escape[2] is not None:
        return escape[2]
    number = int(escape[1], 16)
    return chr(number) if 0 < number <= _MAX_CHARACTER else "\ufffd"


def effect_of(declarations: Mapping[str, str]) -> Effect:
    """Return how declarations hide an element, from `parse_declarations`."""
    display, visibility = declarations.get("display", ""), declarations.get("visibility", "")
    is_blockified = declarations.get("position") in _OUT_OF_FLOW or declarations.get("float") in ("left", "right")
    return Effect(
        display=display if display.replace("-", "").isalpha() else "",
        visibility="hidden" if visibility == "collapse" else visibility if visibility in ("hidden", "visible") else "",
        subtree=_hides_subtree(declarations),
        block=_hides_block(declarations),
        sized=_hides_sized_box(declarations),
        is_blockified=is_blockified,
        letters=_letters(declarations),
    )


def _hides_subtree(declarations: Mapping[str, str]) -> Hidden:
    if declarations.get("display") == "none" or declarations.get("content-visibility") == "hidden":
        return Hidden.DISPLAY
    if "opacity" in declarations and _is_transparent(declarations["opacity"]):
        return Hidden.OPACITY
    if "filter" in declarations and _is_filtered_away(declarations["filter"]):
        return Hidden.FILTER
    moves = [*_TRANSLATION.findall(declarations.get("transform", "")), declarations.get("translate", "")]
    if any(map(_is_far, moves)):
        return Hidden.OFF_PAGE
    position = declarations.get("position", "")
    if position in _POSITIONED and _is_off_page(declarations, position):
        return Hidden.OFF_PAGE
    is_clipped = position in _OUT_OF_FLOW and _is_empty_clip(declarations.get("clip", ""))
    return Hidden.CLIPPED if is_clipped or _is_empty_shape(declarations.get("clip-path", "")) else Hidden.NO


def _px(value: str) -> float | None:
    """Return a length in CSS px; None for percentages and what is no length."""
    match = _LENGTH.fullmatch(value)
    return float(match[1]) * _PX[match[2]] if match and match[2] in _PX else None


def _is_transparent(value: str) -> bool:
    match = _LENGTH.fullmatch(value)
    if match is None or match[2] not in ("", "%"):
        return False
    return float(match[1]) / (100 if match[2] else 1) < _LEAST_OPACITY


def _is_filtered_away(value: str) -> bool:
    blur = _BLUR.search(value)
    return _NO_OPACITY.search(value) is not None or (blur is not None and (_px(blur[1] + blur[2]) or 0) >= _MOST_BLUR)


# ---- positions and clips ----


def _is_off_page(declarations: Mapping[str, str], position: str) -> bool:
    if "translate" in declarations or "translate" in declarations.get("transform", ""):
        return False
    for side in ("left", "top", "right", "bottom"):
        value = declarations.get(side)
        if value is None or not (match := _LENGTH.fullmatch(value)):
            continue
        number, unit = float(match[1]), match[2]
        if side != "bottom" and (number if unit == "%" else number * _PX.get(unit, 0)) <= -FAR:
            return True
        if side == "left" and position == "absolute" and number * (unit == "px") > _FAR_MOVE:
            return True
        if position == "fixed" and number >= _OUTSIDE.get(unit, float("inf")):
            return True
    return False


def _is_far(translation: str) -> bool:
    """Return whether one of the first two lengths of a translation is far to the left or the top."""
    lengths = (_px(length) for length in translation.replace(",", " ").split()[:2])
    return any(length is not None and length <= -_FAR_MOVE for length in lengths)


def _is_empty_clip(value: str) -> bool:
    """Return whether a `clip` leaves less than 1 px: the sides of `rect` are top, right, bottom and left."""
    if not value.startswith("rect(") or not value.endswith(")"):
        return False
    sides = [_px(side) for side in value[5:-1].replace(",", " ").split()]
    if len(sides) != 4:
        return False
    top, right, bottom, left = sides
    is_flat = top is not None and bottom is not None and bottom - top <= _SHUT
    return is_flat or (left is not None and right is not None and right - left <= _SHUT)


def _is_empty_shape(value: str) -> bool:
    """Return whether a `clip-path` encloses no area in a box of any size."""
    shape = _SHAPE.match(value)
    if shape is None:
        return False
    name, arguments = shape[1], shape[2].partition(" at ")[0].partition(" round ")[0]
    if name == "polygon":
        return len({" ".join(corner.split()) for corner in arguments.split(",")}) <= 2
    numbers = [_LENGTH.fullmatch(each) for each in arguments.split()]
    if not numbers or None in numbers:
        return False
    values = [(float(each[1]), each[2]) for each in numbers if each]
    if name != "inset":
        return any(number <= 0 for number, _ in values)
    shares = [number if unit == "%" else 0.0 for number, unit in values[:4]]
    top, right, bottom, left = (shares[side] for side in _SIDES[len(shares)])
    return top + bottom >= 100 or left + right >= 100


# ---- boxes ----


def _hides_block(declarations: Mapping[str, str]) -> Hidden:
    """Return how transforms and an indent hide a box; inline boxes have neither."""
    transform, indent = declarations.get("transform", ""), declarations.get("text-indent")
    scales = [*_SCALE.findall(transform), declarations.get("scale", "")]
    is_edge_on = _EDGE_ON.search(transform) or _EDGE_ON_AXIS.fullmatch(declarations.get("rotate", ""))
    if is_edge_on or any(map(_is_tiny, scales)):
        return Hidden.TRANSFORM
    margin = _px(declarations.get("margin-left", "")) or 0
    if margin <= -FAR and "padding-left" not in declarations and "padding" not in declarations:
        return Hidden.OFF_PAGE
    return Hidden.CLIPPED if indent is not None and _is_indented_away(indent, declarations) else Hidden.NO


def _is_indented_away(indent: str, declarations: Mapping[str, str]) -> bool:
    """Return whether an indent moves a line out of its box: far to the left, or past the right edge of a clip."""
    if (_px(indent) or 0) <= -_FAR_INDENT:
        return True
    length = _LENGTH.fullmatch(indent)
    is_past = length is not None and (float(length[1]) >= 100 if length[2] == "%" else (_px(indent) or 0) >= FAR)
    is_line = declarations.get("white-space", "").startswith("nowrap")
    return is_past and is_line and "hidden" in declarations.get("overflow", "")


def _is_tiny(factors: str) -> bool:
    """Return whether one of the first two factors of a scale makes letters too small to be read."""
    numbers = [_LENGTH.fullmatch(each) for each in factors.replace(",", " ").split()[:2]]
    return any(
        each is not None and abs(float(each[1])) / (100 if each[2] == "%" else 1) < _LEAST_SCALE for each in numbers
    )


def _hides_sized_box(declarations: Mapping[str, str]) -> Hidden:
    """Return whether a box is too small for its text, and hides what overflows."""
    overflow = " ".join(declarations.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    if not any(each in overflow for each in ("hidden", "clip", "auto", "scroll")):
        return Hidden.NO
    if any(name in declarations and _px(declarations[name]) != 0 for name in _STRETCHED):
        return Hidden.NO
    sizes = ((name, _px(declarations[name])) for name in _SIZES if name in declarations)
    is_shut = any(size is not None and size <= (_LOW if "height" in name else _SHUT) for name, size in sizes)
    return Hidden.CLIPPED if is_shut else Hidden.NO


# ---- letters ----


def _letters(declarations: Mapping[str, str]) -> Hidden | None:
    """Return how letters are hidden that inherit these declarations; None if nothing is declared about them."""
    if _is_clear(declarations):
        return Hidden.COLOR
    size = declarations.get("font-size") or _size_of_font(declarations.get("font", ""))
    spacing, zoom = declarations.get("letter-spacing", ""), declarations.get("zoom", "")
    if size and (code := _font_size(size)) is not None:
        return code
    if zoom and (factor := _LENGTH.fullmatch(zoom)) and factor[2] in ("", "%"):
        return Hidden.FONT_SIZE if 0 < float(factor[1]) / (100 if factor[2] else 1) < _LEAST_ZOOM else None
    is_dense = spacing.endswith("em") and (_px(spacing) or 0) <= _LEAST_SPACING * _FONT_SIZE
    return Hidden.SPACING if is_dense else None


def _is_clear(declarations: Mapping[str, str]) -> bool:
    """Return whether letters are transparent or in the color of their own background."""
    color = declarations.get("-webkit-text-fill-color") or declarations.get("color", "")
    behind = (declarations.get(name) for name in ("background-color", "background"))
    is_alike = color == "transparent" or (color not in ("", "inherit", "currentcolor") and color in behind)
    return is_alike and not any(name in declarations for name in _PAINTED_LETTERS)


def _size_of_font(value: str) -> str:
    """Return the size in the shorthand `font`; empty if there is none."""
    size = _FONT.search(value)
    return size[1] if size else ""


def _font_size(value: str) -> Hidden | None:
    """Return whether a font size hides letters; None if that depends on the size of the parent."""
    match = _LENGTH.fullmatch(value)
    if match is None:
        return Hidden.NO if value.endswith(("small", "large", "medium")) else None
    number, unit = float(match[1]), match[2]
    if unit in _RELATIVE:
        factor = number / 100 if unit == "%" else number
        return Hidden.FONT_SIZE if factor * _FONT_SIZE < _LEAST_FONT_SIZE else None
    if unit not in _PX or (unit == "" and number != 0):
        return None  # a length needs a unit
    return Hidden.FONT_SIZE if number * _PX[unit] < _LEAST_FONT_SIZE else Hidden.NO
