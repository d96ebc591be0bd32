"""The cleaned page in Markdown, through the library markdownify."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lxml import etree
from markdownify import ATX, MarkdownConverter

if TYPE_CHECKING:
    from bs4 import Tag

_INLINE = re.compile(r"[\\`*]|(?<!\w)_|_(?!\w)|\](?=[(\[:])|<(?=[A-Za-z/!?])|&(?=#?\w+;)")
"""Characters that would begin markup where they stand: emphasis, code, links, tags, entities (CommonMark 0.31)."""

_LINE_START = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|[>+-](?=\s|$)|=+\s*$|-+\s*$)", re.MULTILINE)
_NUMBER_START = re.compile(r"^(\s*\d{1,9})([.)](?=\s|$))", re.MULTILINE)


class _Converter(MarkdownConverter):
    """markdownify, escaping what Markdown would read as markup and nothing else."""

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """A text node, so that it reads in Markdown as it stood on the page."""
        text = _INLINE.sub(r"\\\g<0>", text)
        if parent_tags & {"td", "th"}:
            return text.replace("|", r"\|")
        return _NUMBER_START.sub(r"\1\\\2", _LINE_START.sub(r"\1\\\2", text))

    def convert_pre(self, _el: Tag, text: str, **_context: set[str]) -> str:
        """A code block, fenced by more backticks than it holds in a row."""
        longest = max(map(len, re.findall("`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        code = text.strip("\n")
        return f"\n\n{fence}\n{code}\n{fence}\n\n" if code.strip() else ""


def to_markdown(page: etree._Element) -> str:
    """The body of a cleaned page, as `vclean.markup.to_tree` gives it; `""` when it holds nothing."""
    options: dict[str, Any] = {"heading_style": ATX, "bullets": "-", "bs4_options": "lxml", "table_infer_header": True}
    body = etree.tostring(page[-1], method="html", encoding=str)
    text: str = _Converter(**options).convert(body)
    text = text.strip("\n")
    return text + "\n" if text else ""
