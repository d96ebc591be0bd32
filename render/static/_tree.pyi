"""Type stubs of `_tree.c`."""

from collections.abc import Sequence
from typing import Any, AnyStr

import numpy as np
from lxml import etree
from numpy.typing import NDArray

_Columns = tuple[
    dict[str, int],
    bytearray,
    bytearray,
    bytearray,
    bytearray,
    bytearray,
    bytearray,
    list[str],
    list[str],
    bytearray,
    bytearray,
]
"""Tags with their numbers; as int32: tag, parent, end and depth of elements, node and name of attributes; values of
attributes; texts; as int32: parent of each text, and the last element that begins before it."""

def columns_of(root: etree._Element, attributes: dict[str, int], limit: int, longest: int = 0, /) -> _Columns:
    """Return the columns of a tree with `attributes`; reading stops after `limit` + 1 elements.

    Values of `data-names` are left out if they have more than `longest` characters, or contain no `#` and are no id.
    """

def lines_of(texts: Sequence[str], /) -> list[str]:
    """Return texts with one space between their words, as `" ".join(text.split())` does.

    Raises:
        TypeError: a text is no string.
    """

def clean(source: bytes, /) -> bytes:
    """Return a source in UTF-8 without the end tags of `body` and `html`; controls, U+FFFE and U+FFFF are spaces."""

def line_feeds(source: bytes, /) -> bytes:
    """Return bytes with a line feed for each carriage return, with or without a line feed after it."""

def starts_in(source: bytes, /) -> list[int]:
    """Return the offsets in a source in UTF-8, in characters, at which `_START` of `vclean.render.repair` may match."""

def words_in(text: bytes, words: tuple[AnyStr, ...], /) -> list[AnyStr]:
    """Return which `words`, of two letters or more and in lower case, are in a text in UTF-8 in any case of ASCII.

    Raises:
        ValueError: there are more than 32 words.
    """

def inside(mask: NDArray[np.bool_], end: NDArray[np.int32], /) -> bytearray:
    """Return as bytes which elements are in `mask`, or have an ancestor in it.

    Args:
        mask: bool (N,), contiguous; the elements are in preorder.
        end: int32 (N,), contiguous, the end of each subtree.

    Raises:
        ValueError: one has more elements than the other.
    """

def nearest_ancestor(mask: NDArray[np.bool_], parent: NDArray[np.int32], /) -> bytearray:
    """Return the nearest element in `mask` among each element and its ancestors, int32; 0 if there is none.

    Args:
        mask: bool (N,), contiguous; the elements are in preorder.
        parent: int32 (N,), contiguous, the parent of each element.

    Raises:
        ValueError: one has more elements than the other.
    """

def sums(values: NDArray[Any], end: NDArray[np.int32], is_float: bool, on_path: bool, /) -> bytearray:
    """Return the sums of values over the subtree of each element, or over it and its ancestors; then comes a row more.

    Args:
        values: int64 or float64 (N, ...), contiguous; the elements are in preorder.
        end: int32 (N,), contiguous, the end of each subtree.
        is_float: whether the values are float64.
        on_path: whether to sum over ancestors.

    Raises:
        ValueError: there are not as many values as elements, or an end is beyond the last element.
    """

def climb(
    parent: NDArray[np.int32], count: NDArray[np.float64], elements: NDArray[np.int32], growth: float, /
) -> bytearray:
    """Return as int32 the nearest ancestor of each of `elements` with `growth` times its count; 0 if there is none.

    Args:
        parent: int32 (N,), an ancestor of each element, 0 for the root.
        count: float64 (N,).
        elements: int32 (B,).
        growth: the least ratio of the counts.
    """
