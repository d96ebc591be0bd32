"""Use repetition across the pages of a site as evidence against content.

Menus, footers and notices occur on many pages of a site, content on one page (Bar-Yossef and Rajagopalan 2002; Yi, Liu
and Li 2003). Two blocks match if their texts are equal, ignoring case and the values of digits; a stricter match also
needs the same chain of tags and classes. The shares of the site's other documents with a match are weighted and added
to the log odds of the model. Sentences that repeat exactly on a good part of a site are left out by a rule.

Versions of one document count once: see `vclean.classify.content.site_documents`.
"""

from __future__ import annotations

import pickle
import zlib
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Final, Generic, NamedTuple, Self, TypeVar
from urllib.parse import urlsplit

import numpy as np
from scipy.special import expit, logit

from vclean.classify.content.site_documents import Fingerprints, compute_fingerprints, document_numbers
from vclean.files import output_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns


WEIGHTS: Final = (-0.32, -0.95)
"""Log odds of a text on all other pages of the site, and additional log odds if it has the same chain of tags and
classes there. Fitted by logistic regression on the cross-validated probabilities of 1,361 pages of 363 hosts."""
MIN_DOCUMENTS: Final = 3
"""Number of documents with a text from which it may be left out by the rule."""
MIN_SHARE: Final = 0.5
"""Share of the other documents of the site with a text from which it is left out by the rule."""
_MIN_PROBABILITY: Final = 1e-3
"""Probabilities are clipped to this distance from 0 and 1 before evidence is added."""


@dataclass(frozen=True, slots=True, eq=False)
class SiteEvidence:
    """Evidence of the other pages of a site on the B blocks of a page.

    Attributes:
        log_odds: float32 (B,), log odds to add to those of the blocks.
        repeated: bool (B,), the blocks that the rule leaves out: see `repeated_blocks`.
        documents: int64 (B,), number of documents of the site with exactly the text of a block.
        total: number of documents of the site.
    """

    log_odds: NDArray[np.float32]
    repeated: NDArray[np.bool_]
    documents: NDArray[np.int64]
    total: int


def host(url: str) -> str:
    """Return the site of a URL: its host without `www.`; empty for a URL without a host.

    >>> host("https://www.example.org/news/1.html")
    'example.org'
    """
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


class _Tally(NamedTuple):
    """Number of documents with each of K hashes, int64 (K,), and the hashes, uint64 (K,), ascending."""

    hashes: NDArray[np.uint64]
    counts: NDArray[np.int64]

    @classmethod
    def from_pages(cls, hashes: Sequence[NDArray[np.uint64]], document: NDArray[np.int32]) -> _Tally:
        """Count the documents with each hash, given the hashes and the document of each page."""
        owner = np.repeat(document, [len(each) for each in hashes])
        joined = np.concatenate(hashes)
        order = np.lexsort((owner, joined))
        owner, joined = owner[order], joined[order]
        is_new = np.ones(len(joined), dtype=bool)
        is_new[1:] = (joined[1:] != joined[:-1]) | (owner[1:] != owner[:-1])
        return cls(*np.unique(joined[is_new], return_counts=True))

    def of(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the number of documents with each of `hashes`; 1, that of the page, for one that was not counted."""
        row = np.minimum(np.searchsorted(self.hashes, hashes), max(len(self.hashes) - 1, 0))
        is_counted = self.hashes[row] == hashes if len(self.hashes) else np.zeros(len(hashes), dtype=bool)
        return np.where(is_counted, self.counts[row], 1) if len(self.hashes) else np.ones(len(hashes), dtype=np.int64)


class _Site:
    """Distinct pages of a site, and the number of its documents with each fingerprint."""

    def __init__(self) -> None:
        self.pages: dict[bytes, Fingerprints] = {}
        self._tallies: tuple[int, _Tally, _Tally, _Tally] | None = None

    def add(self, prints: Fingerprints) -> None:
        """Count a page once: a second URL of the same page is no evidence about its blocks."""
        page = blake2b(np.unique(prints.text).tobytes(), digest_size=8).digest()
        if page not in self.pages:
            self.pages[page] = prints
            self._tallies = None

    @property
    def tallies(self) -> tuple[int, _Tally, _Tally, _Tally]:
        """Return the number of documents, and tallies of texts, of texts with their path, and of exact texts."""
        if self._tallies is None:
            pages = list(self.pages.values())
            document = document_numbers(pages)
            hashes = zip(*((page.text, page.text_and_path, page.exact) for page in pages), strict=True)
            text, text_and_path, exact = (_Tally.from_pages(each, document) for each in hashes)
            self._tallies = (int(document.max()) + 1, text, text_and_path, exact)
        return self._tallies


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
        """Return the shares of the other documents of `site` with a block's text, and with its text and path.

        The page must have been counted with `add`.

        Returns:
            float64 (B, 2), zeros if the site has one document.
        """
        total, text, text_and_path, _ = self._sites[site].tallies
        per_block = [text.of(prints.text), text_and_path.of(prints.text_and_path)]
        return (np.stack(per_block, axis=1) - 1) / max(1, total - 1)

    def evidence(self, site: str, prints: Fingerprints) -> SiteEvidence:
        """Return the evidence on the blocks of a counted page of `site`."""
        total, _, _, exact = self._sites[site].tallies
        documents = exact.of(prints.exact)
        is_common = (documents >= MIN_DOCUMENTS) & (documents - 1 >= MIN_SHARE * (total - 1))
        log_odds = np.asarray(self.shares(site, prints) @ np.array(WEIGHTS), dtype=np.float32)
        return SiteEvidence(log_odds, repeated_blocks(is_common, prints), documents, total)


def repeated_blocks(is_common: NDArray[np.bool_], prints: Fingerprints) -> NDArray[np.bool_]:
    """Return the blocks of a page that repeat on its site and are no content, bool (B,).

    These are common texts with the length of a sentence, and a common short text right before or after them, such as
    the heading or the button of an appeal. Two kinds of common texts stay: those that a page has several times, which
    are values in a list, and headings right before other text, such as "Ingredients".

    Args:
        is_common: bool (B,), the blocks whose exact text many documents of the site have.
        prints: the fingerprints of the page.
    """
    _, number, count = np.unique(prints.exact, return_inverse=True, return_counts=True)
    is_common = is_common & (count[number] == 1)
    sentence = is_common & (prints.length > 0)
    next_is_sentence = np.append(sentence[1:], False)
    previous_is_sentence = np.append(False, sentence[:-1])
    repeated: NDArray[np.bool_] = sentence | (is_common & (next_is_sentence | (previous_is_sentence & ~prints.heading)))
    return repeated


def log_odds(probability: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the log odds of `probability` clipped to .001 .. .999, float64 (B,)."""
    return np.asarray(logit(np.clip(probability, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY).astype(np.float64)))


def add_evidence(probability: NDArray[np.float32], evidence: NDArray[np.float32]) -> NDArray[np.float32]:
    """Add `evidence` to the log odds of `probability`; return probabilities, float32 (B,)."""
    return np.asarray(expit(log_odds(probability) + evidence), dtype=np.float32)


Payload = TypeVar("Payload")


class SitePages(Generic[Payload]):
    """Buffer of pages, to compute site evidence over all of them; used as a context manager.

    Pages and their payloads are in a temporary file, about 40 kB per page. Only hashes are in memory: 29 bytes per
    block.
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

    def __iter__(self) -> Iterator[tuple[BlockColumns, Payload, SiteEvidence]]:
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
