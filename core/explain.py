"""What went wrong without being an error of ours, in one line for the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vclean.page import Page
    from vclean.render.snapshot import Snapshot
    from vclean.result import Result


def unexpected(error: Exception) -> str:
    """A bug, in one line."""
    reason = " ".join(str(error).split())
    return f"unexpected {type(error).__name__}{': ' * bool(reason)}{reason}; -v shows where: please report it"


def why_empty(result: Result, *, scripted: bool) -> str:
    """What of the page explains that there is no text, and what to try; for a result without any.

    Args:
        result: of the page.
        scripted: whether there are scripts in its source.
    """
    snapshot = result.blocks.snapshot
    if snapshot.is_tag({"frameset"}).any():
        return f"no text: the page is a frameset; clean its frames: {_frames(snapshot)}"
    if len(result.blocks):
        count = len(result.blocks)
        return f"no text: all {count} blocks were taken for boilerplate; -f json shows them, --method text keeps them"
    if snapshot.settings.get("scripts"):
        return "no text: the page shows none, even with its scripts run"
    if scripted:
        return f"no text: the page has only scripts; try {'--js' if snapshot.rendered else '--render --js'}"
    return "no text: the page has none"


def _frames(snapshot: Snapshot) -> str:
    sources = snapshot.attributes("src")
    frames = snapshot.is_tag({"frame"}).nonzero()[0].tolist()
    return ", ".join(sources[frame] for frame in frames if frame in sources) or "it names none"


def has_scripts(page: Page) -> bool:
    """Whether there is a script in the source; a snapshot leaves scripts out. A live page may well have some."""
    content = page.content if isinstance(page.content, bytes) else page.content.encode("utf-8", "replace")
    return page.live or b"<script" in content.lower()
