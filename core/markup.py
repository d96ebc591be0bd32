"""The cleaned page as HTML: lists, tables, code, quotations, links and emphasis as they were, the rest gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from vclean.characters import legal
from vclean.sweep import Sweep

if TYPE_CHECKING:
    from vclean.result import Result
    from vclean.sweep import Attributes


def to_html(result: Result) -> str:
    """The cleaned page as a whole HTML document in UTF-8."""
    document = etree.tostring(to_tree(result), method="html", encoding="unicode")
    return f"<!DOCTYPE html>\n{document}\n"


def to_tree(result: Result) -> etree._Element:
    """The cleaned page as an `html` element with head and body."""
    snapshot = result.blocks.snapshot
    builder = etree.TreeBuilder()
    builder.start("html", _root_attributes(result))
    _write_head(builder, snapshot.title, snapshot.url)
    builder.start("body", {})
    builder.data("\n")
    Sweep(result.blocks, result.labels, builder).run()
    builder.end("body")
    builder.end("html")
    return builder.close()


def _write_head(builder: etree.TreeBuilder, title: str, address: str) -> None:
    """The title, which HTML wants even where it is empty, and where the page comes from if it is of the web."""
    builder.start("head", {})
    builder.start("meta", {"charset": "utf-8"})
    builder.end("meta")
    builder.start("title", {})
    builder.data(legal(title))
    builder.end("title")
    if address.lower().startswith(("http://", "https://")):
        builder.start("link", {"rel": "canonical", "href": legal(address)})
        builder.end("link")
    builder.end("head")
    builder.data("\n")


def _root_attributes(result: Result) -> Attributes:
    snapshot = result.blocks.snapshot
    direction = snapshot.attributes("dir").get(0, "").lower()
    language = result.language or snapshot.language
    found = {"lang": legal(language), "dir": direction if direction in ("ltr", "rtl") else ""}
    return {name: value for name, value in found.items() if value}
