"""Where results go: standard output, one file, a file per page in a folder, or one file of JSON lines."""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from typing import IO, TYPE_CHECKING, Final

from vclean.errors import OutputError, UsageError
from vclean.files import write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    from vclean.result import Result

SUFFIXES: Final = {"cleaneval": ".txt", "text": ".txt", "markdown": ".md", "html": ".html", "json": ".json"}

_PAGE_SUFFIX = re.compile(r"\.(x?html?|mht(ml)?)$", re.IGNORECASE)
_UNSAFE = re.compile(r"[^\w.-]+")
_LONGEST_NAME: Final = 120


class Sink(ABC):
    """Takes the results of a run."""

    @abstractmethod
    def put(self, result: Result) -> None:
        """Take one result."""

    def close(self) -> None:  # noqa: B027 - most have nothing to do
        """The run has come to its end: write what was held back."""


def sink_for(out: Path | None, name: str, *, many: bool) -> Sink:
    """The sink for output in the format `name`.

    Several pages go to a folder, one file each; as JSON to one file of lines, unless `out` is a folder. One page
    goes to the file `out`, or into it if it is a folder.

    Raises:
        UsageError: several pages are to go into one file, in a format that cannot be told apart there.
        OutputError: the folder cannot be made.
    """
    if out is None:
        return StreamSink(sys.stdout, name, many=many)
    if out.is_dir():
        return FolderSink(out, name)
    if not many:
        return FileSink(out, name)
    if name == "json":
        return LinesSink(out)
    if out.is_file():
        raise UsageError(f"{out} is a file: several pages need a folder, or -f json for a file of lines")
    return FolderSink(_made(out), name)


class StreamSink(Sink):
    """Writes to a stream, in UTF-8, each of several pages under a line with its name (JSON: one line each)."""

    def __init__(self, stream: IO[str], name: str, *, many: bool) -> None:
        self._stream = stream
        self._format = name
        self._many = many

    def put(self, result: Result) -> None:
        """Write the result and flush, so that a reader sees it before the next page is done."""
        self._stream.write(self._header(result.id) + result.write(self._format))
        self._stream.flush()

    def _header(self, page_id: str) -> str:
        if not self._many or self._format == "json":
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

    def put(self, result: Result) -> None:
        """Write the file, whole or not at all."""
        write_atomic(self._path, result.write(self._format))


class FolderSink(Sink):
    """Writes every result to a file of its own, named after the page."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._format = name
        self._names = Names()

    def put(self, result: Result) -> None:
        """Write the result's file, whole or not at all."""
        path = self._folder / (self._names.name(result.id) + SUFFIXES[self._format])
        write_atomic(path, result.write(self._format))


class LinesSink(Sink):
    """Writes all results to one file of JSON lines, at the end of the run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines: list[str] = []

    def put(self, result: Result) -> None:
        """Keep the line."""
        self._lines.append(result.write("json"))

    def close(self) -> None:
        """Write the file, whole or not at all."""
        write_atomic(self._path, "".join(self._lines))


class Names:
    """Gives every page a file name of its own, without a suffix."""

    def __init__(self) -> None:
        self._count: dict[str, int] = {}

    def name(self, page_id: str) -> str:
        """A name that is safe on every file system; a second page of the same name gets a number."""
        bare = _PAGE_SUFFIX.sub("", page_id.partition("://")[2] or page_id)
        name = _UNSAFE.sub("_", bare).strip("._")[-_LONGEST_NAME:] or "page"
        count = self._count[name.lower()] = self._count.get(name.lower(), 0) + 1
        return name if count == 1 else self.name(f"{name}-{count}")


def beside(path: Path, name: str) -> Path:
    """The path for one of several pages: `overlay.png` becomes `overlay-NAME.png`."""
    return path.with_name(f"{path.stem}-{name}{path.suffix}")


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"the folder {folder} cannot be made ({error.strerror}): name another one") from error
    return folder
