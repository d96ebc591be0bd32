"""The comparison of two records: what differs, of which kind, on which page, and where first."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import lxml.html
from proof_records import META, SUFFIX, names_in, read_entries, read_meta

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from lxml import etree
    from proof_records import Entry

    Entries = Mapping[str, Mapping[str, Entry]]
    """Entries by kind and page."""
    Names = Mapping[str, str]
    """New names by old ones."""

TABLES = ("fields", "values", "text", "kinds")
"""What may be renamed: keys of JSON, whole strings in JSON, words in text and documents, kinds of entries."""
CONTEXT = 50
"""Characters that are shown before and after the place where two texts part."""

_DATA = re.compile(r"(<script\b[^>]*\bapplication/json\b[^>]*>)(.*?)(</script>)", re.DOTALL | re.IGNORECASE)
_ABSENT = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to compare.

    Attributes:
        renamed: a file of names that changed, or None.
        only: names of corpora or other parts; None for all.
        ignore: patterns of kinds that do not count.
        loose: let space between tags and the order of attributes not count.
        shown: how many differences are shown of each kind.
    """

    renamed: Path | None = None
    only: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    loose: bool = False
    shown: int = 3


@dataclass(frozen=True, slots=True)
class Renames:
    """Names that changed, by table of `TABLES`: for all kinds, and for those that match a pattern."""

    everywhere: Mapping[str, Names]
    somewhere: Mapping[str, Mapping[str, Names]]

    @classmethod
    def read(cls, path: Path | None) -> Renames:
        """Return the names in a file; its plain entries are of the table `fields`.

        Raises:
            ValueError: the file is neither TOML nor JSON, or something in it is no name.
        """
        if path is None:
            return cls({}, {})
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        plain = {old: new for old, new in found.items() if isinstance(new, str)}
        everywhere = {table: dict(found.get(table, {})) for table in TABLES}
        everywhere["fields"] |= plain
        somewhere = {name: table for name, table in found.items() if name not in TABLES and name not in plain}
        for tables in (everywhere, *somewhere.values()):
            if not set(tables) <= set(TABLES) or not all(map(_is_names, tables.values())):
                raise ValueError(f'{path} has to hold old = "new" in the tables {", ".join(TABLES)}')
        return cls(everywhere, somewhere)

    def names(self, table: str, kind: str) -> Names:
        """Return the names of a table that hold for a kind."""
        found = dict(self.everywhere.get(table, {}))
        for pattern, tables in self.somewhere.items():
            if fnmatchcase(kind, pattern):
                found |= tables.get(table, {})
        return found

    def json(self, value: Any, kind: str) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Return a value of JSON with its names changed."""
        fields, values = self.names("fields", kind), self.names("values", kind)
        return _renamed(value, fields, values) if fields or values else value

    def text(self, text: str, kind: str) -> str:
        """Return a text with its names changed, longer ones first."""
        names = self.names("text", kind)
        if not names:
            return text
        pattern = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        return re.sub(pattern, lambda found: names[found[0]], text)

    def kind(self, kind: str) -> str:
        """Return the name that a kind has now."""
        return self.everywhere.get("kinds", {}).get(kind, kind)


@dataclass(slots=True)
class Tally:
    """What was found of one kind: the pages that were compared, those that differ, and some of the differences."""

    pages: int = 0
    differ: int = 0
    shown: list[str] = field(default_factory=list)


def compare(before: Path, after: Path, options: Options) -> int:
    """Print what differs between two records. Return 0 if nothing does, else 1.

    Raises:
        ValueError: one is no record, they are of different settings, or names are wrong.
        OSError: a file cannot be read.
    """
    _check(before, after)
    renames = Renames.read(options.renamed)
    tallies: dict[str, Tally] = {}
    missing = []
    for name in names_in((before, after)):
        if options.only and name.rpartition("-")[0] not in options.only:
            continue
        paths = [folder / f"{name}{SUFFIX}" for folder in (before, after)]
        if not all(path.exists() for path in paths):
            missing.append(f"{name} is in {before if paths[0].exists() else after} alone")
            continue
        for kind, page, told in differences(*map(read_entries, paths), renames, options):
            tally = tallies.setdefault(kind, Tally())
            tally.pages += 1
            tally.differ += bool(told)
            if told and len(tally.shown) < options.shown:
                tally.shown.append(f"{name}, {page or 'all pages'}\n{told}")
    print(report(tallies, missing))
    return int(bool(missing) or any(tally.differ for tally in tallies.values()))


def report(tallies: Mapping[str, Tally], missing: Sequence[str]) -> str:
    """Return a table of the kinds, what is missing, and the differences to be shown."""
    width = max(map(len, tallies), default=0)
    lines = [f"{'':{width}}   pages  differ"]
    lines += [f"{kind:{width}}  {tally.pages:6}  {tally.differ:6}" for kind, tally in sorted(tallies.items())]
    for kind, tally in sorted(tallies.items()):
        lines += [f"\n{kind}: {each}" for each in tally.shown]
    lines += missing
    differ = sum(tally.differ for tally in tallies.values())
    compared = sum(tally.pages for tally in tallies.values())
    lines.append(
        f"\n{compared} entries of {len(tallies)} kinds were compared, {differ} differ, {len(missing)} parts miss"
    )
    return "\n".join(lines)


def differences(before: Entries, after: Entries, renames: Renames, options: Options) -> Iterator[tuple[str, str, str]]:
    """Give the kind and the page of each pair of entries, and what differs, empty if nothing does."""
    old = {renames.kind(kind): pages for kind, pages in before.items()}
    for kind in sorted({*old, *after}):
        if any(fnmatchcase(kind, pattern) for pattern in options.ignore):
            continue
        here, there = old.get(kind, {}), after.get(kind, {})
        for page in sorted({*here, *there}):
            if page not in here or page not in there:
                yield kind, page, f"  is in {'A' if page in here else 'B'} alone"
            else:
                yield from _pair(here[page]._replace(kind=kind), there[page], renames, options)


def _pair(a: Entry, b: Entry, renames: Renames, options: Options) -> Iterator[tuple[str, str, str]]:
    """Give what differs between two entries; the data of a document count as a kind of their own."""
    if a.form == b.form == "html":
        parts = [_split(entry.value) for entry in (a, b)]
        if any(data for _, data in parts) and not _ignored(f"{a.kind} data", options):
            told = "" if parts[0][1] == parts[1][1] else _json(*(data for _, data in parts), a.kind, renames)
            yield f"{a.kind} data", a.page, told
        frames = [frame for frame, _ in parts]
        yield a.kind, a.page, "" if frames[0] == frames[1] else _html(*frames, a.kind, renames, loose=options.loose)
    elif (a.form, a.value) == (b.form, b.value):
        yield a.kind, a.page, ""
    elif a.form == b.form == "json":
        yield a.kind, a.page, _json(a.value, b.value, a.kind, renames)
    else:
        yield a.kind, a.page, _text(renames.text(a.value, a.kind), b.value) or _forms(a, b)


def _ignored(kind: str, options: Options) -> bool:
    return any(fnmatchcase(kind, pattern) for pattern in options.ignore)


def _forms(a: Entry, b: Entry) -> str:
    return "" if a.form == b.form else f"  A has {a.form}, and B has {b.form}"


def _split(document: str) -> tuple[str, str]:
    """Return a document without the JSON in its scripts, and all of that as one array; empty if there is none."""
    found = [data for _, data, _ in _DATA.findall(document)]
    return _DATA.sub(r"\1\3", document), f"[{','.join(found)}]" if found else ""


def _json(a: str, b: str, kind: str, renames: Renames) -> str:
    """Return the first difference between two texts of JSON, or nothing; the order of fields does not count."""
    try:
        old, new = (json.loads(text or "null") for text in (a, b))
    except ValueError:
        return _text(a, b)
    found = next(_unequal(renames.json(old, kind), new, ""), None)
    if found is None:
        return ""
    place, left, right = found
    if isinstance(left, str) and isinstance(right, str):
        return f"  at {place or 'the top'}\n{_text(left, right)}"
    return f"  at {place or 'the top'}\n  A: {_short(left)}\n  B: {_short(right)}"


def _unequal(a: Any, b: Any, place: str) -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401 - whatever JSON holds
    """Give the places where two values of JSON differ, and what is there."""
    if isinstance(a, dict) and isinstance(b, dict):
        for name in [*a, *(name for name in b if name not in a)]:
            yield from _unequal(a.get(name, _ABSENT), b.get(name, _ABSENT), f"{place}.{name}")
    elif isinstance(a, list) and isinstance(b, list):
        for at, pair in enumerate(zip(a, b, strict=False)):
            yield from _unequal(*pair, f"{place}[{at}]")
        if len(a) != len(b):
            yield f"{place} (length)", len(a), len(b)
    elif a is not b and (type(a), repr(a)) != (type(b), repr(b)):  # so NaN is NaN, and 1 is neither 1.0 nor True
        yield place, a, b


def _html(a: str, b: str, kind: str, renames: Renames, *, loose: bool) -> str:
    """Return the first difference between two documents, or nothing."""
    a = renames.text(a, kind)
    return _text("\n".join(tokens(a)), "\n".join(tokens(b))) if loose else _text(a, b)


def tokens(document: str) -> list[str]:
    """Return the tags and texts of a document, attributes by name, space as one blank and none beside tags."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    root = lxml.html.document_fromstring(document.encode("utf-8", "replace") or b"<p>", parser=parser)
    found: list[str] = []
    _read(root, found)
    return [text for text in (" ".join(text.split()) for text in found) if text]


