"""`vclean evaluate-segments`: segmenters scored on hand-marked pages."""

from __future__ import annotations

import json
import logging
import sys
from typing import TYPE_CHECKING, Any, Final

from tqdm import tqdm

from vclean.classify.atoms import Kind
from vclean.classify.marks import MarkedArchive
from vclean.classify.segment_gold import gold_segments
from vclean.classify.segment_scores import Question, SeenPage, lines, table, try_page
from vclean.classify.segmenters import find_method
from vclean.errors import InputError, VcleanError
from vclean.features.webis import WebisPage
from vclean.files import check_writable, write_atomic, write_stream
from vclean.render.browser import Renderer
from vclean.render.camera import Camera
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from vclean.classify.segment_scores import Line, PageTrials
    from vclean.evaluate_segments_options import EvaluateSegmentsOptions

_BOTH: Final = (1, 2)
_log = logging.getLogger(__name__)


def score_segmenters(options: EvaluateSegmentsOptions) -> int:
    """Score every method on the marked pages, print one line for each, write the files; the exit code.

    A page that cannot be rendered is named on standard error and left out.

    Raises:
        UsageError: there is no such method.
        InputError: the archive, the list of pages or a file of segmentations cannot be read.
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
    for page in _seen_pages(options, pictures=any(kind.needs_picture for kind in question.kinds)):
        trials += try_page(page, segmenters, question)
        truth += [_webis(page).to_json() + "\n"] if options.truth else []
    found = lines(trials, methods, question)
    write_stream(sys.stdout, table(found) + "\n")
    if options.json:
        write_atomic(options.json, json.dumps(_figures(options, found), indent=1, ensure_ascii=False) + "\n")
    if options.truth:
        write_atomic(options.truth, "".join(truth))
    return 0


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


def _seen_pages(options: EvaluateSegmentsOptions, *, pictures: bool) -> Iterator[SeenPage]:
    """The marked pages that can be rendered, with their pictures if they are wanted; progress on standard error."""
    archive = MarkedArchive(options.archive, _addresses(options.pages))
    settings = RenderSettings()
    with Renderer(settings) as renderer:
        see = Camera(renderer, settings, options.snapshots, pictures=pictures)
        for marked in tqdm(archive.marked(), total=len(archive), unit="page", disable=None):
            try:
                seen = see(marked.page)
            except VcleanError as error:
                _log.warning("%s is left out: %s", marked.page.url, error)
            else:
                yield SeenPage(marked.page.url, seen.snapshot, marked.marks, seen.picture)


def _addresses(path: Path | None) -> frozenset[str] | None:
    """The addresses in a file, one a line.

    Raises:
        InputError: it cannot be read, or has none.
    """
    if path is None:
        return None
    try:
        found = frozenset(path.read_text(encoding="utf-8-sig").split())
    except OSError as error:
        raise InputError(f"cannot read the list of pages {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the list of pages {path} is no text in UTF-8: give one address a line") from error
    if not found:
        raise InputError(f"the list of pages {path} is empty: give one address a line")
    return found
