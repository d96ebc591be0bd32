"""Analyze the errors of a method on pages for a report."""

from __future__ import annotations

import base64
import io
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image, ImageDraw

from vclean.classify.evaluation.evaluate import group
from vclean.classify.evaluation.scores import count_words
from vclean.classify.prediction import Prediction
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.html_pages import asset
from vclean.labels import LABELS, Label, Visibility
from vclean.output.overlay import to_overlay_page
from vclean.render.overlay.draw import as_output_errors, open_screenshot
from vclean.render.overlay.html import draw_html
from vclean.render.overlay.layers import frame_boxes
from vclean.result import Result
from vclean.runtime import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from vclean.classify.corpora.corpora import Corpus
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

Key = tuple[str, str]
"""Corpus and id of a page."""

_OTHER: Final = LABELS.index(Label.OTHER)


def block_kinds(evaluation: PageEvaluation) -> list[str]:
    """Return for each block `RIGHT`, `MISSED`, `WRONG`, or "" for other blocks that were left out."""
    is_kept, is_content = evaluation.predicted != _OTHER, evaluation.gold != _OTHER
    codes = np.where(is_content, np.where(is_kept, 1, 2), np.where(is_kept, 3, 0))
    return [("", RIGHT, MISSED, WRONG)[code] for code in codes.tolist()]


def by_method(evaluations: Iterable[PageEvaluation]) -> dict[str, list[PageEvaluation]]:
    """Return the evaluations by method."""
    return group(evaluations, lambda evaluation: evaluation.method)


@dataclass(frozen=True, slots=True, eq=False)
class ErrorAnalysis:
    """Errors of a method on a page that was read again.

    Attributes:
        evaluation: result of the method.
        blocks: B blocks of the page.
        screenshot: PNG or JPEG, one px per CSS px, or empty.
    """

    evaluation: PageEvaluation
    blocks: BlockColumns
    screenshot: bytes

    def errors(self, kind: str) -> list[int]:
        """Return the blocks of a kind, those with most words first."""
        blocks = [block for block, block_kind in enumerate(block_kinds(self.evaluation)) if block_kind == kind]
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
        top = self._middle_top(height, image.height - height)
        with as_output_errors():
            piece = image.crop((0, top, image.width, top + height)).convert("RGB")
        file = io.BytesIO()
        _tint(piece, top, self.blocks, block_kinds(self.evaluation)).save(file, "WEBP", quality=72, method=4)
        return "data:image/webp;base64," + base64.b64encode(file.getvalue()).decode()

    def overlay(self) -> str:
        """Return the overlay of the page with strong frames around wrong blocks; empty without a screenshot."""
        if not self.screenshot:
            return ""
        evaluation = self.evaluation
        unknown = np.full(len(self.blocks), np.nan, dtype=np.float32)
        prediction = Prediction(
            labels=[LABELS[code] for code in evaluation.predicted.tolist()],
            probability=unknown if isnan(evaluation.confidence) else evaluation.probability,
            confidence=evaluation.confidence,
        )
        result = Result(columns=self.blocks, prediction=prediction, method=evaluation.method, id=evaluation.id)
        page = to_overlay_page(result, self.screenshot)
        kinds = zip(page.blocks, block_kinds(evaluation), strict=True)
        blocks = [block | {"changed": _ERROR_TEXTS.get(kind, "")} for block, kind in kinds]
        marked = replace(page, blocks=blocks, facts={**page.facts, "Word F1": f"{evaluation.f1:.3f}"})
        return draw_html(marked, scripts=[_OPEN], styles=[asset("vclean.compare", "marks.css")])

    def _middle_top(self, height: int, last: int) -> int:
        """Return the top, up to `last`, of the part of `height` px in the middle of content and kept blocks."""
        tinted = np.array([bool(kind) for kind in block_kinds(self.evaluation)])
        tops = self.blocks.box[tinted & (self.blocks.visibility == Visibility.SHOWN), 1]
        tops = tops[np.isfinite(tops)]
        return int(np.clip(np.median(tops) - height / 2, 0, last)) if len(tops) else 0


def worst_pages(evaluations: Sequence[PageEvaluation], number: int) -> list[PageEvaluation]:
    """Return the evaluations with the lowest word F1, lowest first; they include failures and pages without gold."""
    return sorted(evaluations, key=lambda evaluation: (evaluation.f1, evaluation.key))[:number]


def analyze_errors(
    corpora: Sequence[Corpus | MarkedArchive], selected: Sequence[PageEvaluation], read: Callable[[Page], Rendering]
) -> dict[Key, ErrorAnalysis]:
    """Read pages again and analyze their errors. Unreadable pages are left out. Progress is shown on standard error."""
    by_key = {evaluation.key: evaluation for evaluation in selected if len(evaluation.predicted)}
    pages = (page for corpus in corpora for page in corpus if (page.corpus, page.id) in by_key)
    analyses: dict[Key, ErrorAnalysis] = {}
    for page in track(pages, "analyzing errors", "pages", total=len(by_key)):
        evaluation = by_key[page.corpus, page.id]
        with suppress(VcleanError):
            rendering = read(page.to_page())
            blocks = extract_blocks(rendering.snapshot)
            if len(blocks) == len(evaluation.predicted):
                analyses[evaluation.key] = ErrorAnalysis(evaluation, blocks, rendering.screenshot or b"")
    return analyses


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
