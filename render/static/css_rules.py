"""Read the rules of style sheets, without a tokenizer.

A tokenizer takes 2.5 microseconds per character, which is more than all other stages of a page. Here style sheets are
split at braces (CSS Syntax 3, 5), and only rules are read that contain certain words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.render.static.media_queries import media_applies, supports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MAX_DEPTH: Final = 32
"""Blocks around a rule; of deeper ones it is not known whether they apply."""

_NO_STYLE_RULES: Final = ("font-face", "page", "property", "counter-style", "font-feature-values", "view-transition")
_BRACE_IN_STRING: Final = re.compile("""(["'])[{}]\1""")
_AT_NAME: Final = re.compile(r"@([\w-]+)")


class Rule(NamedTuple):
    """A style rule.

    Attributes:
        selectors: its list of selectors.
        declarations: its declarations, separated by semicolons.
        applies: whether the conditions of the at-rules around it are met; None if that is not known.
        is_layered: whether it is in a cascade layer, which loses against rules outside layers.
        order: a number that grows in the order of the document.
    """

    selectors: str
    declarations: str
    applies: bool | None
    is_layered: bool
    order: int


def without_comments(css: str) -> str:
    """Return style sheets without comments (CSS Syntax 3, 4.3.2); one that is not closed ends with the text.

    >>> without_comments("a { } /* b { } */ c { }")
    'a { }   c { }'
    """
    first, *others = css.split("/*")
    return " ".join([first, *(part.partition("*/")[2] for part in others)]) if others else css


def style_rules(css: str, is_read: Callable[[str], bool]) -> Iterator[Rule]:
    """Return some of the style rules, in the order of the document.

    Of rules in other style rules (CSS Nesting 1) it is not known whether they apply. Declarations before such rules are
    left out.

    Args:
        css: the style sheets, without comments.
        is_read: returns whether a rule is read, given its selectors and declarations, and more before them.
    """
    if '"{' in css or '"}' in css or "'{" in css or "'}" in css:
        css = _BRACE_IN_STRING.sub("''", css)
    around: list[str] = []
    for order, block in enumerate(css.split("}")):
        braces = block.count("{")
        if not braces:
            del around[-1:]
            continue
        is_needed = is_read(block)
        if braces == 1 and not is_needed:
            continue
        before, _, declarations = block.rpartition("{")
        *outer, selectors = before.split("{")
        around += outer
        if is_needed:
            selectors = selectors.rpartition(";")[2].strip()
            if not selectors.startswith("@"):
                is_layered = any("@layer" in each for each in around[:MAX_DEPTH])
                yield Rule(selectors, declarations, _applies(around), is_layered, order)


def _applies(around: Sequence[str]) -> bool | None:
    """Return whether the rules in blocks with these preludes apply; None if that is not known."""
    if len(around) > MAX_DEPTH:
        return None
    answers = [_block_applies(prelude.rpartition(";")[2].strip().lower()) for prelude in around]
    return False if False in answers else None if None in answers else True


@lru_cache(maxsize=256)
def _block_applies(prelude: str) -> bool | None:
    match = _AT_NAME.match(prelude)
    if not match:
        return None  # a style rule: what nested rules select is not known
    name, condition = match[1], prelude[match.end() :]
    if name == "media":
        return media_applies(condition)
    if name == "supports":
        return supports(condition)
    if name == "layer":
        return True
    return False if name.endswith("keyframes") or name in _NO_STYLE_RULES else None
