"""Read metadata from JSON-LD (https://www.w3.org/TR/json-ld11/) with the vocabulary of https://schema.org.

Nothing in it is trusted: values of wrong types are skipped, depth and number of objects are bounded. Broken JSON is
parsed again by json-repair.
"""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Any, Final

from vclean.features.facts.mentions import (
    MAX_MENTIONS,
    MAX_NAME_CHARS,
    PROPERTIES,
    Field,
    Mention,
    Source,
    clean_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Node = dict[str, Any]

_MAX_NODES: Final = 2000
_MAX_DEPTH: Final = 12
_MAX_VALUES: Final = 50
"""Most values of a list, such as authors or keywords."""
_MAX_REPAIRED: Final = 60_000
"""Most characters of broken JSON that is repaired; time grows with their number."""
_CONTROL: Final = re.compile(r"^\s*(?:<!--|//<!\[CDATA\[|<!\[CDATA\[|/\*.*?\*/)|(?:-->|//\]\]>|\]\]>|;)\s*$", re.DOTALL)
_KINDS: Final = {
    "product": re.compile(r"(?:product|application|vehicle|apartment|jobposting|offer)$"),
    "article": re.compile(
        r"(?:article|posting|report|recipe|review|howto|videoobject|question|course|event|book|creativework|movie|podcast\w*)$"
    ),
    "page": re.compile(r"page$"),
    "site": re.compile(r"website$"),
    "organization": re.compile(r"(?:organization|business|corporation|store|restaurant|hotel|school)$"),
}
"""Kinds of objects, by the ends of their types in lower case."""
ORGANIZATION: Final = "json-ld:organization"
"""Feature column of authors that are organizations."""


def json_ld_mentions(scripts: Sequence[str]) -> list[Mention]:
    """Return the mentions in the JSON-LD scripts of a page, at most `MAX_MENTIONS`.

    >>> [m.values for m in json_ld_mentions(['{"@type": "NewsArticle", "author": {"name": "Ann Lee"}}'])]
    [('Ann Lee',)]
    """
    nodes = [node for script in scripts for node in main_nodes(parse_json(script))]
    by_id = {node["@id"]: node for node in nodes if isinstance(node.get("@id"), str) and len(node) > 1}
    mentions: list[Mention] = []
    for node in nodes:
        mentions += _mentions_of(node, by_id)
        if len(mentions) >= MAX_MENTIONS:
            break
    return mentions[:MAX_MENTIONS]


def parse_json(script: str) -> object:
    """Return the value of a script, repaired if it is broken; None if it cannot be read."""
    try:
        return json.loads(script, strict=False)
    except (ValueError, RecursionError):
        return _repaired(_CONTROL.sub("", script))


def _repaired(script: str) -> object:
    try:
        return json.loads(script, strict=False)
    except RecursionError:
        return None
    except ValueError:
        if len(script) > _MAX_REPAIRED or "{" not in script:
            return None
    import json_repair  # imports take 20 ms, and one script in a hundred needs it

    try:
        return json_repair.loads(script, skip_json_loads=True)
    except (ValueError, RecursionError, TypeError, IndexError, AttributeError):
        return None


def main_nodes(value: object) -> list[Node]:
    """Return the objects that describe the page: at the top, in `@graph`, and as `mainEntity`; at most `_MAX_NODES`."""
    nodes: list[Node] = []
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting and len(nodes) < _MAX_NODES:
        current, depth = waiting.pop(0)
        if isinstance(current, list) and depth < _MAX_DEPTH:
            waiting += [(each, depth + 1) for each in current[:_MAX_NODES]]
        elif isinstance(current, dict):
            nodes.append(current)
            if depth < _MAX_DEPTH:
                waiting += [(current[name], depth + 1) for name in ("@graph", "mainEntity") if name in current]
                waiting += [(main, depth + 1) for main in [current.get("mainEntityOfPage")] if isinstance(main, dict)]
    return nodes


def _kind(node: Node) -> str:
    types = node.get("@type", "")
    several = types if isinstance(types, list) else [types]
    names = [each.lower().rpartition("/")[2] for each in several[:_MAX_VALUES] if isinstance(each, str)]
    kinds = (kind for kind, pattern in _KINDS.items() if any(map(pattern.search, names)))
    return next(kinds, "other" if names else "untyped")


def _mentions_of(node: Node, by_id: dict[str, Node]) -> Iterator[Mention]:
    """Yield the mentions in the properties of an object that `data/properties.tsv` has for its kind."""
    kind = _kind(node)
    for name, value in list(node.items())[:_MAX_NODES]:
        row = PROPERTIES.get(("json-ld", f"{kind}.{name}"))
        if row is None:
            continue
        for slot, values in _values(row.field, value, by_id):
            if present := tuple(filter(None, values)):
                yield Mention(row.field, present, Source.JSON_LD, f"{kind}.{name}", slot=slot or row.slot)


def _values(field: Field, value: object, by_id: dict[str, Node]) -> list[tuple[str, Sequence[str]]]:
    """Return the values of a property as text, each with the feature column if it is not that of the property."""
    if field is Field.AUTHORS:
        people, firms = _names(value, by_id)
        return [("", people), (ORGANIZATION, firms)]
    if field is Field.SITE_NAME:
        return [("", [*(names := _names(value, by_id))[0], *names[1]][:1])]
    if field is Field.IMAGE:
        return [("", [_image(value, by_id)])]
    return [("", _keywords(value) if field is Field.TAGS else [first_text(value)])]


def first_text(value: object, limit: int = 500) -> str:
    """Return a text, the first of a list of texts, a number, or the text of a language-tagged value."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("@value", value.get("name"))
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)[:limit]
    text = clean_text(value, limit)
    return clean_text(html.unescape(text), limit) if "&" in text else text


def _names(value: object, by_id: dict[str, Node]) -> tuple[list[str], list[str]]:
    """Return the names of persons, and those of organizations: strings, objects with names, or references to them."""
    people: list[str] = []
    firms: list[str] = []
    for each in (value if isinstance(value, list) else [value])[:_MAX_VALUES]:
        node = each
        if isinstance(node, dict) and not node.get("name") and isinstance(node.get("@id"), str):
            node = by_id.get(node["@id"], node)
        name = _full_name(node) if isinstance(node, dict) else first_text(node, MAX_NAME_CHARS + 1)
        names = firms if isinstance(node, dict) and _kind(node) == "organization" else people
        if name and len(name) <= MAX_NAME_CHARS and name not in names:
            names.append(name)
    return people, firms


def _full_name(person: Node) -> str:
    name = first_text(person.get("name"), MAX_NAME_CHARS + 1)
    if name:
        return name
    return f"{first_text(person.get('givenName'), 60)} {first_text(person.get('familyName'), 60)}".strip()


def _image(value: object, by_id: dict[str, Node]) -> str:
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = by_id.get(value["@id"], value) if isinstance(value.get("@id"), str) and len(value) == 1 else value
        value = value.get("url") or value.get("contentUrl")
    return clean_text(value, 2000)


def _keywords(value: object) -> list[str]:
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return []
    return list(dict.fromkeys(first_text(each, MAX_NAME_CHARS) for each in value[:_MAX_VALUES]))
