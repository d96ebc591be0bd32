"""Compare two records: list the differences by kind and page, with the location of the first difference."""

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
"""Tables of renamed names: keys in JSON, whole strings in JSON, words in text and documents, kinds of entries."""
CONTEXT = 50
"""Number of characters shown before and after the first difference of two texts."""

_DATA = re.compile(r"(<script\b[^>]*\bapplication/json\b[^>]*>)(.*?)(</script>)", re.DOTALL | re.IGNORECASE)
_ABSENT = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of a comparison.

    Attributes:
        renamed: file of names that changed, or None.
        only: names of corpora or other parts; None for all.
        ignore: patterns of kinds to ignore.
        loose: ignore space between tags, and the order of attributes.
        shown: number of differences to show of each kind.
    """

    renamed: Path | None = None
    only: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    loose: bool = False
    shown: int = 3


@dataclass(frozen=True, slots=True)
class Renames:
    """Names that changed.

    Attributes:
        all_kinds: new names by old names, by table of `TABLES`.
        by_pattern: the same for kinds that match a pattern, by pattern.
    """

    all_kinds: Mapping[str, Names]
    by_pattern: Mapping[str, Mapping[str, Names]]

    @classmethod
    def read(cls, path: Path | None) -> Renames:
        """Read the names from a file; its top-level strings belong to the table `fields`.

        Raises:
            ValueError: the file is neither TOML nor JSON, or contains something else than names.
        """
        if path is None:
            return cls({}, {})
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        fields = {old: new for old, new in content.items() if isinstance(new, str)}
        all_kinds = {table: dict(content.get(table, {})) for table in TABLES}
        all_kinds["fields"] |= fields
        by_pattern = {name: table for name, table in content.items() if name not in TABLES and name not in fields}
        for tables in (all_kinds, *by_pattern.values()):
            if not set(tables) <= set(TABLES) or not all(map(_is_names, tables.values())):
                raise ValueError(f'{path} must contain old = "new" in the tables {", ".join(TABLES)}')
        return cls(all_kinds, by_pattern)

    def names(self, table: str, kind: str) -> Names:
        """Return the names of a table that apply to a kind."""
        names = dict(self.all_kinds.get(table, {}))
        for pattern, tables in self.by_pattern.items():
            if fnmatchcase(kind, pattern):
                names |= tables.get(table, {})
        return names

    def json(self, value: Any, kind: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return a JSON value with its names replaced."""
        fields, values = self.names("fields", kind), self.names("values", kind)
        return _renamed(value, fields, values) if fields or values else value

    def text(self, text: str, kind: str) -> str:
        """Return a text with its names replaced, longer names first."""
        names = self.names("text", kind)
        if not names:
            return text
        pattern = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        return re.sub(pattern, lambda match: names[match[0]], text)

    def kind(self, kind: str) -> str:
        """Return the new name of a kind."""
        return self.all_kinds.get("kinds", {}).get(kind, kind)


@dataclass(slots=True)
class KindSummary:
    """Number of compared and of different pages of one kind, and some of the differences."""

    pages: int = 0
    differ: int = 0
    shown: list[str] = field(default_factory=list)


def compare(before: Path, after: Path, options: Options) -> int:
    """Print the differences between two records. Return 1 if there are any, else 0.

    Raises:
        ValueError: a folder is not a record, the records have different settings, or the names are invalid.
        OSError: a file cannot be read.
    """
    _check(before, after)
    renames = Renames.read(options.renamed)
    summaries: dict[str, KindSummary] = {}
    missing = []
    for name in names_in((before, after)):
        if options.only and name.rpartition("-")[0] not in options.only:
            continue
        paths = [folder / f"{name}{SUFFIX}" for folder in (before, after)]
        if not all(path.exists() for path in paths):
            missing.append(f"{name} is only in {before if paths[0].exists() else after}")
            continue
        for kind, page, difference in differences(*map(read_entries, paths), renames, options):
            summary = summaries.setdefault(kind, KindSummary())
            summary.pages += 1
            summary.differ += bool(difference)
            if difference and len(summary.shown) < options.shown:
                summary.shown.append(f"{name}, {page or 'all pages'}\n{difference}")
    print(report(summaries, missing))
    return int(bool(missing) or any(summary.differ for summary in summaries.values()))


