"""The pages that came out worst: what was missed and what was wrongly kept, in words and on the page's picture."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image, ImageDraw

from vclean.classify.evaluation.scores import count_words
from vclean.classify.prediction import Prediction
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.html_pages import asset
from vclean.labels import LABELS, Label, Visibility
from vclean.output.overlay import overlay_page
from vclean.progress import tracked
from vclean.render.overlay.html import draw_html
from vclean.render.overlay.layers import frame_boxes
from vclean.render.overlay.png import as_output_errors, open_screenshot
from vclean.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from vclean.classify.corpora.corpora import Corpus, GoldPage
    from vclean.classify.corpora.marked import MarkedArchive
    from vclean.compare.records import Key, Trial
    from vclean.features.blocks import BlockColumns
    from vclean.page import Page
    from vclean.render.snapshot import Snapshot

    Seen = tuple[Snapshot, bytes]
    """A page as it was read, and its picture, or `b""`."""

RIGHT, MISSED, WRONG = "right", "missed", "wrong"
"""Content that was kept, content that was not, and what was kept without being content."""

TINTS: Final = {RIGHT: (0, 158, 115), MISSED: (213, 94, 0), WRONG: (0, 114, 178)}
"""Of Okabe and Ito's palette for colour-blind readers, as in `vclean.render.overlay.layers`."""

