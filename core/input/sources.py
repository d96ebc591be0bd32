"""From a command line argument to pages: files, standard input, URLs, folders, archives, Parquet, JSON lines."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, replace
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from vclean.errors import InputError
from vclean.input.tables import failing, json_pages, over_cap, parquet_pages
from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from vclean.settings import RenderSettings

STDIN: Final = "-"
_HTML: Final = frozenset({".html", ".htm", ".xhtml"})
_MHTML: Final = frozenset({".mhtml", ".mht"})
_JSON: Final = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_HOST: Final = re.compile(r"www\.\w|[\w.-]+\.(com|org|net|edu|gov)(/|$)", re.IGNORECASE)
"""What looks like an address whose beginning was left out."""
_ARCHIVES: Final = {
    b"\x1f\x8b": "gzip archive",
    b"\x28\xb5\x2f\xfd": "zstd archive",
    b"WARC/": "WARC archive",
    b"PK\x03\x04": "zip archive",
    b"PAR1": "Parquet file",
}
"""What may hold pages but cannot be read from a stream, by its first bytes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A page that was found and can be read.

    Attributes:
        id: its name in messages and output: the path as given, the URL, or the id in its container.
        read: gives the page; raises an `InputError`, `LimitError`, `NetworkError` or `DeadlineError`.
    """

    id: str
    read: Callable[[], Page]


def is_url(argument: str) -> bool:
    """Whether an argument is a web address.

    >>> is_url("https://example.org/"), is_url("page.html")
    (True, False)
    """
    return argument.lower().startswith(("http://", "https://"))


def holds_many(argument: str) -> bool:
    """Whether an argument may stand for several pages: a folder, an archive, a Parquet file, JSON lines."""
    if argument == STDIN or is_url(argument):
        return False
    path = Path(argument)
    return is_folder(path) or is_archive(path) or is_parquet(path) or path.name.lower().endswith(_JSON)


def is_folder(path: Path) -> bool:
    """Whether there is a folder; not so for what no path can be."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_archive(path: Path) -> bool:
    """Whether a file is a web archive, by its name."""
    return path.name.lower().endswith((".warc", ".warc.gz", ".warc.zst", ".wacz"))


def is_parquet(path: Path) -> bool:
    """Whether a file is a Parquet file, by its name."""
    return path.suffix.lower() == ".parquet"


def find(argument: str, settings: RenderSettings, *, live: bool = False) -> Iterator[Source]:
    """The pages that an argument stands for, in a fixed order.

    Args:
        argument: a file, `-` for standard input, an http(s) URL, a folder (its HTML files, recursively, without
            the `*_files` folders that browsers save beside a page), a WARC, WACZ, MHTML or Parquet file, or one of
            JSON lines.
        settings: `max_bytes` bounds every page, `deadline` the fetching of a URL.
        live: leave the fetching of a URL to the browser.

    Raises:
        InputError: the argument is missing, unreadable, or holds no page.
    """
    if argument == STDIN:
        yield Source(STDIN, partial(_read_stdin, settings.max_bytes))
    elif is_url(argument):
        yield Source(argument, partial(_read_url, argument, settings, live=live))
    elif _exists(path := Path(argument)):
        yield from _find_in(path, settings.max_bytes)
    else:
        raise InputError(_missing(argument))


def find_in_archive(
    path: Path, max_bytes: int, *, index: Path | None = None, only: Iterable[str] | None = None
) -> Iterator[Source]:
    """The pages of a web archive, in its order.

    Args:
        path: a WARC or WACZ file.
        max_bytes: cap on a page.
        index: where the archive's index is kept for the next time.
        only: URLs; the pages at them are taken, in the order of the URLs, and no others.

    Raises:
        InputError: it is unreadable, or holds no page; damaged: after the pages that can be read.
        OutputError: the index cannot be written.
    """
    from vclean.render.archive.pages import Archive

    archive = Archive(path, index=index)
    if only is None and not archive.pages and not archive.damage:
        raise InputError(f"{path} holds no HTML page with status 200")
    for record in archive.pages if only is None else (found for _, found in archive.select(only) if found):
        yield Source(record.url, partial(archive.page, record, max_bytes))
    if archive.damage:
        raise InputError(archive.damage)


