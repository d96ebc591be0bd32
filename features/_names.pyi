"""Type stubs of `_names.c`."""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

_Array = NDArray[Any]

def names_of(
    values: list[str], groups: list[tuple[int, int, bool]], word_prefix: int, split: Callable[[str], list[str]], /
) -> tuple[list[str], bytes, bytes, bytes, bytes, bytes, bytes]:
    """Return the words of attribute values, their tokens, and sums of hashes of their names.

    Args:
        values: the values, group by group.
        groups: end of each group of values, checksum before its tokens, and whether it has tokens.
        word_prefix: checksum before the tokens of words.
        split: returns the words of a name with other letters than those of ASCII.

    Returns:
        The distinct words; as int32: start of the words of each value, words of the values, start of the tokens of
        each value, tokens of the values, bucket of each token; as uint64, the sum of the hashes of each value's names.
    """

def row_sums(weights: _Array, values: _Array, start: _Array, /) -> bytearray:
    """Return the sums of `weights[value]`, float32, over rows of `values`, int32, that begin at `start`, int64.

    Returns:
        A float64 for each row.
    """

def bits_of(words: list[str], bits: dict[str, int], start: _Array, values: _Array, /) -> bytearray:
    """Return the bitwise or of `bits[words[value]]` over rows of `values`, int32, that begin at `start`, int64.

    Returns:
        A uint64 for each row.
    """

def tokens_of(
    element: _Array, value: _Array, start: _Array, tokens: _Array, buckets: _Array, elements: int, /
) -> tuple[bytes, bytes]:
    """Return the distinct tokens of elements, ascending.

    Args:
        element: int32, an element for each pair of an element and a value that it has.
        value: int32, the value of each pair.
        start: int64, the start of the tokens of each value.
        tokens: int32, the tokens of the values.
        buckets: int32, the bucket of each token.
        elements: the number of elements.

    Returns:
        The start of the tokens of each element, int64, and the buckets of the tokens, int32.
    """

def word_tokens(owner: _Array, hashes: _Array, pairs: _Array, rows: int, /) -> tuple[bytes, bytes]:
    """Return the tokens of the words of each row, and then those of its pairs of words.

    Args:
        owner: int32 (W,), the row of each word, ascending.
        hashes: uint64 (W,), the hash of each word.
        pairs: uint64 (W - 1,), the hash of each word and the next.
        rows: the number of rows.

    Returns:
        The start of the tokens of each row, int64, and the tokens, int32.
    """
