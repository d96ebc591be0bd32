"""Score Markdown against reviewed Markdown: `python benchmarks/markdown.py CORPUS.parquet [--write FOLDER]`.

The corpus has the columns `id`, `url`, `html` and `gold_markdown`. For each kind of element, the elements of output and
gold are compared as multisets over all pages: micro F1. The title of the page is left out: headings of level 1, and
those with the text of an `<h1>`, which the gold has at level 2 or not at all. Links and images are compared by address,
code by its lines, formulas without spaces. Every third page by position is held out, and has a table of its own.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq
from documents import table
from markdown_it import MarkdownIt
from rivals import silence

from vclean import Page, clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from markdown_it.token import Token

    Elements = dict[str, Counter[str]]
    """Elements of a text by kind."""

KINDS: Final = ("words", "headings", "links", "images", "code", "languages", "rows", "items", "formulas")
HELD_OUT: Final = 3

_PARSER: Final = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("code")
"""Indented text belongs to footnotes, which the parser does not know."""
_CODE: Final = re.compile(r"(?ms)^[ >]*(```+|~~~+)[^\n]*\n.*?^[ >]*\1[^\n]*$|(?<!`)(`+)(?!`)[^\n]+?(?<!`)\2(?!`)")
_DISPLAY: Final = re.compile(r"(?<![\\$])\$\$(.+?)\$\$", re.DOTALL)
_INLINE: Final = re.compile(r"(?<![\\$\w])\$(?=\S)((?:\\.|[^$\\\n]|\n(?!\s*\n)){1,4000}?)(?<=\S)\$(?![\d$])")
_NOTE: Final = re.compile(r"(?m)^(\s*)\[\^([^\]\s]+)\]:|\[\^([^\]\s]+)\]")
_STYLE: Final = re.compile(r"\\displaystyle\b|[\s>]")
_WORD: Final = re.compile(r"\w+")
_TAG: Final = re.compile(r"<[^>]*>")
_H1: Final = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.DOTALL | re.IGNORECASE)


def elements(markdown: str) -> Elements:
    """Return the elements of a Markdown text by kind."""
    kinds: Elements = {kind: Counter() for kind in KINDS}
    rows: dict[str, list[str]] = {}
    text = _without_formulas(markdown, kinds["formulas"])
    text = _NOTE.sub(lambda match: f"{match[1]}note " if match[2] else " ", text)
    for token, inside in _walk(_PARSER.parse(text)):
        if token.type in ("fence", "code_block"):
            code = "\n".join(line.rstrip() for line in token.content.strip("\n").split("\n"))
            kinds["code"][code] += 1
            kinds["words"].update(_WORD.findall(code.lower()))
            kinds["languages"].update(token.info.split()[:1])
        elif token.type == "inline":
            plain = " ".join(_plain(token).split())
            kinds["words"].update(_WORD.findall(plain.lower()))
            _count(kinds, token, inside, plain)
            if row := next((each for each in inside if each.startswith("tr")), ""):
                rows.setdefault(row, []).append(plain)
    kinds["rows"].update(" | ".join(cells) for cells in rows.values() if any(cells))
    return kinds


def _without_formulas(text: str, formulas: Counter[str]) -> str:
    """Return the text without the formulas outside code, and count them."""
    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [_cut_formulas(text[end : code.start()], formulas), code[0]]
        end = code.end()
    return "".join([*parts, _cut_formulas(text[end:], formulas)])


def _cut_formulas(text: str, formulas: Counter[str]) -> str:
    for pattern in (_DISPLAY, _INLINE):
        formulas.update(_STYLE.sub("", match[1]) for match in pattern.finditer(text))
        text = pattern.sub(" ", text)
    return text


def _walk(tokens: list[Token]) -> Iterator[tuple[Token, tuple[str, ...]]]:
    """Iterate over block tokens and the tags around them; rows have their number, and items that of their list."""
    path: list[str] = []
    for number, token in enumerate(tokens):
        if token.nesting == 1:
            path.append(f"tr{number}" if token.tag == "tr" else token.tag)
        elif token.nesting == -1:
            path.pop()
        else:
            yield token, tuple(path)


def _plain(token: Token) -> str:
    return "".join(
        " " if child.type in ("softbreak", "hardbreak") else "" if child.type in ("image", "html_inline") else
        child.content for child in token.children or ()
    )  # fmt: skip


def _count(kinds: Elements, token: Token, inside: tuple[str, ...], plain: str) -> None:
    """Count a block with its text, and the images and links in it, given the tags around it."""
    level = inside[-1] if inside else ""
    if re.fullmatch("h[2-6]", level):
        kinds["headings"][f"{level} {plain}"] += 1
    elif plain and "li" in inside[-2:]:
        kinds["items"][plain] += 1
    for child in token.children or ():
        if child.type == "image":
            kinds["images"][str(child.attrs["src"])] += 1
        elif child.type == "link_open":
            kinds["links"][str(child.attrs["href"]).rstrip("/")] += 1


def _vclean(html: bytes, url: str) -> str:
    return clean(Page(content=html, url=url)).to_markdown()


def _trafilatura(html: bytes, url: str) -> str:
    import trafilatura

    options = {"include_formatting": True, "include_links": True, "include_images": True, "include_tables": True}
    return trafilatura.extract(html, url=url, output_format="markdown", **options) or ""


def _readability(html: bytes, url: str) -> str:
    from markdownify import markdownify
    from readability import Document

    text: str = markdownify(Document(html.decode(errors="replace"), url=url).summary(), heading_style="atx")
    return text


SYSTEMS: Final[dict[str, Callable[[bytes, str], str]]] = {
    "vclean": _vclean, "trafilatura": _trafilatura, "readability + markdownify": _readability,
}  # fmt: skip


def score(pages: list[dict[str, Any]], outputs: list[str]) -> dict[str, float]:
    """Return the micro F1 of the elements of each kind."""
    produced = [elements(output) for output in outputs]
    golds = [elements(page["gold_markdown"]) for page in pages]
    for page, *both in zip(pages, produced, golds, strict=True):
        titles = {_words(title) for title in _H1.findall(page["html"].decode(errors="replace"))}
        for one in both:
            one["headings"] = Counter(
                {key: count for key, count in one["headings"].items() if _words(key[3:]) not in titles}
            )
    f1 = {}
    for kind in KINDS:
        hits = sum((one[kind] & gold[kind]).total() for one, gold in zip(produced, golds, strict=True))
        f1[kind] = 2 * hits / max(sum(one[kind].total() for one in (*produced, *golds)), 1)
    return f1


def _words(text: str) -> str:
    return " ".join(_WORD.findall(unescape(_TAG.sub(" ", text)).lower()))


def main() -> None:
    """Print a table for the pages for development, and one for the pages held out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--held-out", action="store_true", help="score the pages held out, too")
    parser.add_argument("--system", action="append", choices=tuple(SYSTEMS), help="default: all that are installed")
    parser.add_argument("--write", type=Path, help="write the Markdown of each page to a folder")
    options = parser.parse_args()
    pages = pq.read_table(options.corpus).to_pylist()
    parts = {"development": [page for number, page in enumerate(pages) if number % HELD_OUT != HELD_OUT - 1]}
    if options.held_out:
        parts["held out"] = pages[HELD_OUT - 1 :: HELD_OUT]
    for name, part in parts.items():
        rows = []
        for system in options.system or SYSTEMS:
            try:
                with silence():
                    outputs = [SYSTEMS[system](page["html"], page["url"] or "") for page in part]
            except ImportError as error:
                print(f"{system} was left out: {error}", file=sys.stderr)
                continue
            rows.append([system, *(f"{value:.3f}" for value in score(part, outputs).values())])
            if options.write:
                (options.write / system).mkdir(parents=True, exist_ok=True)
                for page, output in zip(part, outputs, strict=True):
                    (options.write / system / f"{page['id']}.md").write_text(output, encoding="utf-8")
        print(f"{name}, {len(part)} pages\n\n{table(['system', *KINDS], rows)}\n")


if __name__ == "__main__":
    main()
