"""Methods run on corpora, for `vclean evaluate`, `vclean train` and `vclean report`."""

from __future__ import annotations

import logging
from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Final

from vclean.classify.corpora.corpora import read_corpus, site
from vclean.classify.evaluation.evaluate import evaluate
from vclean.classify.evaluation.report import Report
from vclean.classify.methods import method_info, names
from vclean.errors import OutputError, UsageError, VcleanError
from vclean.features.blocks import extract_blocks
from vclean.files import make_folder
from vclean.output.text import to_cleaneval, to_text
from vclean.output.writers import write_told
from vclean.progress import counted, tracked
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from vclean.classify.corpora.corpora import Corpus, GoldPage
    from vclean.classify.corpora.marked import MarkedArchive
    from vclean.classify.evaluation.evaluate import PageCallback, Predictor, Reader
    from vclean.classify.evaluation.report import PageEvaluation
    from vclean.classify.methods import Method
    from vclean.classify.prediction import Prediction
    from vclean.classify.training.dataset import PageRows, TrainingTable
    from vclean.classify.training.regions import RegionFits
    from vclean.classify.training.train import CrossValidation
    from vclean.features.blocks import BlockColumns
    from vclean.labelling.retraining import Correction

    Unseen = Mapping[tuple[str, str, bool], Prediction]
    "Predictions by corpus, page id and whether the page was rendered, each by a model that never saw the site."


def all_pages(corpora: Sequence[Corpus | MarkedArchive]) -> Iterator[GoldPage]:
    """All pages of all corpora; progress goes to standard error."""
    return tracked(chain.from_iterable(corpora), "reading", "pages", total=sum(map(len, corpora)))


@contextmanager
def opened_readers(*, render: bool, snapshots: Path | None, keep: bool) -> Iterator[dict[bool, Reader]]:
    """The ways to read a page, by whether they render.

    Args:
        render: whether there is one that does.
        snapshots: the folder of what was rendered before, or None.
        keep: whether pages are read more than once, so that rendering is kept for the time of the run at least.

    Raises:
        BrowserMissingError: there is no usable Chromium.
        OutputError: the folder cannot be made.
    """
    from vclean.render.static.parse import parse

    if not render:
        yield {False: parse}
        return
    from vclean.render.browser.renderer import Renderer
    from vclean.render.isolation import temp_dirs
    from vclean.render.storage.cache import SnapshotCache

    settings = RenderSettings()
    with ExitStack() as stack:
        renderer = stack.enter_context(Renderer(settings))
        read: Reader = lambda page: renderer.render(page).snapshot  # noqa: E731
        if snapshots or keep:
            folder = make_folder(snapshots) if snapshots else stack.enter_context(temp_dirs.temporary_folder())
            read = SnapshotCache(folder, read, settings, rendered=True)
        yield {False: parse, True: read}


def region_fits(
    corpora: Sequence[Corpus | MarkedArchive], archives: Sequence[Path], readers: Mapping[bool, Reader]
) -> RegionFits | None:
    """The region models of the marked pages among the corpora, with pages that their structure marked; or None."""
    from vclean.classify.corpora.marked import MarkedArchive
    from vclean.classify.regions.dataset import archive_rows
    from vclean.classify.training.regions import RegionFits

    by_hand = [corpus for corpus in corpora if isinstance(corpus, MarkedArchive)]
    rows = [row for archive in by_hand for row in archive_rows(archive, readers.values())]
    if not rows:
        return None
    for path in archives:
        rows += archive_rows(MarkedArchive(path), readers.values(), by_hand=False)
    return RegionFits.from_rows(rows)


def training_table(
    corpora: Sequence[Corpus | MarkedArchive],
    readers: Mapping[bool, Reader],
    folds: int,
    regions: RegionFits | None,
    corrections: Sequence[Correction] = (),
) -> TrainingTable:
    """Every page that can be read, each way, as training rows; pages that cannot be are left out; then corrections."""
    from vclean.classify.training.dataset import TrainingTable
    from vclean.labelling.retraining import correction_rows

    total = len(readers) * sum(map(len, corpora))
    found = tracked(_rows(corpora, readers, regions), "reading", "pages", total=total)
    read = [rows for rows in found if rows is not None]
    return TrainingTable.from_pages([*read, *correction_rows(corrections, regions)], folds)


def _rows(
    corpora: Sequence[Corpus | MarkedArchive], readers: Mapping[bool, Reader], regions: RegionFits | None
) -> Iterator[PageRows | None]:
    for corpus in corpora:
        for page in corpus:
            for read in readers.values():
                yield _page_rows(page, read, regions)


