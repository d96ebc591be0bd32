"""Use repetition across the pages of a site as evidence against content.

Menus, footers and notices occur on many pages of a site, content on one page (Bar-Yossef and Rajagopalan 2002; Yi, Liu
and Li 2003). Two blocks match if their texts are equal, ignoring case and the values of digits; a stricter match also
needs the same chain of tags and classes. The shares of the site's other pages with a match are weighted and added to
the log odds of the model.
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
from vclean.files import output_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns


WEIGHTS: Final = (-0.32, -0.95)
"""Log odds of a text on all other pages of the site, and additional log odds if it has the same chain of tags and
classes there. Fitted by logistic regression on the cross-validated probabilities of 1,361 pages of 363 hosts
(`benchmarks/site_evidence.py`)."""
_MIN_PROBABILITY: Final = 1e-3
"""Probabilities are clipped to this distance from 0 and 1 before evidence is added."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprints:
    """Hashes of the B blocks of a page, to find them on other pages.

    Attributes:
        text: uint64 (B,), hash of the text.
        text_and_path: uint64 (B,), hash of the text and of the chain of tags and classes of the container.
    """

    text: NDArray[np.uint64]
    text_and_path: NDArray[np.uint64]


def compute_fingerprints(blocks: BlockColumns) -> Fingerprints:
    """Return the fingerprints of a page's blocks; they do not depend on the machine."""
    text = np.array([_text_hash(text) for text in blocks.text], dtype=np.uint64)
    chain = element_names.path_signature(
        blocks.snapshot, element_names.class_hashes(ElementNames.from_snapshot(blocks.snapshot))
    )
    return Fingerprints(text, mix(text + mix(chain[blocks.node])))


def _text_hash(text: str) -> int:
    plain = _DIGITS.sub("0", " ".join(text.casefold().split()))
    return int.from_bytes(blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def host(url: str) -> str:
    """Return the site of a URL: its host without `www.`; empty for a URL without a host.

    >>> host("https://www.example.org/news/1.html")
    'example.org'
    """
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


@dataclass(slots=True)
class _Site:
    """Distinct pages of a site, and the number of pages with each fingerprint."""

    pages: set[bytes] = field(default_factory=set)
    text: Counter[int] = field(default_factory=Counter)
    text_and_path: Counter[int] = field(default_factory=Counter)

    def add(self, prints: Fingerprints) -> None:
        """Count a page once: a second URL of the same page is no evidence about its blocks."""
        texts = np.unique(prints.text)
        page = blake2b(texts.tobytes(), digest_size=8).digest()
        if page not in self.pages:
            self.pages.add(page)
            self.text.update(texts.tolist())
            self.text_and_path.update(np.unique(prints.text_and_path).tolist())


class RepetitionCounts:
    """Counts of the blocks of each site, and the evidence from them."""

    def __init__(self) -> None:
        self._sites: dict[str, _Site] = {}

    def add(self, site: str, prints: Fingerprints) -> None:
        """Count the blocks of a page of `site`."""
        self._sites.setdefault(site, _Site()).add(prints)

    def pages(self, site: str) -> int:
        """Return the number of distinct pages of `site` that were counted."""
        return len(self._sites[site].pages)

    def shares(self, site: str, prints: Fingerprints) -> NDArray[np.float64]:
        """Return the shares of the other pages of `site` with a block's text, and with its text and path.

        The page must have been counted with `add`.

        Returns:
            float64 (B, 2), zeros if the site has one page.
        """
        counts = self._sites[site]
        per_block = [_lookup(counts.text, prints.text), _lookup(counts.text_and_path, prints.text_and_path)]
        return (np.stack(per_block, axis=1) - 1) / max(1, len(counts.pages) - 1)

    def evidence(self, site: str, prints: Fingerprints) -> NDArray[np.float32]:
        """Return log odds to add to those of the blocks of a counted page of `site`, float32 (B,)."""
        return np.asarray(self.shares(site, prints) @ np.array(WEIGHTS), dtype=np.float32)


def _lookup(counts: Counter[int], keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    return np.array([counts[key] for key in keys.tolist()], dtype=np.float64)


def log_odds(probability: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the log odds of `probability` clipped to .001 .. .999, float64 (B,)."""
    return np.asarray(logit(np.clip(probability, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY).astype(np.float64)))


def add_evidence(probability: NDArray[np.float32], evidence: NDArray[np.float32]) -> NDArray[np.float32]:
    """Add `evidence` to the log odds of `probability`; return probabilities, float32 (B,)."""
    return np.asarray(expit(log_odds(probability) + evidence), dtype=np.float32)


Payload = TypeVar("Payload")


class SitePages(Generic[Payload]):
    """Buffer of pages, to compute site evidence over all of them; used as a context manager.

    Pages and their payloads are in a temporary file, about 40 kB per page. Only counts are in memory: about 200 bytes
    per distinct block of a site.
    """

    def __init__(self) -> None:
        self._counts = RepetitionCounts()
        self._file: IO[bytes]

    def __enter__(self) -> Self:
        """Open the temporary file.

        Raises:
            OutputError: the file cannot be created.
        """
        with output_errors("a temporary file"):
            self._file = TemporaryFile(prefix="vclean-")
        return self

    def __exit__(self, *exception: object) -> None:
        """Delete the temporary file."""
        with suppress(OSError):  # `add` has reported a full disk
            self._file.close()

    def add(self, blocks: BlockColumns, payload: Payload) -> None:
        """Append the blocks of a page, with a payload to return with them.

        Args:
            blocks: blocks of the page.
            payload: any object that can be pickled.

        Raises:
            OutputError: the disk is full.
        """
        self._counts.add(host(blocks.snapshot.url), compute_fingerprints(blocks))
        with output_errors("a temporary file"):
            pickle.dump(zlib.compress(pickle.dumps((blocks, payload)), 1), self._file)

    def __iter__(self) -> Iterator[tuple[BlockColumns, Payload, NDArray[np.float32]]]:
        """Yield all pages in the order of `add`, with payload and evidence; call once, after the last `add`.

        Raises:
            OutputError: the disk is full.
        """
        with output_errors("a temporary file"):
            end = self._file.tell()
            self._file.seek(0)
        while self._file.tell() < end:
            blocks, payload = pickle.loads(zlib.decompress(pickle.load(self._file)))
            yield blocks, payload, self._counts.evidence(host(blocks.snapshot.url), compute_fingerprints(blocks))
