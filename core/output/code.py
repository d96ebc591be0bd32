"""Find code, its programming language and its line numbers.

The language is in the classes and attributes of `pre`, `code` and the elements around them.

The names of languages are those of GitHub Linguist, as usual in Markdown: `js` becomes `javascript`. Beside a class
such as `hljs` or `highlight`, a known language is one, too.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree
from vclean.features.blocks import find_block_level
from vclean.files import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot

_PREFIXED: Final = re.compile(r"(?<!\S)(?:lang|language)[-:]([\w+#.-]+)(?!\S)", re.IGNORECASE)
"""Class that the HTML standard recommends (4.5.15), its short form, and that of Crayon; the language may be unknown."""
_FORMS: Final = (
    re.compile(r"(?<!\S)brush:\s*([\w+#.-]+)", re.IGNORECASE),
    re.compile(r"(?<!\S)highlight-(?:source|text)-([\w+#.-]+)(?!\S)", re.IGNORECASE),
    re.compile(r"(?<!\S)highlight-([\w+#.]+)(?!\S)", re.IGNORECASE),
    re.compile(r"(?<!\S)cm-s-\S+\s+cm-lang-([\w+#.-]+)", re.IGNORECASE),
)
"""Classes of SyntaxHighlighter, GitHub, Sphinx and CodeMirror; the language has to be known."""
_HIGHLIGHTERS: Final = frozenset((
    "codehilite", "code-block", "enlighterjsraw", "highlight", "highlighter-rouge", "hljs", "prettyprint", "prism",
    "shiki", "sourcecode", "syntaxhighlighter",
))  # fmt: skip
"""Classes of highlighters; on code, a class beside them that is a known language is its language."""
_AMBIGUOUS: Final = frozenset(("atom", "basic", "conf", "feature", "git", "make", "node", "patch", "properties"))
"""Names of languages that are common words in classes."""
_ATTRIBUTES: Final = ("data-lang", "data-language")
_PLAIN: Final = frozenset(("text", "txt", "plain", "plaintext", "plain-text", "none", "nohighlight", "no-highlight",
                           "default", "auto", "raw", "output", "undefined", "null"))  # fmt: skip
"""Names for text without a programming language."""
_NAME: Final = re.compile(r"[\w+#.-]+")
_MAX_HUMAN_LANGUAGE: Final = 2
"""Length of the usual codes of human languages: `lang-cs` is Czech rather than C#."""
_MAX_DISTANCE: Final = 6
"""Most elements between code and an element whose class is its language."""
_MAX_CODES: Final = 2
"""Most `pre` elements of an element whose class is their language: code and its line numbers."""


_CODE_TAGS: Final = ("code", "samp", "tt", "kbd")
_LINE_CLASS: Final = re.compile(r"(?<!\S)(?:blob-(?:code|wrapper)|code-lines?|hljs-ln|linenodiv)(?!\S)")
"""Classes of tables of code with a row per line, as on GitHub."""


