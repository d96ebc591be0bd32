"""The cleaned page in Markdown, through the library markdownify."""

from __future__ import annotations

import re
import unicodedata
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from bs4.element import NavigableString, Tag
from lxml import etree
from markdownify import MarkdownConverter

from vclean.output.headings import HEADINGS
from vclean.output.html import to_tree
from vclean.output.selection import INLINE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bs4.element import PageElement

    from vclean.result import Result


_IN_CELLS = ("p", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "figure", "figcaption")
_UNMARKED = frozenset(("dl", "dt", "dd", "figure", "figcaption"))
"""Elements that leave no mark in Markdown other than a blank line."""

_NUMBER = re.compile(r"\s*([0-9]{1,5})")
_START = re.compile(r"[0-9]{1,8}")
"""CommonMark takes numbers of up to nine figures; one is left to count on."""

_MAX_COLSPAN, _MAX_ROWSPAN = 1000, 65534
"""The bounds of the HTML standard."""


def flatten(body: etree._Element) -> None:
    """Change a cleaned body in place.

    Captions come before their tables, spans of cells become empty cells, blocks in cells are parted by `br`, terms
    lose their own emphasis, a `br` at the edge of an inline element moves out of it, and items get an attribute
    `mark`: what begins them in Markdown.
    """
    for table in list(body.iter("table")):
        _lift_caption(table)
        _fill_spans(table)
    for cell in body.iter("td", "th"):
        _part_blocks(cell)
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
    """Empty cells where a cell reaches from the left or from above, and to the right of a short first row."""
    rows, group = list(table.iter("tr")), None
    covered: dict[int, int] = {}
    for row in rows:
        if row.getparent() is not group:
            group, covered = row.getparent(), {}
        covered = _fill_row(row, covered)
    for row in rows[:1]:
        row.extend(_empty(max(map(len, rows)) - len(row)))


def _fill_row(row: etree._Element, covered: dict[int, int]) -> dict[int, int]:
    """Fill a row, given for how many rows each column is covered from above; returns the same for the next row."""
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
    found = _NUMBER.match(cell.get(name, ""))
    return int(found[1]) if found else 1


def _empty(count: int) -> Iterator[etree._Element]:
    return (etree.Element("td") for _ in range(count))


def _part_blocks(cell: etree._Element) -> None:
    for block in list(cell.iter(*_IN_CELLS, "pre")):
        block.addprevious(etree.Element("br"))
        after = etree.Element("br")
        after.tail, block.tail = block.tail, None
        block.addnext(after)
    etree.strip_tags(cell, *_IN_CELLS)


def _move_out(line_break: etree._Element) -> None:
    """Move a line break that begins or ends inline elements before or after them."""
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
    """A bullet or a number for every item, other than in the list right before, which it would be one with."""
    items = item_list.findall("li")
    again = _follows_another(item_list)
    if item_list.tag == "ul":
        marks = ["*" if again else "-"] * len(items)
    else:
        start = _start(item_list, items)
        marks = [f"{number}{')' if again else '.'}" for number in range(start, start + len(items))]
    for item, mark in zip(items, marks, strict=True):
        item.set("mark", mark)


def _follows_another(item_list: etree._Element) -> bool:
    """Whether a list of the same kind, marked in the usual way, stands right before a list."""
    before = _right_before(item_list)
    while before is not None and before.tag in _UNMARKED and len(before) and not (before[-1].tail or "").strip():
        before = before[-1]
    if before is None or before.tag != item_list.tag:
        return False
    first = before.find("li")
    return first is not None and first.get("mark", "")[-1:] in ("-", ".")


def _right_before(element: etree._Element) -> etree._Element | None:
    """The element right before an element, or before the unmarked one that it begins; None if words are between."""
    before, parent = element.getprevious(), element.getparent()
    if before is not None:
        return None if (before.tail or "").strip() else before
    if parent is None or parent.tag not in _UNMARKED or (parent.text or "").strip():
        return None
    return _right_before(parent)


def _start(item_list: etree._Element, items: list[etree._Element]) -> int:
    """The number of the first item: the list's start, or the item's own value."""
    told = item_list.get("start", "") or (items[0].get("value", "") if items else "")
    return int(told) if _START.fullmatch(told) else 1


