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
from vclean.features.block_names import match_blocks
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

    def to_list(self) -> list[str | None]:
        """Return the form that the change log has."""
        return [str(each) if each else None for each in self]

    @classmethod
    def from_list(cls, values: list[str | None]) -> Annotation:
        """Convert the form that the change log has, in old logs without part; raise ValueError for anything else."""
        label, role, part = values if len(values) == 3 else (*values, None)
        return cls(Label(label or ""), Role(role) if role else None, to_part(part))


def to_part(value: str | None) -> PartKind | None:
    """Return the part with a name, None without name; raise ValueError if annotators cannot correct it."""
    part = PartKind(value) if value else None
    if part and not part.is_annotated:
        raise ValueError(value)
    return part


Change = dict[str, tuple[Annotation | None, Annotation]]
"""One change of a page: the annotations before and after it, by block; None for no annotation."""


@dataclass(slots=True)
class PageAnnotations:
    """Annotations of one page by one annotator. Blocks have the names of `vclean.features.block_names`.

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
        change: Change = {name: (self.manual.get(name), annotation) for name, annotation in annotations.items()}
        self._undo_changes.append(change)
        self._redo_changes.clear()
        self._apply_change({name: after for name, (_, after) in change.items()})

    def undo(self) -> None:
        """Undo the last change, if any."""
        if self._undo_changes:
            change = self._undo_changes.pop()
            self._redo_changes.append(change)
            self._apply_change({name: before for name, (before, _) in change.items()})

    def redo(self) -> None:
        """Redo the last undone change, if any."""
        if self._redo_changes:
            change = self._redo_changes.pop()
            self._undo_changes.append(change)
            self._apply_change({name: after for name, (_, after) in change.items()})

    def finish(self, accepted: Mapping[str, Annotation]) -> None:
        """Mark the page as done. Accepted predictions stay in force when a later model predicts something else."""
        self.accepted = dict(accepted)
        self._set_status(Status.DONE)

    def skip(self) -> None:
        """Mark the page as skipped."""
        self._set_status(Status.SKIPPED)

    def reopen(self) -> None:
        """Mark the page as open again."""
        self.accepted = {}
        self._set_status(Status.OPEN)

    def rename(self, names: Mapping[str, str]) -> None:
        """Rename blocks as in another rendering. A block without a new name there keeps its old one."""
        self.manual = {names.get(name, name): annotation for name, annotation in self.manual.items()}
        self.accepted = {names.get(name, name): annotation for name, annotation in self.accepted.items()}
        self.versions = {names.get(name, name): version for name, version in self.versions.items()}
        for changes in (self._undo_changes, self._redo_changes):
            changes[:] = [{names.get(name, name): pair for name, pair in change.items()} for change in changes]

    def _set_status(self, status: Status) -> None:
        self.revision += 1
        self.status = status

    def _apply_change(self, annotations: Mapping[str, Annotation | None]) -> None:
        self.revision += 1
        for name, annotation in annotations.items():
            self.versions[name] = self.revision
            if annotation is None:
                self.manual.pop(name, None)
            else:
                self.manual[name] = annotation


class AnnotationStore:
    """Annotations of one annotator. Each change is logged before it takes effect. Safe to use from several threads.

    Args:
        change_log: the open log; its entries are applied first.

    Raises:
        InputError: an entry of the log is invalid.
    """

    def __init__(self, change_log: ChangeLog) -> None:
        self._change_log = change_log
        self._lock = threading.RLock()
        self._pages: defaultdict[str, PageAnnotations] = defaultdict(PageAnnotations)
        for number, entry in enumerate(change_log.entries, 1):
            try:
                _apply_entry(self._pages[entry["page"]], entry)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise InputError(
                    f"line {number} of the change log is no valid change: delete the line, and start again"
                ) from error

    @contextmanager
    def annotations(self, page: str) -> Iterator[PageAnnotations]:
        """Give the annotations of a page, which no other thread changes inside the block."""
        with self._lock:
            yield self._pages[page]

    def has_changes(self, page: str) -> bool:
        """Return whether a page has any change."""
        with self._lock:
            return page in self._pages and self._pages[page].revision > 0

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
                self._write(page, "moved", {"names": moved})
            return len(annotations.manual.keys() - set(names))

    def set(self, page: str, annotations: Mapping[str, Annotation]) -> None:
        """Set manual annotations.

        Raises:
            OutputError: the log cannot be written; then nothing changes. All methods that change a page raise it.
        """
        self._write(page, "set", {"blocks": _to_lists(annotations)})

    def undo(self, page: str) -> None:
        """Undo the last change of a page, if any."""
        with self.annotations(page) as annotations:
            if annotations.can_undo:
                self._write(page, "undo")

    def redo(self, page: str) -> None:
        """Redo the last undone change of a page, if any."""
        with self.annotations(page) as annotations:
            if annotations.can_redo:
                self._write(page, "redo")

    def set_status(self, page: str, status: Status, accepted: Mapping[str, Annotation]) -> None:
        """Set the status of a page. For a page that is done, `accepted` are the predictions left unchanged."""
        self._write(page, status, {"blocks": _to_lists(accepted)} if status is Status.DONE else {})

    def _write(self, page: str, action: str, facts: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        time = datetime.now(tz=UTC).isoformat(timespec="milliseconds")
        entry: Entry = {"time": time, "page": page, "do": str(action), **(facts or {})}
        with self._lock:
            self._change_log.append(entry)
            _apply_entry(self._pages[page], entry)


def _to_lists(annotations: Mapping[str, Annotation]) -> dict[str, list[str | None]]:
    return {name: annotation.to_list() for name, annotation in annotations.items()}


def _apply_entry(annotations: PageAnnotations, entry: Entry) -> None:
    """Apply an entry of the log to the annotations of its page.

    Raises:
        ValueError: the entry is invalid; or KeyError, TypeError.
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
        case Status.DONE:
            annotations.finish(blocks)
        case Status.SKIPPED:
            annotations.skip()
        case Status.OPEN:
            annotations.reopen()
        case action:
            raise ValueError(action)


Entry = dict[str, Any]
"""One change; the docstring of `vclean.labelling.store` describes its fields."""

_END: Final = b"\n"
_log = logging.getLogger("vclean")


class ChangeLog:
    """Append-only file of changes; a context manager that opens it.

    Attributes:
        entries: entries in the file when it was opened.

    Args:
        path: the file, in an existing folder; it is made if it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self.entries: list[Entry] = []
        self._path = path
        self._file: FileIO

    def __enter__(self) -> Self:
        """Read the file, and open it for appending.

        An incomplete last line is left by a crash: it is removed with a warning.

        Raises:
            InputError: a line before the last one is damaged.
            OutputError: the file cannot be opened.
        """
        with output_errors(self._path):
            self._file = self._path.open("ab+", buffering=0)
        try:
            self.entries = [self._parse_entry(number, line) for number, line in enumerate(self._read_lines(), 1)]
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._file.close()

    def append(self, entry: Entry) -> None:
        """Append an entry and flush it to the disk.

        Raises:
            OutputError: the disk is full; the file is unchanged.
        """
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

    def _parse_entry(self, number: int, line: bytes) -> Entry:
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise self._damage_error(number) from error
        if not isinstance(entry, dict):
            raise self._damage_error(number)
        return entry

    def _damage_error(self, number: int) -> InputError:
        return InputError(f"{self._path}, line {number}, is damaged: repair or delete the line, and start again")