def report(summaries: Mapping[str, KindSummary], missing: Sequence[str]) -> str:
    """Return a table of the kinds, the differences to show, and the missing parts."""
    width = max(map(len, summaries), default=0)
    lines = [f"{'':{width}}   pages  differ"]
    lines += [f"{kind:{width}}  {summary.pages:6}  {summary.differ:6}" for kind, summary in sorted(summaries.items())]
    for kind, summary in sorted(summaries.items()):
        lines += [f"\n{kind}: {difference}" for difference in summary.shown]
    lines += missing
    differ = sum(summary.differ for summary in summaries.values())
    compared = sum(summary.pages for summary in summaries.values())
    lines.append(
        f"\n{compared} entries of {len(summaries)} kinds were compared, {differ} differ, {len(missing)} parts missing"
    )
    return "\n".join(lines)


def differences(before: Entries, after: Entries, renames: Renames, options: Options) -> Iterator[tuple[str, str, str]]:
    """Yield kind, page and difference of each pair of entries; the difference of equal entries is empty."""
    old = {renames.kind(kind): pages for kind, pages in before.items()}
    for kind in sorted({*old, *after}):
        if _is_ignored(kind, options):
            continue
        pages_a, pages_b = old.get(kind, {}), after.get(kind, {})
        for page in sorted({*pages_a, *pages_b}):
            if page not in pages_a or page not in pages_b:
                yield kind, page, f"  is only in {'A' if page in pages_a else 'B'}"
            else:
                yield from _compare_entries(pages_a[page]._replace(kind=kind), pages_b[page], renames, options)


def _compare_entries(a: Entry, b: Entry, renames: Renames, options: Options) -> Iterator[tuple[str, str, str]]:
    """Yield kind, page and difference of two entries; the JSON in the scripts of a document has a separate kind."""
    if a.form == b.form == "html":
        parts = [_split(entry.value) for entry in (a, b)]
        if any(data for _, data in parts) and not _is_ignored(f"{a.kind} data", options):
            difference = "" if parts[0][1] == parts[1][1] else _json(*(data for _, data in parts), a.kind, renames)
            yield f"{a.kind} data", a.page, difference
        markup = [document for document, _ in parts]
        yield a.kind, a.page, "" if markup[0] == markup[1] else _html(*markup, a.kind, renames, loose=options.loose)
    elif (a.form, a.value) == (b.form, b.value):
        yield a.kind, a.page, ""
    elif a.form == b.form == "json":
        yield a.kind, a.page, _json(a.value, b.value, a.kind, renames)
    else:
        yield a.kind, a.page, _text(renames.text(a.value, a.kind), b.value) or _form_difference(a, b)


def _is_ignored(kind: str, options: Options) -> bool:
    return any(fnmatchcase(kind, pattern) for pattern in options.ignore)


def _form_difference(a: Entry, b: Entry) -> str:
    return "" if a.form == b.form else f"  A has {a.form}, and B has {b.form}"


def _split(document: str) -> tuple[str, str]:
    """Return a document without the JSON in its scripts, and that JSON as one array; empty if there is none."""
    scripts = [data for _, data, _ in _DATA.findall(document)]
    return _DATA.sub(r"\1\3", document), f"[{','.join(scripts)}]" if scripts else ""


def _json(a: str, b: str, kind: str, renames: Renames) -> str:
    """Return the first difference between two JSON texts, or an empty string; the order of fields does not count."""
    try:
        old, new = (json.loads(text or "null") for text in (a, b))
    except ValueError:
        return _text(a, b)
    first = next(_unequal(renames.json(old, kind), new, ""), None)
    if first is None:
        return ""
    path, left, right = first
    if isinstance(left, str) and isinstance(right, str):
        return f"  at {path or 'the top'}\n{_text(left, right)}"
    return f"  at {path or 'the top'}\n  A: {_short(left)}\n  B: {_short(right)}"