_INLINE = re.compile(
    r"[\\`]|(?<!\s)\*|\*(?!\s)|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=~)~|\](?=[(\[:])|<(?=[A-Za-z/!?])|&(?=#?\w+;)"
)
"""Characters that would begin markup where they stand: emphasis, code, links, tags, entities (CommonMark 0.31)."""

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
"""The first and the last character that an element is written with; other inline elements leave no mark."""


def _beside(node: PageElement, *, after: bool) -> str:
    """The character after (or before) an inline node in its line; `""` where its block ends there."""
    while True:
        sibling = node.next_sibling if after else node.previous_sibling
        if sibling is None:
            parent = node.parent
            if parent is None or parent.name not in INLINE:
                return ""
            if parent.name in _EDGES:
                return _EDGES[parent.name][after]
            node = parent
        elif text := _written(sibling):
            return text[0 if after else -1]
        elif isinstance(sibling, Tag) and sibling.name not in INLINE:
            return ""
        else:
            node = sibling


def _written(node: PageElement) -> str:
    """What an inline node is written as, as far as its first and last character go."""
    if isinstance(node, NavigableString):
        return str(node)
    if not isinstance(node, Tag):
        return ""
    return _EDGES.get(node.name) or (node.get_text() if node.name in INLINE else "")


def _clings(inside: str, outside: str) -> bool:
    """Whether a delimiter between these characters marks nothing: punctuation within, a letter without.

    The rule of left- and right-flanking delimiter runs, CommonMark 0.31, section 6.2.
    """
    return _is_punctuation(inside) and bool(outside) and not outside.isspace() and not _is_punctuation(outside)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _emphasis(mark: str) -> Callable[..., str]:
    """A conversion that puts `mark` round a text, and a space where it would not be read as a mark."""

    def convert(_self: MarkdownConverter, el: Tag, text: str, parent_tags: set[str]) -> str:
        inner = text.strip()
        if "_noformat" in parent_tags or not inner:
            return text
        before = text[0].isspace() or _clings(inner[0], _beside(el, after=False))
        after = text[-1].isspace() or _clings(inner[-1], _beside(el, after=True))
        return f"{' ' * before}{mark}{inner}{mark}{' ' * after}"

    return convert


