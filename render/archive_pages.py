"""Which documents of a web archive are pages: those its maker lists, or those that are not just frames of others."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Final

from vclean.render import references, warc

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import IO

    from fastwarc.warc import WarcRecord

_LISTS: Final = ("pages/pages.jsonl", "pages/extraPages.jsonl")
_MAX_LINE: Final = 16 * 2**20
"""Bytes of one line of a list of pages, which may hold a page's whole text."""

_MAX_HOPS: Final = 10
_LOADED: Final = frozenset(
    {"eventsource", "fetch", "font", "image", "manifest", "media", "ping", "prefetch", "script", "stylesheet"}
    | {"texttrack", "websocket", "xhr"}
)
"""Values of `WARC-Resource-Type` that no page has; frames are `document` as pages are."""

_TABLES: Final = """
CREATE TEMP TABLE frames (key BLOB, parent BLOB, PRIMARY KEY (key, parent)) WITHOUT ROWID;
CREATE TEMP TABLE requests (key BLOB PRIMARY KEY, document INTEGER) WITHOUT ROWID;
CREATE TEMP TABLE listed (key BLOB PRIMARY KEY, hops INTEGER) WITHOUT ROWID;
"""

_FOLLOW: Final = {
    "frames": "SELECT target_key, parent FROM frames JOIN redirects USING (key)",
    "listed": "SELECT target_key, hops + 1 FROM listed JOIN redirects USING (key)",
}

_BY_LIST: Final = """
INSERT INTO pages (record) SELECT id FROM records WHERE kind = 1 AND key IN (SELECT key FROM listed) ORDER BY id
"""

_BY_USE: Final = """
INSERT INTO pages (record) SELECT id FROM records WHERE kind = 1 AND coalesce(
  (SELECT document FROM requests WHERE requests.key = records.key),
  NOT EXISTS (
    SELECT 1 FROM frames WHERE frames.key = records.key
    AND NOT EXISTS (SELECT 1 FROM frames back WHERE back.key = frames.parent AND back.parent = frames.key)
  )
) ORDER BY id
"""
"""What a browser wrote down decides; else a frame is what another document frames, unless the two frame each other."""


class Chooser:
    """Takes notes while an archive is indexed, in temporary tables, and fills the table `pages` in the end.

    Args:
        database: of the index that is being built.
        key_of: gives the key of a URL.
    """

    def __init__(self, database: sqlite3.Connection, key_of: Callable[[str], bytes]) -> None:
        self._database = database
        self._key_of = key_of
        database.executescript(_TABLES)

    def see_request(self, record: WarcRecord, key: bytes) -> None:
        """Note what a request was made for, if it says so (Fetch Metadata, `Sec-Fetch-Dest`)."""
        wanted = (record.http_headers.get("Sec-Fetch-Dest") or "").strip().lower() if record.is_http else ""
        if wanted:
            self._note(key, is_page=wanted == "document")

    def see_document(self, record: WarcRecord, url: str, key: bytes) -> None:
        """Note the frames of a document, and what it was loaded for, if the record says so."""
        if (record.headers.get("WARC-Resource-Type") or "").strip().lower() in _LOADED:
            self._note(key, is_page=False)
        raw = record.reader.read(references.GLANCE)
        body = warc.decoded(record, raw, references.GLANCE)
        rows = [(self._key_of(frame), key) for frame in references.frames(body, url)]
        self._database.executemany("INSERT OR IGNORE INTO frames VALUES (?, ?)", rows)

    def read_lists(self, path: Path) -> None:
        """Note the pages that a WACZ file lists; one that cannot be read is no list."""
        if path.suffix.lower() != ".wacz":
            return
        with zipfile.ZipFile(path) as archive:
            for name in set(_LISTS).intersection(archive.namelist()):
                with archive.open(name) as stream:
                    self._database.executemany(
                        "INSERT OR IGNORE INTO listed VALUES (?, 0)", ((self._key_of(url),) for url in _listed(stream))
                    )

    def choose(self) -> dict[str, int]:
        """Fill the table; gives the facts `pages`, `left_out` and `has_resources`."""
        for table, query in _FOLLOW.items():
            self._follow(table, query)
        if not self._database.execute(_BY_LIST).rowcount:
            self._database.execute(_BY_USE)
        pages, documents, loaded = self._database.execute(
            "SELECT (SELECT count(*) FROM pages), count(*) FILTER (WHERE kind = 1), count(*) FILTER (WHERE kind = 2)"
            " FROM records"
        ).fetchone()
        return {"pages": pages, "left_out": documents - pages, "has_resources": int(loaded or documents > pages)}

    def _follow(self, table: str, query: str) -> None:
        """Add where redirects lead from what is in a table."""
        for _ in range(_MAX_HOPS):
            if not self._database.execute(f"INSERT OR IGNORE INTO {table} {query}").rowcount:
                return

    def _note(self, key: bytes, *, is_page: bool) -> None:
        update = "ON CONFLICT (key) DO UPDATE SET document = max(document, excluded.document)"
        self._database.execute(f"INSERT INTO requests VALUES (?, ?) {update}", (key, is_page))


def _listed(stream: IO[bytes]) -> Iterator[str]:
    """The URLs of a list, a JSON object to a line, of which the first may be about the list; odd lines are left out."""
    while line := stream.readline(_MAX_LINE):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        url = entry.get("url") if isinstance(entry, dict) else None
        if isinstance(url, str):
            yield url
