"""Decide by the parsed page whether it has to be rendered, for `render="auto"`.

Parsing takes a fraction of the time of rendering, and most pages have the same content both ways. A page is rendered if
it has no content without a browser, if scripts are run and make most of it, if its style sheets may hide text, or if
the model is not sure of the parsed page.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from vclean.page import Page
    from vclean.result import Result

MIN_CONFIDENCE: Final = 0.75
"""Confidence of a parsed page below which it is rendered; see docs/guides/farm.md for what other values cost."""
FEW_WORDS: Final = 100
"""Words of content up to which the scripts of a page are expected to make the rest."""
_MAX_STYLES: Final = 1 << 20
"""Characters or bytes of a page that are searched for style sheets."""

_SHEET: Final = re.compile(r"<style\b[^>]*>(.*?)</style", re.DOTALL | re.IGNORECASE)
_HIDES: Final = re.compile(
    r"(?<![\w-])(?:display\s*:\s*none|(?:visibility|opacity|position|overflow|clip|transform|translate|scale|rotate|zoom"
    r"|text-indent|letter-spacing|filter|mask|mix-blend-mode|color)(?:-path|-image)?\s*:)",
    re.IGNORECASE,
)
"""Declarations by which text can be hidden; whether it is depends on their values, other rules and the layout."""


class RenderReason(StrEnum):
    """Reason for which a page is rendered with `render="auto"`."""

    EMPTY = "empty"
    SCRIPTS = "scripts"
    STYLES = "styles"
    CONFIDENCE = "confidence"


def reason_to_render(page: Page, parsed: Result, *, scripts: bool) -> RenderReason | None:
    """Return why a page has to be rendered, or None if its parsed version suffices.

    Args:
        page: the page.
        parsed: the result of the page, read without a browser.
        scripts: whether rendering would always run the scripts of the page.
    """
    if not parsed.content_count:
        return RenderReason.EMPTY
    if scripts and len(parsed.content.text.split()) <= FEW_WORDS and _has_scripts(page.content):
        return RenderReason.SCRIPTS
    if hides_by_style_sheet(page.content):
        return RenderReason.STYLES
    return RenderReason.CONFIDENCE if parsed.confidence < MIN_CONFIDENCE else None


def hides_by_style_sheet(content: bytes | str) -> bool:
    """Return whether a `<style>` element of a page has a declaration that can hide text.

    >>> hides_by_style_sheet("<style>.ad { display: none }</style><p>Rain")
    True
    >>> hides_by_style_sheet("<style>p { margin: 0 }</style><p style='display: none'>Rain")
    False
    """
    return any(_HIDES.search(sheet[1]) for sheet in _SHEET.finditer(_head(content)))


def _has_scripts(content: bytes | str) -> bool:
    return "<script" in _head(content).lower()


def _head(content: bytes | str) -> str:
    """Return the first part of a page; bytes as Latin-1, which is enough to find ASCII in them."""
    head = content[:_MAX_STYLES]
    return head if isinstance(head, str) else head.decode("latin-1")


def changed_share(parsed: Result, rendered: Result) -> float:
    """Return the share of words that differ between the texts of two results, 0 to 1: one minus their word F1."""
    first, second = (Counter(result.to_text().split()) for result in (parsed, rendered))
    total = first.total() + second.total()
    return 1 - 2 * (first & second).total() / total if total else 0.0
