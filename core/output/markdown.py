"""Write a cleaned page as Markdown, with the library markdownify."""

from __future__ import annotations

import re
import unicodedata
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from bs4.element import NavigableString, Tag
from lxml import etree
from markdownify import MarkdownConverter

from vclean.output.headings import HEADINGS
from vclean.output.selection import INLINE
from vclean.output.thread import to_thread_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bs4.element import PageElement

    from vclean.result import Result


_IN_CELLS = ("p", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "figure", "figcaption")
_UNMARKED = frozenset(("dl", "dt", "dd", "figure", "figcaption"))
"""Tags of elements for which Markdown has only a blank line."""

_NUMBER = re.compile(r"\s*([0-9]{1,5})")
_START = re.compile(r"[0-9]{1,8}")
"""Number of the first item: CommonMark allows nine digits, and one is reserved for the following numbers."""

_MAX_COLSPAN, _MAX_ROWSPAN = 1000, 65534
"""Limits of the HTML standard."""


def flatten(body: etree._Element) -> None:
    """Prepare the body of a cleaned page for Markdown, in place.

    Captions are moved before their tables. Spans of cells become empty cells. Blocks in cells are separated by `br`.
    Emphasis in terms is removed. A `br` at the start or end of an inline element is moved out of it. Items get an
    attribute `mark` with their list marker.
    """
    for table in list(body.iter("table")):
        _lift_caption(table)
        _fill_spans(table)
    for cell in body.iter("td", "th"):
        _separate_blocks(cell)
    for term in body.iter("dt"):
        etree.strip_tags(term, "b", "strong")
    for line_break in list(body.iter("br")):
        _move_out(line_break)
    for item_list in body.iter("ul", "ol"):
        _mark_items(item_list)


def _lift_caption(table: etree._Element) -> None:
    for caption in table.findall("caption"):
        caption.tag, caption.tail = "div", None
        table.addprevious(caption)


def _fill_spans(table: etree._Element) -> None:
    """Add empty cells for column and row spans, and to the right of a first row that is too short."""
    rows, group = list(table.iter("tr")), None
    covered: dict[int, int] = {}
    for row in rows:
        if row.getparent() is not group:
            group, covered = row.getparent(), {}
        covered = _fill_row(row, covered)
    for row in rows[:1]:
        row.extend(_empty(max(map(len, rows)) - len(row)))


def _fill_row(row: etree._Element, covered: dict[int, int]) -> dict[int, int]:
    """Add the empty cells of one row.

    Args:
        row: the row, changed in place.
        covered: for each column that a row span from above covers, the number of rows it covers from this row on.

    Returns:
        The same for the next row.
    """
    below = {column: rows - 1 for column, rows in covered.items() if rows > 1}
    column = missing = 0
    for cell in list(row):
        while column in covered:
            column, missing = column + 1, missing + 1
        for empty in _empty(missing):
            cell.addprevious(empty)
        across = min(_number(cell, "colspan") or 1, _MAX_COLSPAN)
        down = _number(cell, "rowspan") or _MAX_ROWSPAN
        if down > 1:
            below.update(dict.fromkeys(range(column, column + across), down - 1))
        column, missing = column + across, across - 1
    return below


def _number(cell: etree._Element, name: str) -> int:
    number = _NUMBER.match(cell.get(name, ""))
    return int(number[1]) if number else 1


def _empty(count: int) -> Iterator[etree._Element]:
    return (etree.Element("td") for _ in range(count))


def _separate_blocks(cell: etree._Element) -> None:
    for block in list(cell.iter(*_IN_CELLS, "pre")):
        block.addprevious(etree.Element("br"))
        after = etree.Element("br")
        after.tail, block.tail = block.tail, None
        block.addnext(after)
    etree.strip_tags(cell, *_IN_CELLS)


def _move_out(line_break: etree._Element) -> None:
    """Move a line break at the start or end of inline elements before or after them."""
    while (parent := line_break.getparent()) is not None and parent.tag in INLINE:
        if line_break.getnext() is None and not (line_break.tail or "").strip():
            line_break.tail, parent.tail = parent.tail, None
            parent.addnext(line_break)
        elif line_break.getprevious() is None and not (parent.text or "").strip():
            parent.text, line_break.tail = (line_break.tail or "").lstrip(), None
            parent.addprevious(line_break)
        else:
            return


