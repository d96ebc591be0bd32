"""What the two linear models read: hashed names along a block's tag path, and its hashed words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from vclean.features import tree
from vclean.features.remembered import REMEMBERED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.view import View
    from vclean.render.snapshot import Snapshot

BUCKETS = 1 << 18
"""Hash buckets of each kind of token."""

NEAR = 3
"""Elements of the path, from the block's text outwards, whose names also count on their own."""

_NAMED = ("class", "id", "role", "itemprop", "itemtype", "rel")
_PART = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|[^\W\d_]+")
_MAX_NAMES = 24


@dataclass(frozen=True, eq=False)
class Ragged:
    """Rows of different length: row `i` is `bucket[start[i]:start[i + 1]]`; int64 (R + 1,), int32 (M,)."""

    start: NDArray[np.int64]
    bucket: NDArray[np.int32]

    def sums(self, weights: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64 (R,): the sum of `weights` (BUCKETS,) over each row."""
        total = np.zeros(len(self.bucket) + 1)
        np.cumsum(weights[self.bucket], out=total[1:])
        return total[self.start[1:]] - total[self.start[:-1]]

    @classmethod
    def of(cls, owner: NDArray[np.int32], bucket: NDArray[np.int32], rows: int) -> Ragged:
        """Rows from pairs of row number (ascending) and bucket."""
        return cls(np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=rows))]), bucket.astype(np.int32))


def element_tokens(snapshot: Snapshot) -> Ragged:
    """The name tokens of every element: its tag, classes, id, role, microdata, and the words they are made of."""
    by_tag = [(_bucket("t:" + tag),) for tag in snapshot.tags]
    buckets = [by_tag[tag] for tag in snapshot.tag.tolist()]
    for element, named in named_attributes(snapshot).items():
        buckets[element] += _buckets(tuple(named))
    start = np.zeros(len(buckets) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, buckets), dtype=np.int64, count=len(buckets)), out=start[1:])
    return Ragged(start, np.fromiter(chain.from_iterable(buckets), dtype=np.int32, count=int(start[-1])))


def _bucket(token: str) -> int:
    """The bucket of a token: its checksum, which is the lower half of `signatures.name_hash`, modulo `BUCKETS`."""
    return crc32(token.encode("utf-8", "surrogatepass")) % BUCKETS


def named_attributes(snapshot: Snapshot) -> dict[int, list[tuple[str, str]]]:
    """Pairs of attribute and value by element, in the order of `_NAMED`."""
    found: dict[int, list[tuple[str, str]]] = {}
    for attribute in _NAMED:
        for element, value in snapshot.attributes(attribute).items():
            found.setdefault(element, []).append((attribute, value))
    return found


@lru_cache(maxsize=REMEMBERED)
def _buckets(named: tuple[tuple[str, str], ...]) -> tuple[int, ...]:
    """Buckets of the different tokens in pairs of attribute and value."""
    tokens: dict[str, int] = {}
    for attribute, value in named:
        for name in value.split()[:_MAX_NAMES]:
            tokens.update(_name_buckets(attribute, name))
    return tuple(tokens.values())


@lru_cache(maxsize=REMEMBERED)
def _name_buckets(attribute: str, name: str) -> dict[str, int]:
    """The tokens of one name with their buckets, not to be changed: the whole name, then the words it is made of."""
    tokens = [f"{attribute}:{name.lower()}", *(f"w:{part.lower()}" for part in _PART.findall(name) if len(part) > 1)]
    return {token: _bucket(token) for token in tokens}


def path_scores(
    view: View, tokens: Ragged, path: NDArray[np.float32], near: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The verdict of the path model on each block, float32 (B,).

    Args:
        view: the page.
        tokens: `element_tokens` of the page.
        path: float32 (BUCKETS,), weights of the names of all elements round the block's longest text.
        near: float32 (BUCKETS,), weights that the names of the `NEAR` innermost have on top.
    """
    snapshot = view.snapshot
    scores = tree.path_sum(tokens.sums(path), snapshot.end)[view.anchor]
    inner = tokens.sums(near)
    for elements in _innermost(view):
        scores = scores + np.where(elements >= 0, inner[elements], 0)
    return scores.astype(np.float32)


def _innermost(view: View) -> list[NDArray[np.int32]]:
    """The `NEAR` innermost elements round each block's longest text, int32 (B,) each, -1 beyond the root."""
    elements = [view.anchor]
    for _ in range(NEAR - 1):
        elements.append(np.where(elements[-1] >= 0, view.snapshot.parent[elements[-1]], -1))
    return elements


def path_rows(view: View, tokens: Ragged) -> Ragged:
    """The tokens of every block's path, as `path_scores` weighs them.

    Those of the `NEAR` innermost elements come twice, the second time shifted by `BUCKETS`.
    """
    inner = np.stack(_innermost(view), axis=1).tolist()
    start, bucket = tokens.start.tolist(), tokens.bucket
    rows = []
    for anchor, near in zip(view.anchor.tolist(), inner, strict=True):
        parts = [bucket[start[i] : start[i + 1]] for i in view.snapshot.ancestors(anchor)]
        parts += [bucket[start[i] : start[i + 1]] + BUCKETS for i in near if i >= 0]
        rows.append(np.concatenate(parts))
    lengths = np.cumsum([0, *map(len, rows)])
    return Ragged(lengths.astype(np.int64), np.concatenate(rows) if rows else np.zeros(0, dtype=np.int32))


def path_names(view: View, named: dict[int, list[tuple[str, str]]], block: int) -> list[tuple[str, int]]:
    """The names along a block's path, each with the place of its weight, as `path_rows` has them.

    A tag is called `<li>`, a class, id or the like by its value, and a word in one of these by itself.

    Args:
        view: the page.
        named: of `named_attributes`.
        block: the block.
    """
    snapshot = view.snapshot
    found: list[tuple[str, int]] = []
    for step, element in enumerate(snapshot.ancestors(int(view.anchor[block]))):
        tag = snapshot.tags[snapshot.tag[element]]
        names = {"t:" + tag: (f"<{tag}>", _bucket("t:" + tag))}
        for attribute, value in named.get(element, ()):
            for name in value.split()[:_MAX_NAMES]:
                buckets = _name_buckets(attribute, name)
                names |= {token: (token.partition(":")[2], bucket) for token, bucket in buckets.items()}
        found += names.values()
        if step < NEAR:
            found += [(name, bucket + BUCKETS) for name, bucket in names.values()]
    return found


def word_rows(view: View) -> Ragged:
    """The words of every block and the pairs of neighbours; in scripts without spaces, letters and pairs of letters."""
    words = view.words
    inside = words.bigram_owner >= 0
    owner = np.concatenate([words.owner, words.bigram_owner[inside]])
    bucket = (np.concatenate([words.hash, words.bigram[inside]]) >> np.uint64(40)).astype(np.int64) % BUCKETS
    order = np.argsort(owner, kind="stable")
    return Ragged.of(owner[order], bucket[order].astype(np.int32), len(view))


def word_names(view: View, block: int) -> list[tuple[str, int]]:
    """The words of a block and its pairs of words, each with the place of its weight, as `word_rows` has them."""
    words, text = view.words, view.blocks.text[block]
    first, last = np.searchsorted(words.owner, [block, block + 1]).tolist()
    begin = (words.start[first:last] - view.texts.start[block]).tolist()
    end = (words.end[first:last] - view.texts.start[block]).tolist()
    singles = [text[a:b] for a, b in zip(begin, end, strict=True)]
    pairs = [text[a:b] for a, b in zip(begin[:-1], end[1:], strict=True)]
    hashes = np.concatenate([words.hash[first:last], words.bigram[first : max(last - 1, first)]])
    places = ((hashes >> np.uint64(40)).astype(np.int64) % BUCKETS).tolist()
    return list(zip(singles + pairs, places, strict=True))