class _Converter(MarkdownConverter):
    """markdownify, escaping what Markdown would read as markup and nothing else."""

    convert_b = convert_strong = _emphasis("**")
    convert_em = convert_i = _emphasis("*")
    convert_del = convert_s = _emphasis("~~")

    def escape(self, text: str, _parent_tags: set[str]) -> str:
        """A text node, so that it reads in Markdown as it stood on the page, within a line."""
        return _INLINE.sub(r"\\\g<0>", text)

    def process_text(self, el: NavigableString, parent_tags: set[str]) -> str:
        """The same for a whole node: with what would be markup at the start of a line, in a link or before one."""
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
        """A numbered list; inside an item a paragraph can be broken off by a list that begins with 1 alone."""
        items: str = super().convert_list(el, text, parent_tags)  # type: ignore[misc]
        first = el.find("li")
        return items if first is None or str(first.get("mark"))[:-1] == "1" else f"\n{items}"

    def convert_li(self, el: Tag, text: str, **_context: set[str]) -> str:
        """An item, its further lines indented as far as the words of its first."""
        mark, lines = f"{el['mark']} ", text.strip().split("\n")
        indented = ("", *(" " * len(mark) * bool(line) for line in lines[1:]))
        body = "\n".join(indent + line for indent, line in zip(indented, lines, strict=True))
        return f"{mark}{body}\n" if body else "\n"

    def convert_hN(self, n: int, _el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: N802
        """A heading, whose own number signs at the end are not taken for its end."""
        words = _HEADING_END.sub(r"\1\\\2", " ".join(text.split()))
        return words if parent_tags & _CELLS else f"\n\n{'#' * n} {words}\n\n"

    def convert_br(self, _el: Tag, _text: str, parent_tags: set[str]) -> str:
        """A hard line break; in a cell a line end, for the cell to write; a space where a line may not end."""
        if parent_tags & _CELLS:
            return "\n"
        return " " if parent_tags & {*HEADINGS, "_noformat"} else "  \n"

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """A link, short where its text is its address."""
        inner, address = text.strip(), str(el.get("href", ""))
        if "_noformat" in parent_tags or not inner or not address:
            return text
        short = el.get_text() == address and re.match(r"https?://[^\s<>]+$", address)
        link = f"<{address}>" if short else f"[{inner}]({_destination(address)})"
        return f"{' ' * text[0].isspace()}{link}{' ' * text[-1].isspace()}"

    def convert_img(self, el: Tag, _text: str, **_context: set[str]) -> str:
        """An image, wherever it stands."""
        alternative = " ".join(re.sub(r"[\\\[\]]", r"\\\g<0>", str(el.get("alt", ""))).split())
        return f"![{alternative}]({_destination(str(el.get('src', '')))})"

    def convert_dt(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """A term, as a paragraph in bold letters if it is words alone."""
        words = el.find(_IN_TERM) is None
        return f"\n\n{_emphasis('**')(self, el, text.strip(), parent_tags) if words else text.strip()}\n\n"

    def convert_dd(self, _el: Tag, text: str, **_context: set[str]) -> str:
        """What is said of a term, as paragraphs."""
        return f"\n\n{text.strip()}\n\n"

    def convert_table(self, el: Tag, text: str, **_context: set[str]) -> str:
        """A table of GitHub, whose first row is the header whatever the page says."""
        head, _, rows = text.strip().partition("\n")
        first = el.find("tr")
        width = len(first.find_all(("td", "th"))) if first else 0
        return f"\n\n{head}\n|{' --- |' * width}\n{rows}\n\n" if width else f"\n\n{text.strip()}\n\n"

    def convert_tr(self, _el: Tag, text: str, **_context: set[str]) -> str:
        """A row on one line."""
        return f"|{text}\n"

    def convert_td(self, _el: Tag, text: str, **_context: set[str]) -> str:
        """A cell; its lines are parted by the tag, for which Markdown has no mark in a table."""
        lines = [line.strip() for line in text.split("\n")]
        content = "<br>".join(filter(None, lines)).replace("|", r"\|")
        return f" {content} |"

    convert_th = convert_td

    def convert_code(self, _el: Tag, text: str, parent_tags: set[str]) -> str:
        """A code span, on one line: what follows a line break in it could be read as a list or a quotation."""
        words = re.sub(r"\s*\n\s*", " ", text)
        if "_noformat" in parent_tags or not words.strip():
            return text
        return f"{' ' * words[0].isspace()}{_code_span(words.strip())}{' ' * words[-1].isspace()}"

    convert_kbd = convert_samp = convert_code

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """A code block, fenced by more backticks than it holds in a row; in a cell every line as code."""
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
    """The length of the longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)


def _language(pre: Tag) -> str:
    """The programming language, where the class of the code names it; else `""`."""
    for tag in (pre, *pre.find_all("code")):
        for name in tag.get_attribute_list("class"):
            if name and name.startswith("language-"):
                return str(name.removeprefix("language-"))
    return ""


def _destination(address: str) -> str:
    """An address as a link's destination: in angle brackets where a bare one would end early."""
    if re.search(r"\s", address) or address.count("(") != address.count(")"):
        return "<" + re.sub(r"[<>\\]", r"\\\g<0>", " ".join(address.split())) + ">"
    return address


def write_markdown(result: Result) -> str:
    """Return the cleaned page in Markdown (CommonMark with the tables of GitHub)."""
    return to_markdown(to_tree(result))


def to_markdown(page: etree._Element) -> str:
    """The body of a cleaned page, as `vclean.output.html.to_tree` gives it; `""` when it holds nothing."""
    options: dict[str, Any] = {"bs4_options": "lxml", "sup_symbol": "<sup>", "sub_symbol": "<sub>"}
    body = deepcopy(page[-1])
    flatten(body)
    text: str = _Converter(**options).convert(etree.tostring(body, method="html", encoding="unicode"))
    text = text.strip("\n")
    return text + "\n" if text else ""
