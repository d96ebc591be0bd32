"""Type stubs of `_characters.c`."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

def read_texts(
    code: NDArray[np.uint32],
    start: NDArray[np.int64],
    table: NDArray[np.uint32],
    kind: NDArray[np.uint32],
    texts: NDArray[Any],
    learn: Callable[[int], None],
    word: int,
    mark: int,
    unspaced: int,
    /,
) -> bytearray:
    """Write the class bits of the characters to `kind` and counts to `texts`, which contain zeros; return the words.

    Args:
        code: the code points of all texts.
        start: the index of the first character of each text.
        table: the class bits of every code point, 0 if unknown, and the folded code point.
        kind: the class bits of each character.
        texts: a row for each text.
        learn: adds a code point to `table`.
        word: bits of the classes of letters and digits.
        mark: the bit of marks, which belong to the character before them.
        unspaced: the bit of letters that are words.

    Returns:
        A row for each word.
    """

def find_terms(
    key: NDArray[np.uint64],
    lists: NDArray[np.uint32],
    first: NDArray[np.int32],
    hashes: NDArray[np.uint64],
    owner: NDArray[np.int32],
    /,
) -> bytearray:
    """Return a row for each term in the words with `hashes` and `owner`; see `Terms`."""