_OTHER: Final = list(Label).index(Label.OTHER)
_VERDICTS: Final = {MISSED: "missed: the gold has it", WRONG: "kept, and the gold does not have it"}
_OPEN: Final = "vclean.select(vclean.blocks.findIndex((block) => block.changed && vclean.isPainted(block)));"
"""The page to explore begins at the first thing that is wrong."""
_WIDTH, _RATIO = 320, 1.25
_ABOVE: Final = 60
"""CSS px of the page above what a thumbnail shows first."""
_QUALITY: Final = 72


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A second look at a page of a report.

    Attributes:
        trial: what came of it.
        blocks: of the page.
        kinds: B of `RIGHT`, `MISSED`, `WRONG`, or "" for what was rightly left out.
        picture: PNG or JPEG, one px per CSS px, or empty.
    """

    trial: Trial
    blocks: BlockColumns
    kinds: list[str]
    picture: bytes

    def errors(self, kind: str) -> list[int]:
        """The blocks of a kind, those with most words first."""
        found = [block for block, other in enumerate(self.kinds) if other == kind]
        return sorted(found, key=lambda block: (-count_words(self.blocks.text[block]), block))

    def thumbnail(self) -> str:
        """A piece of the page's picture, its blocks tinted by kind, as a data address; empty without a picture.

        Raises:
            OutputError: the picture cannot be read.
        """
        if not self.picture:
            return ""
        image = open_screenshot(self.picture)
        height = min(image.height, round(image.width * _RATIO))
        top = self._top(height, image.height - height)
        with as_output_errors():
            piece = image.crop((0, top, image.width, top + height)).convert("RGB")
        file = io.BytesIO()
        _tinted(piece, top, self.blocks, self.kinds).save(file, "WEBP", quality=_QUALITY, method=4)
        return "data:image/webp;base64," + base64.b64encode(file.getvalue()).decode()

    def overlay(self) -> str:
        """The page to explore, what is wrong in strong frames; empty without a picture."""
        if not self.picture:
            return ""
        page = overlay_page(self._result(), self.picture)
        blocks = [
            replace(block, changed=_VERDICTS.get(kind, "")) for block, kind in zip(page.blocks, self.kinds, strict=True)
        ]
        told = replace(page, blocks=blocks, facts={**page.facts, "Word F1": f"{self.trial.f1:.3f}"})
        scripts, styles = [asset("vclean.compare", "marks.js"), _OPEN], [asset("vclean.compare", "marks.css")]
        return draw_html(told, scripts=scripts, styles=styles)

    def _result(self) -> Result:
        outcome = self.trial.outcome
        unknown = np.full(len(self.blocks), np.nan, dtype=np.float32)
        prediction = Prediction(
            labels=[LABELS[code] for code in self.trial.said.tolist()],
            probability=outcome.calibration.probability if outcome.calibration else unknown,
            confidence=outcome.calibration.confidence if outcome.calibration else float("nan"),
        )
        return Result(
            columns=self.blocks,
            prediction=prediction,
            method=outcome.method,
            language=self.trial.language,
            id=outcome.id,
        )

    def _top(self, height: int, last: int) -> int:
        """Where a piece of `height` px begins that has the most of what is content or was kept, at `last` at most."""
        wanted = np.array([bool(kind) for kind in self.kinds]) & (self.blocks.visibility == Visibility.SHOWN)
        box = self.blocks.box[wanted & np.isfinite(self.blocks.box).all(axis=1)]
        box = box[np.argsort(box[:, 1], kind="stable")]
        if not len(box):
            return 0
        area = np.concatenate([[0.0], np.cumsum(box[:, 2] * box[:, 3], dtype=np.float64)])
        ends = np.searchsorted(box[:, 1], box[:, 1] + height - _ABOVE)
        densest = int(np.argmax(area[ends] - area[: len(box)]))
        return int(np.clip(box[densest, 1] - _ABOVE, 0, last))


def worst(trials: Sequence[Trial], number: int) -> list[Trial]:
    """The trials with the lowest word F1, the worst first; failures and pages without gold are among them."""
    return sorted(trials, key=lambda trial: (trial.f1, trial.key))[:number]


def look(
    corpora: Sequence[Corpus | MarkedArchive], wanted: Sequence[Trial], read: Callable[[Page], Seen]
) -> dict[Key, Look]:
    """Second looks at pages; those that cannot be read are left out. Progress on standard error."""
    by_key = {trial.key: trial for trial in wanted if len(trial.said)}
    pages = tracked(_pages(corpora, by_key), "looking at the worst", "pages", total=len(by_key))
    found = (_look(page, by_key[page.corpus, page.id], read) for page in pages)
    return {seen.trial.key: seen for seen in found if seen}


def _pages(corpora: Sequence[Corpus | MarkedArchive], wanted: Mapping[Key, Trial]) -> Iterator[GoldPage]:
    for corpus in corpora:
        left = sum(name == corpus.name for name, _ in wanted)
        pages = iter(corpus)
        while left and (page := next(pages, None)):
            if (page.corpus, page.id) in wanted:
                left -= 1
                yield page


def _look(page: GoldPage, trial: Trial, read: Callable[[Page], Seen]) -> Look | None:
    try:
        snapshot, picture = read(page.to_page())
        blocks = extract_blocks(snapshot)
    except VcleanError:
        return None
    return Look(trial, blocks, kinds(trial), picture) if len(blocks) == len(trial.said) else None


def kinds(trial: Trial) -> list[str]:
    """What every block of a page is: see `Look`."""
    kept, content = trial.said != _OTHER, trial.gold != _OTHER
    codes = np.where(content, np.where(kept, 1, 2), np.where(kept, 3, 0))
    return [("", RIGHT, MISSED, WRONG)[code] for code in codes.tolist()]


def _tinted(piece: Image.Image, top: int, blocks: BlockColumns, found: Sequence[str]) -> Image.Image:
    """A piece of the page that begins at `top`, made small, its blocks tinted."""
    scale = _WIDTH / piece.width
    size = _WIDTH, max(1, round(piece.height * scale))
    layer = Image.new("RGBA", size)
    draw = ImageDraw.Draw(layer)
    boxes = (blocks.box - np.array([0, top, 0, 0], dtype=np.float32)) * np.float32(scale)
    seen = blocks.visibility == Visibility.SHOWN
    for block, (x, y, width, height) in enumerate(frame_boxes(boxes, *size, 0).tolist()):
        if found[block] and seen[block] and width and height:
            tint = TINTS[found[block]]
            draw.rectangle((x, y, x + width - 1, y + height - 1), fill=(*tint, 70), outline=(*tint, 230))
    small = piece.resize(size, Image.Resampling.LANCZOS).convert("RGBA")
    return Image.alpha_composite(small, layer).convert("RGB")
