"""The cleaned page in Markdown, through the library markdownify."""

from __future__ import annotations

import re
import unicodedata
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from bs4.element import NavigableString, Tag
from lxml import etree
from markdownify import MarkdownConverter

from vclean.flatten import flatten
from vclean.levels import HEADINGS
from vclean.pruning import INLINE

if TYPE_CHECKING:
    from collections.abc import Callable

    from bs4.element import PageElement

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


def to_markdown(page: etree._Element) -> str:
    """The body of a cleaned page, as `vclean.markup.to_tree` gives it; `""` when it holds nothing."""
    options: dict[str, Any] = {"bs4_options": "lxml", "sup_symbol": "<sup>", "sub_symbol": "<sub>"}
    body = deepcopy(page[-1])
    flatten(body)
    text: str = _Converter(**options).convert(etree.tostring(body, method="html", encoding="unicode"))
    text = text.strip("\n")
    return text + "\n" if text else ""
