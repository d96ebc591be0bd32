"""Measure whether labels depend on rendering where no style differs, and whether accuracy depends on length.

`python benchmarks/agreement.py CORPUS.parquet... [--limit N] [--model FILE]` prints three tables:

- Pages without style elements, style and presentational attributes and scripts, rendered against parsed: labels that
  differ, of the blocks with the same text in the same order; mean differences of probability and confidence.
- Word F1 by length, in quintiles of the words of the page. The best cut is the best of 19 thresholds per page.
- Word F1 of pages joined to one: the bodies of 1, 2, 4 and 8 consecutive pages of a corpus.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from documents import table
from lxml import etree

from vclean.classify.content.model import load
from vclean.classify.corpora.corpora import read_corpus
from vclean.classify.evaluation.scores import word_score
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.labels import Label
from vclean.page import Page
from vclean.page_reader import PageReader
from vclean.render.decode import read_document
from vclean.render.static.parse import parse
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.content.model import Model
    from vclean.classify.corpora.corpora import GoldPage
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

PRESENTATIONAL: Final = frozenset((
    "align", "alink", "background", "bgcolor", "border", "cellpadding", "cellspacing", "clear", "color", "face",
    "height", "hidden", "hspace", "link", "nowrap", "size", "style", "text", "valign", "vlink", "vspace", "width",
))  # fmt: skip
"""Attributes that style an element (HTML, 15.3)."""
JOINED: Final = (1, 2, 4, 8)
"""Numbers of pages that are joined to one."""
THRESHOLDS: Final = np.arange(1, 20) / 20
_MAX_BYTES: Final = 50_000_000


def parse_source(html: bytes) -> etree._Element:
    """Return the root of a page; comments and processing instructions are left out."""
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    return etree.fromstring(read_document(Page(content=html), _MAX_BYTES).text.encode("utf-8", "replace"), parser)


def to_source(root: etree._Element) -> bytes:
    """Serialize a page in UTF-8, with a byte order mark that declares it."""
    return b"\xef\xbb\xbf<!DOCTYPE html>\n" + etree.tostring(root, encoding="utf-8", method="html")


def remove_styles(html: bytes) -> bytes:
    """Return a page without styles and scripts: neither elements nor attributes."""
    root = parse_source(html)
    etree.strip_elements(root, "style", "script", "link", "meta", with_tail=False)
    for element in root.iter("*"):
        for name in [name for name in element.attrib if name in PRESENTATIONAL or name.startswith("on")]:
            del element.attrib[name]
    for font in root.iter("font", "center"):
        font.tag = "span" if font.tag == "font" else "div"
    return to_source(root)


def join_pages(pages: Sequence[bytes]) -> bytes:
    """Return the first page, with the body elements of the other pages appended to its body."""
    first, *others = map(parse_source, pages)
    body = first.find("body")
    for other in others:
        for element in other.findall("body/*"):
            body.append(element)
    return to_source(first)


def content_mask(prediction: Prediction) -> NDArray[np.bool_]:
    """Return which blocks are content: bool (B,)."""
    return np.array([label != Label.OTHER for label in prediction.labels], dtype=bool)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Comparison of a rendered and a parsed page.

    Attributes:
        blocks: number of blocks with the same text in the same order.
        flips: number of these blocks with different labels.
        probability: sum of the absolute differences of their probabilities.
        confidence: absolute difference of the confidence of the page.
    """

    blocks: int
    flips: int
    probability: float
    confidence: float


def compare(rendered: BlockColumns, parsed: BlockColumns, model: Model) -> Agreement:
    """Label both readings of a page, and compare them."""
    first, second = model.label(rendered), model.label(parsed)
    matches = SequenceMatcher(None, rendered.text, parsed.text, autojunk=False).get_matching_blocks()
    pairs = [(one + step, two + step) for one, two, size in matches for step in range(size)]
    rows = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return Agreement(
        len(pairs),
        sum(first.labels[one] != second.labels[two] for one, two in pairs),
        float(np.abs(first.probability[rows[:, 0]] - second.probability[rows[:, 1]]).sum()),
        abs(first.confidence - second.confidence),
    )


def agreements(pages: Iterable[GoldPage], model: Model) -> Iterator[tuple[str, Agreement]]:
    """Yield the corpus and the comparison of each page that can be rendered and parsed, without its styles."""
    settings = RenderSettings()
    with PageReader(settings, render=True) as reader:
        for page in pages:
            try:
                unstyled = Page(content=remove_styles(page.html), url=page.url, id=page.id)
                rendered = extract_blocks(reader.read(unstyled).snapshot)
                yield page.corpus, compare(rendered, extract_blocks(parse(unstyled, settings)), model)
            except VcleanError as error:
                print(f"{page.corpus} {page.id}: {error}", file=sys.stderr)


