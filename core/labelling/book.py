"""All that one annotator says, page by page, kept in a journal.

An entry of the journal is an object with `time` (UTC, ISO 8601), `page` (the page's id) and `do`: `set`, `undo`,
`redo`, `done`, `skipped`, `open`, or `moved` when the page was rendered anew. `set` and `done` have `blocks`, label and
role by the blocks' names; `moved` has `names`, the new ones by the old ones.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from vclean.errors import InputError
from vclean.labelling.names import refound
from vclean.labelling.sheet import Sheet, Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vclean.labelling.journal import Entry, Journal


class Book:
    """The sheets of one annotator; every change is in the journal before it shows. Safe to use from several threads.

    Args:
        journal: open; what is in it is read again.

    Raises:
        InputError: an entry of the journal means nothing.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.RLock()
        self._sheets: defaultdict[str, Sheet] = defaultdict(Sheet)
        for number, entry in enumerate(journal.entries, 1):
            try:
                _apply(self._sheets[entry["page"]], entry)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise InputError(
                    f"the change in line {number} of the journal means nothing here: take the line out, and start again"
                ) from error

    @contextmanager
    def sheet(self, page: str) -> Iterator[Sheet]:
        """The sheet of a page, which nobody changes while the block lasts."""
        with self._lock:
            yield self._sheets[page]

    def has(self, page: str) -> bool:
        """Whether anything was said of a page."""
        with self._lock:
            return page in self._sheets and self._sheets[page].revision > 0

    def adopt(self, page: str, names: Sequence[str]) -> int:
        """Carry over what was said of a page to its blocks as they are now.

        Args:
            page: the page's id.
            names: of its blocks.

        Returns:
            How many verdicts of the annotator belong to blocks that are gone.
        """
        with self.sheet(page) as sheet:
            moved = {old: new for old, new in refound(list(sheet.versions | sheet.agreed), names).items() if old != new}
            if moved:
                self._write(page, "moved", {"names": moved})
            return len(sheet.verdicts.keys() - set(names))

    def set(self, page: str, verdicts: Mapping[str, Verdict]) -> None:
        """Take verdicts on blocks.

        Raises:
            OutputError: they cannot be written down; then nothing is changed. So for all changes.
        """
        self._write(page, "set", {"blocks": _listed(verdicts)})

    def undo(self, page: str) -> None:
        """Take the last change of a page back, if there is one."""
        with self.sheet(page) as sheet:
            if sheet.can_undo:
                self._write(page, "undo")

    def redo(self, page: str) -> None:
        """Make the change again that was taken back last, if there is one."""
        with self.sheet(page) as sheet:
            if sheet.can_redo:
                self._write(page, "redo")

    def mark(self, page: str, status: Status, agreed: Mapping[str, Verdict]) -> None:
        """Say how far a page is; `agreed` is what holds of its blocks without a verdict, once it is done."""
        self._write(page, status, {"blocks": _listed(agreed)} if status is Status.DONE else {})

    def _write(self, page: str, action: str, facts: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        time = datetime.now(tz=UTC).isoformat(timespec="milliseconds")
        entry: Entry = {"time": time, "page": page, "do": str(action), **(facts or {})}
        with self._lock:
            self._journal.append(entry)
            _apply(self._sheets[page], entry)


def _listed(verdicts: Mapping[str, Verdict]) -> dict[str, list[str | None]]:
    return {name: verdict.to_list() for name, verdict in verdicts.items()}


def _apply(sheet: Sheet, entry: Entry) -> None:
    """Change a sheet as an entry says.

    Raises:
        ValueError: the entry says nothing that can be done; or KeyError, TypeError.
    """
    verdicts = {name: Verdict.from_list(values) for name, values in entry.get("blocks", {}).items()}
    match entry["do"]:
        case "set":
            sheet.set(verdicts)
        case "moved":
            sheet.rename({str(old): str(new) for old, new in entry["names"].items()})
        case "undo":
            sheet.undo()
        case "redo":
            sheet.redo()
        case Status.DONE:
            sheet.finish(verdicts)
        case Status.SKIPPED:
            sheet.skip()
        case Status.OPEN:
            sheet.reopen()
        case action:
            raise ValueError(action)
