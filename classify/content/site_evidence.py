"""What the pages of a site repeat, as evidence on their blocks.

Menus, footers and notices stand on many pages of a site, its content on one (Bar-Yossef and Rajagopalan 2002; Yi, Liu
and Li 2003). A block is known again by its text, digits folded and case set aside, and by the chain of tags and classes
it stands in. What share of the site's other pages has it, is evidence that is added to the log odds of the model.
"""

from __future__ import annotations

import pickle
import re
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Final, Generic, Self, TypeVar
from urllib.parse import urlsplit

import numpy as np
from scipy.special import expit, logit

from vclean.features.names import element_names
from vclean.features.names.element_names import ElementNames
from vclean.features.text.characters import mix
from vclean.files import explained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns


WEIGHTS: Final = (-0.32, -0.95)
"""Log odds for a text on all other pages of the site, and more for one that stands at the same place there: a logistic
regression on top of what cross-validated models said of 1,361 pages of 363 hosts (`benchmarks/site_evidence.py`)."""
_LEAST: Final = 1e-3
"""Nobody is surer than this before the evidence comes in."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprints:
    """What the B blocks of a page are known by on other pages.

    Attributes:
        text: uint64 (B,), by the text.
        placed: uint64 (B,), by the text and the chain of tags and classes of the container.
    """

    text: NDArray[np.uint64]
    placed: NDArray[np.uint64]


def fingerprints(blocks: BlockColumns) -> Fingerprints:
    """The fingerprints of a page's blocks; the same on every machine."""
    text = np.array([_text_hash(text) for text in blocks.text], dtype=np.uint64)
    chain = element_names.path_signature(
        blocks.snapshot, element_names.class_hashes(ElementNames.from_snapshot(blocks.snapshot))
    )
    return Fingerprints(text, mix(text + mix(chain[blocks.node])))


def _text_hash(text: str) -> int:
    plain = _DIGITS.sub("0", " ".join(text.casefold().split()))
    return int.from_bytes(blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def host(url: str) -> str:
    """The site whose pages a page is compared with: the host of its URL without `www.`; empty where there is none.

    >>> host("https://www.example.org/news/1.html")
    'example.org'
    """
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


@dataclass(slots=True)
class _Site:
    """The different pages of a site, and how many of them have a block, by its fingerprints."""

    pages: set[bytes] = field(default_factory=set)
    text: Counter[int] = field(default_factory=Counter)
    placed: Counter[int] = field(default_factory=Counter)

    def add(self, prints: Fingerprints) -> None:
        """Count a page, but not the same one again: that two addresses lead to it tells nothing of its blocks."""
        texts = np.unique(prints.text)
        page = blake2b(texts.tobytes(), digest_size=8).digest()
        if page not in self.pages:
            self.pages.add(page)
            self.text.update(texts.tolist())
            self.placed.update(np.unique(prints.placed).tolist())


class Repetition:
    """Counts the blocks of pages, site by site, and says what that tells of them."""

    def __init__(self) -> None:
        self._sites: dict[str, _Site] = {}

    def add(self, site: str, prints: Fingerprints) -> None:
        """Count the blocks of a page of `site`."""
        self._sites.setdefault(site, _Site()).add(prints)

    def pages(self, site: str) -> int:
        """How many different pages of `site` were counted."""
        return len(self._sites[site].pages)

    def shares(self, site: str, prints: Fingerprints) -> NDArray[np.float64]:
        """float64 (B, 2): what share of the other pages of `site` has a block's text, and has it at the same place.

        The page has to be counted itself; zeros where it is alone.
        """
        found = self._sites[site]
        counts = [_lookup(found.text, prints.text), _lookup(found.placed, prints.placed)]
        return (np.stack(counts, axis=1) - 1) / max(1, len(found.pages) - 1)

    def evidence(self, site: str, prints: Fingerprints) -> NDArray[np.float32]:
        """float32 (B,): log odds to add to those of the blocks of a page of `site` that was counted."""
        return np.asarray(self.shares(site, prints) @ np.array(WEIGHTS), dtype=np.float32)


def _lookup(counts: Counter[int], keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    return np.array([counts[key] for key in keys.tolist()], dtype=np.float64)


def log_odds(probability: NDArray[np.floating]) -> NDArray[np.float64]:
    """float64 (B,): the log odds of `probability`, never quite sure."""
    return np.asarray(logit(np.clip(probability, _LEAST, 1 - _LEAST).astype(np.float64)))


def with_evidence(probability: NDArray[np.float32], evidence: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (B,): `probability`, with `evidence` added to its log odds."""
    return np.asarray(expit(log_odds(probability) + evidence), dtype=np.float32)


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

    def add(self, blocks: BlockColumns, note: Note) -> None:
        """Keep a page, and whatever has to be known of it later: anything that can be pickled.

        Raises:
            OutputError: the disk is full.
        """
        self._repetition.add(host(blocks.snapshot.url), fingerprints(blocks))
        with explained("a temporary file"):
            pickle.dump(zlib.compress(pickle.dumps((blocks, note)), 1), self._file)

    def __iter__(self) -> Iterator[tuple[BlockColumns, Note, NDArray[np.float32]]]:
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
