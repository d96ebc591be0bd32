"""Write results to standard output, one file, a folder with one file per page, or one file of JSON lines."""

from __future__ import annotations

import logging
import re
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from vclean.errors import InputError, UsageError
from vclean.files import AtomicFile, check_writable, make_folder, write_atomic, write_stream
from vclean.input.sources import is_folder, is_url
from vclean.settings import OVERLAY_FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.compare.diff import Comparison
    from vclean.features.segments.segments import Segments
    from vclean.result import Result

_SUFFIXES: Final = {
    "markdown": ".md", "front-matter": ".md", "html": ".html", "json": ".json", "webis": ".json", "chunks": ".jsonl",
}  # fmt: skip
"""Suffixes of the files of each format; others are `.txt`."""

_LINE_FORMATS: Final = frozenset({"json", "webis", "chunks"})
"""Formats of JSON lines, which need no separator between pages."""

_PAGE_SUFFIX = re.compile(r"\.(x?html?|mht(ml)?)$", re.IGNORECASE)
_UNSAFE = re.compile(r"[^\w.-]+")
_MAX_NAME_BYTES: Final = 120
"""Longest name of a page in a file name, bytes; file systems allow 255 with suffix and the name of an overlay."""

_log = logging.getLogger("vclean")


class ResultWriter:
    """Writer of the results of a run; a context manager for the time of the run.

    Several pages are written to a folder with one file each; in a format of lines to one file, unless `out` is a
    folder. A single page is written to the file `out`, or to a file in it if `out` is a folder. Standard output is
    flushed after each page, which has a header with its name if there may be several, except in formats of lines.

    One file is complete at the end of the run. If the run fails or has no result, no file is written, and an older one
    stays.

    Args:
        out: the file or folder; None for standard output.
        name: the output format.
        many: whether there may be several pages.
        inputs: the inputs from the command line; see `UniqueNames`.

    Raises:
        UsageError: `out` is a file, there are several pages, and the format does not separate them.
        OutputError: the folder cannot be created, or the file cannot be written.
    """

    def __init__(self, out: Path | None, name: str, *, many: bool, inputs: Sequence[str] = ()) -> None:
        self._format, self._many, self._names = name, many, UniqueNames(inputs)
        self._folder = self._file = None
        self._is_empty = True
        if out is None:
            return
        if many and name not in _LINE_FORMATS and not out.is_dir():
            if out.is_file() or out.suffix.lower() in (".txt", ".md", ".html", ".json", ".xml"):
                raise UsageError(f"{out} is the name of a file: several pages need a folder, or -f json for one file")
            make_folder(out)
        if out.is_dir():
            self._folder = out
        else:
            check_writable(out)
            self._file = AtomicFile(out)

    def __enter__(self) -> Self:
        """Begin the run."""
        if self._file:
            self._file.__enter__()
        return self

    def write(self, result: Result | Segments | Comparison) -> None:
        """Write one result.

        Raises:
            OutputError: the output cannot be written.
        """
        self._is_empty, text = False, result.to(self._format)
        if self._file:
            self._file.write(text)
        elif self._folder:
            write_atomic(self._folder / (self._names.name(result.id) + _SUFFIXES.get(self._format, ".txt")), text)
        else:
            name, is_markup = " ".join(result.id.split()), self._format in ("markdown", "html", "front-matter")
            header = f"<!-- {name.replace('--', '- -')} -->\n" if is_markup else f"==> {name} <==\n"
            has_header = self._many and self._format not in _LINE_FORMATS
            write_stream(sys.stdout, header * has_header + text)

    def __exit__(self, kind: object = None, *_: object) -> None:
        """End the run."""
        if self._file:
            self._file.__exit__(InputError if self._is_empty else kind)


class OverlayWriter:
    """Writer of overlays, as images or interactive pages: for several pages, the page name is added to the file name.

    Args:
        path: the file; its suffix is one of `vclean.settings.OVERLAY_FORMATS`.
        many: whether there may be several pages.
        inputs: the inputs from the command line; see `UniqueNames`.

    Raises:
        OutputError: the files cannot be written.
    """

    def __init__(self, path: Path, *, many: bool, inputs: Sequence[str] = ()) -> None:
        self._path = path
        self._many = many
        self._names = UniqueNames(inputs)
        self._kind = OVERLAY_FORMATS[path.suffix.lower()]
        check_writable(make_folder(path.parent) / path.name if many else path)

    def write(self, result: Result | Segments, screenshot: bytes) -> None:
        """Draw the result on the screenshot of its page, and write the file; that of a single page is logged."""
        overlay = result.overlay(screenshot, self._kind)
        if self._many:
            name = self._names.name(result.id)
            write_atomic(self._path.with_stem(f"{self._path.stem}-{name}"), overlay)
        else:
            write_and_log(self._path, "overlay", overlay)


class UniqueNames:
    """Generator of unique file names for pages, without suffixes.

    Args:
        inputs: the inputs from the command line. A page in one of these folders is named by its path in the folder, a
            page in one of these files by the name of the file and its number.
    """

    def __init__(self, inputs: Sequence[str] = ()) -> None:
        self._inputs: list[tuple[str, int]] = []  # what ids start with, and how many of its characters to leave out
        self._count: dict[str, int] = {}
        for path in (Path(argument) for argument in inputs if not is_url(argument)):
            prefix = "" if path == Path() else str(path / "_")[:-1] if is_folder(path) else str(path)
            self._inputs.append((prefix, len(prefix) - (0 if is_folder(path) else len(path.name))))

    def name(self, page_id: str) -> str:
        """Return a name that is valid on every file system.

        A second page of the same name gets a number. A name that is too long is truncated and ends in a hash.
        """
        skipped = next((skipped for prefix, skipped in self._inputs if page_id.startswith(prefix)), 0)
        return self._unique(_PAGE_SUFFIX.sub("", page_id.partition("://")[2] or page_id[skipped:]))

    def _unique(self, text: str) -> str:
        name = _UNSAFE.sub("_", text).strip("._") or "page"
        if len(name.encode()) > _MAX_NAME_BYTES:
            end = "-" + sha256(name.encode()).hexdigest()[:8]
            name = name.encode()[: _MAX_NAME_BYTES - len(end)].decode(errors="ignore") + end
        count = self._count[name.lower()] = self._count.get(name.lower(), 0) + 1
        return name if count == 1 else self._unique(f"{name}-{count}")


def write_and_log(path: Path, content: str, data: bytes | str) -> None:
    """Write a file atomically, and log its content and path.

    Args:
        path: the file.
        content: a noun for the content, such as `model`.
        data: the bytes or text to write.

    Raises:
        OutputError: the file cannot be written.
    """
    write_atomic(path, data)
    _log.warning("wrote the %s to %s", content, path)
