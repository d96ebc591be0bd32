"""Find code, its programming language and its line numbers.

The language is in the classes and attributes of `pre`, `code` and the elements around them.

A language has the name that the page gives it, such as `js`. Beside a class such as `hljs` or `highlight`, a name that
GitHub Linguist knows is one, too.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain, compress, takewhile
from textwrap import dedent
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.blocks import find_block_level
from vclean.files import read_table
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot

_PREFIXED: Final = re.compile(r"(?<!\S)(?:lang|language)[-:]([\w+#.-]+)(?!\S)", re.IGNORECASE)
"""Class that the HTML standard recommends (4.5.15), its short form, and that of Crayon; the language may be unknown."""
_FORM: Final = re.compile(
    r"(?<!\S)(?:brush:\s*|highlight-(?:(?:source|text)-)?|cm-s-\S+\s+cm-lang-)([\w+#.-]+)", re.IGNORECASE
)
"""Classes of SyntaxHighlighter, GitHub, Sphinx and CodeMirror; the language has to be known."""
_HIGHLIGHTERS: Final = frozenset((
    "codehilite", "code-block", "enlighterjsraw", "highlight", "hl", "highlighter-rouge", "hljs", "prettyprint",
    "prism", "shiki", "sourcecode", "syntaxhighlighter",
))  # fmt: skip
"""Classes of highlighters; on code, a class beside them that is a known language is its language."""
_HIGHLIGHTED: Final = re.compile(rf"(?<!\S)(?:{'|'.join(sorted(_HIGHLIGHTERS))})(?!\S)", re.IGNORECASE)
_ATTRIBUTES: Final = ("data-lang", "data-language", "language")
_PLAIN: Final = frozenset(("text", "txt", "plain", "plaintext", "plain-text", "none", "nohighlight", "no-highlight",
                           "default", "auto", "raw", "output", "undefined", "null"))  # fmt: skip
"""Names for text without a programming language."""
_NAME: Final = re.compile(r"[\w+#.-]+")
_MAX_HUMAN_LANGUAGE: Final = 2
"""Length of the usual codes of human languages: `lang-cs` is Czech rather than C#."""
_MAX_DISTANCE: Final = 6
"""Most elements between code and an element whose class is its language."""


_CODE_TAGS: Final = ("code", "samp", "tt", "kbd")
_FRAMES: Final = ("table", "div", "figure", "td", "code")
"""Elements with the class of a highlighter."""
_LINE_CLASS: Final = re.compile(r"(?<!\S)(?:blob-(?:code|wrapper)|code-lines?|hljs-ln|linenodiv)(?!\S)")
"""Classes of tables of code with a row per line, as on GitHub."""
_PROMPT: Final = re.compile(r"(?:^|\s)(?:gp|\w+-prompt|prompt)(?:\s|$)", re.IGNORECASE)
"""Class of a prompt before a command; `gp` is that of Pygments."""
_PROMPTS: Final = frozenset("$#%>")
"""Prompts of shells. Those of Python are part of a session, and stay."""
_BUTTONS: Final = ("button", "select", "svg", "style", "script", "template", "textarea")
_COPY: Final = re.compile(r"(?:cop(?:y|ied|iar|ier)|kopieren|复制|コピー|복사)(?:\W.{0,20})?", re.IGNORECASE)
"""Text of the button that copies code."""
_NOT_ALONE: Final = (*HEADING_TAGS, "p", "li", "dt", "dd", "td", "th", "summary", "label", "span", "a", "b", "strong",
                     "em", "i")  # fmt: skip
"""Parents of code in a line."""