def _mark_items(item_list: etree._Element) -> None:
    """Set the list marker of each item; it differs from that of an adjacent list, or Markdown would merge the lists."""
    items = item_list.findall("li")
    alternate = _follows_list(item_list)
    if item_list.tag == "ul":
        marks = ["*" if alternate else "-"] * len(items)
    else:
        start = _start(item_list, items)
        marks = [f"{number}{')' if alternate else '.'}" for number in range(start, start + len(items))]
    for item, mark in zip(items, marks, strict=True):
        item.set("mark", mark)


def _follows_list(item_list: etree._Element) -> bool:
    """Return whether a list of the same kind with default markers is directly before a list."""
    before = _right_before(item_list)
    while before is not None and before.tag in _UNMARKED and len(before) and not (before[-1].tail or "").strip():
        before = before[-1]
    if before is None or before.tag != item_list.tag:
        return False
    first = before.find("li")
    return first is not None and first.get("mark", "")[-1:] in ("-", ".")


def _right_before(element: etree._Element) -> etree._Element | None:
    """Return the element directly before an element, or before its `_UNMARKED` parent if it is the first child.

    None if there is text in between.
    """
    before, parent = element.getprevious(), element.getparent()
    if before is not None:
        return None if (before.tail or "").strip() else before
    if parent is None or parent.tag not in _UNMARKED or (parent.text or "").strip():
        return None
    return _right_before(parent)


def _start(item_list: etree._Element, items: list[etree._Element]) -> int:
    """Return the number of the first item: the attribute `start` of the list, or `value` of the item."""
    number = item_list.get("start", "") or (items[0].get("value", "") if items else "")
    return int(number) if _START.fullmatch(number) else 1


_INLINE = re.compile(
    r"[\\`]|(?<!\s)\*|\*(?!\s)|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=~)~|\](?=[(\[:])|<(?=[A-Za-z/!?])|&(?=#?\w+;)"
)
"""Characters that would be markup at their position: emphasis, code, links, tags, entities (CommonMark 0.31)."""

_LINE_START = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|>|[*+-](?=\s|$)|=+\s*$|-+\s*$)")
_NUMBER_START = re.compile(r"^(\s*\d{1,9})([.)](?=\s|$))")
_HEADING_END = re.compile(r"(^|\s)(#+)$")
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_BALANCED = re.compile(r"(?:\\.|[^\[\]\\]|\[(?:\\.|[^\[\]\\])*\])*", re.DOTALL)
_ONE_LINE = frozenset(("td", "th", *HEADINGS))
_CELLS = frozenset(("td", "th"))
_IN_TERM = ("p", "pre", "ul", "ol", "dl", "table", "blockquote", "figure")
_EDGES = {
    **dict.fromkeys(("b", "strong", "em", "i"), "**"), **dict.fromkeys(("del", "s"), "~~"),
    **dict.fromkeys(("code", "kbd", "samp"), "``"), **dict.fromkeys(("sup", "sub"), "<>"),
    "a": "[)", "img": "!)", "q": '""', "br": "\n\n",
}  # fmt: skip
"""First and last character of inline elements in Markdown, by tag; other inline elements have no markup."""


def _beside(node: PageElement, *, after: bool) -> str:
    """Return the character after (or before) an inline node in its line; empty at the end (or start) of its block."""
    while True:
        sibling = node.next_sibling if after else node.previous_sibling
        if sibling is None:
            parent = node.parent
            if parent is None or parent.name not in INLINE:
                return ""
            if parent.name in _EDGES:
                return _EDGES[parent.name][after]
            node = parent
        elif text := _edge_text(sibling):
            return text[0 if after else -1]
        elif isinstance(sibling, Tag) and sibling.name not in INLINE:
            return ""
        else:
            node = sibling


def _edge_text(node: PageElement) -> str:
    """Return a text with the same first and last character as an inline node in Markdown."""
    if isinstance(node, NavigableString):
        return str(node)
    if not isinstance(node, Tag):
        return ""
    return _EDGES.get(node.name) or (node.get_text() if node.name in INLINE else "")


