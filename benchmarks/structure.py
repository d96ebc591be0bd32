"""Types of blocks against gold of types, and the structure of the Markdown output against gold in Markdown.

`python benchmarks/structure.py CORPUS.parquet... [--limit N] [--snapshots FOLDER] [--json OUT]` cross-validates by
site, so that no page is judged by a model that saw its site. With a folder of snapshots pages are rendered, or taken
from there.

Types are compared on the blocks that are content for both sides and whose type the gold tells. For the structure both
documents are read by a CommonMark parser into units: headings, list items, rows of tables, blocks of code, and all
other lines. Units with the same words are paired in their order, and what is counted is whether the two of a pair are
the same thing; which text is content is the matter of other scores. A page whose gold marks none of a kind tells
nothing of it: gold with a heading may mark no list at all, however many lists the page has.
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

from vclean.classify.corpora.alignment import tokens
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
    """A heading, item, row of a table, block of code or other line of a Markdown document.

    Attributes:
        kind: one of `KINDS`.
        words: its words.
        level: of a heading, 1 to 6; of an item, how many lists it is in; of a row, its cells with words in them.
        text: of a block of code, the code.
        links: text and address of its links.
    """

    kind: str
    words: Words
    level: int = 0
    text: str = ""
    links: tuple[Link, ...] = ()


def units(markdown: str) -> list[Unit]:
    """The units of a Markdown document that have words."""
    reader = _Reader()
    return [unit for token in _PARSER.parse(markdown) for unit in reader.read(token) if unit.words]


@dataclass(slots=True)
class _Reader:
    """Follows what is open while the tokens of a document go by."""

    lists: int = 0
    heading: int = 0
    fresh_item: bool = False
    row: list[Token] | None = None

    def read(self, token: Token) -> Iterator[Unit]:
        """The units that end with `token`."""
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
                yield Unit("code", tuple(tokens(token.content)), text=_code(token.content))
            case "html_block":
                yield Unit("paragraph", tuple(tokens(_TAG.sub(" ", token.content))))
            case "inline" if self.row is not None:
                self.row.append(token)
            case "inline":
                yield from self._lines(token)

    def _lines(self, token: Token) -> Iterator[Unit]:
        """A heading, or the lines of a paragraph, the first of which may be that of an item."""
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
    """Code without empty lines at its ends and white space at the ends of its lines."""
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
    """The words of a line, images aside, and its links that have words."""
    text, links, address, start = "", [], "", 0
    for token in line:
        if token.type in ("text", "code_inline"):
            text += token.content
        elif token.type in _BREAKS or token.type == "html_inline":
            text += " "
        elif token.type == "link_open":
            address, start = str(token.attrGet("href")), len(text)
        elif token.type == "link_close":
            links.append((tuple(tokens(text[start:])), unquote(address).rstrip("/")))
    return tuple(tokens(text)), tuple(link for link in links if link[0])


@dataclass(slots=True)
class Agreement:
    """How the structure of documents agrees with their gold; counts, summed over pages.

    Attributes:
        pairs: of units with the same words, by the kind in the gold and the kind found.
        same_level: of pairs of one kind, those whose level is the same; of headings, up to the offset of the page.
        same_code: of pairs of code, those that are the same to the character.
        links: in the gold, found, and both, in the units that are paired.
        gold_words, paired_words: of the gold's units, and of those that are paired.
    """

    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    same_level: Counter[str] = field(default_factory=Counter)
    same_code: int = 0
    links: Counter[str] = field(default_factory=Counter)
    gold_words: int = 0
    paired_words: int = 0

    def add(self, gold: Sequence[Unit], found: Sequence[Unit]) -> None:
        """Count one page."""
        pairs = list(_pairs(gold, found))
        self.gold_words += sum(len(unit.words) for unit in gold)
        self.paired_words += sum(len(unit.words) for unit, _ in pairs)
        told = {unit.kind for unit in gold} | {"paragraph"}
        pairs = [(one, other) for one, other in pairs if other.kind in told]
        self.pairs.update((one.kind, other.kind) for one, other in pairs)
        for kind in ("heading", "item", "row"):
            offsets = Counter(other.level - one.level for one, other in pairs if one.kind == other.kind == kind)
            usual = offsets.most_common(1)[0][0] if kind == "heading" and offsets else 0
            self.same_level[kind] += offsets[usual]
        self.same_code += sum(one.text == other.text for one, other in pairs if one.kind == other.kind == "code")
        for one, other in pairs if any(unit.links for unit in gold) else ():
            expected, given = Counter(one.links), Counter(other.links)
            self.links.update(gold=expected.total(), found=given.total(), both=(expected & given).total())

    def figures(self) -> dict[str, Any]:
        """Precision, recall and pairs of every kind, and shares of the rest; None where nothing is counted."""
        kinds = {kind: self._kind(kind) for kind in KINDS}
        return {
            "paired words": _share(self.paired_words, self.gold_words),
            "kinds": kinds,
            "links": {
                "precision": _share(self.links["both"], self.links["found"]),
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


def _pairs(gold: Sequence[Unit], found: Sequence[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """Units with the same words, each paired once, in their order."""
    waiting: dict[Words, list[Unit]] = {}
    for unit in reversed(found):
        waiting.setdefault(unit.words, []).append(unit)
    for unit in gold:
        if same := waiting.get(unit.words):
            yield unit, same.pop()


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def type_figures(gold: NDArray[np.int8], found: NDArray[np.int8]) -> dict[str, Any]:
    """Accuracy, and F1 of every type, of the codes `found` (K,) where `gold` (K,) tells a type and both are content."""
    types = [LABELS.index(label) for label in Label if label.is_content]
    both = np.isin(gold, types) & np.isin(found, types)
    gold, found = gold[both], found[both]
    f1 = {
        str(LABELS[code]): _share(2 * int(((gold == code) & (found == code)).sum()),
                                 int((gold == code).sum() + (found == code).sum()))
        for code in types
    }  # fmt: skip
    return {"blocks": len(gold), "accuracy": _share(int((gold == found).sum()), len(gold)), "f1": f1}


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page as it was read: its gold, its blocks, its training rows."""

    page: GoldPage
    blocks: BlockColumns
    rows: PageRows


