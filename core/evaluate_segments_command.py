"""`vclean evaluate-segments`: segmenters scored on hand-marked pages."""

from __future__ import annotations

import json
import logging
import sys
from typing import TYPE_CHECKING, Any, Final

from vclean.classify.atoms import Kind
from vclean.classify.segment_gold import gold_segments
from vclean.classify.segment_scores import Question, lines, table, try_page
from vclean.classify.segmenters import find_method
from vclean.features.webis import WebisPage
from vclean.files import check_writable, write_stream
from vclean.outputs import write_told
from vclean.progress import counted
from vclean.seen_pages import SeenPages

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vclean.classify.segment_scores import Line, PageTrials, SeenPage
    from vclean.classify.segmenters import Segmenter
    from vclean.evaluate_segments_options import EvaluateSegmentsOptions

_BOTH: Final = (1, 2)

_log = logging.getLogger("vclean")


def score_segmenters(options: EvaluateSegmentsOptions) -> int:
    """Score every method on the marked pages, print one line for each, write the files; the exit code.

    A page that cannot be rendered is named on standard error and left out; the code is then 1.

    Raises:
        UsageError: there is no such method, or a model learned from one of the pages.
        InputError: the archive, the list of pages or a file of segmentations cannot be read, or there is too little to
            learn from.
        ModelError: a model cannot be read.
        BrowserMissingError: there is no usable Chromium.
        OutputError: a file cannot be written, which is found before the work where it can be.
    """
    for path in filter(None, (options.json, options.truth)):
        check_writable(path)
    methods = [find_method(name) for name in options.methods]
    question = Question(options.levels, [Kind(name) for name in options.atoms], options.marked_only)
    segmenters = list({method.segmenter.name: method.segmenter for method in methods}.values())
    trials: list[PageTrials] = []
    truth: list[str] = []
    pictures = any(kind.needs_picture for kind in question.kinds)
    seen = SeenPages(options.archive, options.pages, options.snapshots, pictures=pictures)
    pages: Iterable[SeenPage] = seen
    if any(segmenter.teach for segmenter in segmenters):
        pages = list(seen)
        segmenters = _taught(segmenters, pages)
    for page in pages:
        trials += try_page(page, segmenters, question)
        truth += [_webis(page).to_json() + "\n"] if options.truth else []
    found = lines(trials, methods, question)
    write_stream(sys.stdout, table(found) + "\n")
    _tell_empty(found)
    if options.json:
        write_told(options.json, "figures", json.dumps(_figures(options, found), indent=1, ensure_ascii=False) + "\n")
    if options.truth:
        write_told(options.truth, "true segments", "".join(truth))
    return seen.exit_code


def _taught(segmenters: Sequence[Segmenter], pages: Sequence[SeenPage]) -> list[Segmenter]:
    """All of them able to cut, with progress on standard error."""
    with counted("training", "folds") as advance:
        return [segmenter.taught(pages, advance) for segmenter in segmenters]


def _tell_empty(found: Sequence[Line]) -> None:
    """Say which lines of the table are of no page."""
    for level, kind in dict.fromkeys((line.level, line.kind) for line in found if not line.pages):
        _log.warning("level %d, %s: no page has any of them in a marked segment, so there is no score", level, kind)


def _figures(options: EvaluateSegmentsOptions, found: Sequence[Line]) -> dict[str, Any]:
    return {
        "archive": options.archive.name,
        "marked_only": options.marked_only,
        "lines": [line.to_dict() for line in found],
    }


def _webis(page: SeenPage) -> WebisPage:
    """The true segments of both levels, by the names `level-1` and `level-2`."""
    return WebisPage.of_shapes(
        page.id,
        page.snapshot,
        {f"level-{level}": gold_segments(page.snapshot, page.marks, level).shapes for level in _BOTH},
    )
