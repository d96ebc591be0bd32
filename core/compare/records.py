"""Record the results of all methods on each page for a report, group them, and analyze the errors on pages."""

from __future__ import annotations

import base64
import io
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image, ImageDraw

from vclean.classify.corpora import gold
from vclean.classify.evaluation.scores import count_words
from vclean.classify.prediction import Prediction
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.features.text.language import detect
from vclean.html_pages import asset
from vclean.labels import LABELS, UNKNOWN, Label, Visibility
from vclean.output.overlay import to_overlay_page
from vclean.render.overlay.draw import as_output_errors, open_screenshot
from vclean.render.overlay.html import draw_html
from vclean.render.overlay.layers import frame_boxes
from vclean.result import Result
from vclean.runtime import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.corpora import Corpus
    from vclean.classify.corpora.gold import GoldPage
    from vclean.classify.corpora.marked import MarkedArchive
    from vclean.classify.evaluation.evaluate import PageEvaluation
    from vclean.features.blocks import BlockColumns
    from vclean.page import Page
    from vclean.render.rendered_page import Rendering


RIGHT, MISSED, WRONG = "right", "missed", "wrong"
"""Kinds of blocks: content that was kept, content that was missed, and other blocks that were kept."""

TINTS: Final = {RIGHT: (0, 158, 115), MISSED: (213, 94, 0), WRONG: (0, 114, 178)}
"""Colors of Okabe and Ito's palette for color-blind readers, as in `vclean.render.overlay.layers`."""

_ERROR_TEXTS: Final = {MISSED: "missed: content in the gold", WRONG: "wrongly kept: not in the gold"}
_OPEN: Final = "vclean.select(vclean.blocks.findIndex((block) => block.changed && vclean.isPainted(block)));"
"""Script that selects the first wrong block when an overlay opens."""
_WIDTH, _RATIO = 320, 1.25
_ABOVE: Final = 60
"""CSS px of the page that a thumbnail shows above its densest part."""
_QUALITY: Final = 72

LENGTHS: Final = {
    0: "no words",
    1: "1 to 99",
    100: "100 to 299",
    300: "300 to 999",
    1000: "1,000 to 2,999",
    3000: "3,000 and more",
}
"""Names of the lengths of gold texts, by their least number of words."""

Key = tuple[str, str]
"""Corpus and id of a page."""

_CODE: Final = {label: code for code, label in enumerate(LABELS)}
_OTHER: Final = _CODE[Label.OTHER]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PageRecord:
    """Result of a method on a page with B blocks; B is 0 if it failed.

    Attributes:
        outcome: its text and scores.
        url: of the page, empty if unknown.
        language: of the gold text, ISO 639-1, or empty.
        words: number of words of the gold text.
        predicted: int8 (B,), codes of the predicted labels, see `vclean.labels.LABELS`.
        gold: int8 (B,), codes of the gold labels; `vclean.labels.UNKNOWN` for content of unknown type.
    """

    outcome: PageEvaluation
    url: str
    language: str
    words: int
    predicted: NDArray[np.int8]
    gold: NDArray[np.int8]

    @property
    def key(self) -> Key:
        """Return the key of the page."""
        return self.outcome.corpus, self.outcome.id

    @property
    def f1(self) -> float:
        """Return the word F1, in 0..1."""
        return self.outcome.score.word.f1

    @property
    def block_kinds(self) -> list[str]:
        """Return for each block `RIGHT`, `MISSED`, `WRONG`, or "" for other blocks that were left out."""
        is_kept, is_content = self.predicted != _OTHER, self.gold != _OTHER
        codes = np.where(is_content, np.where(is_kept, 1, 2), np.where(is_kept, 3, 0))
        return [("", RIGHT, MISSED, WRONG)[code] for code in codes.tolist()]

    @property
    def length(self) -> str:
        """Return the name of the length of the gold text."""
        return LENGTHS[max(least for least in LENGTHS if least <= self.words)]


