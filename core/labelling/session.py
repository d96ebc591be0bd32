"""Store the annotations of one annotator in an append-only change log, and answer the requests of the labelling pages.

An entry of the log is an object with `time` (UTC, ISO 8601), `page` (id of the page) and `do`: `set`, `undo`, `redo`,
`done`, `skipped`, `open`, or `moved` after the page was rendered again. `set` and `done` have `blocks`, labels,
roles and parts by block name; `moved` has `names`, new names by old names.
"""

from __future__ import annotations

import errno
import json
import logging
import math
import os
import threading
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vclean.errors import InputError, UsageError
from vclean.features.blocks import match_blocks
from vclean.files import output_errors
from vclean.labels import Label, PartKind, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from vclean.labelling.preparation import GoldBlock, PreparedPage


class Status(StrEnum):
    """Progress of the annotation of a page."""

    OPEN = "open"
    DONE = "done"
    SKIPPED = "skipped"


class Annotation(NamedTuple):
    """Label of a block, role of its region, and the part of the page that it is or begins."""

    label: Label
    role: Role | None
    part: PartKind | None = None

    @classmethod
    def from_list(cls, values: Sequence[str | None]) -> Annotation:
        """Convert the form that the change log has, in old logs without part; raise ValueError for anything else."""
        label, role, part = values if len(values) == 3 else (*values, None)
        return cls(Label(label or ""), Role(role) if role else None, to_part(part))


def to_part(value: str | None) -> PartKind | None:
    """Return the part with a name, None without name; raise ValueError if annotators cannot correct it."""
    part = PartKind(value) if value else None
    if part and not part.is_annotated:
        raise ValueError(value)
    return part


Change = dict[str, Annotation | None]
"""Manual annotations to set, by block; None to remove one."""


@dataclass(slots=True)
class PageAnnotations:
    """Annotations of one page by one annotator. Blocks have the names of `vclean.features.blocks`.

    Attributes:
        manual: annotations that the annotator made.
        accepted: predictions for the other blocks, which the annotator accepted by marking the page as done. They stay
            in force when a later model predicts something else, until the page is open again.
        versions: by block, the revision in which its annotation last changed.
        revision: number of changes of the page.
        status: progress of the annotation.
        undo_changes, redo_changes: changes that revert the last change, and the last undone change, each the last.
    """

    manual: dict[str, Annotation] = field(default_factory=dict)
    accepted: dict[str, Annotation] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    revision: int = 0
    status: Status = Status.OPEN
    undo_changes: list[Change] = field(default_factory=list)
    redo_changes: list[Change] = field(default_factory=list)

    def annotation(self, name: str, predicted: Annotation) -> Annotation:
        """Return the current annotation of a block for which the model predicts `predicted`."""
        return self.manual.get(name) or self.accepted.get(name) or predicted

    def apply(self, entry: Mapping[str, Any]) -> None:
        """Apply an entry of the change log. After `set`, undone changes can no longer be redone.

        Raises:
            ValueError: the entry is invalid; or KeyError, TypeError, AttributeError.
        """
        blocks = {name: Annotation.from_list(values) for name, values in entry.get("blocks", {}).items()}
        match entry["do"]:
            case "set":
                self.undo_changes.append(self._set(blocks))
                self.redo_changes.clear()
            case "undo" | "redo" as action:
                stacks = [self.undo_changes, self.redo_changes]
                changes, reverts = stacks if action == "undo" else reversed(stacks)
                if changes:
                    reverts.append(self._set(changes.pop()))
            case "moved":
                self._rename({str(old): str(new) for old, new in entry["names"].items()})
            case status:
                self.status = Status(status)
                self.revision += 1
                if self.status is not Status.SKIPPED:
                    self.accepted = blocks

    def _rename(self, names: Mapping[str, str]) -> None:
        """Rename blocks as in another rendering. A block without a new name there keeps its old one."""
        by_name: list[dict[str, Any]] = [self.manual, self.accepted, self.versions]
        for values in (*by_name, *self.undo_changes, *self.redo_changes):
            renamed = {names.get(name, name): value for name, value in values.items()}
            values.clear()
            values.update(renamed)

    def _set(self, change: Mapping[str, Annotation | None]) -> Change:
        """Set manual annotations, and return the change that reverts it."""
        before = {name: self.manual.get(name) for name in change}
        self.revision += 1
        for name, annotation in change.items():
            self.versions[name] = self.revision
            if annotation is None:
                self.manual.pop(name, None)
            else:
                self.manual[name] = annotation
        return before