def code_elements(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements are code in several lines, bool (N,).

    These are `pre`, elements for code that keep their line breaks (`white-space: pre`), tables of lines, and elements
    with the class of a highlighter that declare a language or of whose characters most are in such elements. Other
    elements with such a class, such as `highlight`, are advertisements, boxes and whole articles.
    """
    keeps_lines = snapshot.styles.is_in("white-space", ("pre", "pre-wrap", "break-spaces"))[snapshot.style]
    is_code = snapshot.is_tag(("pre",)) | (snapshot.is_tag(_CODE_TAGS) & keeps_lines)
    named = snapshot.having("class", _HIGHLIGHTED) & snapshot.is_tag(_FRAMES)
    if named.any():
        in_code = keeps_lines | tree.inside(snapshot.is_tag(_CODE_TAGS), snapshot.end)
        is_highlighted = 2 * count_characters(snapshot, in_code) > count_characters(snapshot)
        for attribute in _ATTRIBUTES:
            is_highlighted[snapshot.values(attribute).node] = True
        is_code |= named & is_highlighted
    return np.asarray(is_code | (snapshot.having("class", _LINE_CLASS) & snapshot.is_tag(_FRAMES)))


def count_characters(snapshot: Snapshot, within: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Return the number of characters in each element, float64 (N,): all, or those directly in elements `within`."""
    counts = np.bincount(snapshot.text_parent, snapshot.text_length, len(snapshot))
    return np.asarray(tree.subtree_sum(counts if within is None else counts * within, snapshot.end))


class Code:
    """Code blocks of a page: what is written between fences.

    A code block is a `pre` element; else an element of code that is alone in its block or keeps several lines; else an
    element with the class of a highlighter, such as a table of lines.

    Attributes:
        roots: the elements, int64 (K,); none is in another.
        texts: bool (T,), whether each text node is in one of them, its gutter or toolbar, or the name of its tab.
        tabs: the name of the tab of each element that is the first one in its panel.
    """

    def __init__(self, blocks: BlockColumns) -> None:
        self._blocks, self._snapshot = blocks, blocks.snapshot
        snapshot = self._snapshot
        own = np.bincount(snapshot.text_parent, snapshot.text_length, len(snapshot))
        in_pre = (snapshot.is_tag(("pre",)) & (own == 0))[snapshot.parent]  # an example in several languages
        self._is_line = find_block_level(snapshot) | (snapshot.is_tag(("code",)) & in_pre)
        self.roots = self._find_roots()
        self.texts: NDArray[np.bool_] = snapshot.inside(self.roots)[snapshot.text_parent] >= 0
        self.tabs: dict[int, str] = {}
        if len(self.roots):
            no_code = snapshot.hidden > 0
            for root in self.roots[no_code[self.roots]].tolist():  # in the panel of another tab
                no_code[root : int(snapshot.end[root])] = False
            self._is_button = snapshot.is_tag(_BUTTONS)
            no_code |= self._is_button
            for element in np.flatnonzero(snapshot.having("class", _PROMPT)).tolist():
                no_code[element] |= snapshot.text_in(element).strip() in _PROMPTS
            self._left_out = tree.path_sum(no_code, snapshot.end)
            self._numbers = frozenset(line_numbers(blocks, self.roots).tolist())
            self._toolbars = {root: self._toolbar(root) for root in self.roots.tolist()}
            self.texts[[text for texts in self._toolbars.values() for text in texts]] = True
            for panel, tab in self._panels().items():
                first = self.roots[(self.roots >= panel) & (self.roots < snapshot.end[panel])][:1].tolist()
                self.texts[snapshot.texts_in(tab)] |= bool(first)
                self.tabs |= dict.fromkeys(first, " ".join(snapshot.text_in(tab).split()))

    def _panels(self) -> dict[int, int]:
        """Return the tab of each panel, which it controls, or has the place of among as many (WAI-ARIA, `tabpanel`)."""
        snapshot, roles = self._snapshot, self._snapshot.attributes("role")
        panels = [element for element, role in roles.items() if role == "tabpanel"]
        ids = {name: each for each, name in snapshot.attributes("id").items()} if panels else {}
        controls = snapshot.attributes("aria-controls")
        lists: dict[int, list[int]] = {}
        for tab in [element for element, role in roles.items() if role == "tab"] if panels else ():
            above = snapshot.ancestors(tab)
            lists.setdefault(next((each for each in above if roles.get(each) == "tablist"), above[1]), []).append(tab)
        tab_of: dict[int, int] = {}
        for tabs in lists.values():
            named = [ids.get(controls.get(tab, ""), -1) for tab in tabs]
            after = [panel for panel in panels if panel > tabs[-1] and panel not in tab_of]
            beside = [panel for panel in after if snapshot.parent[panel] == snapshot.parent[after[0]]]
            if min(named) >= 0 or len(beside) == len(tabs):
                tab_of |= dict(zip(named if min(named) >= 0 else beside, tabs, strict=True))
        return tab_of

    def _find_roots(self) -> NDArray[np.intp]:
        snapshot = self._snapshot
        is_pre = snapshot.is_tag(("pre",))
        marked = code_elements(snapshot) & ~is_pre
        with_pre = tree.subtree_sum(is_pre, snapshot.end) > 0
        marked &= ~with_pre & ~snapshot.is_tag(("figure",))
        inline = snapshot.is_tag(_CODE_TAGS)
        marked |= inline & self._are_alone(inline & ~with_pre)
        marked[[row for row in np.flatnonzero(marked & inline).tolist() if not self._is_block(row)]] = False
        is_root = is_pre | marked
        return np.flatnonzero(is_root & (tree.path_sum(is_root, snapshot.end) == 1))

    def _are_alone(self, inline: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which elements of code are all the text of a block outside paragraphs, items and cells, bool (N,)."""
        snapshot, blocks = self._snapshot, self._blocks
        alone = np.zeros(len(snapshot), dtype=bool)
        code = tree.nearest_ancestor(inline, snapshot.parent)[snapshot.text_parent[blocks.members]]
        lowest, highest = (of_block.reduceat(code, blocks.first) for of_block in (np.minimum, np.maximum))
        alone[lowest[lowest == highest]] = True
        return alone & inline & ~snapshot.is_tag(_NOT_ALONE)[snapshot.parent]

    def _is_block(self, element: int) -> bool:
        """Return whether an inline element of code is a code block: of several lines, or alone and highlighted."""
        snapshot = self._snapshot
        lines = _lines([snapshot.text_in(element)])
        tags = [snapshot.tags[tag] for tag in snapshot.tag[element + 1 : int(snapshot.end[element])].tolist()]
        is_alone = not snapshot.is_tag(_NOT_ALONE)[snapshot.parent[element]]
        is_highlighted = len(tags) - tags.count("a") >= 3  # a highlighter colored its words
        return len(lines) > 1 or "br" in tags or (is_alone and is_highlighted)

    def _toolbar(self, root: int) -> list[int]:
        """Return the texts of buttons and languages in the frame of code."""
        snapshot, texts = self._snapshot, list[int]()
        for ancestor in snapshot.ancestors(root)[1 : _MAX_DISTANCE + 1]:
            inside = snapshot.texts_in(ancestor)
            others = [text for text in inside if not self.texts[text] and snapshot.texts[text].strip()]
            if not all(map(self._is_toolbar, others)):
                break
            texts = others
        return texts

    def _is_toolbar(self, text: int) -> bool:
        snapshot = self._snapshot
        words = " ".join(snapshot.texts[text].split())
        in_button = self._is_button[snapshot.ancestors(int(snapshot.text_parent[text]))[:4]].any()
        is_heading = snapshot.tags[snapshot.tag[snapshot.text_parent[text]]] in HEADING_TAGS
        is_label = bool(_COPY.fullmatch(words)) or words.lower() in _languages()
        return bool(in_button) or (is_label and not is_heading)

    def language(self, root: int) -> str:
        """Return the language of a code block; empty if it is unknown.

        It is that of the element, or of code in it, or of the elements around it, or the name in its toolbar.
        """
        snapshot = self._snapshot
        inside = root + 1 + np.flatnonzero(snapshot.is_tag(("code",))[root + 1 : int(snapshot.end[root])])
        own = (self._named(each, is_code=True) for each in (root, *inside[:1].tolist()))
        names = (" ".join(snapshot.texts[text].split()).lower() for text in self._toolbars[root])
        in_toolbar = (name for name in names if name in _languages())
        around = snapshot.ancestors(root)[1 : _MAX_DISTANCE + 1]
        in_page = takewhile(lambda each: snapshot.tags[snapshot.tag[each]] not in ("html", "body", "main"), around)
        return next(filter(None, chain(own, map(self._named, in_page), in_toolbar)), "")

    def _named(self, element: int, *, is_code: bool = False) -> str:
        """Return the language in the attributes of an element.

        Outside code it has to be a known one, and short names, which may be those of human languages, need the class of
        a highlighter.
        """
        attributes = self._snapshot.attributes
        classes = attributes("class").get(element, "")
        names = classes.lower().split()
        is_highlighted = not _HIGHLIGHTERS.isdisjoint(names)
        prefixed = _PREFIXED.search(classes)
        given = [attributes(name).get(element, "") for name in _ATTRIBUTES] if is_code or is_highlighted else []
        for name in (*given, prefixed[1] if prefixed else ""):
            language = _language(name, known=not is_code)
            if language and (is_code or is_highlighted or len(name) > _MAX_HUMAN_LANGUAGE):
                return language
        formed = (_language(name, known=True) for name in _FORM.findall(classes))
        beside = (name for name in names if name in _languages() and name not in _HIGHLIGHTERS)
        return next(filter(None, formed), "") or (next(filter(None, beside), "") if is_highlighted else "")

    def text(self, root: int) -> str:
        """Return the lines of a code block, without gutters and buttons."""
        snapshot, code, lines = self._snapshot, "", [root]
        is_left_out = self._left_out > self._left_out[root]
        for element in range(root, int(snapshot.end[root])):
            if snapshot.tags[snapshot.tag[element]] == "br" and not is_left_out[element]:
                code += "\n"
            elif self._is_line[element] and element != root and not is_left_out[element]:
                code = _ended(code)
                lines.append(element)
            for text in snapshot.texts_after(element):
                parent, words = int(snapshot.text_parent[text]), snapshot.texts[text]
                if parent < root or is_left_out[parent] or text in self._numbers:
                    continue
                depth = len(lines)
                while not (lines[-1] <= parent < snapshot.end[lines[-1]]):
                    lines.pop()
                if len(lines) < depth and words.strip(" ") and not words.startswith("\n"):
                    code = _ended(code)
                code += words * bool(not snapshot.text_hidden[text] or snapshot.hidden[root])
        code = code.replace("\N{NO-BREAK SPACE}", " ")
        return (code if snapshot.tags[snapshot.tag[root]] == "pre" else dedent(code).rstrip()).strip("\n")


def _ended(code: str) -> str:
    """Return code with a line break at its end."""
    return code if code.endswith("\n") else code + "\n"


@cache
def _languages() -> frozenset[str]:
    """Return the names and aliases of programming languages."""
    rows = read_table(__file__, "code_languages.tsv")
    return frozenset(alias for name, aliases in rows for alias in (name, *aliases.split()))


def _language(name: str, *, known: bool) -> str:
    """Return the language of a name, which may have to be `known`; empty for names of plain text.

    >>> [_language(name, known=False) for name in ("JS", "klingon", "txt")]
    ['js', 'klingon', '']
    """
    language = name.lower().strip(".-") if _NAME.fullmatch(name) else ""
    return language if language not in _PLAIN and (not known or language in _languages()) else ""


def line_numbers(blocks: BlockColumns, roots: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return the text nodes of code blocks that are line numbers, int32 (K,).

    They are integers that count up by one. Either they are all the text of a code block, and the next one has as many
    lines; a single text needs to be in the same row of a table. Or each is a text of its own at the start of a line,
    and the code has a line for each.
    """
    snapshot = blocks.snapshot
    owner = snapshot.inside(roots)[snapshot.text_parent]
    texts = np.flatnonzero(owner >= 0)
    line = tree.nearest_ancestor(find_block_level(snapshot), snapshot.parent)[snapshot.text_parent[texts]]
    number = np.append(0, np.cumsum(snapshot.is_tag(("br",))))[snapshot.text_after[texts] + 1]
    breaks = np.append(True, (np.diff(line) != 0) | (np.diff(number) > 0))  # before each text
    row = tree.nearest_ancestor(snapshot.is_tag(("tr",)), snapshot.parent)[snapshot.text_parent]
    found = [texts[:0]]
    before, lines_before = texts[:0], list[str]()
    for span in np.split(np.arange(len(texts)), np.flatnonzero(np.diff(owner[texts])) + 1):
        rows, flags = texts[span], breaks[span].tolist()
        parts = ["\n" * flag + snapshot.texts[text] for flag, text in zip(flags, rows.tolist(), strict=True)]
        lines = _lines(parts)
        is_apart = len(before) > 1 or (len(before) == 1 and row[before[0]] == row[rows[0]] > 0)
        if is_apart and _count_up(lines_before) and len(lines) <= len(lines_before) <= 2 * len(lines) + 1:
            found.append(before)
        found.append(rows[_are_numbers(parts, flags)])
        before, lines_before = rows, lines
    return np.concatenate(found).astype(np.int32)


def _are_numbers(texts: list[str], breaks: list[bool]) -> NDArray[np.bool_]:
    """Return which K texts of a code block number its other lines, bool (K,), given where a line begins before them."""
    starts_line = [flag or before.endswith("\n") for flag, before in zip(breaks, ["\n", *texts], strict=False)]
    is_number = [flag and text.strip().isdecimal() for flag, text in zip(starts_line, texts, strict=True)]
    numbers = list(compress(texts, is_number))
    lines = _lines(text for text, flag in zip(texts, is_number, strict=True) if not flag)
    are_numbers = len(numbers) > 1 and _count_up(numbers) and 0 < len(lines) <= len(numbers)
    return np.array(is_number, dtype=bool) & are_numbers


def _lines(texts: Iterable[str]) -> list[str]:
    """Return the lines of some texts that are not blank."""
    return [line for line in "".join(texts).split("\n") if line.strip()]


def _count_up(numbers: list[str]) -> bool:
    """Return whether texts are integers in ascending order without gaps.

    >>> _count_up(["9", " 10", "11"]), _count_up(["1", "3"]), _count_up(["x"]), _count_up([])
    (True, False, False, False)
    """
    if not numbers or not all(number.strip().isdecimal() for number in numbers):
        return False
    return [*map(int, numbers)] == list(range(int(numbers[0]), int(numbers[0]) + len(numbers)))
