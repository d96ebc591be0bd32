"""Command `vclean report`: write an evaluation as one HTML page."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from vclean.cli.command import command
from vclean.cli.options import (
    argument,
    compared_methods,
    count,
    flag,
    folds,
    option,
    path,
    snapshots_option,
    take_verbosity,
    verbosity,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from vclean.compare.error_analysis import ReadPage
    from vclean.compare.records import PageRecord
    from vclean.page import Page

WORST: Final = 12
"""Default number of worst pages in a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """Options of `vclean report`.

    Attributes:
        corpora: the paths of the corpora.
        methods: unique names of methods or paths of model files; the worst pages of the first are shown.
        out: the HTML file.
        render: whether to render the pages.
        folds: the number of folds of the cross-validation; 0 for none.
        snapshots: the folder of rendered pages; None for none.
        worst: the number of worst pages to show.
        verbosity: -1 quiet, 0 normal, 1 verbose.
    """

    corpora: list[Path]
    methods: tuple[str, ...]
    out: Path
    render: bool
    folds: int
    snapshots: Path | None
    worst: int
    verbosity: int


def _options(*, methods: Sequence[str], **values: Any) -> ReportOptions:
    unique = tuple(dict.fromkeys(methods or ["vclean"]))
    return ReportOptions(methods=unique, verbosity=take_verbosity(values), **values)


@command("report", _options, help="Score methods on corpora, and write the scores as one HTML page.")
@argument("corpora", "CORPUS...", "a corpus, as for vclean evaluate", nargs=-1, required=True, type=path)
@compared_methods("repeatable (vclean); the report shows the worst pages of the first")
@option("-o", "--out", type=path, default="report.html", metavar="FILE", help="write to this file (report.html)")
@flag("--render", help="render pages in headless Chromium; the report then shows screenshots of the worst pages")
@option(
    "--folds",
    type=folds,
    default="0",
    metavar="K",
    help="cross-validate vclean by domain in K folds, 3 or more (none)",
)
@option("--worst", type=count, default=str(WORST), metavar="N", help=f"show the N worst pages ({WORST})")
@snapshots_option()
@verbosity()
def write_report(options: ReportOptions) -> int:
    """Score the methods on the corpora, read the worst pages again, write the report, and return the exit code.

    Raises:
        InputError: a corpus is missing or damaged.
        UsageError: the method does not exist.
        ModelError: a model file is missing, damaged or of another version.
        OutputError: the report cannot be written; checked before the work if possible.
    """
    from vclean.classify.corpora.corpora import read_corpus
    from vclean.cli.corpora import exit_code, run_methods
    from vclean.compare.error_analysis import analyze_errors, worst_records
    from vclean.compare.methods import ComparedMethod
    from vclean.compare.records import RecordCollector, of_method
    from vclean.compare.report import ReportData, to_html
    from vclean.files import check_writable
    from vclean.output.writers import write_and_log

    check_writable(options.out)
    compared_methods = [ComparedMethod.of(name) for name in options.methods]
    collector = RecordCollector()
    report = run_methods(
        options.corpora,
        {each.name: each.load for each in compared_methods},
        render=options.render,
        folds=options.folds,
        snapshots=options.snapshots,
        on_page=collector,
    )
    shown = worst_records(of_method(collector.records, _first(options, collector.records)), options.worst)
    with _reader(options) as read:
        analyses = analyze_errors([read_corpus(path) for path in options.corpora], shown, read)
    overlays = {key: analysis.overlay() for key, analysis in analyses.items() if analysis.screenshot}
    data = ReportData(
        records=collector.records, facts=_facts(options), worst=shown, analyses=analyses, overlays=overlays
    )
    write_and_log(options.out, "report", to_html(data))
    return exit_code(report, str(options.out))


def _first(options: ReportOptions, records: Sequence[PageRecord]) -> str:
    """Return the method for the worst pages: the first, on rendered pages if it was scored on parsed ones as well."""
    from vclean.compare.records import methods

    names = methods(records)
    rendered = f"{options.methods[0]}, rendered"
    return rendered if rendered in names else names[0]


@contextmanager
def _reader(options: ReportOptions) -> Iterator[Callable[[Page], ReadPage]]:
    """Open a function that reads a page again, with a screenshot if pages are rendered."""
    from vclean.render.static.parse import parse

    if not options.render:
        yield lambda page: (parse(page), b"")
        return
    from vclean.render.browser.renderer import Renderer
    from vclean.render.storage.cache import RenderingCache
    from vclean.settings import RenderSettings

    settings = RenderSettings()
    with Renderer(settings) as renderer:
        renderings = RenderingCache(renderer, settings, options.snapshots, screenshots=True)

        def read(page: Page) -> ReadPage:
            rendering = renderings(page)
            return rendering.snapshot, rendering.screenshot or b""

        yield read


def _facts(options: ReportOptions) -> dict[str, str]:
    from vclean.imports import version

    readings = {(False, False): "parsed", (True, False): "rendered", (True, True): "parsed, and rendered"}
    return {
        "vclean": version(),
        "corpora": ", ".join(path.name for path in options.corpora),
        "pages were": readings.get((options.render, options.folds > 0), "parsed"),
        "cross-validation": f"{options.folds} folds by site" if options.folds else "none",
    }