class RecordCollector:
    """Collect the records of an evaluation: a `vclean.classify.evaluation.evaluate.PageCallback`."""

    def __init__(self) -> None:
        self.records: list[PageRecord] = []
        self._gold: tuple[GoldPage, NDArray[np.int8], str] | None = None

    def __call__(
        self, page: GoldPage, blocks: BlockColumns | None, prediction: Prediction | None, outcome: PageEvaluation
    ) -> None:
        """Record the result of a method on a page."""
        codes, language = self._gold_labels(page, blocks)
        predicted = [_CODE[label] for label in prediction.labels] if prediction else []
        record = PageRecord(
            outcome=outcome,
            url=page.url,
            language=language,
            words=count_words(page.text),
            predicted=np.array(predicted, dtype=np.int8),
            gold=codes if prediction else codes[:0],
        )
        self.records.append(record)

    def _gold_labels(self, page: GoldPage, blocks: BlockColumns | None) -> tuple[NDArray[np.int8], str]:
        """Return the gold labels of the blocks and the language. They are cached because all methods share them."""
        if self._gold is None or self._gold[0] is not page:
            codes = gold.align(blocks.text, page).label if blocks is not None else np.zeros(0, dtype=np.int8)
            self._gold = page, codes, detect(page.text, blocks.snapshot.language if blocks is not None else "")
        return self._gold[1:]


def methods(records: Sequence[PageRecord]) -> list[str]:
    """Return the names of the methods, in the order of the records."""
    return list(dict.fromkeys(record.outcome.method for record in records))


def of_method(records: Sequence[PageRecord], method: str) -> list[PageRecord]:
    """Return the records of one method."""
    return [record for record in records if record.outcome.method == method]


DIMENSIONS: Final[dict[str, Callable[[PageRecord], str]]] = {
    "corpus": lambda record: record.outcome.corpus,
    "page type": lambda record: record.outcome.page_type or "unknown",
    "language": lambda record: record.language or "unknown",
    "length": lambda record: record.length,
}
"""Dimensions by which a report groups pages."""


def groups(records: Sequence[PageRecord], dimension: str) -> list[str]:
    """Return the values of a dimension in the records: lengths by size, others by number of pages."""
    values = Counter(map(DIMENSIONS[dimension], records))
    if dimension == "length":
        return [name for name in LENGTHS.values() if name in values]
    return sorted(values, key=lambda name: (-values[name], name))


def by_group(records: Sequence[PageRecord], dimension: str) -> dict[tuple[str, str], list[PageRecord]]:
    """Return the records by value of a dimension and method."""
    parts: dict[tuple[str, str], list[PageRecord]] = {}
    for record in records:
        parts.setdefault((DIMENSIONS[dimension](record), record.outcome.method), []).append(record)
    return parts


def confusion(records: Sequence[PageRecord]) -> NDArray[np.int64]:
    """Return the confusion matrix, int64 (L + 1, L) for L labels: numbers of blocks by gold and predicted label.

    The last row counts content of unknown type.
    """
    size = len(Label)
    table = np.zeros((size + 1, size), dtype=np.int64)
    for record in records:
        rows = np.where(record.gold == UNKNOWN, size, record.gold)
        np.add.at(table, (rows, record.predicted), 1)
    return table


