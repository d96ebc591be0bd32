"""Find the pages of a command-line argument: file, standard input, URL, folder, archive, Parquet, JSON lines."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from vclean.errors import InputError
from vclean.input.tables import failing_source, json_pages, parquet_pages, size_limit_error
from vclean.page import Page, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from vclean.settings import RenderSettings

STDIN: Final = "-"
_HTML: Final = frozenset({".html", ".htm", ".xhtml"})
_MHTML: Final = frozenset({".mhtml", ".mht"})
_JSON: Final = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
PREPARED_SUFFIX: Final = ".page.json"
"""Suffix of the file beside each page that `vclean label` has prepared; the name is 32 hexadecimal digits."""
_PREPARED_NAME: Final = re.compile("[0-9a-f]{32}")
_ARCHIVES: Final = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"WARC/", b"PK\x03\x04", b"PAR1")
"""First bytes of gzip, zstd, WARC and zip archives and of Parquet files, which are not read from standard input."""


def is_url(argument: str) -> bool:
    """Return whether an argument is an http(s) URL.

    >>> is_url("https://example.org/"), is_url("page.html")
    (True, False)
    """
    return argument.lower().startswith(("http://", "https://"))


def is_container(argument: str) -> bool:
    """Return whether an argument may have several pages: a folder, an archive, a Parquet file, JSON lines."""
    if argument == STDIN or is_url(argument):
        return False
    path = Path(argument)
    return is_folder(path) or is_archive(path) or is_parquet(path) or path.name.lower().endswith(_JSON)


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; False for an invalid path."""
    return os.path.isdir(path)  # noqa: PTH112 - False for an invalid path


def is_archive(path: Path) -> bool:
    """Return whether the file name is that of a web archive."""
    return path.name.lower().endswith((".warc", ".warc.gz", ".warc.zst", ".wacz"))


def is_parquet(path: Path) -> bool:
    """Return whether the file name is that of a Parquet file."""
    return path.suffix.lower() == ".parquet"


def find_sources(argument: str, settings: RenderSettings, *, live: bool = False) -> Iterator[Source]:
    """Find the pages of an argument, in a fixed order.

    Args:
        argument: a file, `-` for standard input, an http(s) URL, a folder (its HTML files, recursively, without
            the `*_files` folders that browsers save beside a page and without the files of labelling projects), or a
            WARC, WACZ, MHTML, Parquet or JSON lines file.
        settings: `max_bytes` limits each page, `deadline` limits fetching a URL.
        live: whether the browser will fetch a URL.

    Yields:
        The sources of the pages.

    Raises:
        InputError: the argument is missing, unreadable, or has no page.
    """
    path, max_bytes = Path(argument), settings.max_bytes
    if argument == STDIN:
        yield Source(STDIN, partial(_read_stdin, max_bytes))
    elif is_url(argument):
        yield Source(argument, partial(_read_url, argument, settings, live=live))
    elif not _exists(path):
        if "://" in argument:
            raise InputError(f"{argument} is not fetched, only http and https are: save the page, and name its file")
        raise InputError(f"{argument} does not exist: check the name, or begin a web address with https://")
    elif is_folder(path):
        yield from _find_in_folder(path, max_bytes)
    elif is_archive(path):
        yield from archive_sources(path, max_bytes)
    elif is_parquet(path) or path.name.lower().endswith(_JSON):
        yield from (parquet_pages if is_parquet(path) else json_pages)(path, max_bytes)
    else:
        yield Source(str(path), partial(read_file, path, max_bytes))


def archive_sources(
    path: Path, max_bytes: int, *, index: Path | None = None, only: Iterable[str] | None = None
) -> Iterator[Source]:
    """Find the pages of a web archive, in the order of the archive.

    Args:
        path: a WARC or WACZ file.
        max_bytes: limit on the size of a page in bytes.
        index: the path at which the index of the archive is stored for reuse; None to not store it.
        only: the URLs of the pages to select, which are returned in this order; None for all pages.

    Yields:
        The sources of the pages.

    Raises:
        InputError: the archive is unreadable or has no page; if it is damaged, after the pages that can be read.
        OutputError: the index cannot be written.
    """
    from vclean.render.archive.pages import Archive

    archive = Archive(path, index=index)
    if only is None and not archive.pages and not archive.damage:
        raise InputError(f"{path} contains no HTML page with status 200")
    for record in archive.pages if only is None else (record for _, record in archive.select(only) if record):
        yield Source(record.url, partial(archive.page, record, max_bytes))
    if archive.damage:
        raise InputError(archive.damage)