def read_file(path: Path, max_bytes: int, *, url: str = "") -> Page:
    """The page in a file, with what a browser saved beside it as its sub-resources.

    Args:
        path: an HTML file, or an MHTML one by its suffix.
        max_bytes: cap on its size.
        url: the address the page came from, if known.

    Raises:
        InputError: the file is missing, a folder, or unreadable.
        LimitError: it is over `max_bytes`.
    """
    content = _read_bytes(path, max_bytes)
    if path.suffix.lower() in _MHTML:
        from vclean.render.archive.mhtml import read_mhtml

        return read_mhtml(content, str(path))
    page = Page(content=content, path=path, id=str(path))
    return at_url(page, url)


def at_url(page: Page, url: str) -> Page:
    """The page as one that came from `url`: its folder stands for the URL's directory."""
    if page.path is None or not page.path.is_file():
        return replace(page, url=url)
    from vclean.render.archive.folder import find_folder_resources

    return replace(page, url=url, resources=find_folder_resources(page.path, url))


def _find_in(path: Path, max_bytes: int) -> Iterator[Source]:
    if is_folder(path):
        yield from _find_in_folder(path, max_bytes)
    elif is_archive(path):
        yield from find_in_archive(path, max_bytes)
    elif is_parquet(path):
        yield from starmap(Source, parquet_pages(path, max_bytes))
    elif path.name.lower().endswith(_JSON):
        yield from starmap(Source, json_pages(path, max_bytes))
    else:
        yield Source(str(path), partial(read_file, path, max_bytes))


def _exists(path: Path) -> bool:
    """Whether there is something; so, too, where nobody may look, for reading it tells why."""
    try:
        return path.exists()
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False


def _missing(argument: str) -> str:
    """What to say of an argument that is no file: what may be meant, and what to do."""
    if argument.lower().startswith("file:"):
        return f"{argument} is an address: give the path of the file alone"
    if "://" in argument:
        return f"{argument} cannot be fetched, only http and https can: save the page, and name its file"
    web = f", or write https://{argument} for a page of the web" if _HOST.match(argument) else ""
    return f"{argument} does not exist: check the name{web}"


def _read_stdin(max_bytes: int) -> Page:
    if sys.stdin is None:
        raise InputError("standard input is closed: open it, or name a file")
    head = sys.stdin.buffer.read(max(map(len, _ARCHIVES)))
    for signature, name in _ARCHIVES.items():
        if head.startswith(signature):
            raise InputError(f"standard input is a {name}, not a page: give it as a file")
    return Page(content=_read_at_most(sys.stdin.buffer, max_bytes, "standard input", head), id=STDIN)


def _read_url(url: str, settings: RenderSettings, *, live: bool) -> Page:
    if live:
        return Page(url=url, live=True, id=url)
    from vclean.render.network.fetch import fetch

    return replace(fetch(url, settings), id=url)


def _read_bytes(path: Path, max_bytes: int) -> bytes:
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder: name a file in it")
        with path.open("rb") as stream:
            return _read_at_most(stream, max_bytes, str(path))
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist: check the name") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error})") from error


def _read_at_most(stream: IO[bytes], max_bytes: int, name: str, head: bytes = b"") -> bytes:
    content = head + stream.read(max(max_bytes + 1 - len(head), 0))
    if len(content) > max_bytes:
        raise over_cap(name, max_bytes)
    return content


def _find_in_folder(folder: Path, max_bytes: int) -> Iterator[Source]:
    """The pages in a folder, its own before those of the folders in it, each in the order of names.

    Folders that cannot be listed are pages that cannot be read.
    """
    errors: list[OSError] = []
    found = False
    for root, folders, names in os.walk(folder, onerror=errors.append):
        folders[:] = sorted(name for name in folders if not name.endswith("_files"))
        for path in (Path(root, name) for name in sorted(names)):
            if path.suffix.lower() in _HTML | _MHTML and path.is_file():
                found = True
                yield Source(str(path), partial(read_file, path, max_bytes))
    for error in errors:
        message = f"{error.filename} cannot be listed ({error.strerror}): check who may read it"
        yield Source(*failing(str(error.filename), InputError(message)))
    if not found and not errors:
        raise InputError(f"{folder} is a folder without HTML files: name a page, or a folder of pages")
