"""Answer the requests of the labelling pages: the queue, the state of a page, and changes to it."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import InputError, UsageError
from vclean.labelling.store import Annotation, PageAnnotations, Status, to_part
from vclean.labels import Label, Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vclean.labelling.export import GoldWriter
    from vclean.labelling.preparation import PreparedPage
    from vclean.labelling.store import AnnotationStore

Answer = dict[str, Any]
"""Value that can be written as JSON."""

UNDO_ACTIONS: Final = ("undo", "redo")


class AnnotationSession:
    """Pages of one run by number, and their annotations by one annotator. Safe to use from several threads.

    Attributes:
        annotator: name of the annotator.
        ready: whether all pages of the run are prepared.

    Args:
        annotator: name of the annotator.
        store: annotations of the pages.
        gold_writer: writer of the gold.
        failures: messages for pages that could not be prepared, a line each; the list may grow.
    """

    def __init__(
        self, annotator: str, store: AnnotationStore, gold_writer: GoldWriter, failures: Sequence[str] = ()
    ) -> None:
        self.annotator = annotator
        self.ready = False
        self._store = store
        self._gold_writer = gold_writer
        self._failures = failures
        self._pages: list[PreparedPage] = []
        self._lock = threading.Lock()

    def add(self, page: PreparedPage) -> int:
        """Add a page.

        Returns:
            Number of manual annotations for blocks that no longer exist.
        """
        with self._store.annotations(page.id) as annotations:
            orphaned = self._store.carry_over(page.id, page.names)
            if annotations.revision:
                self._gold_writer.write(page, annotations)
        with self._lock:
            self._pages.append(page)
        return orphaned

    def page(self, number: int) -> PreparedPage:
        """Return the page with a number.

        Raises:
            InputError: there is none.
        """
        with self._lock:
            if not 0 <= number < len(self._pages):
                raise InputError(f"there is no page {number}: go back to the list of pages")
            return self._pages[number]

    def queue(self) -> list[int]:
        """Return the numbers of all pages, lowest confidence first, pages without confidence or text last."""
        with self._lock:
            order = [page.confidence if len(page) and page.confidence >= 0 else math.inf for page in self._pages]
        return sorted(range(len(order)), key=lambda number: (order[number], number))

    def next_page(self, after: int | None = None) -> int | None:
        """Return the next open page of the queue after `after`, else its first open page; None if none is open."""
        queue = self.queue()
        start = queue.index(after) + 1 if after in queue else 0
        return next((number for number in queue[start:] + queue[:start] if self._status(number) is Status.OPEN), None)

    def listing(self) -> Answer:
        """Return the pages in the order of the queue with their status, and the failures."""
        pages = [self._listing_entry(number) for number in self.queue()]
        return {"pages": pages, "failed": list(self._failures), **self.progress()}

    def progress(self) -> Answer:
        """Return the number of pages of each status, and whether all pages are prepared."""
        statuses = [self._status(number) for number in self.queue()]
        return {"ready": self.ready, "total": len(statuses)} | {str(each): statuses.count(each) for each in Status}

    def state(self, number: int, since: int) -> Answer:
        """Return revision and status of a page, the blocks changed after the revision `since` (0: all), and progress.

        A block is a list: its index, label, role, part, whether it was annotated by hand, its version.

        Raises:
            InputError: there is no such page.
        """
        page = self.page(number)
        with self._store.annotations(page.id) as annotations:
            return {
                "revision": annotations.revision,
                "status": str(annotations.status),
                "undo": annotations.can_undo,
                "redo": annotations.can_redo,
                "blocks": _changed_blocks(page, annotations, since) if annotations.revision > since else [],
                "next": self.next_page(number),
                "progress": self.progress(),
            }

    def change(self, number: int, blocks: Sequence[Mapping[str, Any]]) -> None:
        """Set manual annotations: each change has `block`, an index, and `label`, `role` or `part`.

        Raises:
            InputError: there is no such page.
            UsageError: a change is invalid.
            OutputError: the change log or the gold cannot be written.
        """
        page = self.page(number)
        with self._store.annotations(page.id) as annotations:
            try:
                manual = dict(_changed_annotation(page, annotations, change) for change in blocks)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise UsageError("invalid label, role or part of a block of this page: load the page again") from error
            if manual:
                self._store.record(page.id, "set", blocks=manual)
                self._gold_writer.write(page, annotations)

    def undo_or_redo(self, number: int, action: str) -> None:
        """Undo the last change of a page (`undo`) or redo an undone one (`redo`); errors as for `change`."""
        page = self.page(number)
        with self._store.annotations(page.id) as annotations:
            self._store.record(page.id, action)
            self._gold_writer.write(page, annotations)

    def set_status(self, number: int, status: Status) -> None:
        """Set the status of a page; errors as for `change`."""
        page = self.page(number)
        with self._store.annotations(page.id) as annotations:
            predictions = zip(page.names, page.predicted, strict=True)
            accepted = {name: label for name, label in predictions if name not in annotations.manual}
            self._store.record(page.id, status, **({"blocks": accepted} if status is Status.DONE else {}))
            self._gold_writer.write(page, annotations)

    def _status(self, number: int) -> Status:
        with self._store.annotations(self.page(number).id) as annotations:
            return annotations.status

    def _listing_entry(self, number: int) -> Answer:
        page = self.page(number)
        with self._store.annotations(page.id) as annotations:
            return {
                "number": number,
                "id": page.id,
                "title": page.title,
                "confidence": None if math.isnan(page.confidence) else round(page.confidence, 4),
                "blocks": len(page),
                "corrected": sum(name in page.rows for name in annotations.manual),
                "status": str(annotations.status),
            }


def _changed_blocks(page: PreparedPage, annotations: PageAnnotations, since: int) -> list[list[object]]:
    """Return the blocks that changed after a revision; after revision 0 also those that differ from the prediction."""
    blocks: list[list[object]] = []
    for row, (name, predicted) in enumerate(zip(page.names, page.predicted, strict=True)):
        annotation, version = annotations.annotation(name, predicted), annotations.versions.get(name, 0)
        if version > since or (not since and annotation != predicted):
            blocks.append([row, *annotation, name in annotations.manual, version])
    return blocks


def _changed_annotation(
    page: PreparedPage, annotations: PageAnnotations, change: Mapping[str, Any]
) -> tuple[str, Annotation]:
    """Return the name of a block, and its annotation after a change."""
    row = change["block"]
    if not isinstance(row, int) or isinstance(row, bool) or not 0 <= row < len(page) or len(change) < 2:
        raise ValueError(row)
    name = page.names[row]
    before = annotations.annotation(name, page.predicted[row])
    label = Label(change["label"]) if "label" in change else before.label
    role = (Role(change["role"]) if change["role"] else None) if "role" in change else before.role
    part = to_part(change["part"]) if "part" in change else before.part
    return name, Annotation(label, role, part)
