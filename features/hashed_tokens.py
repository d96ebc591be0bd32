"""Hash the inputs of the two linear models: names along a block's DOM path, and its words."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from vclean.features import _names
from vclean.features.columns import RaggedArray
from vclean.features.element_names import NAME_CACHE_SIZE, TOKEN_ATTRIBUTES, words_of_name
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.element_names import ElementNames
    from vclean.features.page_context import PageContext

BUCKETS = 1 << 18
"""Number of hash buckets per type of token."""

NEAR = 3
"""Number of innermost path elements that have additional weights for their names."""

_SAME_TAG = {"dl": "ul", "dt": "li", "dd": "li"}
"""Tags that count as others. The corpora have few lists of terms, and most of them are no text."""
MAX_NAMES = 24
"""Number of names read per attribute value; further names are ignored (`MAX_TOKEN_NAMES` in _names.c)."""


class ElementTokens:
    """Name tokens of all elements: tag, classes, id, role, microdata, and the words in these names.

    Args:
        page_names: the names of the elements of a page.

    Attributes:
        tag: int32 (N,), the token of the tag of each element.
        named: the other tokens of each element.
    """

    def __init__(self, page_names: ElementNames) -> None:
        snapshot, first = page_names.snapshot, page_names.first
        of_tags = [_hash_token(f"t:{_SAME_TAG.get(tag, tag)}") for tag in snapshot.tags]
        self.tag = np.array(of_tags, dtype=np.int32)[snapshot.tag]
        values = {attribute: snapshot.values(attribute) for attribute in TOKEN_ATTRIBUTES}
        element = np.concatenate([each.node for each in values.values()])
        value = np.concatenate([each.index + np.int32(first[attribute]) for attribute, each in values.items()])
        tokens, buckets = page_names.value_tokens, page_names.buckets
        rows = _names.tokens_of(element, value, tokens.start, tokens.values, buckets, len(snapshot))
        self.named = RaggedArray.from_bytes(*rows)

    def sums(self, weights: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of `weights` (BUCKETS,) over each element's tokens: float64 (N,)."""
        return np.asarray(weights[self.tag] + self.named.row_sums(weights))

    def of(self, element: int) -> NDArray[np.int32]:
        """Return the tokens of one element, its tag first: int32 (M,)."""
        names = self.named.values[self.named.start[element] : self.named.start[element + 1]]
        return np.append(self.tag[element], names)


def _hash_token(token: str) -> int:
    """Return the bucket of a token: its CRC-32, the lower half of `element_names.name_hashes`, modulo `BUCKETS`."""
    return crc32(token.encode("utf-8", "surrogatepass")) % BUCKETS


def path_scores(
    context: PageContext, tokens: ElementTokens, path: NDArray[np.float32], near: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the score of the path model for each block: float32 (B,).

    Args:
        context: the page.
        tokens: the name tokens of its elements.
        path: float32 (BUCKETS,), weights of the names of all elements around the block's longest text.
        near: float32 (BUCKETS,), additional weights of the names of the `NEAR` innermost elements.
    """
    snapshot = context.snapshot
    scores = tree.path_sum(tokens.sums(path), snapshot.end)[context.blocks.main_element]
    inner = tokens.sums(near)
    elements = context.blocks.main_element
    for _ in range(NEAR):
        scores = scores + np.where(elements >= 0, inner[elements], 0)
        elements = np.where(elements >= 0, snapshot.parent[elements], -1)
    return scores.astype(np.float32)


def path_tokens(context: PageContext, tokens: ElementTokens) -> RaggedArray:
    """Return the tokens of each block's path, as weighted by `path_scores`.

    Tokens of the `NEAR` innermost elements occur twice, the second time with `BUCKETS` added.
    """
    rows = []
    for innermost in context.blocks.main_element.tolist():
        of_path = [tokens.of(element) for element in context.snapshot.ancestors(innermost)]
        rows.append(np.concatenate([*of_path, *(each + BUCKETS for each in of_path[:NEAR])]))
    start = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return RaggedArray(start, np.concatenate(rows) if rows else np.zeros(0, dtype=np.int32))


def path_names(context: PageContext, block: int) -> list[tuple[str, int]]:
    """Return the names along a block's path with the indices of their weights, as in `path_tokens`.

    A tag is named `<li>`, a class, id or similar by its value, and a word in a name by itself.
    """
    snapshot = context.snapshot
    weighted_names: list[tuple[str, int]] = []
    for distance, element in enumerate(snapshot.ancestors(int(context.blocks.main_element[block]))):
        tag = snapshot.tags[snapshot.tag[element]]
        names = {"t:" + tag: (f"<{tag}>", _hash_token(f"t:{_SAME_TAG.get(tag, tag)}"))}
        for attribute in TOKEN_ATTRIBUTES:
            tokens = _value_tokens(attribute, snapshot.attributes(attribute).get(element, ""))
            names |= {token: (token.partition(":")[2], _hash_token(token)) for token in tokens}
        weighted_names += names.values()
        if distance < NEAR:
            weighted_names += [(name, bucket + BUCKETS) for name, bucket in names.values()]
    return weighted_names


@lru_cache(maxsize=NAME_CACHE_SIZE)
def _value_tokens(attribute: str, value: str) -> tuple[str, ...]:
    """Return the tokens of an attribute value: names, then words."""
    names = value.split()[:MAX_NAMES]
    words = dict.fromkeys(chain.from_iterable(map(words_of_name, names)))
    return (*(f"{attribute}:{name.lower()}" for name in names), *(f"w:{word}" for word in words))


def word_tokens(context: PageContext) -> RaggedArray:
    """Return the tokens of the words and word bigrams of each block.

    In scripts without spaces these are letters and letter bigrams.
    """
    words = context.words
    return RaggedArray.from_bytes(*_names.word_tokens(words.owner, words.hash, words.bigram, len(context)))


def word_names(context: PageContext, block: int) -> list[tuple[str, int]]:
    """Return the words and word bigrams of a block with the indices of their weights, as in `word_tokens`."""
    words, text = context.words, context.blocks.text[block]
    first, last = np.searchsorted(words.owner, [block, block + 1]).tolist()
    begin = (words.start[first:last] - context.texts.start[block]).tolist()
    end = (words.end[first:last] - context.texts.start[block]).tolist()
    singles = [text[a:b] for a, b in zip(begin, end, strict=True)]
    pairs = [text[a:b] for a, b in zip(begin[:-1], end[1:], strict=True)]
    hashes = np.concatenate([words.hash[first:last], words.bigram[first : max(last - 1, first)]])
    buckets = ((hashes >> np.uint64(40)).astype(np.int64) % BUCKETS).tolist()
    return list(zip(singles + pairs, buckets, strict=True))
