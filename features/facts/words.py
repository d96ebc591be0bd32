"""Read the words of facts in many languages, such as those before the name of an author, from `data/words.tsv`."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from vclean.files import read_table

_ROWS: Final = tuple(read_table(__file__, "words.tsv"))
_GROUP: Final = re.compile(r"\{([a-z_]+)\}")


@cache
def words_of(group: str) -> tuple[str, ...]:
    """Return the words of a group, the longest first."""
    words = [word for name, *words in _ROWS if name == group for word in words]
    return tuple(sorted(words, key=len, reverse=True))


@cache
def pattern_of(template: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    r"""Return a pattern with the words of a group for each `{group}` of a template; it is compiled on the first use.

    >>> bool(pattern_of(r"(?:{by})\s.*").fullmatch("written by Ann Lee"))
    True
    """
    return re.compile(_GROUP.sub(lambda match: "|".join(words_of(match[1])).replace(" ", r"\s"), template), flags)