def _read(root: etree._Element, found: list[str]) -> None:
    """Add an element and all below it; without recursion, because pages are nested deeply."""
    waiting: list[tuple[etree._Element, bool]] = [(root, False)]
    while waiting:
        element, ends = waiting.pop()
        if ends:
            found += [f"</{element.tag}>", element.tail or ""]
        elif not isinstance(element.tag, str):
            found += [f"<!--{element.text}-->", element.tail or ""]
        else:
            attributes = "".join(f' {name}="{value}"' for name, value in sorted(element.attrib.items()))
            found += [f"<{element.tag}{attributes}>", element.text or ""]
            waiting.append((element, True))
            waiting += [(child, False) for child in reversed(element)]


def _text(a: str, b: str) -> str:
    """Return where two texts part, with what stands round it, or nothing."""
    if a == b:
        return ""
    at = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    line, column = a.count("\n", 0, at) + 1, at - (a.rfind("\n", 0, at) + 1) + 1
    start = max(at - CONTEXT, 0)
    return f"  at line {line}, column {column}\n  A: {_cut(a, start, at)}\n  B: {_cut(b, start, at)}"


def _cut(text: str, start: int, at: int) -> str:
    """Return what stands round a place, on one line."""
    part = repr(text[start : at + CONTEXT])[1:-1]
    return "…" * (start > 0) + part + "…" * (at + CONTEXT < len(text))


