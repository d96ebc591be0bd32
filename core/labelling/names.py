"""Names of blocks that survive another rendering: where a block stands, and what it says."""

from __future__ import annotations

from collections import Counter, defaultdict
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def text_hash(text: str) -> str:
    """16 hexadecimal digits of the text's words; white space does not count."""
    return sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def block_names(xpaths: Iterable[str], texts: Iterable[str]) -> list[str]:
    """A name for every block of a page: the hash of its text, its number among blocks equal in both, its XPath.

    >>> block_names(["/html[1]"] * 2, ["Hello.", "Hello."])
    ['58359fddf77b30c2 1 /html[1]', '58359fddf77b30c2 2 /html[1]']
    """
    seen: Counter[tuple[str, str]] = Counter()
    names = []
    for place in zip(map(text_hash, texts), xpaths, strict=True):
        seen[place] += 1
        names.append(f"{place[0]} {seen[place]} {place[1]}")
    return names


def refound(old: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """The new name of every block that is found again, by its old one.

    A block is found by its whole name; or, where the page has moved, by its text, if as many blocks of that text are
    missing as are there anew: then in their order.
    """
    there = set(new)
    found = {name: name for name in old if name in there}
    lost = _by_text(name for name in old if name not in there)
    unclaimed = _by_text(name for name in new if name not in found)
    for text, names in lost.items():
        if len(names) == len(unclaimed[text]):
            found |= dict(zip(names, unclaimed[text], strict=True))
    return found


def _by_text(names: Iterable[str]) -> defaultdict[str, list[str]]:
    """The names by the hash of their text, in their order."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[name.partition(" ")[0]].append(name)
    return groups
