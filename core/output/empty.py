"""Find out why the clean text of a page is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.characters import format_count
from vclean.labels import EmptyReason, Visibility
from vclean.render.snapshot import LITTLE_TEXT

if TYPE_CHECKING:
    from vclean.render.snapshot import Snapshot
    from vclean.result import Result


def empty_reason(result: Result) -> EmptyReason | None:
    """Return why the clean text of a page is empty; None if it is not."""
    columns = result.columns
    if result.content_count:
        return None
    if columns.snapshot.is_tag({"frameset"}).any():
        return EmptyReason.FRAMESET
    if _waits_for_scripts(columns.snapshot) and sum(map(len, columns.text)) < LITTLE_TEXT:
        return EmptyReason.NEEDS_SCRIPTS
    if not len(columns):
        return EmptyReason.NO_TEXT
    if (columns.visibility == Visibility.HIDDEN).all():
        return EmptyReason.HIDDEN
    return EmptyReason.BOILERPLATE


def describe_empty(result: Result, reason: EmptyReason) -> str:
    """Return a line that states why the clean text is empty."""
    count, snapshot = len(result.columns), result.columns.snapshot
    blocks = "the only block" if count == 1 else f"all {count} blocks"
    ran = ", even after its scripts ran" if snapshot.ran_scripts else ""
    only = "has only scripts" if not count else f"has {format_count(count, 'block')} of boilerplate, and scripts"
    return (
        "no text: "
        + {
            EmptyReason.NO_TEXT: f"the page has none{ran}",
            EmptyReason.NEEDS_SCRIPTS: f"the page {only}",
            EmptyReason.FRAMESET: f"the page is a frameset; clean its frames: {_frames(snapshot)}",
            EmptyReason.HIDDEN: f"{blocks} of the page cannot be seen by readers",
            EmptyReason.BOILERPLATE: f"{blocks} {'was' if count == 1 else 'were'} labelled boilerplate",
        }[reason]
    )


def _waits_for_scripts(snapshot: Snapshot) -> bool:
    """Return whether the page has scripts that did not run."""
    return snapshot.scripted and not snapshot.ran_scripts


def _frames(snapshot: Snapshot) -> str:
    sources = snapshot.attributes("src")
    frames = snapshot.is_tag({"frame"}).nonzero()[0].tolist()
    return ", ".join(sources[frame] for frame in frames if frame in sources) or "it names none"
