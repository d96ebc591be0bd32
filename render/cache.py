"""Store snapshots and screenshots on disk, and find those in the Parquet files of a farm: a page is rendered once."""

from __future__ import annotations

import hashlib
import io
import json
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.errors import InputError
from vclean.files import ZIP_ERRORS, make_folder, write_atomic
from vclean.imports import requires_extra
from vclean.render.document_head import DocumentHead
from vclean.render.rendered_page import Rendering
from vclean.render.snapshot import Snapshot, Styles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa
    import pyarrow.parquet as pq

    from vclean.page import Page
    from vclean.settings import RenderSettings

_KEY: Final = "read_key"
_SNAPSHOT: Final = "snapshot"
KEY_BYTES: Final = 16
"""Length of a `read_key`."""


def _places(path: Path) -> dict[bytes, tuple[Path, int, int]]:
    """Return file, row group and row in the group of each snapshot of a file, by key."""
    with _open_table(path) as file:
        sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
        places = [(path, group, row) for group, size in enumerate(sizes) for row in range(size)]
        keys = file.read([_KEY]).column(_KEY).to_pylist()
        return {key: place for key, place in zip(keys, places, strict=True) if key}


@lru_cache(maxsize=1)  # the group often contains the next page
def _row_group(path: Path, group: int) -> pa.ChunkedArray[Any]:
    """Return the snapshots of a row group."""
    with _open_table(path) as file:
        return file.read_row_group(group, columns=[_SNAPSHOT]).column(_SNAPSHOT)


@contextmanager
def _open_table(path: Path) -> Iterator[pq.ParquetFile]:
    with requires_extra("parquet", "pyarrow"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (OSError, pa.ArrowException, KeyError) as error:
        raise InputError(f"{path} contains no readable snapshots: name another folder, or delete it") from error


VERSION: Final = 4
"""Version of the file format, and of the content of snapshots from the walker and the parser."""

_COLUMNS: Final = ("tag", "parent", "end", "depth", "box", "hidden", "style", "attr_node", "attr_name", "text_parent",
                   "text_after", "text_hidden", "revealed", "image", "line_text", "line_box", "overlay")  # fmt: skip
_NOT_STORED: Final = ("area", "area_box", "clip_path", "timings")
"""What only rendering needs."""
_METADATA: Final = tuple(
    field.name for field in fields(Snapshot) if field.name not in (*_COLUMNS, *_NOT_STORED, "head", "styles")
)


def to_bytes(snapshot: Snapshot) -> bytes:
    """Serialize a snapshot without its timings, compressed; equal snapshots give equal bytes."""
    metadata: dict[str, Any] = {name: getattr(snapshot, name) for name in _METADATA}
    metadata |= {
        "version": VERSION,
        "head": asdict(snapshot.head),
        "style_names": snapshot.styles.names,
        "style_rows": snapshot.styles.rows,
    }
    file = io.BytesIO()
    columns = {name: getattr(snapshot, name) for name in _COLUMNS}
    text = np.frombuffer(json.dumps(metadata).encode(), dtype=np.uint8)
    np.savez_compressed(file, facts=text, **columns)
    return file.getvalue()


def from_bytes(data: bytes) -> Snapshot:
    """Deserialize the result of `to_bytes`.

    Raises:
        InputError: the data is damaged, or of another version.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            metadata = json.loads(archive["facts"].tobytes())
            columns = {name: archive[name] for name in _COLUMNS}
    except ZIP_ERRORS as error:
        raise InputError("a stored snapshot is damaged: delete it and render the page again") from error
    if metadata.pop("version") != VERSION:
        raise InputError("a stored snapshot is of another version: delete it and render the page again")
    styles = Styles(names=tuple(metadata.pop("style_names")), rows=tuple(map(tuple, metadata.pop("style_rows"))))
    # Snapshots that were stored before the head was read have none; their metadata is that of the visible page.
    head = DocumentHead.collect(**metadata.pop("head", {}))
    lists = {name: tuple(metadata.get(name, ())) for name in ("tags", "notes")}
    return Snapshot(**(metadata | lists), head=head, styles=styles, **columns)


def read_key(page: Page, settings: Mapping[str, Any], *, rendered: bool) -> bytes:
    """Return a key of 16 bytes for the snapshot of a page; equal pages read with equal settings have equal keys.

    Args:
        page: the page; the key depends on its content, URL and declared charset.
        settings: the render settings by name.
        rendered: whether the page is rendered.
    """
    header = json.dumps([VERSION, rendered, settings, page.url, page.charset], sort_keys=True)
    content = page.content if isinstance(page.content, bytes) else page.content.encode("utf-8", "surrogatepass")
    return hashlib.sha256(header.encode() + content).digest()[:KEY_BYTES]


@dataclass(frozen=True)
class RenderingCache:
    """Cache of snapshots and screenshots in a folder: a stored page is not read again.

    A snapshot is an `.npz` file, unless a Parquet file of a farm has it, and its screenshot a PNG file.

    Attributes:
        read: renders or parses a page that is not stored.
        settings: the settings of `read`, which are part of the key.
        folder: folder of the files; created with the first page.
        rendered: whether `read` renders.
        screenshots: whether `read` takes screenshots.
    """

    read: Callable[[Page], Rendering]
    settings: RenderSettings
    folder: Path
    rendered: bool = True
    screenshots: bool = False

    def __call__(self, page: Page) -> Rendering:
        """Return the page as it was read, with a screenshot if the cache has them.

        Raises:
            InputError: the stored page is damaged, or a Parquet file is, or has no snapshots.
            OutputError: the page cannot be stored.
            VcleanError: the page cannot be read.
        """
        key = read_key(page, self.settings.to_dict(), rendered=self.rendered)
        path = self.folder / f"{key.hex()}.npz"
        image = path.with_suffix(".png")
        packed = _read(path, "snapshot") or self._farm_snapshot(key)
        screenshot = _read(image, "screenshot") if self.screenshots else None
        snapshot = from_bytes(packed) if packed else None
        if snapshot is None or (self.screenshots and not screenshot):
            rendering = self.read(page)
            screenshot = rendering.screenshot
            make_folder(self.folder)
            if screenshot:
                write_atomic(image, screenshot)
            if snapshot is None:
                snapshot = rendering.snapshot
                write_atomic(path, to_bytes(snapshot))
        return Rendering(snapshot, screenshot)

    def _farm_snapshot(self, key: bytes) -> bytes | None:
        """Return a snapshot from the files of a farm; None if they do not have it."""
        if key not in self._farm_places:
            return None
        path, group, row = self._farm_places[key]
        packed: bytes = _row_group(path, group)[row].as_py()
        return packed

    @cached_property
    def _farm_places(self) -> dict[bytes, tuple[Path, int, int]]:
        """Return the places of all snapshots of a farm, by key: some 200 bytes each."""
        places: dict[bytes, tuple[Path, int, int]] = {}
        for path in sorted(self.folder.glob("*.parquet")):
            places |= _places(path)
        return places


def _read(path: Path, content: str) -> bytes | None:
    """Return the content of a file; None if it does not exist."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot read the {content} {path}: {error.strerror or error}") from error