def read_file(path: Path, max_bytes: int, *, url: str = "") -> Page:
    """Read the page in a file; its subresources are the files that a browser saved beside it.

    Args:
        path: an HTML file, or an MHTML file, recognized by its suffix or its headers.
        max_bytes: limit on the size of the file in bytes.
        url: the URL of the page, if known.

    Raises:
        InputError: the file is missing, a folder, or unreadable.
        LimitError: the file is larger than `max_bytes`.
    """
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder: name a file in it")
        with path.open("rb") as stream:
            content = _read_at_most(stream, max_bytes, str(path))
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist: check the name") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({reason}): check its rights") from error
    if mhtml := _read_mhtml(content, str(path), is_named=path.suffix.lower() in _MHTML):
        return mhtml
    return with_url(Page(content=content, path=path, id=str(path)), url)


def _read_mhtml(content: bytes, name: str, *, is_named: bool = False) -> Page | None:
    """Return the page in an MHTML file, which is recognized by its name or its headers; None for other content."""
    if not is_named and content.lstrip()[:1] in (b"<", b""):
        return None
    from vclean.render.archive.saved_page import is_mhtml, read_mhtml

    return read_mhtml(content, name) if is_named or is_mhtml(content) else None


def with_url(page: Page, url: str) -> Page:
    """Return the page with `url`; relative URLs of subresources resolve to files in the folder of the page."""
    if page.path is None or not page.path.is_file():
        return replace(page, url=url)
    from vclean.render.archive.saved_page import find_folder_resources

    return replace(page, url=url, resources=find_folder_resources(page.path, url))


def _exists(path: Path) -> bool:
    """Return whether a path exists; True if access is denied, because reading it then raises the right error."""
    try:
        return path.exists()
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False


def _read_stdin(max_bytes: int) -> Page:
    if sys.stdin is None:
        raise InputError("standard input is closed: open it, or name a file")
    head = sys.stdin.buffer.read(max(map(len, _ARCHIVES)))
    if head.startswith(_ARCHIVES):
        raise InputError("standard input is an archive or a Parquet file, not a page: give it as a file")
    content = _read_at_most(sys.stdin.buffer, max_bytes, "standard input", head)
    return _read_mhtml(content, STDIN) or Page(content=content, id=STDIN)


def _read_url(url: str, settings: RenderSettings, *, live: bool) -> Page:
    if live:
        return Page(url=url, live=True, id=url)
    from vclean.render.fetch import fetch

    return replace(fetch(url, settings), id=url)


def _read_at_most(stream: IO[bytes], max_bytes: int, name: str, head: bytes = b"") -> bytes:
    content = head + stream.read(max(max_bytes + 1 - len(head), 0))
    if len(content) > max_bytes:
        raise size_limit_error(name, max_bytes)
    return content


def _find_in_folder(folder: Path, max_bytes: int) -> Iterator[Source]:
    """Find the pages in a folder, before those in its subfolders, sorted by name.

    For a subfolder that cannot be listed, a source that raises an error is returned.
    """
    errors: list[OSError] = []
    path = None
    for path in html_files(folder, errors.append):
        yield Source(str(path), partial(read_file, path, max_bytes))
    for error in errors:
        message = f"{error.filename} cannot be listed ({error.strerror}): check its permissions"
        yield failing_source(str(error.filename), InputError(message))
    if path is None and not errors:
        raise InputError(f"{folder} is a folder without HTML files: name a page, or a folder of pages")


def html_files(folder: Path, onerror: Callable[[OSError], object] | None = None) -> Iterator[Path]:
    """Yield the HTML and MHTML files in a folder, before those in its subfolders, sorted by name.

    Overlays in the folders of `vclean label` are no pages.
    """
    for root, folders, names in os.walk(folder, onerror=onerror):
        folders[:] = sorted(name for name in folders if not name.endswith("_files"))
        for path in (Path(root, name) for name in sorted(names)):
            is_overlay = _PREPARED_NAME.fullmatch(path.stem) and path.with_suffix(PREPARED_SUFFIX).is_file()
            if path.suffix.lower() in _HTML | _MHTML and not is_overlay and path.is_file():
                yield path