def _unequal(a: Any, b: Any, path: str) -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401 - any JSON value
    """Yield the paths where two JSON values differ, with both values."""
    if isinstance(a, dict) and isinstance(b, dict):
        for name in [*a, *(name for name in b if name not in a)]:
            yield from _unequal(a.get(name, _ABSENT), b.get(name, _ABSENT), f"{path}.{name}")
    elif isinstance(a, list) and isinstance(b, list):
        for index, pair in enumerate(zip(a, b, strict=False)):
            yield from _unequal(*pair, f"{path}[{index}]")
        if len(a) != len(b):
            yield f"{path} (length)", len(a), len(b)
    elif a is not b and (type(a), repr(a)) != (type(b), repr(b)):  # NaN equals NaN, and 1 differs from 1.0 and True
        yield path, a, b


def _html(a: str, b: str, kind: str, renames: Renames, *, loose: bool) -> str:
    """Return the first difference between two documents, or an empty string."""
    a = renames.text(a, kind)
    return _text("\n".join(tokens(a)), "\n".join(tokens(b))) if loose else _text(a, b)


def tokens(document: str) -> list[str]:
    """Return the tags and texts of a document. Attributes are sorted, and white space is collapsed and trimmed."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    root = lxml.html.document_fromstring(document.encode("utf-8", "replace") or b"<p>", parser=parser)
    return [text for text in (" ".join(text.split()) for text in _tags_and_texts(root)) if text]


def _tags_and_texts(root: etree._Element) -> Iterator[str]:
    """Yield tags and texts in document order; without recursion, because pages are nested deeply."""
    stack: list[tuple[etree._Element, bool]] = [(root, False)]
    while stack:
        element, is_end = stack.pop()
        if is_end:
            yield from (f"</{element.tag}>", element.tail or "")
        elif not isinstance(element.tag, str):
            yield from (f"<!--{element.text}-->", element.tail or "")
        else:
            attributes = "".join(f' {name}="{value}"' for name, value in sorted(element.attrib.items()))
            yield from (f"<{element.tag}{attributes}>", element.text or "")
            stack.append((element, True))
            stack += [(child, False) for child in reversed(element)]


def _text(a: str, b: str) -> str:
    """Return line, column and context of the first difference between two texts, or an empty string."""
    if a == b:
        return ""
    index = next((index for index, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    line, column = a.count("\n", 0, index) + 1, index - (a.rfind("\n", 0, index) + 1) + 1
    start = max(index - CONTEXT, 0)
    return f"  at line {line}, column {column}\n  A: {_excerpt(a, start, index)}\n  B: {_excerpt(b, start, index)}"


def _excerpt(text: str, start: int, index: int) -> str:
    """Return the text from `start` to `CONTEXT` characters after `index`, on one line."""
    part = repr(text[start : index + CONTEXT])[1:-1]
    return "…" * (start > 0) + part + "…" * (index + CONTEXT < len(text))


def _short(value: Any) -> str:  # noqa: ANN401 - any JSON value
    text = "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 2 * CONTEXT else f"{text[: 2 * CONTEXT]}…"


def _renamed(value: Any, fields: Names, values: Names) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {fields.get(name, name): _renamed(each, fields, values) for name, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, fields, values) for each in value]
    return values.get(value, value) if isinstance(value, str) else value


def _is_names(table: object) -> bool:
    return isinstance(table, dict) and all(isinstance(name, str) for name in table.values())


def _check(before: Path, after: Path) -> None:
    """Check that two records can be compared, and print the versions that differ.

    Raises:
        ValueError: a folder is not a record, or the records have different settings.
    """
    metas = [read_meta(folder) for folder in (before, after)]
    for folder, meta in zip((before, after), metas, strict=True):
        if not meta:
            raise ValueError(f"{folder} is not a record: it contains no {META}")
    if metas[0]["plan"] != metas[1]["plan"]:
        raise ValueError(f"the records have different settings: {metas[0]['plan']} and {metas[1]['plan']}")
    facts = [{**meta["versions"], "python": meta["python"], "browser": meta["browser"]} for meta in metas]
    for name in sorted({*facts[0], *facts[1]}):
        old, new = (each.get(name, "none") for each in facts)
        if old != new:
            print(f"{name} is {old} in A and {new} in B", file=sys.stderr)
