"""Use repetition across the pages of a site as evidence against content.

Menus, footers and notices occur on many pages of a site, content on one page (Bar-Yossef and Rajagopalan 2002; Yi, Liu
and Li 2003). Two blocks match if their texts are equal, ignoring case and the values of digits; a stricter match also
needs the same chain of tags and classes. The shares of the site's other documents with a match are weighted and added
to the log odds of the model. Sentences that repeat exactly on a good part of a site are left out by a rule.

Versions of one document count once. Print versions, mobile versions and syndicated articles have one body on several
addresses: their texts repeat, and are content nevertheless. Pages are versions of one document if most of their text
occurs on both and on few other pages. Texts on many pages of a site, such as an appeal to readers, count little in this
comparison.
"""

from __future__ import annotations

import pickle
import re
import zlib
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Final, Generic, Self, TypeVar

import numpy as np

from vclean.characters import is_sentence
from vclean.features import element_names
from vclean.features.element_names import ElementNames
from vclean.features.text.characters import mix
from vclean.files import output_errors
from vclean.page import host_of
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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


def _count_documents(hashes: Iterable[NDArray[np.uint64]], document: NDArray[np.int32]) -> Counter[int]:
    """Return the number of documents with each hash, given the hashes and the document of each page."""
    of_document: defaultdict[int, set[int]] = defaultdict(set)
    for number, page in zip(document.tolist(), hashes, strict=True):
        of_document[number].update(page.tolist())
    return Counter(chain.from_iterable(of_document.values()))


class Site:
    """Distinct pages of a site, and the evidence from the repetition of their blocks."""

    def __init__(self) -> None:
        self.pages: dict[bytes, Fingerprints] = {}

    def add(self, prints: Fingerprints) -> None:
        """Count the blocks of a page, once: a second URL of the same page is no evidence about its blocks."""
        page = blake2b(np.unique(prints.text).tobytes(), digest_size=8).digest()
        if page not in self.pages:
            self.pages[page] = prints
            vars(self).pop("_counts", None)

    @cached_property
    def _counts(self) -> tuple[int, list[Counter[int]]]:
        """Return the number of documents; and how many have each text, each text with its path, and each exact text."""
        pages = list(self.pages.values())
        document = document_numbers(pages)
        hashes = zip(*((page.text, page.text_and_path, page.exact) for page in pages), strict=True)
        return int(document.max()) + 1, [_count_documents(each, document) for each in hashes]

    def evidence(self, prints: Fingerprints) -> SiteEvidence:
        """Return the evidence on the blocks of a page that was counted with `add`.

        The log odds follow from the shares of the other documents with the text of a block, and with its text and path.
        """
        total, counters = self._counts
        hashes = (prints.text, prints.text_and_path, prints.exact)
        *per_block, documents = (
            np.array([max(counter[each], 1) for each in of_page.tolist()], dtype=np.int64)
            for counter, of_page in zip(counters, hashes, strict=True)
        )
        shares = (np.stack(per_block, axis=1) - 1) / max(1, total - 1)
        log_odds = np.asarray(shares @ np.array(WEIGHTS), dtype=np.float32)
        is_common = (documents >= MIN_DOCUMENTS) & (documents - 1 >= MIN_SHARE * (total - 1))
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


def add_evidence(probability: NDArray[np.float32], evidence: NDArray[np.float32]) -> NDArray[np.float32]:
    """Add `evidence` to the log odds of `probability`, clipped to .001 .. .999; return probabilities, float32 (B,)."""
    bounded = np.clip(probability, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY).astype(np.float64)
    return np.asarray(1 / (1 + np.exp(-(np.log(bounded / (1 - bounded)) + evidence))), dtype=np.float32)


Payload = TypeVar("Payload")


class SitePages(Generic[Payload]):
    """Buffer of pages, to compute site evidence over all of them; used as a context manager.

    Pages and their payloads are in a temporary file, about 40 kB per page. Only hashes are in memory: 29 bytes per
    block.
    """

    def __init__(self) -> None:
        self._sites: defaultdict[str, Site] = defaultdict(Site)
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
        self._sites[host_of(blocks.snapshot.url)].add(Fingerprints(blocks))
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
            site = self._sites[host_of(blocks.snapshot.url)]
            yield blocks, payload, site.evidence(Fingerprints(blocks))


