"""What the two linear models read: hashed names along a block's tag path, and its hashed words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from vclean.features import tree
from vclean.features.groups import RaggedArray
from vclean.features.names.element_names import NAME_CACHE_SIZE, sorted_unique, split_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from vclean.features.names.element_names import ElementNames
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot

BUCKETS = 1 << 18
"""Hash buckets of each kind of token."""

NEAR = 3
"""Elements of the path, from the block's text outwards, whose names also count on their own."""

_NAMED = ("class", "id", "role", "itemprop", "itemtype", "rel")
_BEFORE = [crc32(f"{attribute}:".encode()) for attribute in _NAMED]
_BEFORE_WORD = crc32(b"w:")
MOST_NAMES = 24
"""Names of one attribute that count."""


@dataclass(frozen=True, eq=False)
class ElementTokens:
    """The name tokens of every element: its tag, classes, id, role, microdata, and the words they are made of.

    Attributes:
        tag: int32 (N,), the tag of each element, a place in `tag_bucket`, int32 (T,).
        number: int64 (N,), the row of `named` that each element has; the first row is empty.
        named: the tokens of every combination of names that elements have.
    """

    tag: NDArray[np.int32]
    tag_bucket: NDArray[np.int32]
    number: NDArray[np.int64]
    named: RaggedArray

    def sums(self, weights: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64 (N,): the sum of `weights` (BUCKETS,) over each element's tokens."""
        return np.asarray(weights[self.tag_bucket][self.tag] + self.named.row_sums(weights)[self.number])

    def of(self, element: int) -> NDArray[np.int32]:
        """int32 (M,): the tokens of one element, its tag first."""
        tag, row = self.tag[element], self.number[element]
        names = self.named.values[self.named.start[row] : self.named.start[row + 1]]
        return np.append(self.tag_bucket[tag], names)


def element_tokens(naming: ElementNames) -> ElementTokens:
    """The name tokens of every element of a page."""
    snapshot = naming.snapshot
    tag_bucket = np.array([_bucket("t:" + tag) for tag in snapshot.tags], dtype=np.int32)
    number, combination, value = _combinations(snapshot)
    return ElementTokens(snapshot.tag, tag_bucket, number, _tokens_of(naming, combination, value))


def _tokens_of(naming: ElementNames, combination: NDArray[np.int64], value: NDArray[np.int64]) -> RaggedArray:
    """The different tokens of every combination of values: whole names by attribute, then words. Row 0 is empty."""
    owner, name = naming.of_value.take(value, MOST_NAMES)
    inside, word = naming.of_name.take(name)
    attribute = np.searchsorted([naming.first[of] for of in _NAMED[1:]], value, side="right")[owner]
    whole, bucket = _whole_names(naming.names, attribute, name)
    size, row = len(bucket) + len(naming.words), combination[owner]
    token = sorted_unique(np.concatenate([row * size + whole, row[inside] * size + len(bucket) + word]))
    bucket = np.append(bucket, _buckets(naming.words, repeat(_BEFORE_WORD)))
    return RaggedArray.from_pairs(
        token // max(size, 1), bucket[token % max(size, 1)], int(combination.max(initial=0)) + 1
    )


def _whole_names(
    names: Sequence[str], attribute: NDArray[np.int64], name: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """What M names in attributes count as, letter case aside: int64 (M,), places in the buckets, int32."""
    place: dict[str, int] = {}
    lower = [place.setdefault(text, len(place)) for text in "\n".join(names).lower().split("\n")]
    whole = attribute * len(place) + np.array(lower, dtype=np.int64)[name]
    used = np.zeros((len(_NAMED), len(place)), dtype=bool)
    used.flat[whole] = True
    different, (of, text) = list(place), np.nonzero(used)
    bucket = np.zeros(used.shape, dtype=np.int32)
    bucket[used] = _buckets([different[at] for at in text.tolist()], [_BEFORE[at] for at in of.tolist()])
    return whole, bucket.ravel()


def _buckets(texts: Sequence[str], before: Iterable[int]) -> NDArray[np.int64]:
    """The bucket of every text without a line feed, behind something that has the checksum `before`."""
    data = "\n".join(texts).encode("utf-8", "surrogatepass").split(b"\n")[: len(texts)]
    return np.fromiter(map(crc32, data, before), dtype=np.int64, count=len(data)) % BUCKETS


def _combinations(snapshot: Snapshot) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The combinations of names that elements have.

    Returns:
        int64 (N,), the combination of each element, 0 without a name; int64 (M,) twice, the combinations, ascending,
        and of each the values it is made of, as places among the values of all of `_NAMED`.
    """
    number, several, first = _values_of(snapshot)
    different = {values: first + 1 + index for index, values in enumerate(dict.fromkeys(several.values()))}
    number[np.fromiter(several, np.int64, len(several))] = [different[values] for values in several.values()]
    size = np.fromiter(chain(repeat(1, first), map(len, different)), np.int64, first + len(different))
    together = np.fromiter(chain.from_iterable(different), np.int64, int(size[first:].sum()))
    return number, np.repeat(np.arange(1, len(size) + 1), size), np.concatenate([np.arange(first), together])


def _values_of(snapshot: Snapshot) -> tuple[NDArray[np.int64], dict[int, tuple[int, ...]], int]:
    """The values of every element as places among those of all of `_NAMED`.

    Returns:
        int64 (N,), the place of the last value of each element, from 1, and 0 without one; the places of all values of
        the elements with several; and how many values there are.
    """
    number = np.zeros(len(snapshot), dtype=np.int64)
    several: dict[int, tuple[int, ...]] = {}
    count = 0
    for values in map(snapshot.values, _NAMED):
        place, again = values.number + count, np.flatnonzero(number[values.node])
        for node, at in zip(values.node[again].tolist(), place[again].tolist(), strict=True):
            several[node] = (*(several.get(node) or (int(number[node]) - 1,)), at)
        number[values.node] = place + 1
        count += len(values.different)
    return number, several, count


def _bucket(token: str) -> int:
    """The bucket of a token: its checksum, which is the lower half of `dom_paths.name_hashes`, modulo `BUCKETS`."""
    return crc32(token.encode("utf-8", "surrogatepass")) % BUCKETS


def named_attributes(snapshot: Snapshot) -> dict[int, list[tuple[str, str]]]:
    """Pairs of attribute and value by element, in the order of `_NAMED`."""
    found: dict[int, list[tuple[str, str]]] = {}
    for attribute in _NAMED:
        for element, value in snapshot.attributes(attribute).items():
            found.setdefault(element, []).append((attribute, value))
    return found


def path_scores(
    context: PageContext, tokens: ElementTokens, path: NDArray[np.float32], near: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The verdict of the path model on each block, float32 (B,).

    Args:
        context: the page.
        tokens: `element_tokens` of the page.
        path: float32 (BUCKETS,), weights of the names of all elements round the block's longest text.
        near: float32 (BUCKETS,), weights that the names of the `NEAR` innermost have on top.
    """
    snapshot = context.snapshot
    scores = tree.path_sum(tokens.sums(path), snapshot.end)[context.anchor]
    inner = tokens.sums(near)
    for elements in _innermost(context):
        scores = scores + np.where(elements >= 0, inner[elements], 0)
    return scores.astype(np.float32)


def _innermost(context: PageContext) -> list[NDArray[np.int32]]:
    """The `NEAR` innermost elements round each block's longest text, int32 (B,) each, -1 beyond the root."""
    elements = [context.anchor]
    for _ in range(NEAR - 1):
        elements.append(np.where(elements[-1] >= 0, context.snapshot.parent[elements[-1]], -1))
    return elements


def path_tokens(context: PageContext, tokens: ElementTokens) -> RaggedArray:
    """The tokens of every block's path, as `path_scores` weighs them.

    Those of the `NEAR` innermost elements come twice, the second time shifted by `BUCKETS`.
    """
    inner = np.stack(_innermost(context), axis=1).tolist()
    rows = []
    for anchor, near in zip(context.anchor.tolist(), inner, strict=True):
        parts = [tokens.of(i) for i in context.snapshot.ancestors(anchor)]
        parts += [tokens.of(i) + BUCKETS for i in near if i >= 0]
        rows.append(np.concatenate(parts))
    lengths = np.cumsum([0, *map(len, rows)])
    return RaggedArray(lengths.astype(np.int64), np.concatenate(rows) if rows else np.zeros(0, dtype=np.int32))


def path_names(context: PageContext, named: dict[int, list[tuple[str, str]]], block: int) -> list[tuple[str, int]]:
    """The names along a block's path, each with the place of its weight, as `path_tokens` has them.

    A tag is called `<li>`, a class, id or the like by its value, and a word in one of these by itself.

    Args:
        context: the page.
        named: of `named_attributes`.
        block: the block.
    """
    snapshot = context.snapshot
    found: list[tuple[str, int]] = []
    for step, element in enumerate(snapshot.ancestors(int(context.anchor[block]))):
        tag = snapshot.tags[snapshot.tag[element]]
        names = {"t:" + tag: (f"<{tag}>", _bucket("t:" + tag))}
        for attribute, value in named.get(element, ()):
            names |= {token: (token.partition(":")[2], _bucket(token)) for token in _tokens(attribute, value)}
        found += names.values()
        if step < NEAR:
            found += [(name, bucket + BUCKETS) for name, bucket in names.values()]
    return found


@lru_cache(maxsize=NAME_CACHE_SIZE)
def _tokens(attribute: str, value: str) -> tuple[str, ...]:
    """The tokens of an attribute's value: names, then words."""
    names = value.split()[:MOST_NAMES]
    return (*(f"{attribute}:{name.lower()}" for name in names), *(f"w:{word}" for word in split_words(names)[0]))


def word_tokens(context: PageContext) -> RaggedArray:
    """The words of every block and the pairs of neighbours; in scripts without spaces, letters and pairs of letters."""
    words = context.words
    inside = words.bigram_owner >= 0
    owner = np.concatenate([words.owner, words.bigram_owner[inside]])
    bucket = (np.concatenate([words.hash, words.bigram[inside]]) >> np.uint64(40)).astype(np.int64) % BUCKETS
    order = np.argsort(owner, kind="stable")
    return RaggedArray.from_pairs(owner[order], bucket[order].astype(np.int32), len(context))


def word_names(context: PageContext, block: int) -> list[tuple[str, int]]:
    """The words of a block and its pairs of words, each with the place of its weight, as `word_tokens` has them."""
    words, text = context.words, context.blocks.text[block]
    first, last = np.searchsorted(words.owner, [block, block + 1]).tolist()
    begin = (words.start[first:last] - context.texts.start[block]).tolist()
    end = (words.end[first:last] - context.texts.start[block]).tolist()
    singles = [text[a:b] for a, b in zip(begin, end, strict=True)]
    pairs = [text[a:b] for a, b in zip(begin[:-1], end[1:], strict=True)]
    hashes = np.concatenate([words.hash[first:last], words.bigram[first : max(last - 1, first)]])
    places = ((hashes >> np.uint64(40)).astype(np.int64) % BUCKETS).tolist()
    return list(zip(singles + pairs, places, strict=True))
