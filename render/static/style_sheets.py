"""Read the `<style>` elements of a page that is not rendered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from vclean.render.static.css_rules import without_comments
from vclean.render.static.media_queries import media_applies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree

MAX_CHARACTERS: Final = 120_000
"""Characters of the style sheets of a page; of more, none is read: that would take longer than to parse the page."""

_BLOCK: Final = re.compile(r"\{[^{}]*")
_CAPITALS: Final = ("DISPLAY", "NONE", "VISIBILITY", "OPACITY")
_HIDING: Final = (
    "none", "hidden", "opacity", "clip", "collapse", "size", ":-", ": -", "scale", "rotate", "zoom", "filter", "fixed",
    "overflow", *_CAPITALS,
)  # fmt: skip
"""Words of which each style sheet that hides something contains one."""
_CSS_TYPES: Final = ("text/css", "")


class StyleSheets(NamedTuple):
    """The style sheets in the `<style>` elements of a page, and what may change its styles.

    Attributes:
        css: the style sheets without comments; empty if they hide nothing.
        colors: the same, if all style sheets of the page are in it and one of them has colors; otherwise empty.
        scripts: the `<script>` elements.
        paint: whether style sheets of the page, also those in files, may declare backgrounds.
        has_gaps: whether elements were between others that the page does not keep: scripts and style sheets.
    """

    css: str
    colors: str
    scripts: Sequence[etree._Element]
    paint: bool
    has_gaps: bool


def read_style_sheets(root: etree._Element) -> StyleSheets:
    """Return the style sheets of a document, before `prune` removes them."""
    styles = [style for style in root.iter("style") if style.text]
    is_linked = _has_linked_sheets(root)
    paint = is_linked or any("background" in cast("str", style.text) for style in styles)
    texts = [
        (text, style.get("media", ""))
        for style in styles
        if style.get("type", "").strip().lower() in _CSS_TYPES
        and next(style.iterancestors("noscript", "template"), None) is None
        and (text := cast("str", style.text))
    ]
    hiding = [each for each in texts if _contains(each[0], _HIDING)]
    css = _joined(hiding)
    has_colors = not is_linked and any("color:" in text or "color :" in text for text, _ in texts)
    colors = "" if not has_colors else css if css and len(hiding) == len(texts) else _joined(texts)
    if not css and not colors:
        return StyleSheets("", "", (), paint, False)
    scripts = list(root.iter("script"))
    has_gaps = any(cast("etree._Element", each.getparent()).tag != "head" for each in (*scripts, *styles))
    return StyleSheets(css, "" if "@import" in colors else colors, scripts, paint, has_gaps)


def _joined(texts: Sequence[tuple[str, str]]) -> str:
    """Return style sheets with these media queries as one; empty if they are too long."""
    is_long = sum(len(text) for text, _ in texts) > MAX_CHARACTERS
    return "" if is_long else "\n".join(_closed(text, media) for text, media in texts)


def _has_linked_sheets(root: etree._Element) -> bool:
    return any("stylesheet" in link.get("rel", "").lower() for link in root.iter("link"))


def _contains(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)  # a pattern takes ten times as long


def _closed(text: str, media: str) -> str:
    """Return a style sheet without comments and with all braces closed, inside its media query if it has one."""
    text = without_comments(text)
    if "<!--" in text:
        text = text.replace("<!--", " ").replace("-->", " ")
    if _contains(text, _CAPITALS):
        text = _BLOCK.sub(lambda block: block[0].lower(), text)
    text += "}" * (text.count("{") - text.count("}"))
    return text if media_applies(media) else f"@media {media}{{{text}}}"