MAX_VERSIONS: Final = 8
"""Number of pages beyond which a text is not part of one body: menus and appeals occur on more."""
_SAME_BODY: Final = 0.8
"""Share of the text of two pages in common bodies from which they are versions of one document."""
_SAME_BODY_AND_HEADLINE: Final = 0.5
"""The same share for pages with the same headline."""
_DIGITS: Final = re.compile(r"\d+")


class Fingerprints:
    """Hashes of the B blocks of a page, to find them on other pages; they do not depend on the machine.

    Args:
        blocks: the blocks.

    Attributes:
        text: uint64 (B,), hash of the text, without case and with equal digits.
        text_and_path: uint64 (B,), hash of `text` and of the chain of tags and classes of the container.
        exact: uint64 (B,), hash of the text with case and digits.
        length: float32 (B,), characters of a text that has the length of a sentence, else 0.
        heading: bool (B,), whether the container is a heading.
    """

    def __init__(self, blocks: BlockColumns) -> None:
        snapshot, plain = blocks.snapshot, [" ".join(text.split()) for text in blocks.text]
        path = element_names.path_signature(snapshot, element_names.class_hashes(ElementNames(snapshot)))
        self.text = _hashes([_DIGITS.sub("0", each.casefold()) for each in plain])
        self.text_and_path = mix(self.text + mix(path[blocks.node]))
        self.exact = _hashes(plain)
        self.length = np.array([len(each) * is_sentence(each) for each in plain], dtype=np.float32)
        self.heading = snapshot.is_tag(HEADING_TAGS)[blocks.node]


def _hashes(texts: Sequence[str]) -> NDArray[np.uint64]:
    digests = b"".join(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def document_numbers(pages: Sequence[Fingerprints]) -> NDArray[np.int32]:
    """Return the number of the document of each page, int32 (P,), from 0; versions of a document share its number.

    A text weighs its characters, divided by the number of pages with it. Two pages are versions of one document if
    texts on both, which at most `MAX_VERSIONS` pages have, have at least the share `_SAME_BODY` of the weight of each
    page; with the same headline `_SAME_BODY_AND_HEADLINE`.
    """
    from scipy.sparse import coo_array  # imported only here: it takes longer than labelling a page
    from scipy.sparse.csgraph import connected_components

    page, text, length = _sentences(pages)
    count = np.bincount(text, minlength=1)
    weight = length / count[text]
    total = np.bincount(page, weight, minlength=len(pages))
    rows = np.flatnonzero(count[text] <= MAX_VERSIONS)
    cells, shape = (page[rows], text[rows]), (len(pages), len(count))
    has_text = coo_array((np.ones(len(rows)), cells), shape)
    common = (coo_array((weight[rows], cells), shape) @ has_text.T).tocoo()  # of each two pages with a common text
    one, other = common.row, common.col
    headline = _headlines(pages)
    same_headline = (headline[one] == headline[other]) & (headline[one] > 0)
    least = np.where(same_headline, _SAME_BODY_AND_HEADLINE, _SAME_BODY)
    same = common.data >= least * np.maximum(total[one], total[other])
    links = coo_array((np.ones(int(same.sum())), (one[same], other[same])), (len(pages), len(pages)))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int32)


def _headlines(pages: Sequence[Fingerprints]) -> NDArray[np.uint64]:
    """Return the exact hash of the headline of each page, uint64 (P,), 0 without one.

    The headline is the first heading that not all of three pages or more have, because the name of a site may be a
    heading; without such a heading, it is the first one.
    """
    headings = [page.exact[page.heading] for page in pages]
    hashes, count = np.unique(np.concatenate([np.unique(each) for each in headings]), return_counts=True)
    on_all = hashes[count == len(pages)] if len(pages) > 2 else hashes[:0]
    ordered = [np.append(each[~np.isin(each, on_all)], each) for each in headings]
    return np.array([each[0] if len(each) else 0 for each in ordered], dtype=np.uint64)


def _sentences(pages: Sequence[Fingerprints]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Return pages, numbers and lengths of the distinct sentences of each page."""
    page = np.repeat(np.arange(len(pages)), [np.count_nonzero(each.length) for each in pages])
    exact = np.concatenate([each.exact[each.length > 0] for each in pages])
    length = np.concatenate([each.length[each.length > 0] for each in pages])
    text = np.unique(exact, return_inverse=True)[1]
    rows = np.unique(page * len(text) + text, return_index=True)[1]
    return page[rows], text[rows], length[rows]
