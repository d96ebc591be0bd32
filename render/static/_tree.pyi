"""Type stubs of `_tree.c`."""

from collections.abc import Sequence
from typing import AnyStr

from lxml import etree

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

def columns_of(root: etree._Element, attributes: dict[str, int], limit: int, /) -> _Columns:
    """Return the columns of a tree with `attributes`; reading stops after `limit` + 1 elements."""

def lines_of(texts: Sequence[str], /) -> list[str]:
    """Return texts with one space between their words, as `" ".join(text.split())` does.

    Raises:
        TypeError: a text is no string.
    """

def words_in(text: bytes, words: tuple[AnyStr, ...], /) -> list[AnyStr]:
    """Return which `words`, of two letters or more and in lower case, are in a text in UTF-8 in any case of ASCII.

    Raises:
        ValueError: there are more than 32 words.
    """
