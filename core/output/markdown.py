"""Write the tree of a cleaned page as Markdown: CommonMark 0.31 with the tables, footnotes and formulas of GitHub.

One walk over the tree writes blocks as lists of lines, and the text of a block as tokens: text, and the delimiters of
inline markup. Whether a delimiter is read as markup depends on the characters beside it, so tokens are joined last.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.output.html import to_tree
from vclean.output.sections import add_post_headings
from vclean.output.selection import INLINE
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from vclean.result import Result

_EMPHASIS: Final = {"b": "**", "strong": "**", "em": "*", "i": "*", "del": "~~", "s": "~~"}
_CODE_SPANS: Final = frozenset(("code", "kbd", "samp"))
_SPAN_LIMITS: Final = {"colspan": 1000, "rowspan": 65534}
"""Limits of the HTML standard for spans of cells."""

_ESCAPED: Final = re.compile(
    r"[\\`]|(?<!\s)\*|\*(?!\s)|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=~)~|\](?=[(\[:])|<(?=[A-Za-z/!?])|&(?=#?\w+;)"
    r"|\[(?=\^)"
)
"""Characters that would be markup at their position: emphasis, code, links, tags, entities, footnotes."""
_MARKUP: Final = re.compile(r"[\\`*_~\]<&\[]")
"""First characters of what `_ESCAPED` finds; most texts have none."""
_SPACE: Final = re.compile(r"\s+")
_TEX: Final = re.compile(r"(?<![\\\w$])(\$\$?)(?=[^$\n]*[\\^_{])[^\s$](?:[^$\n]*[^\s$\\])?\1(?![\w$])")
"""Formula between dollars in the text of a page: it has a command, a script or a group."""
_LINE_START: Final = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|>|[*+-](?=\s|$)|=+\s*$|-+\s*$)")
_NUMBER_START: Final = re.compile(r"^(\s*\d{1,9})([.)](?=\s|$))")
_HEADING_END: Final = re.compile(r"(^|\s)(#+)$")
_BRACKET: Final = re.compile(r"(?<!\\)[\[\]]")
_BALANCED: Final = re.compile(r"(?:\\.|[^\[\]\\]|\[(?:\\.|[^\[\]\\])*\])*", re.DOTALL)
_NUMBER: Final = re.compile(r"\s*([0-9]{1,5})")
_FIRST_NUMBER: Final = re.compile(r"[0-9]{1,8}")
"""Number of the first item: CommonMark allows nine digits, and one is reserved for the following numbers."""


def write_markdown(result: Result) -> str:
    """Return the cleaned page in Markdown; the posts of a thread, and comments that are content, get headings."""
    decision = result.prediction.decision
    if not result.is_thread and (decision is None or not decision.policy.comments):
        return to_markdown(to_tree(result))
    labels, headings = add_post_headings(result)
    return to_markdown(to_tree(result, labels=labels, headings=headings))


def to_markdown(page: etree._Element) -> str:
    """Convert the body of a cleaned page, a result of `vclean.output.html.to_tree`; empty for an empty body."""
    text = _join(_blocks(page[-1]))
    return text + "\n" if text else ""


# Inline text


class _Token(NamedTuple):
    """Text or markup of a line.

    Attributes:
        kind: `text`; `raw` for markup that is complete; `open` or `close` for a delimiter, `break` for a line break.
        value: the text, without escapes; or the markup.
    """

    kind: str
    value: str


def _tokens(element: etree._Element, marks: tuple[str, ...] = ()) -> Iterator[_Token]:
    """Iterate over the tokens of the content of an inline element, or of a block without blocks in it."""
    if element.text:
        yield _Token("text", element.text)
    for child in element:
        yield from _inline(child, marks)
        if child.tail:
            yield _Token("text", child.tail)


def _inline(element: etree._Element, marks: tuple[str, ...]) -> Iterator[_Token]:
    """Iterate over the tokens of an inline element; `marks` are the delimiters that are open."""
    tag = str(element.tag)
    mark = _EMPHASIS.get(tag, "")
    if tag == "br":
        yield _Token("break", "")
    elif tag == "img":
        yield _Token("raw", _image(element))
    elif tag in _CODE_SPANS:
        yield from _code_span_tokens(_text_of(element))
    elif tag == "span" and "math" in element.get("class", ""):
        yield _Token("raw", f"${_tex(element)}$")
    elif tag == "a" and element.get("class") == "footnote-ref":
        yield _Token("raw", f"[^{element.get('href', '')[3:]}]")
    elif tag == "a" and element.get("href") and "a" not in marks:
        yield from _link(element, marks)
    elif mark and mark not in marks:
        yield from (_Token("open", mark), *_tokens(element, (*marks, mark)), _Token("close", mark))
    elif tag in ("sup", "sub") and _text_of(element).strip() and element.find(".//a[@class='footnote-ref']") is None:
        yield from (_Token("raw", f"<{tag}>"), *_tokens(element, marks), _Token("raw", f"</{tag}>"))
    elif tag == "q":
        yield from (_Token("text", '"'), *_tokens(element, marks), _Token("text", '"'))
    else:
        yield from _tokens(element, marks)


def _text_of(element: etree._Element) -> str:
    """Return the text of an inline element, with a space for each line break."""
    parts = [" " if child.tag == "br" else _text_of(child) for child in element]
    tails = [child.tail or "" for child in element]
    return (element.text or "") + "".join(part + tail for part, tail in zip(parts, tails, strict=True))


def _tex(element: etree._Element) -> str:
    """Return the TeX of a formula without its delimiters."""
    return (element.text or "")[2:-2].strip()


def _code_span_tokens(text: str) -> Iterator[_Token]:
    """Iterate over the tokens of code in one line."""
    words = re.sub(r"\s*\n\s*", " ", text)
    if not words.strip():
        yield _Token("text", words)
        return
    yield from _spaced(words, _code_span(words.strip()))


def _spaced(text: str, markup: str) -> Iterator[_Token]:
    """Iterate over the tokens of markup for a text; white space at its edges is outside."""
    yield _Token("text", " " * text[0].isspace())
    yield _Token("raw", markup)
    yield _Token("text", " " * text[-1].isspace())


def _code_span(line: str) -> str:
    fence = "`" * (_longest_run(line) + 1)
    pad = " " * (len(fence) > 1)
    return f"{fence}{pad}{line}{pad}{fence}"


def _longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)


def _image(element: etree._Element) -> str:
    alternative = " ".join(re.sub(r"[\\\[\]]", r"\\\g<0>", element.get("alt", "")).split())
    return f"![{alternative}]({_destination(element.get('src', ''))})"


def _link(element: etree._Element, marks: tuple[str, ...]) -> Iterator[_Token]:
    """Iterate over the tokens of a link; it is an autolink if its text is its URL."""
    url = element.get("href", "")
    if _text_of(element) == url and re.match(r"https?://[^\s<>]+$", url):
        yield _Token("raw", f"<{url}>")
        return
    inner = _write([*_tokens(element, (*marks, "a"))], in_link=True)
    if not inner.strip():
        yield _Token("text", inner)
        return
    yield from _spaced(inner, f"[{inner.strip()}]({_destination(url)})")


def _destination(url: str) -> str:
    """Return a URL as the destination of a link, in angle brackets if it has spaces or unbalanced parentheses."""
    if re.search(r"\s", url) or url.count("(") != url.count(")"):
        return "<" + re.sub(r"[<>\\]", r"\\\g<0>", " ".join(url.split())) + ">"
    return url


def _write(tokens: Sequence[_Token], *, hard_break: str = "  \n", in_link: bool = False) -> str:
    """Join tokens to text: escape it, and put spaces beside delimiters where they would not be read as markup.

    Only a text whose line breaks are those of Markdown has lines with a start: headings and cells have none.
    """
    has_lines = hard_break == "  \n"
    tokens = _merged(tokens)
    text = ""
    for index, token in enumerate(tokens):
        after = tokens[index + 1].value[:1] if index + 1 < len(tokens) and tokens[index + 1].kind != "break" else ""
        if token.kind == "text":
            words = _SPACE.sub(" ", token.value)
            text += _escape(
                words[text[-1:].isspace() and words[:1] == " " :], text, after, in_link=in_link, has_lines=has_lines
            )
        elif token.kind == "break":
            text = text.rstrip(" ") + hard_break if text else ""
        elif token.kind == "open":
            is_beside_end = index > 0 and tokens[index - 1].kind == "close"
            text += " " * (is_beside_end or (bool(text) and _is_not_flanking(after, text[-1]))) + token.value
        elif token.kind == "close":
            text += token.value + " " * _is_not_flanking(text[-1:], after)
        else:
            text += token.value
    return text


def _merged(tokens: Sequence[_Token]) -> list[_Token]:
    """Return tokens with delimiters beside their text: white space and line breaks at the edges are moved outside.

    Emphasis without text is removed, and so is an end of emphasis directly before its next start.
    """
    merged: list[_Token] = []
    pending: list[_Token] = []  # opened delimiters that wait for their text
    for kind, value in tokens:
        if kind == "open":
            if merged and merged[-1] == ("close", value) and not pending:
                merged.pop()
            else:
                pending.append(_Token(kind, value))
        elif kind == "close":
            if pending:
                pending.pop()
                continue
            space = _pop_space(merged)
            merged += [_Token(kind, value), *space]
        elif kind == "break" or not value.strip():
            if value or kind == "break":
                merged.append(_Token(kind, value))
        else:
            stripped = value.lstrip() if pending and kind == "text" else value
            if len(stripped) < len(value):
                merged.append(_Token("text", " "))
            merged += [*pending, _Token(kind, stripped)]
            pending = []
    while merged and merged[-1].kind == "break":
        merged.pop()
    return merged


def _pop_space(merged: list[_Token]) -> list[_Token]:
    """Remove white space and line breaks from the end of tokens, and return them."""
    space: list[_Token] = []
    while merged and (merged[-1].kind == "break" or (merged[-1].kind == "text" and not merged[-1].value.strip())):
        space.insert(0, merged.pop())
    if merged and merged[-1].kind == "text" and merged[-1].value[-1].isspace():
        merged[-1] = _Token("text", merged[-1].value.rstrip())
        space.insert(0, _Token("text", " "))
    return space


def _escape(words: str, before: str, after: str, *, in_link: bool, has_lines: bool) -> str:
    """Escape the characters of a text that would be markup, given the line before it and the character after it."""
    parts, end = [], 0
    for formula in _TEX.finditer(words) if "$" in words else ():
        parts += [_ESCAPED.sub(r"\\\g<0>", words[end : formula.start()]), formula[0]]
        end = formula.end()
    escaped = "".join([*parts, _ESCAPED.sub(r"\\\g<0>", words[end:])]) if _MARKUP.search(words) else words
    if escaped.endswith("!") and after == "[":
        escaped = escaped[:-1] + r"\!"
    if in_link and not _BALANCED.fullmatch(escaped):
        escaped = _BRACKET.sub(r"\\\g<0>", escaped)
    if has_lines and ((not before and not in_link) or before.endswith("\n")):
        escaped = _NUMBER_START.sub(r"\1\\\2", _LINE_START.sub(r"\1\\\2", escaped))
    return escaped


def _is_not_flanking(inside: str, outside: str) -> bool:
    """Return whether a delimiter between these characters is not markup: punctuation inside, a letter outside.

    This is the rule of left- and right-flanking delimiter runs, CommonMark 0.31, section 6.2.
    """
    is_open = bool(inside) and _is_punctuation(inside)
    return is_open and bool(outside) and not outside.isspace() and not _is_punctuation(outside)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


# Blocks


class _Block(NamedTuple):
    """Block of Markdown.

    Attributes:
        kind: `p`, `ul`, `ol`, `-` for a list with other markers than the one before it, or the tag of another block.
        text: its lines.
    """

    kind: str
    text: str


@dataclass
class _Flow:
    """Blocks of an element, and the inline content that was not yet written; a cell has no blocks but lines."""

    in_cell: bool = False
    blocks: list[_Block] = field(default_factory=list)
    tokens: list[_Token] = field(default_factory=list)

    def flush(self) -> None:
        """Write the inline content as a paragraph."""
        text = _write(self.tokens, hard_break="\n" if self.in_cell else "  \n").strip()
        self.tokens = []
        if text:
            self.blocks.append(_Block("p", text))

    def add_content(self, element: etree._Element) -> None:
        """Add the content of an element."""
        if element.text:
            self.tokens.append(_Token("text", element.text))
        for child in element:
            _add(child, self)
            if child.tail:
                self.tokens.append(_Token("text", child.tail))

    def add_apart(self, element: etree._Element) -> None:
        """Add the content of an element as blocks of its own."""
        self.flush()
        self.add_content(element)
        self.flush()

    def add(self, kind: str, text: str) -> None:
        """Add a block after the inline content."""
        self.flush()
        if text:
            self.blocks.append(_Block(kind, text))


def _blocks(element: etree._Element) -> list[_Block]:
    """Return the blocks of an element with inline content, blocks, or both."""
    flow = _Flow()
    flow.add_content(element)
    flow.flush()
    return flow.blocks


def _add(element: etree._Element, flow: _Flow) -> None:  # noqa: PLR0912 - a case per kind of element
    """Add an element to the blocks of the element around it; a formula in its own line ends the paragraph."""
    tag = str(element.tag)
    is_inline = tag in INLINE or tag in ("br", "img", "span")
    if is_inline and (flow.in_cell or not _has_display(element)):
        flow.tokens += _inline(element, ())
    elif tag == "pre" and flow.in_cell:
        flow.add(tag, "\n".join(_code_span(line) for line in _code(element).split("\n") if line.strip()))
    elif tag == "span":
        flow.add("math", f"$$\n{_tex(element)}\n$$")
    elif is_inline:
        flow.add_content(element)
    elif flow.in_cell:
        flow.add_apart(element)
    elif tag in HEADING_TAGS:
        text = _one_line(element)
        flow.add(tag, f"{'#' * int(tag[1])} {text}" if text else "")
    elif tag in ("ul", "ol") and any(map(_begins_with_heading, element)):
        for item in element:  # sections, which bullets would only move
            flow.add_apart(item)
    elif tag in ("ul", "ol"):
        flow.flush()
        flow.blocks += _list(element, flow.blocks[-1] if flow.blocks else None)
    elif tag == "blockquote":
        flow.add(tag, _prefixed(_join(_blocks(element)), "> "))
    elif tag == "pre":
        flow.add(tag, _code_block(element))
    elif tag == "table":
        _add_table(element, flow)
    elif tag == "dt":
        flow.flush()
        flow.blocks += _term(element)
    elif tag == "section" and element.get("class") == "footnotes":
        for item in element.findall("ol/li"):
            flow.add("note", f"[^{item.get('id', '')[2:]}]: {_indented(_join(_blocks(item)), 4)}")
    else:
        flow.add_apart(element)


def _has_display(element: etree._Element) -> bool:
    """Return whether an inline element is or contains a formula in its own line."""
    if "display" in element.get("class", ""):
        return True
    return len(element) > 0 and element.find(".//span[@class='math display']") is not None


def _begins_with_heading(element: etree._Element) -> bool:
    while not (element.text or "").strip() and len(element):
        element = element[0]
        if element.tag in HEADING_TAGS:
            return True
        if element.tag not in ("ul", "ol", "li"):
            return False
    return False


def _one_line(element: etree._Element) -> str:
    text = " ".join(_write([*_tokens(element)], hard_break=" ").split())
    return _HEADING_END.sub(r"\1\\\2", text)


def _join(blocks: Sequence[_Block], *, in_item: bool = False) -> str:
    """Join blocks by blank lines; in an item, a list that can interrupt a paragraph follows without one."""
    text = ""
    for block in blocks:
        is_tight = in_item and (block.kind in ("ul", "-") or (block.kind == "ol" and block.text.startswith("1")))
        text += ("\n" if is_tight else "\n\n") * bool(text) + block.text
    return text


def _prefixed(text: str, prefix: str) -> str:
    return "\n".join(prefix + line if line else prefix.rstrip() for line in text.split("\n")) if text else ""


def _indented(text: str, width: int) -> str:
    """Return lines with an indent for all but the first."""
    first, *lines = text.split("\n")
    return "\n".join([first, *(" " * width * bool(line) + line for line in lines)])


def _list(element: etree._Element, before: _Block | None) -> list[_Block]:
    """Return the block of a list; its markers differ from those of a list before it, or Markdown would merge both."""
    tag = str(element.tag)
    is_other = before is not None and before.kind == tag
    number = _start(element)
    lines = []
    for child in element:
        mark = ("*" if is_other else "-") if tag == "ul" else f"{number}{')' if is_other else '.'}"
        body = _join(_blocks(child), in_item=True)
        number += 1
        if body:
            lines.append(f"{mark} {_indented(body, len(mark) + 1)}")
    return [_Block(f"{tag} other" if is_other else tag, "\n".join(lines))] if lines else []


def _start(element: etree._Element) -> int:
    """Return the number of the first item: the attribute `start` of the list, or `value` of the item."""
    first = element.find("li")
    number = element.get("start", "") or (first.get("value", "") if first is not None else "")
    return int(number) if _FIRST_NUMBER.fullmatch(number) else 1


def _term(element: etree._Element) -> list[_Block]:
    """Return the blocks of a term; one without blocks in it is in bold."""
    blocks = _blocks(element)
    if len(blocks) != 1 or blocks[0].kind != "p":
        return blocks
    marks = _Token("open", "**"), _Token("close", "**")
    return [_Block("p", _write([marks[0], *_tokens(element, ("**",)), marks[1]]).strip())]


def _code_block(element: etree._Element) -> str:
    """Return code between fences with more backticks than any run in it."""
    code = _code(element).strip("\n")
    fence = "`" * max(3, _longest_run(code) + 1)
    return f"{fence}{_language(element)}\n{code}\n{fence}" if code.strip() else ""


def _code(pre: etree._Element) -> str:
    return "".join(map(str, pre.itertext()))


def _language(pre: etree._Element) -> str:
    """Return the programming language in the class of the code; or an empty string."""
    names = (name for tag in (pre, *pre.iter("code")) for name in tag.get("class", "").split())
    return next((name.removeprefix("language-") for name in names if name.startswith("language-")), "")


# Tables


def _add_table(element: etree._Element, flow: _Flow) -> None:
    """Add a caption as a paragraph, and a table; without header cells, its header is empty."""
    flow.flush()
    for caption in element.findall("caption"):
        flow.add_apart(caption)
    elements = list(element.iter("tr"))
    grid = list(_grid(elements))
    width = max((index + 1 for row in grid for index, cell in enumerate(row) if cell is not None), default=0)
    if not width:
        return
    rows = [["" if cell is None else _cell(cell) for cell in (*row, *[None] * width)[:width]] for row in grid]
    parent = elements[0].getparent()
    in_head = parent is not None and parent.tag == "thead"
    has_header = in_head or all(cell.tag == "th" for cell in elements[0])
    head, *body = rows if has_header else [[""] * width, *rows]
    lines = [head, ["---"] * width, *body]
    flow.blocks.append(_Block("table", "\n".join(f"| {' | '.join(line)} |" for line in lines)))


def _grid(rows: Sequence[etree._Element]) -> Iterator[list[etree._Element | None]]:
    """Iterate over the rows of a table with None for the positions that a cell covers from the left or from above."""
    group, covered = None, dict[int, int]()
    for row in rows:
        if row.getparent() is not group:
            group, covered = row.getparent(), {}
        cells: list[etree._Element | None] = []
        below = {column: count - 1 for column, count in covered.items() if count > 1}
        for cell in row:
            while len(cells) in covered:
                cells.append(None)
            across = _span(cell, "colspan") or 1
            down = _span(cell, "rowspan") or _SPAN_LIMITS["rowspan"]
            if down > 1:
                below.update(dict.fromkeys(range(len(cells), len(cells) + across), down - 1))
            cells += [cell, *[None] * (across - 1)]
        covered = below
        yield cells


def _span(cell: etree._Element, name: str) -> int:
    number = _NUMBER.match(cell.get(name, ""))
    return min(int(number[1]), _SPAN_LIMITS[name]) if number else 1


def _cell(element: etree._Element) -> str:
    """Return a cell in one line: its paragraphs, items and lines of code are separated by `br`."""
    flow = _Flow(in_cell=True)
    flow.add_content(element)
    flow.flush()
    lines = (line.strip() for block in flow.blocks for line in block.text.split("\n"))
    return "<br>".join(filter(None, lines)).replace("|", r"\|")
