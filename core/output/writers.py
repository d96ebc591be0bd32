"""Where results go: standard output, one file, a file per page in a folder, or one file of JSON lines."""

from __future__ import annotations

import logging
import re
import sys
from abc import ABC, abstractmethod
from hashlib import sha256
from typing import IO, TYPE_CHECKING, Final, Protocol, Self

from vclean.errors import UsageError
from vclean.files import Replacement, check_writable, make_folder, write_atomic, write_stream
from vclean.settings import KINDS, Kind

if TYPE_CHECKING:
    from pathlib import Path

SUFFIXES: Final = {
    "cleaneval": ".txt", "text": ".txt", "markdown": ".md", "html": ".html", "json": ".json", "webis": ".json",
    "explanation": ".txt",
}  # fmt: skip

_IN_LINES: Final = frozenset({"json", "webis"})
"""Formats of one line a page, which need nothing between two pages."""

_PAGE_SUFFIX = re.compile(r"\.(x?html?|mht(ml)?)$", re.IGNORECASE)
_UNSAFE = re.compile(r"[^\w.-]+")
_LONGEST_NAME: Final = 120
"""In bytes: file systems take 255, and suffixes and an overlay's own name are added."""

_FILE_SUFFIXES: Final = frozenset({".txt", ".md", ".html", ".json", ".xml"})

_log = logging.getLogger("vclean")


class Output(Protocol):
    """What a command makes of a page, such as a `Result`."""

    @property
    def id(self) -> str:
        """The page's name."""

    def to(self, name: str, /) -> str:
        """Return all of it in the format `name`."""


class Drawing(Output, Protocol):
    """An output that can be drawn over the screenshot of its page."""

    def overlay(self, screenshot: bytes, kind: Kind) -> bytes:
        """Return it drawn over the screenshot of its page."""


class Sink(ABC):
    """Takes the results of a run, inside a `with` block that is the run."""

    def __enter__(self) -> Self:
        """Begin the run."""
        return self

    @abstractmethod
    def put(self, result: Output) -> None:
        """Take one result."""

    def __exit__(self, *exception: object) -> None:  # noqa: B027 - most have nothing to do
        """End the run; what it wrote only counts if nothing was raised."""


def sink_for(out: Path | None, name: str, *, many: bool) -> Sink:
    """The sink for output in the format `name`.

    Several pages go to a folder, one file each; as JSON to one file of lines, unless `out` is a folder. One page
    goes to the file `out`, or into it if it is a folder.

    Raises:
        UsageError: several pages are to go into one file, in a format that cannot be told apart there.
        OutputError: the folder cannot be made, or the file cannot be written.
    """
    if out is None:
        return StreamSink(sys.stdout, name, many=many)
    if out.is_dir():
        return FolderSink(out, name)
    if many and name not in _IN_LINES:
        if out.is_file() or out.suffix.lower() in _FILE_SUFFIXES:
            raise UsageError(f"{out} is a file's name: several pages need a folder, or -f json for a file of lines")
        return FolderSink(make_folder(out), name)
    check_writable(out)
    return LinesSink(out, name) if many else FileSink(out, name)


class StreamSink(Sink):
    """Writes to a stream, in UTF-8, each of several pages under a line with its name (JSON: one line each)."""

    def __init__(self, stream: IO[str], name: str, *, many: bool) -> None:
        self._stream = stream
        self._format = name
        self._many = many

    def put(self, result: Output) -> None:
        """Write the result and flush, so that a reader sees it before the next page is done."""
        write_stream(self._stream, self._header(result.id) + result.to(self._format))

    def _header(self, page_id: str) -> str:
        if not self._many or self._format in _IN_LINES:
            return ""
        name = " ".join(page_id.split())
        if self._format in ("markdown", "html"):
            return f"<!-- {name.replace('--', '- -')} -->\n"
        return f"==> {name} <==\n"


class FileSink(Sink):
    """Writes the one result to a file."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._format = name

    def put(self, result: Output) -> None:
        """Write the file, whole or not at all."""
        write_atomic(self._path, result.to(self._format))


class FolderSink(Sink):
    """Writes every result to a file of its own, named after the page."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._format = name
        self._names = Names()

    def put(self, result: Output) -> None:
        """Write the result's file, whole or not at all."""
        path = self._folder / (self._names.name(result.id) + SUFFIXES[self._format])
        write_atomic(path, result.to(self._format))


class LinesSink(Sink):
    """Writes all results to one file of JSON lines, which is in its place at the end of the run."""

    def __init__(self, path: Path, name: str = "json") -> None:
        self._file = Replacement(path)
        self._format = name

    def __enter__(self) -> Self:
        """Open the file, aside."""
        self._file.__enter__()
        return self

    def put(self, result: Output) -> None:
        """Add the line."""
        self._file.write(result.to(self._format))

    def __exit__(self, *exception: object) -> None:
        """Put the file in its place, whole or not at all."""
        self._file.__exit__(*exception)


class OverlayWriter:
    """Draws overlays into one file, an image or a page to explore, or for several pages into one each beside it.

    Raises:
        OutputError: the files cannot be written.
    """

    def __init__(self, path: Path, *, many: bool) -> None:
        self._path = path
        self._many = many
        self._names = Names()
        self._kind = KINDS[path.suffix.lower()]
        check_writable(make_folder(path.parent) / path.name if many else path)

    def put(self, result: Drawing, screenshot: bytes) -> None:
        """Draw the result over the screenshot of its page."""
        target = beside(self._path, self._names.name(result.id)) if self._many else self._path
        write_atomic(target, result.overlay(screenshot, self._kind))


class Names:
    """Gives every page a file name of its own, without a suffix."""

    def __init__(self) -> None:
        self._count: dict[str, int] = {}

    def name(self, page_id: str) -> str:
        """A name that is safe on every file system.

        A second page of the same name gets a number; a name that is too long ends in a hash of the whole.
        """
        bare = _PAGE_SUFFIX.sub("", page_id.partition("://")[2] or page_id)
        name = _shortened(_UNSAFE.sub("_", bare).strip("._") or "page")
        count = self._count[name.lower()] = self._count.get(name.lower(), 0) + 1
        return name if count == 1 else self.name(f"{name}-{count}")


def write_told(path: Path, what: str, data: bytes | str) -> None:
    """Write a file, whole or not at all, and say on standard error what of the run it is, and where.

    Raises:
        OutputError: it cannot be written.
    """
    write_atomic(path, data)
    _log.warning("wrote the %s to %s", what, path)


def beside(path: Path, name: str) -> Path:
    """The path for one of several pages: `overlay.png` becomes `overlay-NAME.png`."""
    return path.with_name(f"{path.stem}-{name}{path.suffix}")


def _shortened(name: str) -> str:
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    end = "-" + sha256(name.encode()).hexdigest()[:8]
    return name.encode()[: _LONGEST_NAME - len(end)].decode(errors="ignore") + end