def code_elements(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements are code in several lines, bool (N,).

    These are `pre`, elements for code that keep their line breaks (`white-space: pre`), and those with the class of a
    highlighter or of a table of lines.
    """
    is_code: NDArray[np.bool_] = snapshot.is_tag(("pre",))
    keeps_lines = snapshot.styles.is_in("white-space", ("pre", "pre-wrap", "break-spaces"))[snapshot.style]
    is_code = is_code | (snapshot.is_tag(_CODE_TAGS) & keeps_lines)
    classes = snapshot.values("class")
    hits = [
        not _HIGHLIGHTERS.isdisjoint(value.lower().split()) or bool(_LINE_CLASS.search(value))
        for value in classes.distinct
    ]
    named = np.zeros(len(snapshot), dtype=bool)
    named[classes.node[np.array(hits, dtype=bool)[classes.index]]] = True
    return np.asarray(is_code | (named & snapshot.is_tag(("table", "div", "figure", "td", "code"))))


@cache
def _languages() -> dict[str, str]:
    """Return the names of languages by their names and aliases."""
    rows = read_table(__file__, "code_languages.tsv")
    return {alias: name for name, aliases in rows for alias in (name, *aliases.split())}


def normalize_language(name: str) -> str:
    """Return the usual name of a language in lower case; empty for names of plain text.

    >>> [normalize_language(name) for name in ("JS", "python3", "klingon", "txt")]
    ['javascript', 'python', 'klingon', '']
    """
    lower = name.lower().strip(".-")
    return "" if lower in _PLAIN or not lower else _languages().get(lower, lower)


class CodeLanguages:
    """Programming languages of the code of a page.

    Args:
        snapshot: the page.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._classes = snapshot.attributes("class")
        self._attributes = [snapshot.attributes(name) for name in _ATTRIBUTES]

    def of(self, element: int) -> str:
        """Return the language of a `pre` or `code` element; empty if it is unknown.

        A `pre` element without a language gets that of the elements around it, unless code in it has one.
        """
        language = self._named(element, is_code=True)
        snapshot = self._snapshot
        if language or snapshot.tags[snapshot.tag[element]] != "pre":
            return language
        if any(self._named(code, is_code=True) for code in self._codes_in(element)):
            return ""
        return next(filter(None, map(self._named, self._around(element))), "")

    def _codes_in(self, element: int) -> Iterator[int]:
        snapshot = self._snapshot
        for inside in range(element + 1, int(snapshot.end[element])):
            if snapshot.tags[snapshot.tag[inside]] == "code":
                yield inside

    def _around(self, element: int) -> Iterator[int]:
        """Iterate over the elements around code that have no other code."""
        snapshot = self._snapshot
        pre = snapshot.tags.index("pre")
        for ancestor in snapshot.ancestors(element)[1 : _MAX_DISTANCE + 1]:
            codes = (snapshot.tag[ancestor : int(snapshot.end[ancestor])] == pre).sum()
            if ancestor == 0 or codes > _MAX_CODES or snapshot.tags[snapshot.tag[ancestor]] in ("body", "main"):
                return
            yield ancestor

    def _named(self, element: int, *, is_code: bool = False) -> str:
        """Return the language in the attributes of an element.

        Outside code it has to be a known one, and short names, which may be those of human languages, need the class of
        a highlighter.
        """
        classes = self._classes.get(element, "")
        names = classes.lower().split()
        is_highlighted = not _HIGHLIGHTERS.isdisjoint(names)
        prefixed = _PREFIXED.search(classes)
        given = [values.get(element, "") for values in self._attributes] if is_code or is_highlighted else []
        for name in (*given, prefixed[1] if prefixed else ""):
            language = _language(name, known=not is_code)
            if language and (is_code or is_highlighted or len(name) > _MAX_HUMAN_LANGUAGE):
                return language
        formed = (_language(match[1], known=True) for form in _FORMS if (match := form.search(classes)))
        beside = (_languages().get(name, "") for name in names if name not in _AMBIGUOUS | _HIGHLIGHTERS)
        return next(filter(None, formed), "") or (next(filter(None, beside), "") if is_highlighted else "")


def _language(name: str, *, known: bool) -> str:
    """Return the language of a name; if it has to be `known`, that of its last or first part, as in `html.erb`."""
    if not _NAME.fullmatch(name):
        return ""
    language = normalize_language(name)
    if not known or language in _languages():
        return language
    parts = re.split(r"[.-]", language)
    return next((_languages()[part] for part in (parts[-1], parts[0]) if part in _languages()), "")


def line_numbers(blocks: BlockColumns) -> NDArray[np.int32]:
    """Return the text nodes of `pre` elements that are line numbers, int32 (K,).

    They are integers that count up by one. Either they are all the text of a `pre` element, and the next one has as
    many lines; a single text needs to be in the same row of a table. Or each is a text of its own at the start of a
    line, and the code has a line for each.
    """
    snapshot = blocks.snapshot
    is_code = snapshot.is_tag(("pre",))
    if not is_code.any():
        return np.zeros(0, dtype=np.int32)
    owner = tree.nearest_ancestor(is_code, snapshot.parent)[snapshot.text_parent]
    texts = np.flatnonzero(is_code[owner])
    starts = np.flatnonzero(np.diff(owner[texts])) + 1
    lines = [
        _Lines(rows, [snapshot.texts[row] for row in rows.tolist()], breaks)
        for rows, breaks in zip(np.split(texts, starts), np.split(_breaks(blocks, texts), starts), strict=True)
        if len(rows)
    ]
    row = tree.nearest_ancestor(snapshot.is_tag(("tr",)), snapshot.parent)[snapshot.text_parent]
    alone = [
        one.rows
        for one, after in pairwise(lines)
        if one.counts_lines_of(after) and (len(one.rows) > 1 or row[one.rows[0]] == row[after.rows[0]] > 0)
    ]
    inside = [one.numbers for one in lines]
    return np.concatenate([np.zeros(0, dtype=np.intp), *alone, *inside]).astype(np.int32)


def _breaks(blocks: BlockColumns, texts: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return whether a `br` or the end of a block breaks the line before each of K `texts`, bool (K,)."""
    snapshot = blocks.snapshot
    container = tree.nearest_ancestor(find_block_level(snapshot), snapshot.parent)[snapshot.text_parent[texts]]
    count = np.append(0, np.cumsum(snapshot.is_tag(("br",))))[snapshot.text_after[texts] + 1]
    return np.append(True, (np.diff(container) != 0) | (np.diff(count) > 0))


class _Lines:
    """Lines of a `pre` element.

    Attributes:
        rows: (K,), its text nodes.
    """

    def __init__(self, rows: NDArray[np.intp], texts: list[str], breaks: NDArray[np.bool_]) -> None:
        self.rows = rows
        starts_line = zip(breaks.tolist(), [True, *(text.endswith("\n") for text in texts[:-1])], texts, strict=True)
        self._is_number = [(one or other) and text.strip().isdecimal() for one, other, text in starts_line]
        self._texts = ["\n" * one + text for one, text in zip(breaks.tolist(), texts, strict=True)]

    def _lines(self, *, numbers: bool) -> list[str]:
        """Return the lines with text, without the texts that may be numbers if not requested."""
        texts = [text for text, flag in zip(self._texts, self._is_number, strict=True) if numbers or not flag]
        return [line for line in "".join(texts).split("\n") if line.strip()]

    def counts_lines_of(self, code: _Lines) -> bool:
        """Return True if the text numbers the lines of `code`; empty lines may lack a number."""
        numbers, count = [line.strip() for line in self._lines(numbers=True)], len(code._lines(numbers=True))
        return _count_up(numbers) and count <= len(numbers) <= 2 * count + 1

    @property
    def numbers(self) -> NDArray[np.intp]:
        """Return the texts that number the other lines of the element, (N,)."""
        numbers = [text.strip() for text, flag in zip(self._texts, self._is_number, strict=True) if flag]
        if len(numbers) < 2 or not _count_up(numbers) or not 0 < len(self._lines(numbers=False)) <= len(numbers):
            return self.rows[:0]
        return np.asarray(self.rows[np.array(self._is_number, dtype=bool)])


def _count_up(numbers: list[str]) -> bool:
    """Return whether texts are integers in ascending order without gaps.

    >>> _count_up(["9", "10", "11"]), _count_up(["1", "3"]), _count_up(["x"]), _count_up([])
    (True, False, False, False)
    """
    if not numbers or not all(map(str.isdecimal, numbers)):
        return False
    first = int(numbers[0])
    return [*map(int, numbers)] == list(range(first, first + len(numbers)))