def _page_rows(page: GoldPage, read: Reader, regions: RegionFits | None) -> PageRows | None:
    from vclean.classify.training.dataset import page_rows

    place = site(page)
    try:
        return page_rows(
            page, place, extract_blocks(read(page.to_page())), regions.for_site(place) if regions else None
        )
    except OutputError:
        raise
    except VcleanError:
        return None


MODEL_METHOD: Final = "vclean"
_WAYS: Final = {False: "unrendered", True: "rendered"}

_log = logging.getLogger("vclean")


def exit_code(report: Report, place: str) -> int:
    """0, or 1 if a page failed by any method; then it is said, and that `place` says why."""
    if report.failed:
        _log.error("%d of %d pages failed and count as empty: %s says why", report.failed, report.pages, place)
    return int(report.failed > 0)


def run_methods(
    paths: Sequence[Path],
    methods: Mapping[str, Callable[[], Method]],
    *,
    render: bool,
    folds: int = 0,
    regions: Sequence[Path] = (),
    snapshots: Path | None = None,
    on_page: PageCallback | None = None,
) -> Report:
    """What methods make of corpora; progress goes to standard error.

    Args:
        paths: of the corpora.
        methods: by the names they have in the report, each loaded when it is needed. With folds, those that are
            trained are not: each stands for the models that are cross-validated.
        render: whether pages are rendered; with folds, both readings are scored, as two methods.
        folds: by site, to cross-validate trained methods in; 0 for not.
        regions: archives that teach the region model alone, where it is cross-validated.
        snapshots: folder of what was rendered before; None for none.
        on_page: see `vclean.classify.evaluation.evaluate.evaluate`.

    Raises:
        InputError: a corpus is missing or damaged.
        UsageError: two have the same name, or one has no page; or a method needs rendered pages.
    """
    unable = [name for name in methods if not render and name in names() and method_info(name).rendered]
    if unable:
        raise UsageError(f"the method {unable[0]} needs the rendered page: add --render")
    corpora = [read_corpus(path) for path in paths]
    with opened_readers(render=render, snapshots=snapshots, keep=folds > 0) as readers:
        if folds and MODEL_METHOD in methods:
            fits = region_fits(corpora, regions, readers)
            validation = cross_validated(training_table(corpora, readers, folds, fits))
            return score(corpora, readers, methods, unseen_predictions(validation), folds=folds, on_page=on_page)
        return score(corpora, {render: readers[render]}, methods, {}, folds=folds, on_page=on_page)


def write_predictions(report: Report, path: Path | None) -> None:
    """Write the clean texts of all pages, if a file for them is given."""
    if path:
        write_told(path, "texts", report.predictions())


def cross_validated(table: TrainingTable) -> CrossValidation:
    """Cross-validate the model, with progress on standard error."""
    from vclean.classify.training.train import CrossValidation

    with counted("training", "folds", total=len(set(table.fold.tolist()))) as advance:
        return CrossValidation.run(table, done=advance)


def unseen_predictions(validation: CrossValidation) -> Unseen:
    """Return the predictions of a cross-validation."""
    pages = [(page.corpus, page.id, page.rendered) for page in validation.table.pages]
    return dict(zip(pages, validation.predictions(), strict=True))


def score(
    corpora: Sequence[Corpus | MarkedArchive],
    readers: Mapping[bool, Reader],
    methods: Mapping[str, Callable[[], Method]],
    unseen: Unseen,
    *,
    folds: int = 0,
    on_page: PageCallback | None = None,
) -> Report:
    """The scores of the methods on every reading of the pages; with folds, the trained ones are cross-validated."""
    from vclean.classify.methods.training import TrainingExamples

    trained = [
        name for name in methods if folds and name != MODEL_METHOD and name in names() and method_info(name).trained
    ]
    outcomes: list[PageEvaluation] = []
    for rendered, read in readers.items():
        suffix = f", {_WAYS[rendered]}" if len(readers) > 1 else ""
        lessons = TrainingExamples.from_pages(all_pages(corpora) if trained else (), trained, read)
        predictors = {
            name + suffix: lessons.cross_validated_predictor(name, folds)
            if name in trained
            else _predictor(name, load, unseen, rendered=rendered)
            for name, load in methods.items()
        }
        outcomes += evaluate(corpora, predictors, read=read, write=texts, on_page=on_page).evaluations
    return Report(tuple(outcomes))


def _predictor(name: str, load: Callable[[], Method], unseen: Unseen, *, rendered: bool) -> Predictor:
    if name == MODEL_METHOD and unseen:
        return lambda page, _: unseen[page.corpus, page.id, rendered]
    method = load()
    return lambda _, blocks: method(blocks)


def texts(blocks: BlockColumns, prediction: Prediction) -> tuple[str, str]:
    """Return the clean text, and the same with CleanEval's marks."""
    return to_text(blocks.text, prediction.labels), to_cleaneval(blocks.text, prediction.labels)
