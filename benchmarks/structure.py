"""Score the types of blocks, and the structure of Markdown output, against gold.

`python benchmarks/structure.py CORPUS.parquet... [--limit N] [--snapshots FOLDER] [--json OUT]` cross-validates by
site: no page is labelled by a model that was trained on its site. With a cache of snapshots, pages are rendered.

Types are compared on blocks that are content in both gold and prediction, if the gold has their type. For structure, a
CommonMark parser reads both documents into units: headings, list items, table rows, code blocks, and all other lines.
Units with the same words are paired in document order. The scores count whether both units of a pair have the same
kind; other benchmarks measure which text is content. If the gold of a page has no unit of a kind, predicted units of
this kind do not count: some gold marks headings but no lists, although the page has lists.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np
from markdown_it import MarkdownIt

from vclean.classify.corpora.alignment import tokenize
from vclean.classify.corpora.corpora import read_corpus, site
from vclean.classify.training.dataset import TrainingTable, page_rows
from vclean.classify.training.train import CrossValidation
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.files import write_atomic
from vclean.labels import LABELS, Label
from vclean.render.browser.renderer import Renderer
from vclean.render.static.parse import parse
from vclean.render.storage.cache import SnapshotCache
from vclean.result import Result
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from markdown_it.token import Token
    from numpy.typing import NDArray

    from vclean.classify.corpora.corpora import Corpus, GoldPage
    from vclean.classify.prediction import Prediction
    from vclean.classify.training.dataset import PageRows
    from vclean.features.blocks import BlockColumns
    from vclean.page import Page
    from vclean.render.snapshot import Snapshot

    Read = Callable[[Page], Snapshot]

KINDS = ("heading", "item", "row", "code", "paragraph")
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_BREAKS = frozenset(("softbreak", "hardbreak"))
_TAG = re.compile(r"<[^>]*>")

Words = tuple[str, ...]
Link = tuple[Words, str]


@dataclass(frozen=True, slots=True)
class Unit:
    """Heading, list item, table row, code block or other line of a Markdown document.

    Attributes:
        kind: one of `KINDS`.
        words: words of the unit.
        level: level of a heading, 1 to 6; depth of an item in nested lists; number of non-empty cells of a row.
        text: code of a code block.
        links: text and URL of each link.
    """

    kind: str
    words: Words
    level: int = 0
    text: str = ""
    links: tuple[Link, ...] = ()


def units(markdown: str) -> list[Unit]:
    """Return the units of a Markdown document that have words."""
    reader = _Reader()
    return [unit for token in _PARSER.parse(markdown) for unit in reader.read(token) if unit.words]


@dataclass(slots=True)
class _Reader:
    """State of open lists, items, headings and rows while the tokens of a document are read."""

    lists: int = 0
    heading: int = 0
    fresh_item: bool = False
    row: list[Token] | None = None

    def read(self, token: Token) -> Iterator[Unit]:
        """Update the state with `token`. Yield the units that end with it."""
        match token.type:
            case "bullet_list_open" | "ordered_list_open" | "bullet_list_close" | "ordered_list_close":
                self.lists += token.nesting
            case "list_item_open":
                self.fresh_item = True
            case "heading_open" | "heading_close":
                self.heading = int(token.tag[1]) if token.nesting > 0 else 0
            case "tr_open":
                self.row = []
            case "tr_close":
                yield _row(self.row or [])
                self.row = None
            case "fence" | "code_block":
                yield Unit("code", tuple(tokenize(token.content)), text=_code(token.content))
            case "html_block":
                yield Unit("paragraph", tuple(tokenize(_TAG.sub(" ", token.content))))
            case "inline" if self.row is not None:
                self.row.append(token)
            case "inline":
                yield from self._lines(token)

    def _lines(self, token: Token) -> Iterator[Unit]:
        """Yield a heading, or the lines of a paragraph; the first line after the start of an item is the item."""
        for line in [token.children or []] if self.heading else _split(token.children or []):
            words, links = _inline(line)
            if self.heading:
                yield Unit("heading", words, self.heading, links=links)
            elif self.fresh_item:
                yield Unit("item", words, self.lists, links=links)
            else:
                yield Unit("paragraph", words, links=links)
            self.fresh_item = False


def _row(cells: Sequence[Token]) -> Unit:
    inline = [_inline(cell.children or []) for cell in cells]
    words = tuple(chain.from_iterable(words for words, _ in inline))
    links = tuple(chain.from_iterable(links for _, links in inline))
    return Unit("row", words, sum(bool(words) for words, _ in inline), links=links)


def _code(content: str) -> str:
    """Return code without leading and trailing empty lines, and without trailing white space of lines."""
    return "\n".join(line.rstrip() for line in content.splitlines()).strip("\n")


def _split(line: Iterable[Token]) -> Iterator[list[Token]]:
    part: list[Token] = []
    for token in line:
        if token.type in _BREAKS:
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _inline(line: Iterable[Token]) -> tuple[Words, tuple[Link, ...]]:
    """Return the words of a line, without images, and its links that have words."""
    text, links, url, start = "", [], "", 0
    for token in line:
        if token.type in ("text", "code_inline"):
            text += token.content
        elif token.type in _BREAKS or token.type == "html_inline":
            text += " "
        elif token.type == "link_open":
            url, start = str(token.attrGet("href")), len(text)
        elif token.type == "link_close":
            links.append((tuple(tokenize(text[start:])), unquote(url).rstrip("/")))
    return tuple(tokenize(text)), tuple(link for link in links if link[0])


@dataclass(slots=True)
class Agreement:
    """Agreement of document structure with gold: counts, summed over pages.

    Attributes:
        pairs: number of pairs of units with the same words, by kind in the gold and predicted kind.
        same_level: number of pairs of a kind with the same level. For headings, the most common offset between the
            levels of a page is subtracted first.
        same_code: number of pairs of code blocks with identical code.
        links: number of links in paired units: in the `gold`, `predicted`, and in `both`.
        gold_words, paired_words: number of words in all gold units, and in those that are paired.
    """

    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    same_level: Counter[str] = field(default_factory=Counter)
    same_code: int = 0
    links: Counter[str] = field(default_factory=Counter)
    gold_words: int = 0
    paired_words: int = 0

    def add(self, gold: Sequence[Unit], predicted: Sequence[Unit]) -> None:
        """Add the units of one page."""
        pairs = list(_pairs(gold, predicted))
        self.gold_words += sum(len(unit.words) for unit in gold)
        self.paired_words += sum(len(unit.words) for unit, _ in pairs)
        gold_kinds = {unit.kind for unit in gold} | {"paragraph"}
        pairs = [(one, other) for one, other in pairs if other.kind in gold_kinds]
        self.pairs.update((one.kind, other.kind) for one, other in pairs)
        for kind in ("heading", "item", "row"):
            offsets = Counter(other.level - one.level for one, other in pairs if one.kind == other.kind == kind)
            most_common = offsets.most_common(1)[0][0] if kind == "heading" and offsets else 0
            self.same_level[kind] += offsets[most_common]
        self.same_code += sum(one.text == other.text for one, other in pairs if one.kind == other.kind == "code")
        for one, other in pairs if any(unit.links for unit in gold) else ():
            gold_links, predicted_links = Counter(one.links), Counter(other.links)
            both = gold_links & predicted_links
            self.links.update(gold=gold_links.total(), predicted=predicted_links.total(), both=both.total())

    def figures(self) -> dict[str, Any]:
        """Return precision, recall and number of pairs of every kind, and of links; None for a share of nothing."""
        kinds = {kind: self._kind(kind) for kind in KINDS}
        return {
            "paired words": _share(self.paired_words, self.gold_words),
            "kinds": kinds,
            "links": {
                "precision": _share(self.links["both"], self.links["predicted"]),
                "recall": _share(self.links["both"], self.links["gold"]),
                "pairs": self.links["both"],
            },
        }

    def _kind(self, kind: str) -> dict[str, Any]:
        both = self.pairs[kind, kind]
        same = self.same_code if kind == "code" else self.same_level[kind]
        return {
            "precision": _share(both, sum(self.pairs[other, kind] for other in KINDS)),
            "recall": _share(both, sum(self.pairs[kind, other] for other in KINDS)),
            "same level or code": _share(same, both) if kind != "paragraph" else None,
            "pairs": both,
        }


def _pairs(gold: Sequence[Unit], predicted: Sequence[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """Yield pairs of units with the same words, in document order; each unit is in one pair at most."""
    waiting: dict[Words, list[Unit]] = {}
    for unit in reversed(predicted):
        waiting.setdefault(unit.words, []).append(unit)
    for unit in gold:
        if same := waiting.get(unit.words):
            yield unit, same.pop()


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def type_figures(gold: NDArray[np.int8], predicted: NDArray[np.int8]) -> dict[str, Any]:
    """Return accuracy, and F1 of every type, over blocks that have a content type in both arrays.

    Args:
        gold: gold label codes (K,).
        predicted: predicted label codes (K,).
    """
    types = [LABELS.index(label) for label in Label if label.is_content]
    both = np.isin(gold, types) & np.isin(predicted, types)
    gold, predicted = gold[both], predicted[both]
    f1 = {
        str(LABELS[code]): _share(2 * int(((gold == code) & (predicted == code)).sum()),
                                 int((gold == code).sum() + (predicted == code).sum()))
        for code in types
    }  # fmt: skip
    return {"blocks": len(gold), "accuracy": _share(int((gold == predicted).sum()), len(gold)), "f1": f1}


@dataclass(frozen=True, slots=True)
class ReadPage:
    """Page with its gold, its blocks and its training rows."""

    page: GoldPage
    blocks: BlockColumns
    rows: PageRows


def measure(corpora: Sequence[Corpus], read: Read, limit: int | None) -> dict[str, Any]:
    """Return the results of every corpus: types if the gold has types, and structure if it is Markdown."""
    pages = [read_page for corpus in corpora for page in _evenly(corpus, limit) if (read_page := _read(page, read))]
    predictions = CrossValidation.run(TrainingTable.from_pages([page.rows for page in pages])).predictions()
    figures = {}
    for corpus in corpora:
        part = [pair for pair in zip(pages, predictions, strict=True) if pair[0].page.corpus == corpus.name]
        figures[corpus.name] = {"pages": len(part), "types": _types(part), "structure": _structure(part)}
    return figures


def _evenly(corpus: Corpus, limit: int | None) -> Iterator[GoldPage]:
    """Return evenly spaced pages of a corpus, `limit` at most."""
    step = -(-len(corpus) // limit) if limit else 1
    return (page for number, page in enumerate(corpus) if number % step == 0)


def _read(page: GoldPage, read: Read) -> ReadPage | None:
    try:
        blocks = extract_blocks(read(page.to_page()))
    except VcleanError:
        return None
    return ReadPage(page, blocks, page_rows(page, site(page), blocks))


def _types(part: Sequence[tuple[ReadPage, Prediction]]) -> dict[str, Any]:
    codes = [LABELS.index(label) for _, prediction in part for label in prediction.labels]
    gold = [page.rows.label for page, _ in part]
    return type_figures(np.concatenate([np.zeros(0, dtype=np.int8), *gold]), np.array(codes, dtype=np.int8))


def _structure(part: Sequence[tuple[ReadPage, Prediction]]) -> dict[str, Any]:
    agreement = Agreement()
    for read, prediction in part:
        if read.page.markdown:
            result = Result(columns=read.blocks, prediction=prediction)
            agreement.add(units(read.page.markdown), units(result.to_markdown()))
    return agreement.figures()


def table(figures: dict[str, Any]) -> str:
    """Return the results as lines of text."""
    lines = []
    for corpus, results in figures.items():
        types, structure = results["types"], results["structure"]
        f1 = "  ".join(f"{name} {_cell(value)}" for name, value in types["f1"].items())
        lines += [f"{corpus}, {results['pages']} pages", f"  types: accuracy {_cell(types['accuracy'])}  F1 {f1}"]
        if structure["paired words"] is not None:
            lines += [f"  {name:9}  {_row_of(part)}" for name, part in structure["kinds"].items()]
            lines += [f"  links      {_row_of(structure['links'])}"]
    return "\n".join(lines)


def _row_of(part: dict[str, Any]) -> str:
    return "  ".join(f"{name} {_cell(value)}" for name, value in part.items())


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark, print the table, and write the JSON file. Return the exit code."""
    parser = argparse.ArgumentParser(description="Score block types and Markdown structure, cross-validated.")
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS")
    parser.add_argument("--limit", type=int, help="maximum number of pages of each corpus, evenly spaced")
    parser.add_argument("--snapshots", type=Path, metavar="FOLDER", help="render pages, and cache them in this folder")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args(arguments)
    try:
        with ExitStack() as stack:
            read = _reader(options.snapshots, stack) if options.snapshots else parse
            figures = measure([read_corpus(path) for path in options.corpora], read, options.limit)
    except VcleanError as error:
        print(error, file=sys.stderr)
        return 1
    print(table(figures))
    if options.json:
        write_atomic(options.json, json.dumps(figures, indent=1) + "\n")
    return 0


def _reader(folder: Path, stack: ExitStack) -> Read:
    settings = RenderSettings()
    renderer = stack.enter_context(Renderer(settings))
    return SnapshotCache(folder, lambda page: renderer.render(page).snapshot, settings, rendered=True)


if __name__ == "__main__":
    raise SystemExit(main())