def measure(corpora: Sequence[Corpus], read: Read, limit: int | None) -> dict[str, Any]:
    """The figures of every corpus: types where the gold has any, and structure where it is in Markdown."""
    pages = [found for corpus in corpora for page in _even(corpus, limit) if (found := _read(page, read))]
    predictions = CrossValidation.of(TrainingTable.of([page.rows for page in pages])).predictions()
    figures = {}
    for corpus in corpora:
        part = [pair for pair in zip(pages, predictions, strict=True) if pair[0].page.corpus == corpus.name]
        figures[corpus.name] = {"pages": len(part), "types": _types(part), "structure": _structure(part)}
    return figures


def _even(corpus: Corpus, limit: int | None) -> Iterator[GoldPage]:
    """Pages taken evenly from a corpus, `limit` at most."""
    step = -(-len(corpus) // limit) if limit else 1
    return (page for number, page in enumerate(corpus) if number % step == 0)


def _read(page: GoldPage, read: Read) -> ReadPage | None:
    try:
        blocks = extract_blocks(read(page.page()))
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
    """The figures as lines of text."""
    lines = []
    for corpus, found in figures.items():
        types, structure = found["types"], found["structure"]
        f1 = "  ".join(f"{name} {_cell(value)}" for name, value in types["f1"].items())
        lines += [f"{corpus}, {found['pages']} pages", f"  types: accuracy {_cell(types['accuracy'])}  F1 {f1}"]
        if structure["paired words"] is not None:
            lines += [f"  {name:9}  {_row_of(part)}" for name, part in structure["kinds"].items()]
            lines += [f"  links      {_row_of(structure['links'])}"]
    return "\n".join(lines)


def _row_of(part: dict[str, Any]) -> str:
    return "  ".join(f"{name} {_cell(value)}" for name, value in part.items())


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description="Types of blocks and structure of Markdown, cross-validated")
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS")
    parser.add_argument("--limit", type=int, help="pages of each corpus, taken evenly from all of it")
    parser.add_argument("--snapshots", type=Path, metavar="FOLDER", help="render, and keep the rendered pages there")
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
