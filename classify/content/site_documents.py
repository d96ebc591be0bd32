"""Fingerprint the blocks of pages, and find the pages of a site that are versions of one document.

Print versions, mobile versions and syndicated articles have one body on several addresses. Their texts repeat, and are
content nevertheless. Pages are versions of one document if most of their text occurs on both and on few other pages.
Texts on many pages of a site, such as an appeal to readers, count little in this comparison.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.characters import is_sentence
from vclean.features.names import element_names
from vclean.features.names.element_names import ElementNames
from vclean.features.text.characters import mix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns

MAX_VERSIONS: Final = 8
"""Number of pages beyond which a text is not part of one body: menus and appeals occur on more."""
_SAME_BODY: Final = 0.8
"""Share of the text of two pages in common bodies from which they are versions of one document."""
_SAME_BODY_AND_HEADLINE: Final = 0.5
"""The same share for pages with the same headline."""
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprints:
    """Hashes of the B blocks of a page, to find them on other pages.

    Attributes:
        text: uint64 (B,), hash of the text, without case and with equal digits.
        text_and_path: uint64 (B,), hash of `text` and of the chain of tags and classes of the container.
        exact: uint64 (B,), hash of the text with case and digits.
        length: float32 (B,), characters of a text that has the length of a sentence, else 0.
        heading: bool (B,), whether the container is a heading.
    """

    text: NDArray[np.uint64]
    text_and_path: NDArray[np.uint64]
    exact: NDArray[np.uint64]
    length: NDArray[np.float32]
    heading: NDArray[np.bool_]


def compute_fingerprints(blocks: BlockColumns) -> Fingerprints:
    """Return the fingerprints of a page's blocks; they do not depend on the machine."""
    plain = [" ".join(text.split()) for text in blocks.text]
    text = _hashes([_DIGITS.sub("0", each.casefold()) for each in plain])
    chain = element_names.path_signature(
        blocks.snapshot, element_names.class_hashes(ElementNames.from_snapshot(blocks.snapshot))
    )
    length = np.array([len(each) * is_sentence(each) for each in plain], dtype=np.float32)
    heading = blocks.snapshot.is_tag(_HEADINGS)[blocks.node]
    return Fingerprints(text, mix(text + mix(chain[blocks.node])), _hashes(plain), length, heading)


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
    one, other, common = _common_weights(page, text, np.where(count[text] <= MAX_VERSIONS, weight, 0), len(pages))
    headline = _headlines(pages)
    same_headline = (headline[one] == headline[other]) & (headline[one] > 0)
    least = np.where(same_headline, _SAME_BODY_AND_HEADLINE, _SAME_BODY)
    same = common >= least * np.maximum(total[one], total[other])
    links = coo_array((np.ones(int(same.sum())), (one[same], other[same])), shape=(len(pages), len(pages)))
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
    """Return pages, numbers and lengths of the distinct sentences of each page, sorted by the number of the text."""
    rows = [np.unique(each.exact[each.length > 0], return_index=True) for each in pages]
    page = np.repeat(np.arange(len(pages)), [len(hashes) for hashes, _ in rows])
    length = np.concatenate([each.length[each.length > 0][first] for each, (_, first) in zip(pages, rows, strict=True)])
    text = np.unique(np.concatenate([hashes for hashes, _ in rows]), return_inverse=True)[1]
    order = np.argsort(text, kind="stable")
    return page[order], text[order], length[order]


def _common_weights(
    page: NDArray[np.int64], text: NDArray[np.int64], weight: NDArray[np.floating], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return pairs of pages with common texts, and the weight of these texts; rows with weight 0 are ignored.

    Args:
        page: int64 (R,), the page of each row.
        text: int64 (R,), the number of the text, ascending; `page` is ascending for equal texts.
        weight: (R,), the weight of the text.
        count: number of pages.
    """
    rows = np.flatnonzero(weight)
    page, text, weight = page[rows], text[rows], weight[rows]
    steps = range(1, MAX_VERSIONS)
    firsts = [np.flatnonzero(text[step:] == text[:-step]) for step in steps]
    first, second = (
        np.concatenate(firsts),
        np.concatenate([row + step for row, step in zip(firsts, steps, strict=True)]),
    )
    pair, number = np.unique(page[first] * count + page[second], return_inverse=True)
    common = np.bincount(number, weight[first], minlength=len(pair)).astype(np.float64)
    return pair // count, pair % count, common