_END: Final = b"\n"
_log = logging.getLogger("vclean")

Answer = dict[str, Any]
"""Value that can be written as JSON."""


class AnnotationSession:
    """Pages of one run by number, and their annotations by one annotator. Safe to use from several threads.

    Attributes:
        ready: whether all pages of the run are prepared.
        lock: held while a change is applied and written.

    Args:
        log: the file of the changes so far, to which those of this session are appended; in an existing folder.
        write_gold: writes the gold of a page with its annotations; called after every change.
        failures: messages for pages that could not be prepared, a line each; the list may grow.

    Raises:
        InputError: a line of the log before the last one is damaged, or no valid change.
        OutputError: the log cannot be opened.
    """

    def __init__(
        self, log: Path, write_gold: Callable[[PreparedPage, PageAnnotations], None], failures: Sequence[str] = ()
    ) -> None:
        self.ready = False
        self.lock = threading.RLock()
        self._log = log
        self._write_gold = write_gold
        self._failures = failures
        self._pages: list[PreparedPage] = []
        self._annotations: defaultdict[str, PageAnnotations] = defaultdict(PageAnnotations)
        for number, line in enumerate(_read_lines(log), 1):
            try:
                entry = json.loads(line)
                self._annotations[entry["page"]].apply(entry)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                message = f"{log}, line {number}, is damaged: repair or delete the line, and start again"
                raise InputError(message) from error

    def add(self, page: PreparedPage) -> int:
        """Add a page. Its annotations so far are carried over to its current blocks.

        Returns:
            Number of manual annotations for blocks that no longer exist.
        """
        with self.lock:
            annotations = self._annotations[page.id]
            matches = match_blocks(list(annotations.versions | annotations.accepted), list(page.blocks_by_name))
            if moved := {old: new for old, new in matches.items() if old != new}:
                self._record(page, "moved", names=moved)
            elif annotations.revision:
                self._write_gold(page, annotations)
            self._pages.append(page)
            return len(annotations.manual.keys() - page.blocks_by_name.keys())

    def page(self, number: int) -> PreparedPage:
        """Return the page with a number.

        Raises:
            InputError: there is none.
        """
        if not 0 <= number < len(self._pages):
            raise InputError(f"there is no page {number}: go back to the list of pages")
        return self._pages[number]

    def queue(self) -> list[int]:
        """Return the numbers of all pages, lowest confidence first, pages without confidence or text last."""
        order = [
            math.inf if page.confidence is None or not page.blocks else page.confidence for page in list(self._pages)
        ]
        return sorted(range(len(order)), key=order.__getitem__)

    def next_page(self, after: int) -> int | None:
        """Return the next open page of the queue after `after`, else its first open page; None if none is open."""
        queue = self.queue()
        start = queue.index(after) + 1
        statuses = self._statuses()
        return next((number for number in queue[start:] + queue[:start] if statuses[number] is Status.OPEN), None)

    def listing(self) -> Answer:
        """Return the pages in the order of the queue with their status, and the failures."""
        pages = []
        with self.lock:
            for number in self.queue():
                page, annotations = self._pages[number], self._annotations[self._pages[number].id]
                facts = {"number": number, "id": page.id, "title": page.title, "status": str(annotations.status)}
                confidence = None if page.confidence is None else round(page.confidence, 4)
                corrected = len(annotations.manual.keys() & page.blocks_by_name.keys())
                pages.append({**facts, "confidence": confidence, "blocks": len(page.blocks), "corrected": corrected})
        return {"pages": pages, "failed": list(self._failures), **self.progress()}

    def progress(self) -> Answer:
        """Return the number of pages of each status, and whether all pages are prepared."""
        statuses = self._statuses()
        return {"ready": self.ready, "total": len(statuses)} | {str(each): statuses.count(each) for each in Status}

    def state(self, number: int, since: int) -> Answer:
        """Return revision and status of a page, the blocks changed after the revision `since` (0: all), and progress.

        A block is a list: its index, label, role, part, whether it was annotated by hand, its version.

        Raises:
            InputError: there is no such page.
        """
        page = self.page(number)
        with self.lock:
            annotations = self._annotations[page.id]
            return {
                "revision": annotations.revision,
                "status": str(annotations.status),
                "undo": bool(annotations.undo_changes),
                "redo": bool(annotations.redo_changes),
                "blocks": _changed_blocks(page, annotations, since) if annotations.revision > since else [],
                "next": self.next_page(number),
                "progress": self.progress(),
            }

    def change(self, number: int, blocks: Any) -> None:  # noqa: ANN401 - what a browser sends
        """Set manual annotations: each change has `block`, an index, and `label`, `role` or `part`.

        Raises:
            InputError: there is no such page.
            UsageError: a change is invalid.
            OutputError: the change log or the gold cannot be written.
        """
        page = self.page(number)
        with self.lock:
            try:
                by_name, annotations = list(page.blocks_by_name.items()), self._annotations[page.id]
                manual = dict(_changed_annotation(by_name, annotations, change) for change in blocks)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise UsageError("invalid label, role or part of a block of this page: load the page again") from error
            if manual:
                self._record(page, "set", blocks=manual)

    def undo_or_redo(self, number: int, action: str) -> None:
        """Undo the last change of a page (`undo`) or redo an undone one (`redo`), if any; errors as for `change`."""
        page = self.page(number)
        with self.lock:
            annotations = self._annotations[page.id]
            if annotations.undo_changes if action == "undo" else annotations.redo_changes:
                self._record(page, action)

    def set_status(self, number: int, status: str) -> None:
        """Set the status of a page, a value of `Status`; errors as for `change`."""
        page = self.page(number)
        if status not in list(Status):
            raise UsageError("status is done, skipped or open")
        with self.lock:
            manual = self._annotations[page.id].manual
            accepted = {name: block.annotation for name, block in page.blocks_by_name.items() if name not in manual}
            self._record(page, status, **({"blocks": accepted} if status == Status.DONE else {}))

    def _record(self, page: PreparedPage, action: str, **facts: Mapping[str, Any]) -> None:
        """Log a change of a page, apply it, and write the gold; if it cannot be logged, nothing is changed."""
        time = datetime.now(tz=UTC).isoformat(timespec="milliseconds")
        entry = {"time": time, "page": page.id, "do": str(action), **facts}
        _append(self._log, entry)
        self._annotations[page.id].apply(entry)
        self._write_gold(page, self._annotations[page.id])

    def _statuses(self) -> list[Status]:
        return [self._annotations[page.id].status for page in list(self._pages)]


