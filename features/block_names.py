"""Name the blocks of a page by text and XPath, and match the names of two readings of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def text_hash(text: str) -> str:
    """Return 16 hexadecimal digits for the words of a text; white space does not matter."""
    return sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def block_names(xpaths: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Return a name for each block of a page: hash of its text, number among blocks equal in both, XPath.

    >>> block_names(["/html[1]"] * 2, ["Hello.", "Hello."])
    ['2d8bd7d9bb5f85ba 1 /html[1]', '2d8bd7d9bb5f85ba 2 /html[1]']
    """
    counts: Counter[tuple[str, str]] = Counter()
    names = []
    for digest, xpath in zip(map(text_hash, texts), xpaths, strict=True):
        counts[digest, xpath] += 1
        names.append(f"{digest} {counts[digest, xpath]} {xpath}")
    return names


def match_blocks(old: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """Match old block names to new ones. Names without a match are left out.

    Equal names match. Other blocks of equal text match in their order, if as many of them disappeared as appeared.
    """
    current = set(new)
    matches = {name: name for name in old if name in current}
    disappeared = _group_by_text(name for name in old if name not in current)
    appeared = _group_by_text(name for name in new if name not in matches)
    for text, names in disappeared.items():
        if len(names) == len(appeared[text]):
            matches |= dict(zip(names, appeared[text], strict=True))
    return matches


def _group_by_text(names: Iterable[str]) -> defaultdict[str, list[str]]:
    """Group the names by the hash of their text, in their order."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[name.partition(" ")[0]].append(name)
    return groups
