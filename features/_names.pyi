"""Type stubs of `_names.c`."""

from collections.abc import Callable

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
