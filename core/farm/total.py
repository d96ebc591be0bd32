"""How many pages the input has, for the progress of a run: counted where that costs little, else told by proportion."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.errors import InputError
from vclean.progress import beside
from vclean.render.archive_index import fitting
from vclean.sources import holds_many, is_archive, is_parquet
from vclean.tables import line_count, row_count

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

    from vclean.farm.inputs import Inputs
    from vclean.farm.stats import Stats
    from vclean.render.archive_index import Index

_LINES: Final = (".jsonl", ".ndjson")

_SECONDS: Final = 5.0
"""Between two counts, as long as there is something left to count."""


@dataclass(slots=True)
class _Count:
    """Pages that were counted, the bytes of their files, and the bytes of files that were not counted."""

    pages: int = 0
    size: int = 0
    unknown: int = 0

    @property
    def total(self) -> int | None:
        """All pages, those that were not counted by their share of the bytes; None where no share is known."""
        if not self.unknown:
            return self.pages
        return round(self.pages * (1 + self.unknown / self.size)) if self.size else None


@contextmanager
def counted(inputs: Inputs, stats: Stats) -> Iterator[None]:
    """Keep `stats.total` up to date inside the block, in a thread."""

    def repeat(over: threading.Event) -> None:
        while not over.is_set():
            count = _count(inputs, over)
            stats.total = count.total
            if not count.unknown or over.wait(_SECONDS):
                return

    with beside(repeat):
        yield


def _count(inputs: Inputs, over: threading.Event) -> _Count:
    """Count once; archives that nobody has read yet, and packed lines, cannot be counted without reading them."""
    count = _Count()
    for name in inputs.names():
        if over.is_set():
            break
        if not holds_many(name):
            count.pages += 1
            continue
        pages, size = _pages(inputs, Path(name)), _size(Path(name))
        if pages is None:
            count.unknown += size
        else:
            count.pages += pages
            count.size += size
    return count


def _pages(inputs: Inputs, path: Path) -> int | None:
    try:
        if is_parquet(path):
            return row_count(path)
        if is_archive(path):
            place = inputs.reader.index_of(path)
            index = fitting(path, place) if place else None
            return _chosen(inputs, index) if index else None
        if path.suffix.lower() in _LINES:
            return line_count(path)
    except (InputError, OSError):
        return 1  # a failure
    return None


def _chosen(inputs: Inputs, index: Index) -> int:
    """The pages of an archive, at most as many as are asked for."""
    pages, wanted = int(index.facts["pages"]), inputs.reader.pages
    index.close()
    return pages if wanted is None else min(pages, len(wanted))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