def _is_not_flanking(inside: str, outside: str) -> bool:
    """Return whether a delimiter between these characters is not markup: punctuation inside, a letter outside.

    This is the rule of left- and right-flanking delimiter runs, CommonMark 0.31, section 6.2.
    """
    return _is_punctuation(inside) and bool(outside) and not outside.isspace() and not _is_punctuation(outside)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _emphasis(mark: str) -> Callable[..., str]:
    """Return a conversion that adds `mark` before and after a text, and spaces where it would not be markup."""

    def convert(_self: MarkdownConverter, el: Tag, text: str, parent_tags: set[str]) -> str:
        inner = text.strip()
        if "_noformat" in parent_tags or not inner:
            return text
        before = text[0].isspace() or _is_not_flanking(inner[0], _beside(el, after=False))
        after = text[-1].isspace() or _is_not_flanking(inner[-1], _beside(el, after=True))
        return f"{' ' * before}{mark}{inner}{mark}{' ' * after}"

    return convert


class _Converter(MarkdownConverter):
    """Converter of markdownify that escapes only characters that Markdown would interpret as markup."""

    convert_b = convert_strong = _emphasis("**")
    convert_em = convert_i = _emphasis("*")
    convert_del = convert_s = _emphasis("~~")

    def escape(self, text: str, _parent_tags: set[str]) -> str:
        """Escape markup characters in a text node, except at the start of a line."""
        return _INLINE.sub(r"\\\g<0>", text)

    def process_text(self, el: NavigableString, parent_tags: set[str]) -> str:
        """Escape all markup characters in a text node: also at the start of a line, in a link, and before a link."""
        text: str = super().process_text(el, parent_tags=parent_tags)  # type: ignore[misc]
        if "_noformat" in parent_tags:
            return text
        if text.endswith("!") and _beside(el, after=True) == "[":
            text = text[:-1] + r"\!"
        if "a" in parent_tags and not _BALANCED.fullmatch(text):
            text = _BRACKET.sub(r"\\\g<0>", text)
        if not parent_tags & _ONE_LINE and _beside(el, after=False) in ("", "\n"):
            text = _NUMBER_START.sub(r"\1\\\2", _LINE_START.sub(r"\1\\\2", text))
        return text

    def convert_ol(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Convert a numbered list; only a list that begins with 1 can follow a paragraph without a blank line."""
        items: str = super().convert_list(el, text, parent_tags)  # type: ignore[misc]
        first = el.find("li")
        return items if first is None or str(first.get("mark"))[:-1] == "1" else f"\n{items}"

    def convert_li(self, el: Tag, text: str, **_context: set[str]) -> str:
        """Convert an item; its lines are indented to the text of the first line."""
        mark, lines = f"{el['mark']} ", text.strip().split("\n")
        indented = ("", *(" " * len(mark) * bool(line) for line in lines[1:]))
        body = "\n".join(indent + line for indent, line in zip(indented, lines, strict=True))
        return f"{mark}{body}\n" if body else "\n"

    def convert_hN(self, n: int, _el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: N802 - see `markdownify`
        """Convert a heading; number signs at its end are escaped, or Markdown would remove them."""
        words = _HEADING_END.sub(r"\1\\\2", " ".join(text.split()))
        return words if parent_tags & _CELLS else f"\n\n{'#' * n} {words}\n\n"

    def convert_br(self, _el: Tag, _text: str, parent_tags: set[str]) -> str:
        """Convert a line break: to a line end in a cell, to a space in a heading or code, else to a hard line break."""
        if parent_tags & _CELLS:
            return "\n"
        return " " if parent_tags & {*HEADINGS, "_noformat"} else "  \n"

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Convert a link; it is an autolink if its text is its URL."""
        inner, url = text.strip(), str(el.get("href", ""))
        if "_noformat" in parent_tags or not inner or not url:
            return text
        is_autolink = el.get_text() == url and re.match(r"https?://[^\s<>]+$", url)
        link = f"<{url}>" if is_autolink else f"[{inner}]({_destination(url)})"
        return f"{' ' * text[0].isspace()}{link}{' ' * text[-1].isspace()}"

    def convert_span(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Convert a formula to TeX between dollar signs, which GitHub and Pandoc show as a formula."""
        classes = el.get_attribute_list("class")
        if "math" not in classes or "_noformat" in parent_tags:
            return text
        tex = el.get_text()[2:-2].strip()
        return f"$${tex}$$" if "display" in classes and not parent_tags & _ONE_LINE else f"${tex}$"

    def convert_img(self, el: Tag, _text: str, **_context: set[str]) -> str:
        """Convert an image, also in headings and cells."""
        alternative = " ".join(re.sub(r"[\\\[\]]", r"\\\g<0>", str(el.get("alt", ""))).split())
        return f"![{alternative}]({_destination(str(el.get('src', '')))})"

    def convert_dt(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Convert a term to a paragraph, in bold if it contains no block."""
        is_inline = el.find(_IN_TERM) is None
        return f"\n\n{_emphasis('**')(self, el, text.strip(), parent_tags) if is_inline else text.strip()}\n\n"

    def convert_dd(self, _el: Tag, text: str, **_context: set[str]) -> str:
        """Convert the description of a term to paragraphs."""
        return f"\n\n{text.strip()}\n\n"

    def convert_table(self, el: Tag, text: str, **_context: set[str]) -> str:
        """Convert a table to a table of GitHub; its first row is always the header."""
        head, _, rows = text.strip().partition("\n")
        first = el.find("tr")
        width = len(first.find_all(("td", "th"))) if first else 0
        return f"\n\n{head}\n|{' --- |' * width}\n{rows}\n\n" if width else f"\n\n{text.strip()}\n\n"

    def convert_tr(self, _el: Tag, text: str, **_context: set[str]) -> str:
        """Convert a row to one line."""
        return f"|{text}\n"

    def convert_td(self, _el: Tag, text: str, **_context: set[str]) -> str:
        """Convert a cell; its lines are separated by `<br>`, because Markdown has no line break in tables."""
        lines = [line.strip() for line in text.split("\n")]
        content = "<br>".join(filter(None, lines)).replace("|", r"\|")
        return f" {content} |"

    convert_th = convert_td

    def convert_code(self, _el: Tag, text: str, parent_tags: set[str]) -> str:
        """Convert a code span to one line: a line break in it could begin a list or a quotation."""
        words = re.sub(r"\s*\n\s*", " ", text)
        if "_noformat" in parent_tags or not words.strip():
            return text
        return f"{' ' * words[0].isspace()}{_code_span(words.strip())}{' ' * words[-1].isspace()}"

    convert_kbd = convert_samp = convert_code

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Convert a code block; its fence has more backticks than any run in it. In a cell each line is a code span."""
        code = text.strip("\n")
        if not code.strip():
            return ""
        if parent_tags & _CELLS:
            return "\n".join(_code_span(line) for line in code.split("\n") if line.strip())
        fence = "`" * max(3, _longest_run(text) + 1)
        return f"\n\n{fence}{_language(el)}\n{code}\n{fence}\n\n"


def _code_span(line: str) -> str:
    fence = "`" * (_longest_run(line) + 1)
    pad = " " * (len(fence) > 1)
    return f"{fence}{pad}{line}{pad}{fence}"


def _longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)


def _language(pre: Tag) -> str:
    """Return the programming language in the class of the code; or an empty string."""
    for tag in (pre, *pre.find_all("code")):
        for name in tag.get_attribute_list("class"):
            if name and name.startswith("language-"):
                return str(name.removeprefix("language-"))
    return ""


def _destination(url: str) -> str:
    """Return a URL as the destination of a link, in angle brackets if it has spaces or unbalanced parentheses."""
    if re.search(r"\s", url) or url.count("(") != url.count(")"):
        return "<" + re.sub(r"[<>\\]", r"\\\g<0>", " ".join(url.split())) + ">"
    return url


def write_markdown(result: Result) -> str:
    """Return the cleaned page in Markdown (CommonMark with the tables of GitHub); posts and comments get headings."""
    return to_markdown(to_thread_tree(result))


def to_markdown(page: etree._Element) -> str:
    """Convert the body of a cleaned page, a result of `vclean.output.html.to_tree`; empty for an empty body."""
    options: dict[str, Any] = {"bs4_options": "lxml", "sup_symbol": "<sup>", "sub_symbol": "<sub>"}
    body = deepcopy(page[-1])
    flatten(body)
    text: str = _Converter(**options).convert(etree.tostring(body, method="html", encoding="unicode"))
    text = text.strip("\n")
    return text + "\n" if text else ""
