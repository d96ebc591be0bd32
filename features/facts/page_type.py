"""Compute the features of a page from which its type is predicted, one vector for each page.

They are independent of rendering: address, declarations, text and elements. Positions and sizes are no features,
because most pages of the training corpora have lost their style sheets. The words that pages of a type have are in
`data/type_words.tsv`; none is specific to one site.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import numpy as np

from vclean.features import element_names
from vclean.features.facts.markup import parse_json, type_names
from vclean.features.text.terms import MONTHS, Terms
from vclean.files import read_table
from vclean.page import split_url
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot

_PATH, _TITLE, _TEXT, _NAME, _TYPES, _TAGS = (
    {group: words for row_part, group, words in read_table(__file__, "type_words.tsv") if row_part == part}
    for part in ("path", "title", "text", "name", "type", "tag")
)
"""Words of each group that occur in paths, titles, texts and names of elements; types of schema.org, and tags."""
_PATH_WORDS, _TITLE_WORDS = ([frozenset(words.split()) for words in groups.values()] for groups in (_PATH, _TITLE))
_terms: Final = cache(lambda: Terms({group: words.split(", ") for group, words in _TEXT.items()}))
_NAME_GROUPS: Final = element_names.WordGroups(_NAME)
_MAX_CHARS: Final = 2000
_WORD: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)?")
_INDEX: Final = re.compile(r"(?:index|default|home|main|welcome)(?:\.\w{2,5})?\Z")

_ADDRESS: Final = (
    "url_known", "url_root", "url_depth", "url_query", "url_last_words", "url_last_chars",
    "url_last_digits", *(f"path_{name}" for name in _PATH),
)  # fmt: skip

_MAX_OBJECTS: Final = 2000
"""Most objects of JSON-LD that are read."""
_MAX_DEPTH: Final = 8
_MAX_COUNT: Final = 50
_MAX_TITLE: Final = 300
_TITLE_WORD: Final = re.compile(r"[^\s|·»«:,;()\[\]\"“”?!—–]+:?")
_TYPE_PATTERNS: Final = {name: re.compile(f"(?:{words.replace(' ', '|')})\\Z") for name, words in _TYPES.items()}
_TITLE_MARKS: Final = ("|", " - ", " – ", " — ", " · ", " :: ", " » ")
_OG_TYPES: Final = ("article", "website", "product")

_DECLARATIONS: Final = (
    "title_words", "title_parts", "title_number",
    *(f"title_{name}" for name in _TITLE),
    *(f"og_{name}" for name in _OG_TYPES), "og_any", "meta_article", "meta_price",
    *(f"type_{name}" for name in _TYPES), "type_any",
)  # fmt: skip

_LONG: Final = 20
"""Words from which a block without links is running text."""
_LINKED: Final = 0.5
"""Share of linked characters from which a block is a link."""
_DATE_WORDS: Final = 15
"""Most words of a block that is a date with its label."""

_CONTENTS: Final = (
    "words", "blocks", "elements", "link_words", "long_blocks", "long_share", "long_words", "longest_run",
    "largest_body", "heading_words", "item_words", "code_words", "table_words", "linked_items",
    "paragraphs_per_heading", "questions", "prices", "price_blocks", "dates", "date_blocks", "phones", "digits",
    "first_long", "first_heading",
    *(f"tag_{name}" for name in _TAGS),
    *(f"rate_{name}" for name in _TEXT),
    *(f"name_{name}" for name in _NAME),
)  # fmt: skip

COLUMNS: Final = (*_ADDRESS, *_DECLARATIONS, *_CONTENTS)
"""Names of the features."""


def page_features(context: PageContext) -> NDArray[np.float32]:
    """Return the features of a page, in the order of `COLUMNS`: float32 (F,). NaN: the page has no URL."""
    snapshot = context.snapshot
    values = [
        *address_values(snapshot.url),
        *_declared_values(snapshot),
        *_text_values(context),
        *_group_values(context),
    ]
    return np.array(values, dtype=np.float32)


def address_values(url: str) -> list[float]:
    """Return the features for the URL of a page; NaN without a URL.

    >>> dict(zip(_ADDRESS, address_values("https://forum.example.org/t/rain/7"), strict=True))["path_forum"]
    1.0
    """
    parts = split_url(url[:_MAX_CHARS])
    if not parts.netloc:
        return [0.0] + [float("nan")] * (len(_ADDRESS) - 1)
    segments = [segment for segment in unquote(parts.path.lower()).split("/") if segment]
    if segments and _INDEX.match(segments[-1]):
        segments.pop()
    last = segments[-1] if segments else ""
    words = [word for segment in [*segments[:-1], parts.query.lower()] for word in _words(segment)]
    return [
        1.0, float(not segments and not parts.query), min(len(segments), 8), float(bool(parts.query)),
        min(len(_words(last)), 20), min(len(last), 120),
        min(sum(map(str.isdigit, last)), 20),
        *(float(not group.isdisjoint(words)) for group in _PATH_WORDS),
    ]  # fmt: skip


def _words(segment: str) -> list[str]:
    """Return the words of a part of a path, and pairs of words joined by a hyphen."""
    pairs = _WORD.findall(segment)
    return [*pairs, *(word for pair in pairs if "-" in pair for word in pair.split("-"))]


def _declared_values(snapshot: Snapshot) -> list[float]:
    """Return the values of `_DECLARATIONS`; types are those of objects in JSON-LD and microdata."""
    title, meta = snapshot.title[:_MAX_TITLE], dict(reversed(snapshot.head.meta))
    words, og_type = _TITLE_WORD.findall(title.lower()), meta.get("og:type", "").lower().rpartition(":")[2]
    values = snapshot.values("itemtype")
    of_items = (values.distinct[index].split() for index in values.index[:_MAX_OBJECTS].tolist())
    types = Counter([*_json_ld_types(snapshot.head.json_ld), *chain.from_iterable(map(type_names, of_items))])
    counts = dict.fromkeys(_TYPES, 0)
    for name, count in types.items():
        for group in counts:
            counts[group] += count * bool(_TYPE_PATTERNS[group].match(name))
    return [
        float(len(words)), float(sum(map(title.count, _TITLE_MARKS))), float(any(map(str.isdigit, words))),
        *(float(sum(word in group for word in words)) for group in _TITLE_WORDS),
        *(float(og_type.startswith(name)) for name in _OG_TYPES), float(bool(og_type)),
        float(any(name.startswith("article:") for name in meta)),
        float(any(name.startswith(("product:", "og:price")) for name in meta)),
        *(float(min(count, _MAX_COUNT)) for count in counts.values()), float(bool(types)),
    ]  # fmt: skip


def _json_ld_types(scripts: tuple[str, ...]) -> Iterator[str]:
    """Yield the types of the objects in JSON-LD, at most `_MAX_OBJECTS`, those of outer objects first."""
    waiting: list[tuple[Any, int]] = [(parse_json(script), 0) for script in scripts]
    for value, depth in islice(waiting, _MAX_OBJECTS):  # while it grows
        if isinstance(value, dict):
            yield from type_names(value.get("@type"))
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if depth < _MAX_DEPTH and len(waiting) < _MAX_OBJECTS:
            waiting += [(each, depth + 1) for each in inner if isinstance(each, dict | list)][:_MAX_OBJECTS]


def _text_values(context: PageContext) -> list[float]:
    """Return the values of the columns before `tag_h1`."""
    words, patterns, total = context.tokens.astype(np.float64), context.number_patterns, _total_words(context)
    is_linked, is_short = context.link_share >= _LINKED, words <= _DATE_WORDS
    is_long = (words >= _LONG) & ~is_linked
    has_month = (context.terms.count(MONTHS) > 0) & (context.digit_words > 0)
    is_date = ((patterns["dates"] > 0) | has_month) & is_short
    is_price = (patterns["prices"] > 0) & is_short
    above = np.maximum(context.snapshot.parent[context.blocks.node], 0)
    largest_body = float(np.bincount(above, words * is_long).max(initial=0))
    containers = (HEADING_TAGS, ("li",), ("pre", "code", "samp"), ("table",))
    in_heading, in_item, in_code, in_table = (context.within(tags)[context.blocks.node] for tags in containers)
    before = context.words_before / np.float32(total)
    shares = [float(words[mask].sum()) / total for mask in (is_long, in_heading, in_item, in_code, in_table)]
    return [
        _log(words.sum()), _log(len(context)), _log(len(context.snapshot)),
        float((words * context.link_share).sum()) / total,
        _log(is_long.sum()), shares[0], float(words[is_long].mean()) if is_long.any() else 0.0,
        _log(_longest_run(is_long, words)), largest_body / total,
        *shares[1:], float((is_linked & in_item).sum()) / max(len(context), 1),
        float(is_long.sum()) / max(float(in_heading.sum()), 1.0),
        _log(np.count_nonzero(context.texts.code == ord("?"))),
        _log(patterns["prices"].sum()), _log(is_price.sum()), _log(patterns["dates"].sum()),
        _log(is_date.sum()), _log(patterns["phones"].sum()), float(context.digit_words.sum()) / total,
        float(before[is_long.argmax()]) if is_long.any() else 1.0,
        float(before[in_heading.argmax()]) if in_heading.any() else 1.0,
    ]  # fmt: skip


def _total_words(context: PageContext) -> float:
    """Return the number of words of the page, at least 1."""
    return max(float(context.tokens.astype(np.float64).sum()), 1.0)


def _group_values(context: PageContext) -> list[float]:
    """Return how often the tags, the terms and the names of each group occur, terms per hundred words."""
    snapshot = context.snapshot
    count = np.bincount(snapshot.tag, minlength=len(snapshot.tags))
    by_tag = dict(zip(snapshot.tags, count.tolist(), strict=True))
    tags = {name: sum(by_tag.get(tag, 0) for tag in group.split()) for name, group in _TAGS.items()}
    tags["password"] = sum(value.lower() == "password" for value in snapshot.attributes("type").values())
    terms, total = _terms().find(context.words), _total_words(context)
    bits = element_names.element_bits(context.names, _NAME_GROUPS)
    return [
        *map(_log, tags.values()),
        *(100 * float(terms.count(name).sum()) / total for name in _TEXT),
        *(_log(np.count_nonzero(bits & np.uint64(1 << bit))) for bit in range(len(_NAME))),
    ]


def _log(number: float | np.number) -> float:
    """Return log(1 + number)."""
    return float(np.log1p(float(number)))


def _longest_run(mask: NDArray[np.bool_], words: NDArray[np.float64]) -> float:
    """Return the most words of consecutive blocks of a mask."""
    run = np.cumsum(np.diff(mask, prepend=False))
    return float(np.bincount(run[mask], words[mask]).max(initial=0))