def agreement_table(results: Sequence[tuple[str, Agreement]]) -> str:
    """Return the table of label flips by corpus."""
    groups = {name: [each for corpus, each in results if name in (corpus, "all")] for name, _ in [*results, ("all", 0)]}
    rows = []
    for name, group in groups.items():
        blocks = max(sum(each.blocks for each in group), 1)
        flips = sum(each.flips for each in group) / blocks
        distance = sum(each.probability for each in group) / blocks
        confidence = np.mean([each.confidence for each in group]) if group else 0.0
        rows.append((name, len(group), blocks, f"{100 * flips:.2f} %", f"{distance:.4f}", f"{confidence:.3f}"))
    return table(("unstyled pages of", "pages", "blocks", "labels differ", "probability", "confidence"), rows)


@dataclass(frozen=True, slots=True)
class Score:
    """Word F1 of a page: of the labels, and of the best threshold; the confidence; the words of the page."""

    f1: float
    best: float
    confidence: float
    words: int


def score(html: bytes, url: str, gold: str, model: Model) -> Score:
    """Parse and label a page, and score it against its gold text.

    Raises:
        VcleanError: the page cannot be parsed.
    """
    blocks = extract_blocks(parse(Page(content=html, url=url)))
    prediction = model.label(blocks)
    masks = [prediction.probability >= threshold for threshold in THRESHOLDS]
    chosen, *others = (_f1(blocks.text, mask, gold) for mask in [content_mask(prediction), *masks])
    words = sum(len(text.split()) for text in blocks.text)
    return Score(chosen, max(chosen, *others), prediction.confidence, words)


def _f1(texts: Sequence[str], mask: NDArray[np.bool_], gold: str) -> float:
    """Return the word F1 of the texts in `mask`."""
    return word_score("\n".join(texts[row] for row in np.flatnonzero(mask).tolist()), gold).f1


def quintiles(scores: Sequence[Score]) -> dict[str, list[Score]]:
    """Return the scores by quintile of the words of the page, shortest pages first."""
    ordered = sorted(scores, key=lambda each: each.words)
    parts = np.array_split(np.arange(len(ordered)), 5)
    return {
        f"quintile {number}: {ordered[part[0]].words} to {ordered[part[-1]].words} words": [
            ordered[row] for row in part.tolist()
        ]
        for number, part in enumerate(parts, 1)
        if len(part)
    }


def joined_scores(pages: Sequence[GoldPage], model: Model) -> dict[str, list[Score]]:
    """Return the scores of joined pages by their number; a page of another corpus begins a new one."""
    scores: dict[str, list[Score]] = {f"{count} joined": [] for count in JOINED}
    for count in JOINED:
        for begin in range(0, len(pages) - count + 1, max(JOINED)):
            group = [page for page in pages[begin : begin + count] if page.corpus == pages[begin].corpus]
            if len(group) == count:
                html = join_pages([page.html for page in group])
                text = "\n".join(page.text for page in group)
                scores[f"{count} joined"].append(score(html, group[0].url, text, model))
    return scores


def length_table(groups: Mapping[str, Sequence[Score]]) -> str:
    """Return the table of word F1 by length."""
    rows = []
    for name, group in groups.items():
        f1, best, confidence = (
            np.mean([getattr(each, field) for each in group]) if group else float("nan")
            for field in ("f1", "best", "confidence")
        )
        rows.append((name, len(group), f"{f1:.3f}", f"{best:.3f}", f"{confidence:.3f}"))
    return table(("pages", "number", "word F1", "best cut", "confidence"), rows)


def sample(corpus: Path, limit: int) -> list[GoldPage]:
    """Return up to `limit` pages of a corpus that have gold text, at equal distances.

    Raises:
        InputError: the corpus cannot be read.
    """
    pages = [page for page in read_corpus(corpus) if page.text]
    return pages[:: max(1, len(pages) // limit)][:limit] if limit else pages


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    parser.add_argument("--limit", type=int, default=40, metavar="N", help="pages of each corpus; 0 for all")
    parser.add_argument("--model", type=Path, metavar="FILE", help="the model; the shipped one by default")
    parser.add_argument("--length", action="store_true", help="only the tables by length, which need no browser")
    options = parser.parse_args(arguments)
    try:
        model = load(options.model)
        pages = [page for corpus in options.corpora for page in sample(corpus, options.limit)]
        if not options.length:
            print(agreement_table(list(agreements(pages, model))))
        print(length_table(quintiles([score(page.html, page.url, page.text, model) for page in pages])))
        print(length_table(joined_scores(pages, model)))
    except VcleanError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
