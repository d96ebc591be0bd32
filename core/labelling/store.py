"""Store the annotations of one annotator, page by page, in an append-only change log.

An entry of the log is an object with `time` (UTC, ISO 8601), `page` (id of the page) and `do`: `set`, `undo`, `redo`,
`done`, `skipped`, `open`, or `moved` after the page was rendered again. `set` and `done` have `blocks`, labels,
roles and parts by block name; `moved` has `names`, new names by old names.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import threading
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from vclean.errors import InputError
from vclean.features.blocks import match_blocks
from vclean.files import output_errors
from vclean.labels import Label, PartKind, Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from io import FileIO
    from pathlib import Path


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
        accepted: predictions for the other blocks, which the annotator accepted by marking the page as done.
        versions: by block, the revision in which its annotation last changed.
        revision: number of changes of the page.
        status: progress of the annotation.
    """

    manual: dict[str, Annotation] = field(default_factory=dict)
    accepted: dict[str, Annotation] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    revision: int = 0
    status: Status = Status.OPEN
    _undo_changes: list[Change] = field(default_factory=list)
    _redo_changes: list[Change] = field(default_factory=list)

    @property
    def can_undo(self) -> bool:
        """Return whether there is a change to undo."""
        return bool(self._undo_changes)

    @property
    def can_redo(self) -> bool:
        """Return whether there is an undone change to redo."""
        return bool(self._redo_changes)

    def annotation(self, name: str, predicted: Annotation) -> Annotation:
        """Return the current annotation of a block for which the model predicts `predicted`."""
        return self.manual.get(name) or self.accepted.get(name) or predicted

    def set(self, annotations: Mapping[str, Annotation]) -> None:
        """Set manual annotations. Undone changes can then no longer be redone."""
        self._undo_changes.append(self._apply(annotations))
        self._redo_changes.clear()

    def undo(self) -> None:
        """Undo the last change, if any."""
        if self._undo_changes:
            self._redo_changes.append(self._apply(self._undo_changes.pop()))

    def redo(self) -> None:
        """Redo the last undone change, if any."""
        if self._redo_changes:
            self._undo_changes.append(self._apply(self._redo_changes.pop()))

    def set_status(self, status: Status, accepted: Mapping[str, Annotation]) -> None:
        """Set the status. For a page that is done, `accepted` are its predictions.

        They stay in force when a later model predicts something else, until the page is open again.
        """
        self.revision += 1
        self.status = status
        if status is not Status.SKIPPED:
            self.accepted = dict(accepted)

    def rename(self, names: Mapping[str, str]) -> None:
        """Rename blocks as in another rendering. A block without a new name there keeps its old one."""
        by_name: list[dict[str, Any]] = [self.manual, self.accepted, self.versions]
        for values in (*by_name, *self._undo_changes, *self._redo_changes):
            renamed = {names.get(name, name): value for name, value in values.items()}
            values.clear()
            values.update(renamed)

    def _apply(self, change: Mapping[str, Annotation | None]) -> Change:
        """Apply a change, and return the one that reverts it."""
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


class AnnotationStore:
    """Annotations of one annotator in a change log; a context manager that opens it. Safe to use from several threads.

    Args:
        path: the change log, in an existing folder; it is made if it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: FileIO
        self._lock = threading.RLock()
        self._pages: defaultdict[str, PageAnnotations] = defaultdict(PageAnnotations)

    def __enter__(self) -> Self:
        """Open the log and apply its entries.

        An incomplete last line is left by a crash: it is removed with a warning.

        Raises:
            InputError: a line before the last one is damaged, or no valid change.
            OutputError: the file cannot be opened.
        """
        with output_errors(self._path):
            self._file = self._path.open("ab+", buffering=0)
        try:
            for number, line in enumerate(self._read_lines(), 1):
                self._apply_line(number, line)
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Close the log."""
        self._file.close()

    @contextmanager
    def annotations(self, page: str) -> Iterator[PageAnnotations]:
        """Give the annotations of a page, which no other thread changes inside the block."""
        with self._lock:
            yield self._pages[page]

    def carry_over(self, page: str, names: Sequence[str]) -> int:
        """Carry over the annotations of a page to its current blocks.

        Args:
            page: id of the page.
            names: names of its current blocks.

        Returns:
            Number of manual annotations for blocks that no longer exist.
        """
        with self.annotations(page) as annotations:
            matches = match_blocks(list(annotations.versions | annotations.accepted), names)
            moved = {old: new for old, new in matches.items() if old != new}
            if moved:
                self.record(page, "moved", names=moved)
            return len(annotations.manual.keys() - set(names))

    def record(self, page: str, action: str, **facts: Mapping[str, Any]) -> None:
        """Append a change of a page to the log, flush it to the disk, and apply it.

        Without a change to undo or redo, nothing is logged.

        Args:
            page: id of the page.
            action: the field `do` of the entry.
            facts: the fields that depend on it.

        Raises:
            OutputError: the disk is full; the log and the annotations are unchanged.
        """
        time = datetime.now(tz=UTC).isoformat(timespec="milliseconds")
        entry = {"time": time, "page": page, "do": str(action), **facts}
        with self.annotations(page) as annotations:
            if {"undo": annotations.can_undo, "redo": annotations.can_redo}.get(action, True):
                self._append(entry)
                _apply_entry(annotations, entry)

    def _append(self, entry: Mapping[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + _END
        with output_errors(self._path):
            size = self._file.seek(0, os.SEEK_END)
            try:
                if self._file.write(line) < len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(size)
                raise

    def _read_lines(self) -> list[bytes]:
        with output_errors(self._path):
            self._file.seek(0)
            data = self._file.read()
            complete = data.rfind(_END) + 1
            if complete < len(data):
                _log.warning("%s: the last change is incomplete and is dropped", self._path)
                self._file.truncate(complete)
        return data[:complete].splitlines()

    def _apply_line(self, number: int, line: bytes) -> None:
        try:
            entry = json.loads(line)
            _apply_entry(self._pages[entry["page"]], entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"{self._path}, line {number}, is damaged: repair or delete the line, and start again"
            ) from error


def _apply_entry(annotations: PageAnnotations, entry: Mapping[str, Any]) -> None:
    """Apply an entry of the log to the annotations of its page.

    Raises:
        ValueError: the entry is invalid; or KeyError, TypeError, AttributeError.
    """
    blocks = {name: Annotation.from_list(values) for name, values in entry.get("blocks", {}).items()}
    match entry["do"]:
        case "set":
            annotations.set(blocks)
        case "moved":
            annotations.rename({str(old): str(new) for old, new in entry["names"].items()})
        case "undo":
            annotations.undo()
        case "redo":
            annotations.redo()
        case status:
            annotations.set_status(Status(status), blocks)
