"""Write the tree of a cleaned page as Markdown: CommonMark 0.31 with the tables, footnotes and formulas of GitHub.

One walk over the tree writes blocks as lists of lines, and the text of a block as tokens: text, and the delimiters of
inline markup. Whether a delimiter is read as markup depends on the characters beside it, so tokens are joined last.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.output.html import to_tree
from vclean.output.sections import add_post_headings
from vclean.output.selection import INLINE
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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
_TEX: Final = re.compile(r"(?<![\\\w$])(\$\$?)(?=[^$\n]*[\\^_{])[^\s$](?:[^$\n]*[^\s$\\])?\1(?![\w$])")
"""Formula between dollars in the text of a page: it has a command, a script or a group."""
_LINE_START: Final = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|>|[*+-](?=\s|$)|=+\s*$|-+\s*$)")
_NUMBER_START: Final = re.compile(r"^(\s*\d{1,9})([.)](?=\s|$))")
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


class _Piece(NamedTuple):
    """Inline text or markup, or a block.

    Attributes:
        kind: for inline text `text`; `raw` for markup that is complete; `open` or `close` for a delimiter, `break` for
            a line break. For blocks `p`, `ul`, `ol`, `ul other` for a list with other markers than the one before it,
            or the tag of another block.
        value: the text, without escapes; or the markup, or the lines of the block.
    """

    kind: str
    value: str


_INLINE: Final = frozenset(("text", "raw", "open", "close", "break"))
_END: Final = _Piece("end", "")
"""Empty block that ends the paragraph before it."""


def _content(element: etree._Element, convert: Callable[[etree._Element], Iterable[_Piece]]) -> Iterator[_Piece]:
    """Iterate over the pieces of the content of an element, given those of its children."""
    if element.text:
        yield _Piece("text", element.text)
    for child in element:
        yield from convert(child)
        if child.tail:
            yield _Piece("text", child.tail)


def _text(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))


# Inline text


def _tokens(element: etree._Element, marks: tuple[str, ...] = ()) -> Iterator[_Piece]:
    """Iterate over the pieces of the content of an inline element, or of a block without blocks in it."""
    return _content(element, lambda child: _inline(child, marks))


def _inline(element: etree._Element, marks: tuple[str, ...] = ()) -> Iterator[_Piece]:
    """Iterate over the pieces of an inline element; `marks` are the delimiters that are open."""
    tag = str(element.tag)
    mark = _EMPHASIS.get(tag, "")
    if tag == "br":
        yield _Piece("break", "")
    elif tag == "img":
        yield _Piece("raw", _image(element))
    elif tag in _CODE_SPANS:
        yield from _spaced(re.sub(r"\s*\n\s*", " ", _text(element)), _code_span)
    elif tag == "span" and "math" in element.get("class", ""):
        yield _Piece("raw", f"${_tex(element)}$")
    elif tag == "a" and element.get("class") == "footnote-ref":
        yield _Piece("raw", f"[^{element.get('href', '')[3:]}]")
    elif tag == "a" and element.get("href"):
        yield from _link(element, marks)
    elif mark and mark not in marks:
        yield from _emphasis(_tokens(element, (*marks, mark)), mark)
    elif tag in ("sup", "sub") and _text(element).strip() and element.find(".//a[@class='footnote-ref']") is None:
        yield from (_Piece("raw", f"<{tag}>"), *_tokens(element, marks), _Piece("raw", f"</{tag}>"))
    elif tag == "q":
        yield from (_Piece("text", '"'), *_tokens(element, marks), _Piece("text", '"'))
    else:
        yield from _tokens(element, marks)


def _tex(element: etree._Element) -> str:
    """Return the TeX of a formula without its delimiters."""
    return (element.text or "")[2:-2].strip()


def _spaced(text: str, write: Callable[[str], str]) -> Iterator[_Piece]:
    """Iterate over the pieces of markup for a text; white space at its edges is outside, and has no markup alone."""
    words = text.strip()
    if not words:
        yield _Piece("text", text)
        return
    yield _Piece("text", " " * text[0].isspace())
    yield _Piece("raw", write(words))
    yield _Piece("text", " " * text[-1].isspace())


def _emphasis(pieces: Iterable[_Piece], mark: str) -> list[_Piece]:
    """Return pieces between delimiters; white space and line breaks at their edges are outside, and have none alone."""
    inner, before, after = list(pieces), list[_Piece](), list[_Piece]()
    while inner and _is_blank(inner[0]):
        before.append(inner.pop(0))
    while inner and _is_blank(inner[-1]):
        after.insert(0, inner.pop())
    if not inner:
        return before
    if inner[0].kind == "text" and inner[0].value[0].isspace():
        before.append(_Piece("text", " "))
        inner[0] = _Piece("text", inner[0].value.lstrip())
    if inner[-1].kind == "text" and inner[-1].value[-1].isspace():
        after.insert(0, _Piece("text", " "))
        inner[-1] = _Piece("text", inner[-1].value.rstrip())
    return [*before, _Piece("open", mark), *inner, _Piece("close", mark), *after]


def _is_blank(piece: _Piece) -> bool:
    return piece.kind == "break" or not piece.value.strip()


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


def _link(element: etree._Element, marks: tuple[str, ...]) -> Iterable[_Piece]:
    """Return the pieces of a link; it is an autolink if its text is its URL."""
    url = element.get("href", "")
    if _text(element) == url and re.match(r"https?://[^\s<>]+$", url):
        return [_Piece("raw", f"<{url}>")]
    inner = _write(_tokens(element, marks), in_link=True)
    return _spaced(inner, lambda words: f"[{words}]({_destination(url)})")


def _destination(url: str) -> str:
    """Return a URL as the destination of a link, in angle brackets if it has spaces or unbalanced parentheses."""
    if re.search(r"\s", url) or url.count("(") != url.count(")"):
        return "<" + re.sub(r"[<>\\]", r"\\\g<0>", " ".join(url.split())) + ">"
    return url


def _write(tokens: Iterable[_Piece], *, hard_break: str = "  \n", in_link: bool = False) -> str:
    """Join tokens to text: escape it, and put spaces beside delimiters where they would not be read as markup.

    Only a text whose line breaks are those of Markdown has lines with a start: headings and cells have none.
    """
    pieces = [token for token in tokens if token.value or token.kind == "break"]
    text, previous, has_lines = "", _END, hard_break == "  \n"
    for token, following in zip(pieces, [*pieces[1:], _END], strict=False):
        after = following.value[:1]
        if token.kind == "text":
            words = re.sub(r"\s+", " ", token.value)
            words = _escape(words.lstrip() if text[-1:].isspace() else words, after, in_link=in_link)
            is_start = has_lines and ((not text and not in_link) or text.endswith("\n"))
            text += _NUMBER_START.sub(r"\1\\\2", _LINE_START.sub(r"\1\\\2", words)) if is_start else words
        elif token.kind == "break":
            text = text.rstrip(" ") + hard_break if text else ""
        elif token.kind == "open" and previous == ("close", token.value):
            text = text.removesuffix(token.value)
        elif token.kind == "open":
            is_apart = previous.kind == "close" or (text and _is_not_flanking(after, text[-1]))
            text += " " * bool(is_apart) + token.value
        elif token.kind == "close":
            text += token.value + " " * _is_not_flanking(text[-1:], after)
        else:
            text += token.value
        previous = token
    return text


def _escape(words: str, after: str, *, in_link: bool) -> str:
    """Escape the characters of a text that would be markup, given the character after it."""
    parts, end = [], 0
    for formula in _TEX.finditer(words) if "$" in words else ():
        parts += [_ESCAPED.sub(r"\\\g<0>", words[end : formula.start()]), formula[0]]
        end = formula.end()
    escaped = "".join([*parts, _ESCAPED.sub(r"\\\g<0>", words[end:])]) if _MARKUP.search(words) else words
    if escaped.endswith("!") and after == "[":
        escaped = escaped[:-1] + r"\!"
    if in_link and not _BALANCED.fullmatch(escaped):
        escaped = re.sub(r"(?<!\\)[\[\]]", r"\\\g<0>", escaped)
    return escaped


def _is_not_flanking(inside: str, outside: str) -> bool:
    """Return whether a delimiter between these characters is not markup: punctuation inside, a letter outside.

    This is the rule of left- and right-flanking delimiter runs, CommonMark 0.31, section 6.2.
    """
    if not inside or not outside or outside.isspace():
        return False
    is_inside, is_outside = (unicodedata.category(character)[0] in "PS" for character in (inside, outside))
    return is_inside and not is_outside


# Blocks


def _blocks(element: etree._Element, *, in_cell: bool = False) -> list[_Piece]:
    """Return the blocks of an element with inline content, blocks, or both; a cell has no blocks but lines."""
    blocks: list[_Piece] = []
    tokens: list[_Piece] = []
    for piece in (*_flow(element, in_cell=in_cell), _END):
        if piece.kind in _INLINE:
            tokens.append(piece)
            continue
        text = _write(tokens, hard_break="\n" if in_cell else "  \n").strip()
        tokens = []
        if text:
            blocks.append(_Piece("p", text))
        if blocks and piece.kind in _OTHER_MARKERS and blocks[-1].kind == piece.kind:
            marker, other = _OTHER_MARKERS[piece.kind]
            blocks.append(_Piece(f"{piece.kind} other", marker.sub(other, piece.value)))
        elif piece.value:
            blocks.append(piece)
    return blocks


_OTHER_MARKERS: Final = {
    "ul": (re.compile("^-", re.MULTILINE), "*"),
    "ol": (re.compile(r"^(\d+)\.", re.MULTILINE), r"\1)"),
}
"""Markers of a list and those of a list right behind another of its kind, or Markdown would merge both."""


def _flow(element: etree._Element, *, in_cell: bool = False) -> Iterator[_Piece]:
    return _content(element, lambda child: _piece(child, in_cell=in_cell))


def _apart(element: etree._Element, *, in_cell: bool = False) -> Iterator[_Piece]:
    """Iterate over the pieces of an element with blocks of its own."""
    return chain((_END,), _flow(element, in_cell=in_cell), (_END,))


def _piece(element: etree._Element, *, in_cell: bool) -> Iterable[_Piece]:
    """Return the pieces of an element between other ones; a formula in its own line ends the paragraph."""
    tag = str(element.tag)
    is_inline = tag in INLINE or tag in ("br", "img", "span")
    formula = element.find(".//span[@class='math display']") if is_inline else None
    has_display = formula is not None or "display" in element.get("class", "")
    if is_inline and (in_cell or not has_display):
        return _inline(element)
    if tag == "pre" and in_cell:
        return [_Piece(tag, "\n".join(_code_span(line) for line in _text(element).split("\n") if line.strip()))]
    if tag == "span":
        return [_Piece("math", f"$$\n{_tex(element)}\n$$")]
    if is_inline:
        return _flow(element)
    if in_cell or tag not in _BLOCKS:
        return _apart(element, in_cell=in_cell)
    return _BLOCKS[tag](element)


def _heading(element: etree._Element) -> list[_Piece]:
    text = " ".join(_write(_tokens(element), hard_break=" ").split())
    text = re.sub(r"(^|\s)(#+)$", r"\1\\\2", text)  # signs at the end would be no text
    return [_Piece(str(element.tag), f"{'#' * int(element.tag[1])} {text}" if text else "")]


def _quote(element: etree._Element) -> list[_Piece]:
    lines = _join(_blocks(element)).split("\n")
    return [_Piece("blockquote", "\n".join(f"> {line}" if line else ">" for line in lines) if any(lines) else "")]


def _notes(element: etree._Element) -> Iterable[_Piece]:
    for item in element.findall("ol/li"):
        yield _Piece("note", f"[^{item.get('id', '')[2:]}]: {_indented(_join(_blocks(item)), 4)}")


def _begins_with_heading(element: etree._Element) -> bool:
    while not (element.text or "").strip() and len(element):
        element = element[0]
        if element.tag in HEADING_TAGS:
            return True
        if element.tag not in ("ul", "ol", "li"):
            return False
    return False


def _join(blocks: Sequence[_Piece], *, in_item: bool = False) -> str:
    """Join blocks by blank lines; in an item, a list that can interrupt a paragraph follows without one."""
    text = ""
    for block in blocks:
        is_tight = in_item and (block.kind == "ul" or (block.kind == "ol" and block.value.startswith("1")))
        text += ("\n" if is_tight else "\n\n") * bool(text) + block.value
    return text


def _indented(text: str, width: int) -> str:
    """Return lines with an indent for all but the first and empty ones."""
    return re.sub(r"\n(?!\n|\Z)", "\n" + " " * width, text)


def _list(element: etree._Element) -> Iterable[_Piece]:
    """Return the block of a list; lists of sections are sections, which bullets would only move."""
    if any(map(_begins_with_heading, element)):
        return chain.from_iterable(map(_apart, element))
    values = (item.get("value", "") for item in element.iter("li"))
    start = element.get("start") or next(values, "")
    first = int(start) if _FIRST_NUMBER.fullmatch(start) else 1
    lines: list[str] = []
    for number, child in enumerate(element, first):
        mark = "-" if element.tag == "ul" else f"{number}."
        if body := _join(_blocks(child), in_item=True):
            lines.append(f"{mark} {_indented(body, len(mark) + 1)}")
    return [_Piece(str(element.tag), "\n".join(lines))]


def _term(element: etree._Element) -> list[_Piece]:
    """Return the blocks of a term; one without blocks in it is in bold."""
    blocks = _blocks(element)
    if len(blocks) != 1 or blocks[0].kind != "p":
        return [_END, *blocks]
    return [_Piece("p", _write(_emphasis(_tokens(element, ("**",)), "**")).strip())]


def _code_block(element: etree._Element) -> list[_Piece]:
    """Return code between fences with more backticks than any run in it; its language is in a class."""
    code = _text(element).strip("\n")
    fence = "`" * max(3, _longest_run(code) + 1)
    names = (name for tag in (element, *element.iter("code")) for name in tag.get("class", "").split())
    language = next((name.removeprefix("language-") for name in names if name.startswith("language-")), "")
    return [_Piece("pre", f"{fence}{language}\n{code}\n{fence}" if code.strip() else "")]


# Tables


def _table(element: etree._Element) -> Iterator[_Piece]:
    """Iterate over captions as paragraphs, and a table; without header cells, its header is empty."""
    yield from chain.from_iterable(map(_apart, element.findall("caption")))
    elements = list(element.iter("tr"))
    grid = list(_grid(elements))
    width = max((index + 1 for row in grid for index, cell in enumerate(row) if cell is not None), default=0)
    if not width:
        return
    rows = [["" if cell is None else _cell(cell) for cell in (*row, *[None] * width)[:width]] for row in grid]
    has_header = element.find("thead/tr") is elements[0] or all(cell.tag == "th" for cell in elements[0])
    head, *body = rows if has_header else [[""] * width, *rows]
    lines = [head, ["---"] * width, *body]
    yield _Piece("table", "\n".join(f"| {' | '.join(line)} |" for line in lines))


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
    lines = (line.strip() for block in _blocks(element, in_cell=True) for line in block.value.split("\n"))
    return "<br>".join(filter(None, lines)).replace("|", r"\|")


_BLOCKS: Final[dict[str, Callable[[etree._Element], Iterable[_Piece]]]] = {
    **dict.fromkeys(HEADING_TAGS, _heading),
    "ul": _list,
    "ol": _list,
    "blockquote": _quote,
    "pre": _code_block,
    "table": _table,
    "dt": _term,
    "section": _notes,
}
"""Functions that write the elements that are blocks of Markdown; other ones are only apart from the text around."""
