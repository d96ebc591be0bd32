"""`vclean report`: an evaluation as one HTML page."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import metadata
from typing import TYPE_CHECKING

from vclean.classify.corpora import read_corpus
from vclean.compare.contenders import Contender
from vclean.compare.report_page import ReportFacts, to_html
from vclean.compare.trials import Notebook, methods, of_method
from vclean.compare.worst import look, worst
from vclean.corpus_commands import exit_code, run_methods
from vclean.files import check_writable
from vclean.outputs import write_told
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vclean.compare.options import ReportOptions
    from vclean.compare.trials import Trial
    from vclean.compare.worst import Seen
    from vclean.page import Page


def write_report(options: ReportOptions) -> int:
    """Score the methods on the corpora, look at the worst pages again, and write the report; the exit code.

    Raises:
        InputError: a corpus is missing or damaged.
        UsageError: there is no such method.
        ModelError: a model file is missing, damaged or of another version.
        OutputError: the report cannot be written, which is found before the work where it can be.
    """
    check_writable(options.out)
    contenders = [Contender.of(name) for name in options.methods]
    notebook = Notebook()
    report = run_methods(
        options.corpora,
        {each.name: each.load for each in contenders},
        render=options.render,
        folds=options.folds,
        regions=options.regions,
        snapshots=options.snapshots,
        watch=notebook,
    )
    shown = worst(of_method(notebook.trials, _first(options, notebook.trials)), options.worst)
    with _reader(options) as read:
        looks = look([read_corpus(path) for path in options.corpora], shown, read)
    overlays = {key: found.overlay() for key, found in looks.items() if found.picture}
    facts = ReportFacts(trials=notebook.trials, facts=_facts(options), worst=shown, looks=looks, overlays=overlays)
    write_told(options.out, "report", to_html(facts))
    return exit_code(report, str(options.out))


def _first(options: ReportOptions, trials: Sequence[Trial]) -> str:
    """The method whose worst pages are shown: the first one, by its reading of the rendered page where it has two."""
    names = methods(trials)
    rendered = f"{options.methods[0]}, rendered"
    return rendered if rendered in names else names[0]


@contextmanager
def _reader(options: ReportOptions) -> Iterator[Callable[[Page], Seen]]:
    """How the worst pages are read again: with their pictures, if they were rendered."""
    from vclean.render.static import parse

    if not options.render:
        yield lambda page: (parse(page), b"")
        return
    from vclean.render.browser import Renderer
    from vclean.render.camera import Camera

    settings = RenderSettings()
    with Renderer(settings) as renderer:
        camera = Camera(renderer, settings, options.snapshots, pictures=True)

        def read(page: Page) -> Seen:
            rendering = camera(page)
            return rendering.snapshot, rendering.picture or b""

        yield read


def _facts(options: ReportOptions) -> dict[str, str]:
    ways = {(False, False): "parsed", (True, False): "rendered", (True, True): "parsed, and rendered"}
    return {
        "vclean": metadata.version("vclean"),
        "corpora": ", ".join(path.name for path in options.corpora),
        "pages were": ways.get((options.render, options.folds > 0), "parsed"),
        "cross-validation": f"{options.folds} folds by site" if options.folds else "none",
    }
