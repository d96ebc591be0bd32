"""Compute the features of what a document declares: its title, Open Graph, generator, and types of schema.org."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from vclean.features.metadata.json_ld import parse_json
from vclean.features.page_type.word_groups import groups_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.render.document_head import DocumentHead
    from vclean.render.snapshot import Snapshot

_MAX_OBJECTS: Final = 2000
"""Most objects of JSON-LD that are read."""
_MAX_DEPTH: Final = 8
_MAX_TYPES: Final = 20
"""Most types of one object."""
_MAX_COUNT: Final = 50
_MAX_TITLE: Final = 300
_WORD: Final = re.compile(r"[^\s|·»«:,;()\[\]\"“”?!—–]+:?")

_TYPES: Final = {
    "article": r"article|newsarticle|blogposting|.*newsarticle|report|recipe|howto|scholarlyarticle|medicalwebpage",
    "recipe": r"recipe",
    "product": r"product|productgroup|individualproduct|vehicle|book",
    "offer": r"offer|aggregateoffer",
    "list": r"itemlist|collectionpage|offercatalog|datafeed|blog|searchresultspage",
    "element": r"listitem",
    "forum": r"discussionforumposting|qapage|question|answer|comment|interactioncounter",
    "technical": r"techarticle|apireference|softwaresourcecode|learningresource",
    "business": r".*business|service|professionalservice|softwareapplication|webapplication|corporation|store|attorney|"
                r"medicalclinic|restaurant|hotel|dentist|physician",
    "organization": r"organization|ngo|educationalorganization",
    "faq": r"faqpage",
    "site": r"website|searchaction",
    "breadcrumb": r"breadcrumblist",
    "review": r"review|aggregaterating|rating",
    "person": r"person",
    "job": r"jobposting|event|.*event|course",
    "plain": r"webpage|itempage|aboutpage|contactpage|profilepage|checkoutpage",
}  # fmt: skip
"""Groups of types of schema.org, in lower case."""
_TYPE_PATTERNS: Final = {name: re.compile(f"(?:{pattern})\\Z") for name, pattern in _TYPES.items()}
_OG_TYPES: Final = ("article", "website", "product", "blog", "profile", "video", "book")

COLUMNS: Final = (
    "title_words", "title_parts", "title_number",
    *(f"title_{name}" for name in groups_of("title")),
    *(f"generator_{name}" for name in groups_of("generator")),
    *(f"og_{name}" for name in _OG_TYPES), "og_any", "meta_article", "meta_price",
    *(f"type_{name}" for name in _TYPES), "type_any",
)  # fmt: skip


def declared_values(snapshot: Snapshot) -> list[float]:
    """Return the values of `COLUMNS` for a page."""
    return [*_title_values(snapshot.title), *_meta_values(snapshot.head), *_type_values(snapshot)]


def _title_values(title: str) -> list[float]:
    words = _WORD.findall(title[:_MAX_TITLE].lower())
    hits = [float(sum(word in group for word in words)) for group in words_of("title").values()]
    parts = sum(title[:_MAX_TITLE].count(mark) for mark in ("|", " - ", " – ", " — ", " · ", " :: ", " » "))
    return [float(len(words)), float(parts), float(any(word.isdigit() for word in words)), *hits]


def _meta_values(head: DocumentHead) -> list[float]:
    meta = dict(reversed(head.meta))
    generator = re.findall(r"[a-z0-9]+", meta.get("generator", "").lower())
    og_type = meta.get("og:type", "").lower().rpartition(":")[2]
    names = [name for name, _ in head.meta]
    return [
        *(float(not group.isdisjoint(generator)) for group in words_of("generator").values()),
        *(float(og_type.startswith(name)) for name in _OG_TYPES), float(bool(og_type)),
        float(any(name.startswith("article:") for name in names)),
        float(any(name.startswith(("product:", "og:price")) for name in names)),
    ]  # fmt: skip


def _type_values(snapshot: Snapshot) -> list[float]:
    """Return how many objects of each group of types the JSON-LD and the microdata of a page have."""
    types = Counter([*_json_ld_types(snapshot.head.json_ld), *_item_types(snapshot)])
    counts = dict.fromkeys(_TYPES, 0)
    for name, count in types.items():
        for group in _groups_of_type(name):
            counts[group] += count
    return [*(float(min(count, _MAX_COUNT)) for count in counts.values()), float(bool(types))]


@lru_cache(maxsize=1000)
def _groups_of_type(name: str) -> tuple[str, ...]:
    return tuple(group for group, pattern in _TYPE_PATTERNS.items() if pattern.match(name))


def _json_ld_types(scripts: tuple[str, ...]) -> Iterator[str]:
    """Yield the types of the objects in JSON-LD, at most `_MAX_OBJECTS`, those of outer objects first."""
    waiting: list[tuple[Any, int]] = [(parse_json(script), 0) for script in scripts]
    position = 0
    while position < min(len(waiting), _MAX_OBJECTS):
        value, depth = waiting[position]
        position += 1
        if isinstance(value, dict):
            yield from _names(value.get("@type"))
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if depth < _MAX_DEPTH and len(waiting) < _MAX_OBJECTS:
            waiting += [(each, depth + 1) for each in inner if isinstance(each, dict | list)][:_MAX_OBJECTS]


def _item_types(snapshot: Snapshot) -> Iterator[str]:
    """Yield the type of each element with microdata, at most `_MAX_OBJECTS`."""
    values = snapshot.values("itemtype")
    for index in values.index[:_MAX_OBJECTS].tolist():
        yield from _names(values.distinct[index].split()[:_MAX_TYPES])


def _names(types: object) -> Iterator[str]:
    """Yield the names of types without their vocabulary, in lower case; other values than strings have none."""
    for each in (types if isinstance(types, list) else [types])[:_MAX_TYPES]:
        if isinstance(each, str):
            yield each[:200].lower().rpartition("/")[2]
