"""When `<noscript>` content is part of the page: one rule for the browser's walker and the static parser."""

from __future__ import annotations

LITTLE_TEXT = 400
"""A page with fewer non-space characters than this outside `<noscript>` has little text: an application's shell, a
loader, a cookie notice. Forums that render on the client (Discourse) keep their whole text in `<noscript>`."""


def needed(text_chars: int, noscript_chars: int) -> bool:
    """Whether the `<noscript>` content is to be used.

    Args:
        text_chars: non-space characters of text outside `<noscript>`, scripts and styles left out.
        noscript_chars: non-space characters of text inside it.
    """
    return text_chars < LITTLE_TEXT and noscript_chars > text_chars