def _short(value: Any) -> str:  # noqa: ANN401 - whatever JSON holds
    text = "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 2 * CONTEXT else f"{text[: 2 * CONTEXT]}…"


def _renamed(value: Any, fields: Names, values: Names) -> Any:  # noqa: ANN401 - whatever JSON holds
    if isinstance(value, dict):
        return {fields.get(name, name): _renamed(each, fields, values) for name, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, fields, values) for each in value]
    return values.get(value, value) if isinstance(value, str) else value


def _is_names(table: object) -> bool:
    return isinstance(table, dict) and all(isinstance(name, str) for name in table.values())


def _check(before: Path, after: Path) -> None:
    """Say what keeps two records from being compared, and print the versions that differ."""
    metas = [read_meta(folder) for folder in (before, after)]
    for folder, meta in zip((before, after), metas, strict=True):
        if not meta:
            raise ValueError(f"{folder} is no record: it has no {META}")
    if metas[0]["plan"] != metas[1]["plan"]:
        raise ValueError(f"the records are of other settings: {metas[0]['plan']} and {metas[1]['plan']}")
    facts = [{**meta["versions"], "python": meta["python"], "browser": meta["browser"]} for meta in metas]
    for name in sorted({*facts[0], *facts[1]}):
        old, new = (each.get(name, "none") for each in facts)
        if old != new:
            print(f"{name} is {old} in A and {new} in B", file=sys.stderr)