def confidence_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of at least one value, and its 95 % interval by the normal approximation, clipped to 0..1."""
    sample = np.asarray(values, dtype=float)
    mean = float(sample.mean())
    margin = 1.96 * float(sample.std(ddof=1)) / len(sample) ** 0.5 if len(sample) > 1 else 0.0
    return mean, max(0.0, mean - margin), min(1.0, mean + margin)


@dataclass(frozen=True, slots=True, eq=False)
class ErrorAnalysis:
    """Errors of a method on a page that was read again.

    Attributes:
        record: result of the method.
        blocks: B blocks of the page.
        screenshot: PNG or JPEG, one px per CSS px, or empty.
    """

    record: PageRecord
    blocks: BlockColumns
    screenshot: bytes

    def errors(self, kind: str) -> list[int]:
        """Return the blocks of a kind, those with most words first."""
        blocks = [block for block, block_kind in enumerate(self.record.block_kinds) if block_kind == kind]
        return sorted(blocks, key=lambda block: (-count_words(self.blocks.text[block]), block))

    def thumbnail(self) -> str:
        """Return a part of the screenshot with blocks tinted by kind, as a data URL; empty without a screenshot.

        Raises:
            OutputError: the screenshot cannot be read.
        """
        if not self.screenshot:
            return ""
        image = open_screenshot(self.screenshot)
        height = min(image.height, round(image.width * _RATIO))
        top = self._densest_top(height, image.height - height)
        with as_output_errors():
            piece = image.crop((0, top, image.width, top + height)).convert("RGB")
        file = io.BytesIO()
        _tint(piece, top, self.blocks, self.record.block_kinds).save(file, "WEBP", quality=_QUALITY, method=4)
        return "data:image/webp;base64," + base64.b64encode(file.getvalue()).decode()

    def overlay(self) -> str:
        """Return the overlay of the page with strong frames around wrong blocks; empty without a screenshot."""
        if not self.screenshot:
            return ""
        page = to_overlay_page(self._to_result(), self.screenshot)
        blocks = [
            replace(block, changed=_ERROR_TEXTS.get(kind, ""))
            for block, kind in zip(page.blocks, self.record.block_kinds, strict=True)
        ]
        marked = replace(page, blocks=blocks, facts={**page.facts, "Word F1": f"{self.record.f1:.3f}"})
        return draw_html(marked, scripts=[_OPEN], styles=[asset("vclean.compare", "marks.css")])

    def _to_result(self) -> Result:
        outcome = self.record.outcome
        unknown = np.full(len(self.blocks), np.nan, dtype=np.float32)
        prediction = Prediction(
            labels=[LABELS[code] for code in self.record.predicted.tolist()],
            probability=outcome.calibration.probability if outcome.calibration else unknown,
            confidence=outcome.calibration.confidence if outcome.calibration else float("nan"),
        )
        return Result(
            columns=self.blocks,
            prediction=prediction,
            method=outcome.method,
            id=outcome.id,
        )

    def _densest_top(self, height: int, last: int) -> int:
        """Return the top, up to `last`, of the part of `height` px with the largest area of content and kept blocks."""
        selected = np.array([bool(kind) for kind in self.record.block_kinds]) & (
            self.blocks.visibility == Visibility.SHOWN
        )
        box = self.blocks.box[selected & np.isfinite(self.blocks.box).all(axis=1)]
        box = box[np.argsort(box[:, 1], kind="stable")]
        if not len(box):
            return 0
        area = np.concatenate([[0.0], np.cumsum(box[:, 2] * box[:, 3], dtype=np.float64)])
        ends = np.searchsorted(box[:, 1], box[:, 1] + height - _ABOVE)
        densest = int(np.argmax(area[ends] - area[: len(box)]))
        return int(np.clip(box[densest, 1] - _ABOVE, 0, last))


def worst_records(records: Sequence[PageRecord], number: int) -> list[PageRecord]:
    """Return the records with the lowest word F1, lowest first; they include failures and pages without gold."""
    return sorted(records, key=lambda record: (record.f1, record.key))[:number]


def analyze_errors(
    corpora: Sequence[Corpus | MarkedArchive], selected: Sequence[PageRecord], read: Callable[[Page], Rendering]
) -> dict[Key, ErrorAnalysis]:
    """Read pages again and analyze their errors. Unreadable pages are left out. Progress is shown on standard error."""
    by_key = {record.key: record for record in selected if len(record.predicted)}
    pages = track(_find_pages(corpora, by_key), "analyzing errors", "pages", total=len(by_key))
    analyses = (_analyze(page, by_key[page.corpus, page.id], read) for page in pages)
    return {analysis.record.key: analysis for analysis in analyses if analysis}


def _find_pages(corpora: Sequence[Corpus | MarkedArchive], selected: Mapping[Key, PageRecord]) -> Iterator[GoldPage]:
    for corpus in corpora:
        remaining = sum(name == corpus.name for name, _ in selected)
        pages = iter(corpus)
        while remaining and (page := next(pages, None)):
            if (page.corpus, page.id) in selected:
                remaining -= 1
                yield page


def _analyze(page: GoldPage, record: PageRecord, read: Callable[[Page], Rendering]) -> ErrorAnalysis | None:
    try:
        rendering = read(page.to_page())
        blocks = extract_blocks(rendering.snapshot)
    except VcleanError:
        return None
    return ErrorAnalysis(record, blocks, rendering.screenshot or b"") if len(blocks) == len(record.predicted) else None


def _tint(piece: Image.Image, top: int, blocks: BlockColumns, kinds: Sequence[str]) -> Image.Image:
    """Return a part of the page that begins at `top`, scaled to a thumbnail, with tinted blocks."""
    scale = _WIDTH / piece.width
    size = _WIDTH, max(1, round(piece.height * scale))
    layer = Image.new("RGBA", size)
    draw = ImageDraw.Draw(layer)
    boxes = (blocks.box - np.array([0, top, 0, 0], dtype=np.float32)) * np.float32(scale)
    visible = blocks.visibility == Visibility.SHOWN
    for block, (x, y, width, height) in enumerate(frame_boxes(boxes, *size, 0).tolist()):
        if kinds[block] and visible[block] and width and height:
            tint = TINTS[kinds[block]]
            draw.rectangle((x, y, x + width - 1, y + height - 1), fill=(*tint, 70), outline=(*tint, 230))
    small = piece.resize(size, Image.Resampling.LANCZOS).convert("RGBA")
    return Image.alpha_composite(small, layer).convert("RGB")
