"""All that one annotator says, page by page, kept in a journal.

An entry of the journal is an object with `time` (UTC, ISO 8601), `page` (the page's id) and `do`: `set`, `undo`,
`redo`, `done`, `skipped`, `open`, or `moved` when the page was rendered anew. `set` and `done` have `blocks`, label and
role by the blocks' names; `moved` has `names`, the new ones by the old ones.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import threading
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from vclean.errors import InputError
from vclean.files import explained
from vclean.labels import Label, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from io import FileIO
    from pathlib import Path


class Status(StrEnum):
    """How far a page is."""

    OPEN = "open"
    DONE = "done"
    SKIPPED = "skipped"


class Verdict(NamedTuple):
    """What a block is, and what the region round it is for."""

    label: Label
    role: Role | None

    def to_list(self) -> list[str | None]:
        """As the journal has it."""
        return [str(self.label), str(self.role) if self.role else None]

    @classmethod
    def from_list(cls, values: list[str | None]) -> Verdict:
        """From the journal's form; ValueError for anything else."""
        label, role = values
        return cls(Label(label or ""), Role(role) if role else None)


Step = dict[str, tuple[Verdict | None, Verdict]]
"""One change of a page: the verdicts before and after it, by block; None where there was none."""


@dataclass(slots=True)
class Sheet:
    """One page in the hands of one annotator; blocks go by their names (see `vclean.labelling.store`).

    Attributes:
        verdicts: what the annotator said.
        agreed: what the model said of the other blocks, and the annotator left so, when the page was done.
        versions: the revision in which the verdict on a block changed last.
        revision: the number of changes of the page.
        status: how far it is.
    """

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    agreed: dict[str, Verdict] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    revision: int = 0
    status: Status = Status.OPEN
    _past: list[Step] = field(default_factory=list)
    _future: list[Step] = field(default_factory=list)

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether a change was taken back last."""
        return bool(self._future)

    def verdict(self, name: str, predicted: Verdict) -> Verdict:
        """What holds of a block of which the model says `predicted`."""
        return self.verdicts.get(name) or self.agreed.get(name) or predicted

    def set(self, verdicts: Mapping[str, Verdict]) -> None:
        """Take verdicts; what was undone before cannot be redone any more."""
        step: Step = {name: (self.verdicts.get(name), verdict) for name, verdict in verdicts.items()}
        self._past.append(step)
        self._future.clear()
        self._turn({name: after for name, (_, after) in step.items()})

    def undo(self) -> None:
        """Take the last change back; nothing happens where there is none."""
        if self._past:
            step = self._past.pop()
            self._future.append(step)
            self._turn({name: before for name, (before, _) in step.items()})

    def redo(self) -> None:
        """Make the change again that was taken back last; nothing happens where there is none."""
        if self._future:
            step = self._future.pop()
            self._past.append(step)
            self._turn({name: after for name, (_, after) in step.items()})

    def finish(self, agreed: Mapping[str, Verdict]) -> None:
        """The page is done: what the model said of blocks without a verdict holds, whatever a later model says."""
        self.agreed = dict(agreed)
        self._mark(Status.DONE)

    def skip(self) -> None:
        """The page is passed over."""
        self._mark(Status.SKIPPED)

    def reopen(self) -> None:
        """The page is not done after all."""
        self.agreed = {}
        self._mark(Status.OPEN)

    def rename(self, names: Mapping[str, str]) -> None:
        """Take the blocks' names in another rendering; a block that has none there keeps its old one."""
        self.verdicts = {names.get(name, name): verdict for name, verdict in self.verdicts.items()}
        self.agreed = {names.get(name, name): verdict for name, verdict in self.agreed.items()}
        self.versions = {names.get(name, name): version for name, version in self.versions.items()}
        for steps in (self._past, self._future):
            steps[:] = [{names.get(name, name): change for name, change in step.items()} for step in steps]

    def _mark(self, status: Status) -> None:
        self.revision += 1
        self.status = status

    def _turn(self, verdicts: Mapping[str, Verdict | None]) -> None:
        self.revision += 1
        for name, verdict in verdicts.items():
            self.versions[name] = self.revision
            if verdict is None:
                self.verdicts.pop(name, None)
            else:
                self.verdicts[name] = verdict


def text_hash(text: str) -> str:
    """16 hexadecimal digits of the text's words; white space does not count."""
    return sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def block_names(xpaths: Iterable[str], texts: Iterable[str]) -> list[str]:
    """A name for every block of a page: the hash of its text, its number among blocks equal in both, its XPath.

    >>> block_names(["/html[1]"] * 2, ["Hello.", "Hello."])
    ['2d8bd7d9bb5f85ba 1 /html[1]', '2d8bd7d9bb5f85ba 2 /html[1]']
    """
    seen: Counter[tuple[str, str]] = Counter()
    names = []
    for place in zip(map(text_hash, texts), xpaths, strict=True):
        seen[place] += 1
        names.append(f"{place[0]} {seen[place]} {place[1]}")
    return names


def refound(old: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """The new name of every block that is found again, by its old one.

    A block is found by its whole name; or, where the page has moved, by its text, if as many blocks of that text are
    missing as are there anew: then in their order.
    """
    there = set(new)
    found = {name: name for name in old if name in there}
    lost = _by_text(name for name in old if name not in there)
    unclaimed = _by_text(name for name in new if name not in found)
    for text, names in lost.items():
        if len(names) == len(unclaimed[text]):
            found |= dict(zip(names, unclaimed[text], strict=True))
    return found


def _by_text(names: Iterable[str]) -> defaultdict[str, list[str]]:
    """The names by the hash of their text, in their order."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[name.partition(" ")[0]].append(name)
    return groups


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


Entry = dict[str, Any]
"""One change; `vclean.labelling.store` says what is in it."""

_END: Final = b"\n"
_log = logging.getLogger("vclean")


class Journal:
    """An append-only file; a context manager that opens it.

    Attributes:
        entries: what was in the file when it was opened.

    Args:
        path: the file, in a folder that is there; it is made if it is not.
    """

    def __init__(self, path: Path) -> None:
        self.entries: list[Entry] = []
        self._path = path
        self._file: FileIO

    def __enter__(self) -> Self:
        """Read what is there, and open the file for more.

        A last line that was never finished is the trace of a crash: it is taken out, and said.

        Raises:
            InputError: a line before the last one is damaged.
            OutputError: the file cannot be opened.
        """
        with explained(self._path):
            self._file = self._path.open("ab+", buffering=0)
        try:
            self.entries = [self._entry(number, line) for number, line in enumerate(self._lines(), 1)]
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._file.close()

    def append(self, entry: Entry) -> None:
        """Add an entry; when this returns, it is on the disk.

        Raises:
            OutputError: the disk takes no more; the file is as it was.
        """
        line = json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + _END
        with explained(self._path):
            size = self._file.seek(0, os.SEEK_END)
            try:
                if self._file.write(line) < len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(size)
                raise

    def _lines(self) -> list[bytes]:
        with explained(self._path):
            self._file.seek(0)
            data = self._file.read()
            whole = data.rfind(_END) + 1
            if whole < len(data):
                _log.warning("%s: the last change was not finished when it was written, and is dropped", self._path)
                self._file.truncate(whole)
        return data[:whole].splitlines()

    def _entry(self, number: int, line: bytes) -> Entry:
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise self._damaged(number) from error
        if not isinstance(entry, dict):
            raise self._damaged(number)
        return entry

    def _damaged(self, number: int) -> InputError:
        return InputError(f"{self._path}, line {number}, is damaged: repair the line, or take it out, and start again")
