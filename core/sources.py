"""From a command line argument to pages: files, standard input, URLs, folders, archives, Parquet."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from vclean.errors import InputError, LimitError
from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vclean.settings import RenderSettings

STDIN: Final = "-"
_HTML: Final = frozenset({".html", ".htm", ".xhtml"})
_MHTML: Final = frozenset({".mhtml", ".mht"})
_ARCHIVES: Final = {
    b"\x1f\x8b": "gzip archive",
    b"\x28\xb5\x2f\xfd": "zstd archive",
    b"WARC/": "WARC archive",
    b"PK\x03\x04": "zip archive",
    b"PAR1": "Parquet file",
}
"""What may hold pages but cannot be read from a stream, by its first bytes."""

_ROWS_AT_ONCE: Final = 32


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
    """Whether an argument may stand for several pages: a folder, an archive, a Parquet file."""
    if argument == STDIN or is_url(argument):
        return False
    return Path(argument).is_dir() or _is_archive(Path(argument)) or Path(argument).suffix.lower() == ".parquet"


def find(argument: str, settings: RenderSettings, *, live: bool = False) -> Iterator[Source]:
    """The pages that an argument stands for, in a fixed order.

    Args:
        argument: a file, `-` for standard input, an http(s) URL, a folder (its HTML files, recursively, without
            the `*_files` folders that browsers save beside a page), a WARC, WACZ, MHTML or Parquet file.
        settings: `max_bytes` bounds every page, `deadline` the fetching of a URL.
        live: leave the fetching of a URL to the browser.

    Raises:
        InputError: the argument is missing, unreadable, or holds no page.
    """
    if argument == STDIN:
        yield Source(STDIN, partial(_read_stdin, settings.max_bytes))
    elif is_url(argument):
        yield Source(argument, partial(_read_url, argument, settings, live=live))
    else:
        yield from _find_in(Path(argument), settings.max_bytes)


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
        from vclean.render.mhtml import read_mhtml

        return read_mhtml(content, str(path))
    page = Page(content=content, path=path, id=str(path))
    return at_url(page, url)


def at_url(page: Page, url: str) -> Page:
    """The page as one that came from `url`: its folder stands for the URL's directory."""
    if page.path is None or not page.path.is_file():
        return replace(page, url=url)
    from vclean.render.folder import beside

    return replace(page, url=url, resources=beside(page.path, url))


def _find_in(path: Path, max_bytes: int) -> Iterator[Source]:
    if path.is_dir():
        yield from _find_in_folder(path, max_bytes)
    elif not path.exists():
        raise InputError(f"{path} does not exist: check the name")
    elif _is_archive(path):
        yield from _find_in_archive(path, max_bytes)
    elif path.suffix.lower() == ".parquet":
        yield from _find_in_parquet(path, max_bytes)
    else:
        yield Source(str(path), partial(read_file, path, max_bytes))


def _is_archive(path: Path) -> bool:
    return path.name.lower().endswith((".warc", ".warc.gz", ".warc.zst", ".wacz"))


def _read_stdin(max_bytes: int) -> Page:
    head = sys.stdin.buffer.read(max(map(len, _ARCHIVES)))
    for signature, name in _ARCHIVES.items():
        if head.startswith(signature):
            raise InputError(f"standard input is a {name}, not a page: give it as a file")
    return Page(content=_read_at_most(sys.stdin.buffer, max_bytes, "standard input", head), id=STDIN)


def _read_url(url: str, settings: RenderSettings, *, live: bool) -> Page:
    if live:
        return Page(url=url, live=True, id=url)
    from vclean.render.fetch import fetch

    return replace(fetch(url, settings), id=url)


def _read_bytes(path: Path, max_bytes: int) -> bytes:
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file in it")
    try:
        with path.open("rb") as stream:
            return _read_at_most(stream, max_bytes, str(path))
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist: check the name") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error})") from error


def _read_at_most(stream: IO[bytes], max_bytes: int, name: str, head: bytes = b"") -> bytes:
    content = head + stream.read(max(max_bytes + 1 - len(head), 0))
    if len(content) > max_bytes:
        raise LimitError(f"{name} is over the cap of {max_bytes:,} bytes: raise it with --max-bytes")
    return content


def _find_in_folder(folder: Path, max_bytes: int) -> Iterator[Source]:
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _HTML | _MHTML and path.is_file())
    paths = [path for path in paths if not _is_part_of_saved_page(path.relative_to(folder))]
    if not paths:
        raise InputError(f"{folder} is a folder without HTML files: name a page, or a folder of pages")
    for path in paths:
        yield Source(str(path), partial(read_file, path, max_bytes))


def _is_part_of_saved_page(path: Path) -> bool:
    return any(folder.endswith("_files") for folder in path.parts[:-1])


def _find_in_archive(path: Path, max_bytes: int) -> Iterator[Source]:
    from vclean.render.archives import Archive

    archive = Archive(path)
    if not archive.pages and not archive.damage:
        raise InputError(f"{path} holds no HTML page with status 200")
    for record in archive.pages:
        yield Source(record.url, partial(archive.page, record, max_bytes))
    if archive.damage:
        raise InputError(archive.damage)


def _find_in_parquet(path: Path, max_bytes: int) -> Iterator[Source]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            names = [name for name in ("html", "url", "id") if name in file.schema_arrow.names]
            if "html" not in names:
                raise InputError(f"{path} has no column 'html': it has {', '.join(file.schema_arrow.names)}")
            start = 0
            for batch in file.iter_batches(_ROWS_AT_ONCE, columns=names):
                rows = batch.to_pylist()
                yield from (_row_source(path, start + i, row, max_bytes) for i, row in enumerate(rows))
                start += len(rows)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path} is no readable Parquet file ({str(error).splitlines()[0]})") from error


def _row_source(path: Path, number: int, row: dict[str, object], max_bytes: int) -> Source:
    url = str(row.get("url") or "")
    name = str(row.get("id") or url or f"{path}#{number}")
    html = row["html"]
    content = html if isinstance(html, (bytes, str)) else b""
    return Source(name, partial(_row_page, Page(content=content, url=url, id=name), max_bytes))


def _row_page(page: Page, max_bytes: int) -> Page:
    if len(page.content) > max_bytes:
        raise LimitError(f"{page.id} is over the cap of {max_bytes:,} bytes: raise it with --max-bytes")
    return page
