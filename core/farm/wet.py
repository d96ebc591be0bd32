"""Write the texts of a part as WET: `conversion` records of a WARC file (ISO 28500), as Common Crawl publishes them."""

from __future__ import annotations

import base64
import gzip
from datetime import UTC, datetime
from hashlib import sha1
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote
from uuid import NAMESPACE_OID, uuid5

from vclean.farm.parts import WET, part_paths, read_parts, wet_name
from vclean.files import AtomicFile, make_folder
from vclean.imports import version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_COLUMNS: Final = ("id", "url", "record_id", "record_date", "text")
_ROWS: Final = 64
_URL_CHARACTERS: Final = "%/:=&?~#+!$,;'@()*[]"
"""Characters of a URL that stay as they are; others, such as line breaks, would end a header."""


def write_wet(part: Path) -> None:
    """Write the texts of a part to the folder `wet` beside that of the parts; pages without text have no record.

    Args:
        part: a committed part.

    Raises:
        InputError: the part cannot be read.
        OutputError: the file cannot be written.
    """
    path = make_folder(part.parents[1] / WET) / wet_name(part.name)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with AtomicFile(path) as file:
        file.write(_info(path.name, now))
        for number, row in enumerate(_rows(part)):
            if row["text"]:
                file.write(_conversion(row, _record_id(path.name, number), now))


def complete_wet(folder: Path) -> None:
    """Write the texts of all parts of an output that have none yet, as when an earlier run was interrupted.

    Raises:
        InputError: a part cannot be read.
        OutputError: a file cannot be written.
    """
    for part in part_paths(folder):
        if not (folder / WET / wet_name(part.name)).exists():
            write_wet(part)


def _rows(part: Path) -> Iterator[dict[str, Any]]:
    for batch in read_parts([part], _COLUMNS, _ROWS):
        yield from batch.to_pylist()


def _info(name: str, now: str) -> bytes:
    body = f"Software-Info: vclean {version()}\r\nformat: WARC File Format 1.0\r\n".encode()
    headers = {
        "WARC-Type": "warcinfo",
        "WARC-Date": now,
        "WARC-Filename": name,
        "WARC-Record-ID": _record_id(name, -1),
        "Content-Type": "application/warc-fields",
    }
    return _record(headers, body)


def _conversion(row: Mapping[str, Any], record_id: str, now: str) -> bytes:
    body = row["text"].encode()
    headers = {
        "WARC-Type": "conversion",
        "WARC-Target-URI": quote(row["url"] or f"file:///{row['id'].lstrip('/')}", safe=_URL_CHARACTERS),
        "WARC-Date": row["record_date"] or now,
        "WARC-Record-ID": record_id,
        **({"WARC-Refers-To": row["record_id"]} if row["record_id"] else {}),
        "WARC-Block-Digest": f"sha1:{base64.b32encode(sha1(body, usedforsecurity=False).digest()).decode()}",
        "Content-Type": "text/plain",
    }
    return _record(headers, body)


def _record(headers: Mapping[str, str], body: bytes) -> bytes:
    """Compress a record as a separate gzip member, which readers can seek to."""
    lines = [f"{name}: {value}" for name, value in {**headers, "Content-Length": str(len(body))}.items()]
    head = "\r\n".join(["WARC/1.0", *lines, "", ""]).encode()
    return gzip.compress(head + body + b"\r\n\r\n", mtime=0)


def _record_id(name: str, number: int) -> str:
    return f"<urn:uuid:{uuid5(NAMESPACE_OID, f'{name}#{number}')}>"