def _read_lines(log: Path) -> list[bytes]:
    """Read the lines of a log, which is made if it does not exist; an incomplete last line, left by a crash, is cut."""
    with output_errors(log), log.open("ab+") as file:
        file.seek(0)
        data = file.read()
        complete = data.rfind(_END) + 1
        if complete < len(data):
            _log.warning("%s: the last change is incomplete and is dropped", log)
            file.truncate(complete)
    return data[:complete].splitlines()


def _append(log: Path, entry: Mapping[str, Any]) -> None:
    """Append an entry to a log and flush it to the disk.

    Raises:
        OutputError: the disk is full; the file is unchanged.
    """
    line = json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + _END
    with output_errors(log), log.open("ab", buffering=0) as file:
        size = file.tell()
        try:
            if file.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file.fileno())
        except OSError:
            file.truncate(size)
            raise


def _changed_blocks(page: PreparedPage, annotations: PageAnnotations, since: int) -> list[list[object]]:
    """Return the blocks that changed after a revision; after revision 0 also those that differ from the prediction."""
    blocks: list[list[object]] = []
    for row, (name, block) in enumerate(page.blocks_by_name.items()):
        annotation, version = annotations.annotation(name, block.annotation), annotations.versions.get(name, 0)
        if version > since or (not since and annotation != block.annotation):
            blocks.append([row, *annotation, name in annotations.manual, version])
    return blocks


def _changed_annotation(
    blocks: Sequence[tuple[str, GoldBlock]], annotations: PageAnnotations, change: Mapping[str, Any]
) -> tuple[str, Annotation]:
    """Return the name of one of the named blocks of a page, and its annotation after a change."""
    row = change["block"]
    if not isinstance(row, int) or isinstance(row, bool) or not 0 <= row < len(blocks) or len(change) < 2:
        raise ValueError(row)
    name, block = blocks[row]
    before = annotations.annotation(name, block.annotation)
    label = Label(change["label"]) if "label" in change else before.label
    role = (Role(change["role"]) if change["role"] else None) if "role" in change else before.role
    part = to_part(change["part"]) if "part" in change else before.part
    return name, Annotation(label, role, part)
