"""Select the pages of a web archive: documents that no other document frames, or those of a page list."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Final

from vclean.render.archive import subresources, warc
from vclean.render.archive.schema import MAX_HOPS, url_key

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

    from fastwarc.warc import WarcRecord

_PAGE_LISTS: Final = ("pages/pages.jsonl", "pages/extraPages.jsonl")
_MAX_LINE: Final = 16 * 2**20
"""Bytes of a line of a page list, which may contain the whole text of a page."""

_SUBRESOURCE_KINDS: Final = frozenset(
    {"eventsource", "fetch", "font", "image", "manifest", "media", "ping", "prefetch", "script", "stylesheet"}
    | {"texttrack", "websocket", "xhr"}
)
"""Values of `WARC-Resource-Type` that exclude a page; frames and pages are both `document`."""

_TABLES: Final = """
CREATE TEMP TABLE frames (key BLOB, parent BLOB, PRIMARY KEY (key, parent)) WITHOUT ROWID;
CREATE TEMP TABLE requests (key BLOB PRIMARY KEY, document INTEGER) WITHOUT ROWID;
CREATE TEMP TABLE listed (key BLOB PRIMARY KEY, hops INTEGER) WITHOUT ROWID;
"""

_FOLLOW_REDIRECTS: Final = {
    "frames": "SELECT target_key, parent FROM frames JOIN redirects USING (key)",
    "listed": "SELECT target_key, hops + 1 FROM listed JOIN redirects USING (key)",
}

_SELECT_LISTED: Final = """
INSERT INTO pages (record) SELECT id FROM records WHERE kind = 1 AND key IN (SELECT key FROM listed) ORDER BY id
"""

_SELECT_UNFRAMED: Final = """
INSERT INTO pages (record) SELECT id FROM records WHERE kind = 1 AND coalesce(
  (SELECT document FROM requests WHERE requests.key = records.key),
  NOT EXISTS (
    SELECT 1 FROM frames WHERE frames.key = records.key
    AND NOT EXISTS (SELECT 1 FROM frames back WHERE back.key = frames.parent AND back.parent = frames.key)
  )
) ORDER BY id
"""
"""Documents that a browser requested as documents are pages. Documents without a recorded request are pages unless
another document frames them; two documents that frame each other are both pages."""


class PageSelector:
    """Selector of the pages of an archive.

    It collects evidence in temporary tables while the archive is indexed, and then fills the table `pages`.

    Args:
        database: the unfinished index.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.executescript(_TABLES)

    def note_request(self, record: WarcRecord, key: bytes) -> None:
        """Record the destination of a request, if its headers state it (Fetch Metadata, `Sec-Fetch-Dest`)."""
        destination = (record.http_headers.get("Sec-Fetch-Dest") or "").strip().lower() if record.is_http else ""
        if destination:
            self._note(key, is_page=destination == "document")

    def note_document(self, record: WarcRecord, url: str, key: bytes) -> None:
        """Record the frames of a document, and its resource type if the record states one."""
        if (record.headers.get("WARC-Resource-Type") or "").strip().lower() in _SUBRESOURCE_KINDS:
            self._note(key, is_page=False)
        raw = record.reader.read(subresources.SCANNED_BYTES)
        body = warc.decode_body(record, raw, subresources.SCANNED_BYTES)
        rows = [(url_key(frame), key) for frame in subresources.frame_urls(body, url)]
        self._database.executemany("INSERT OR IGNORE INTO frames VALUES (?, ?)", rows)

    def note_page_lists(self, path: Path) -> None:
        """Record the pages that the page lists of a WACZ file name; unreadable lines are skipped."""
        if path.suffix.lower() != ".wacz":
            return
        with zipfile.ZipFile(path) as archive:
            for name in set(_PAGE_LISTS).intersection(archive.namelist()):
                with archive.open(name) as stream:
                    self._database.executemany(
                        "INSERT OR IGNORE INTO listed VALUES (?, 0)",
                        ((url_key(url),) for url in _listed_urls(stream)),
                    )

    def select_pages(self) -> dict[str, int]:
        """Fill the table `pages`; return the facts `pages`, `left_out` and `has_resources`."""
        for table, query in _FOLLOW_REDIRECTS.items():
            self._follow(table, query)
        if not self._database.execute(_SELECT_LISTED).rowcount:
            self._database.execute(_SELECT_UNFRAMED)
        pages, documents, loaded = self._database.execute(
            "SELECT (SELECT count(*) FROM pages), count(*) FILTER (WHERE kind = 1), count(*) FILTER (WHERE kind = 2)"
            " FROM records"
        ).fetchone()
        return {"pages": pages, "left_out": documents - pages, "has_resources": int(loaded or documents > pages)}

    def _follow(self, table: str, query: str) -> None:
        """Add the redirect targets of the URLs in a table."""
        for _ in range(MAX_HOPS):
            if not self._database.execute(f"INSERT OR IGNORE INTO {table} {query}").rowcount:
                return

    def _note(self, key: bytes, *, is_page: bool) -> None:
        update = "ON CONFLICT (key) DO UPDATE SET document = max(document, excluded.document)"
        self._database.execute(f"INSERT INTO requests VALUES (?, ?) {update}", (key, is_page))


def _listed_urls(stream: IO[bytes]) -> Iterator[str]:
    """Yield the URLs of a page list, which has one JSON object per line; lines without a URL are skipped."""
    while line := stream.readline(_MAX_LINE):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        url = entry.get("url") if isinstance(entry, dict) else None
        if isinstance(url, str):
            yield url
