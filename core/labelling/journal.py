"""The journal of an annotator: one line of JSON for every change, on the disk before it counts."""

from __future__ import annotations

import errno
import json
import logging
import os
from typing import TYPE_CHECKING, Any, Final, Self

from vclean.errors import InputError
from vclean.files import explained

if TYPE_CHECKING:
    from io import FileIO
    from pathlib import Path

Entry = dict[str, Any]
"""One change; `vclean.labelling.book` says what is in it."""

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
