"""What the pages in the browser ask for: the queue, the state of a page, and changes of it."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import InputError, UsageError
from vclean.labelling.store import Sheet, Status, Verdict
from vclean.labels import Label, Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vclean.labelling.export import Shelf
    from vclean.labelling.preparation import PreparedPage
    from vclean.labelling.store import Book

Answer = dict[str, Any]
"""What can be written as JSON."""

MOVES: Final = ("undo", "redo")


class Desk:
    """The pages of one run, by number, in the hands of one annotator. Safe to use from several threads.

    Attributes:
        annotator: who labels.
        ready: whether all pages of the run are there.

    Args:
        annotator: see there.
        book: what was said of the pages.
        shelf: where the gold goes.
        failures: which pages could not be made ready, and why, a line each; they may become more.
    """

    def __init__(self, annotator: str, book: Book, shelf: Shelf, failures: Sequence[str] = ()) -> None:
        self.annotator = annotator
        self.ready = False
        self._book = book
        self._shelf = shelf
        self._failures = failures
        self._pages: list[PreparedPage] = []
        self._lock = threading.Lock()

    def add(self, page: PreparedPage) -> int:
        """Put a page on the desk.

        Returns:
            How many verdicts on it belong to blocks that are gone.
        """
        lost = self._book.adopt(page.id, page.names)
        if self._book.has(page.id):
            self._keep(page)
        with self._lock:
            self._pages.append(page)
        return lost

    def page(self, number: int) -> PreparedPage:
        """The page of a number.

        Raises:
            InputError: there is none.
        """
        with self._lock:
            if not 0 <= number < len(self._pages):
                raise InputError(f"there is no page {number}: go back to the list of pages")
            return self._pages[number]

    def queue(self) -> list[int]:
        """The numbers of all pages, the least confidence of the model first, those without one or without text last."""
        with self._lock:
            order = [page.confidence if len(page) and page.confidence >= 0 else math.inf for page in self._pages]
        return sorted(range(len(order)), key=lambda number: (order[number], number))

    def next_page(self, after: int | None = None) -> int | None:
        """The first open page of the queue behind the page `after`, else the first of all; None if none is open."""
        queue = self.queue()
        at = queue.index(after) + 1 if after in queue else 0
        return next((each for each in queue[at:] + queue[:at] if self._status(each) is Status.OPEN), None)

    def listing(self) -> Answer:
        """The pages in the order of the queue, how far they are, and what failed."""
        pages = [self._entry(number) for number in self.queue()]
        return {"pages": pages, "failed": list(self._failures), **self.progress()}

    def progress(self) -> Answer:
        """How many pages there are of each status, and whether more are to come."""
        statuses = [self._status(number) for number in self.queue()]
        return {"ready": self.ready, "total": len(statuses)} | {str(each): statuses.count(each) for each in Status}

    def state(self, number: int, since: int) -> Answer:
        """A page's revision and status, the blocks that changed after the revision `since` (0: all), and the progress.

        A block is a list: its index, label, role, whether the annotator said so, its version.

        Raises:
            InputError: there is no such page.
        """
        page = self.page(number)
        with self._book.sheet(page.id) as sheet:
            changed = _changed(page, sheet, since) if sheet.revision > since else []
            return {
                "revision": sheet.revision,
                "status": str(sheet.status),
                "undo": sheet.can_undo,
                "redo": sheet.can_redo,
                "blocks": [[row, *self._told(page, sheet, row)] for row in changed],
                "next": self.next_page(number),
                "progress": self.progress(),
            }

    def change(self, number: int, blocks: Sequence[Mapping[str, Any]]) -> None:
        """Take what the annotator says of blocks: each has `block`, its index, and `label`, `role` or both.

        Raises:
            InputError: there is no such page.
            UsageError: what is said is no verdict on a block of the page.
            OutputError: it cannot be written down.
        """
        page = self.page(number)
        with self._book.sheet(page.id) as sheet:
            try:
                verdicts = dict(_verdict(page, sheet, change) for change in blocks)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise UsageError("that is no label or role of a block of this page: load the page again") from error
            if verdicts:
                self._book.set(page.id, verdicts)
                self._keep(page)

    def move(self, number: int, move: str) -> None:
        """Take the last change of a page back (`undo`) or make it again (`redo`); errors as for `change`."""
        page = self.page(number)
        with self._book.sheet(page.id):
            if move == "undo":
                self._book.undo(page.id)
            else:
                self._book.redo(page.id)
            self._keep(page)

    def mark(self, number: int, status: Status) -> None:
        """Say how far a page is; errors as for `change`."""
        page = self.page(number)
        with self._book.sheet(page.id) as sheet:
            left = {name: verdict for name, verdict in zip(page.names, page.predicted, strict=True)
                    if name not in sheet.verdicts}  # fmt: skip
            self._book.mark(page.id, status, left)
            self._keep(page)

    def _keep(self, page: PreparedPage) -> None:
        with self._book.sheet(page.id) as sheet:
            self._shelf.put(page, sheet)

    def _status(self, number: int) -> Status:
        with self._book.sheet(self.page(number).id) as sheet:
            return sheet.status

    def _entry(self, number: int) -> Answer:
        page = self.page(number)
        with self._book.sheet(page.id) as sheet:
            return {
                "number": number,
                "id": page.id,
                "title": page.title,
                "confidence": None if math.isnan(page.confidence) else round(page.confidence, 4),
                "blocks": len(page),
                "corrected": sum(name in page.rows for name in sheet.verdicts),
                "status": str(sheet.status),
            }

    @staticmethod
    def _told(page: PreparedPage, sheet: Sheet, row: int) -> tuple[str, str | None, bool, int]:
        name = page.names[row]
        verdict = sheet.verdict(name, page.predicted[row])
        return verdict.label, verdict.role, name in sheet.verdicts, sheet.versions.get(name, 0)


def _changed(page: PreparedPage, sheet: Sheet, since: int) -> list[int]:
    """The blocks that changed after a revision; after none, those that are not what the model says now."""
    verdicts = zip(page.names, page.predicted, strict=True)
    return [
        row
        for row, (name, said) in enumerate(verdicts)
        if sheet.versions.get(name, 0) > since or (not since and sheet.verdict(name, said) != said)
    ]


def _verdict(page: PreparedPage, sheet: Sheet, change: Mapping[str, Any]) -> tuple[str, Verdict]:
    """The name of a block, and the verdict on it once what is said of it holds."""
    row = change["block"]
    if not isinstance(row, int) or isinstance(row, bool) or not 0 <= row < len(page) or len(change) < 2:
        raise ValueError(row)
    name = page.names[row]
    before = sheet.verdict(name, page.predicted[row])
    label = Label(change["label"]) if "label" in change else before.label
    role = (Role(change["role"]) if change["role"] else None) if "role" in change else before.role
    return name, Verdict(label, role)
