"""Pages of one site are decided together: read once, kept on disk, and labelled when it is known what they repeat."""

from __future__ import annotations

import pickle
import zlib
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Generic, Self, TypeVar

from vclean.classify.repetition import Repetition, fingerprints, host
from vclean.files import explained

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks

Note = TypeVar("Note")


class Sites(Generic[Note]):
    """The blocks of many pages, site by site, first in, first out; used as a context manager.

    The pages wait in a temporary file, some 40 kB each and their notes. In memory is what counts their blocks: about
    200 bytes for every block of a site that differs from all others.
    """

    def __init__(self) -> None:
        self._repetition = Repetition()
        self._file: IO[bytes]

    def __enter__(self) -> Self:
        """Open the file.

        Raises:
            OutputError: there is no place for it.
        """
        with explained("a temporary file"):
            self._file = TemporaryFile(prefix="vclean-")
        return self

    def __exit__(self, *exception: object) -> None:
        """Let go of the pages."""
        with suppress(OSError):  # what a full disk did not take was said when it was added
            self._file.close()

    def add(self, blocks: Blocks, note: Note) -> None:
        """Keep a page, and whatever has to be known of it later: anything that can be pickled.

        Raises:
            OutputError: the disk is full.
        """
        self._repetition.add(host(blocks.snapshot.url), fingerprints(blocks))
        with explained("a temporary file"):
            pickle.dump(zlib.compress(pickle.dumps((blocks, note)), 1), self._file)

    def __iter__(self) -> Iterator[tuple[Blocks, Note, NDArray[np.float32]]]:
        """The pages in the order they came, each with the evidence on its blocks; once, after the last was added.

        Raises:
            OutputError: the disk is full.
        """
        with explained("a temporary file"):
            end = self._file.tell()
            self._file.seek(0)
        while self._file.tell() < end:
            blocks, note = pickle.loads(zlib.decompress(pickle.load(self._file)))
            yield blocks, note, self._repetition.evidence(host(blocks.snapshot.url), fingerprints(blocks))
