"""`vclean label`: pages labelled by click; their gold exported; two annotators compared."""

from __future__ import annotations

import logging
import re
import shutil
import sys
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.cli.batch import PageRun, bugs_reported
from vclean.cli.command import command
from vclean.cli.options import (
    argument,
    check_exclusive,
    check_pages,
    flag,
    option,
    page_limits,
    path,
    port,
    take_settings,
    take_verbosity,
    verbosity,
)
from vclean.errors import InputError, UsageError
from vclean.files import write_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from vclean.input.sources import Source
    from vclean.labelling.preparation import PreparedPage, Preparer
    from vclean.labelling.session import Desk
    from vclean.page import Page
    from vclean.settings import RenderSettings

JOURNAL: Final = "journal"
ANNOTATOR: Final = "me"
_NAME: Final = re.compile(r"\w[\w.-]{0,63}")

_EPILOG: Final = """\
Open the printed address in a browser: click or drag to select blocks, press h, p, l, c or o to label them, Enter when
the page is done. Ctrl-C ends the server; the same command continues where you were.
"""

_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOptions:
    """Options of `vclean label`.

    Attributes:
        pages: the inputs, as given; none for all the pages that the project has.
        out: the folder of the project; None with `agreement`.
        annotator: who labels.
        model: a model file in place of the shipped one.
        port: of the server; 0 for any.
        open: whether to open the browser.
        export: a folder for the gold; nothing is served then.
        agreement: two files or folders of gold to be compared; nothing is served then.
        url: the address of pages that come without one.
        settings: how to render, and what bounds a page.
        verbosity: -1 quiet, 0 normal, 1 verbose.
    """

    pages: list[str]
    out: Path | None
    annotator: str
    model: Path | None
    port: int
    open: bool
    export: Path | None
    agreement: list[Path] | None
    url: str
    settings: RenderSettings
    verbosity: int


def _options(*, js: bool, **values: Any) -> LabelOptions:  # noqa: ANN401
    check_exclusive(values, "--export", "--agreement")
    values["port"] = values["port"] or 0
    settings = take_settings(values, scripts=js)
    return _checked(LabelOptions(settings=settings, verbosity=take_verbosity(values), **values))


def _checked(options: LabelOptions) -> LabelOptions:
    check_pages(options.pages, options.url)
    if options.agreement:
        if options.pages or options.out:
            raise UsageError("--agreement compares two files of gold: give no PAGE and no --out with it")
    elif options.out is None:
        raise UsageError("name the folder where the gold goes: --out PROJECT")
    elif options.export and options.pages:
        raise UsageError("--export writes the gold of all pages of the project: give no PAGE with it")
    elif options.export and options.export.resolve().is_relative_to(options.out.resolve()):
        raise UsageError(f"{options.export} is in the project {options.out}: export to a folder outside")
    return options


def _annotator(text: str) -> str:
    """Convert a word to a name that a file can have on every system."""
    if not _NAME.fullmatch(text):
        raise click.BadParameter(f"has to be letters, digits, dots, hyphens, up to 64, not {text!r}")
    return text


@command(
    "label",
    _options,
    help="Label pages by click, in a browser on this machine; every change is saved at once.",
    epilog=_EPILOG,
)
@argument("pages", "[PAGE]...", "what to label, as for vclean itself; none for all pages of PROJECT", nargs=-1)
@option("-o", "--out", type=path, metavar="PROJECT", help="folder of rendered pages and gold; made if it is not there")
@option("--annotator", type=_annotator, default=ANNOTATOR, metavar="NAME", help=f"who labels ({ANNOTATOR})")
@option("--model", type=path, metavar="FILE", help="a model in place of the shipped one")
@option("--port", type=port, metavar="N", help="port of the server (any free port)")
@flag("--open", help="open the address in the browser")
@option(
    "--export",
    type=path,
    metavar="FOLDER",
    help="write the gold of all finished pages, with their snapshots, and serve nothing",
)
@option(
    "--agreement",
    type=path,
    nargs=2,
    metavar="GOLD GOLD",
    help="compare two annotators' gold (files, or folders of them), and serve nothing",
)
@flag("--js", help="run the pages' scripts")
@option("--url", default="", metavar="BASE", help="the address of a page that comes without one")
@page_limits()
@verbosity()
def label_pages(options: LabelOptions) -> int:
    """Serve pages for labelling until Ctrl-C, or do what is asked for instead; the exit code.

    Raises:
        VcleanError: by what went wrong.
    """
    from vclean.labelling.agreement import Agreement
    from vclean.labelling.export import export, read_gold

    if options.agreement:
        first, second = map(read_gold, options.agreement)
        write_stream(sys.stdout, Agreement.of(first, second).report())
        return 0
    assert options.out is not None
    if options.export:
        done, left = export(options.out, options.export)
        write_stream(sys.stdout, f"{done} pages in {options.export}; {left} that were begun are left out\n")
        return 0
    return _serve(options, options.out)


def _serve(options: LabelOptions, project: Path) -> int:
    """Nothing is announced, and nothing stays of a new project, before the first page is ready."""
    from vclean.files import locked, make_folder
    from vclean.labelling.export import Shelf
    from vclean.labelling.preparation import Preparer, list_document
    from vclean.labelling.server import LabelServer
    from vclean.labelling.session import Desk
    from vclean.labelling.store import Book, Journal

    run = _Run(options)
    if not run.begin(project):
        return run.exit_code
    with _kept_if_wanted(project) as keep, ExitStack() as stack:
        stack.enter_context(locked(make_folder(project), f".lock-{options.annotator}"))
        preparer = stack.enter_context(Preparer(project, model=options.model, settings=options.settings))
        journal = stack.enter_context(Journal(make_folder(project / JOURNAL) / f"{options.annotator}.jsonl"))
        desk = Desk(options.annotator, Book(journal), Shelf(project, options.annotator), run.failures)
        server = LabelServer(desk, lambda number: preparer.document(desk.page(number)), list_document(), options.port)
        stack.enter_context(server)
        pages = run.prepared(preparer)
        run.put(islice(pages, 1), desk)
        if not run.done:
            return run.exit_code
        keep()
        _announce(server.url, open_it=options.open)
        try:
            run.put(pages, desk)
            desk.ready = True
            _wait()
        except KeyboardInterrupt:
            from vclean.labelling.export import GOLD

            _say(f"the labels are in {project / GOLD / options.annotator}")
    return run.exit_code


@contextmanager
def _kept_if_wanted(project: Path) -> Iterator[Callable[[], None]]:
    """Remove a folder that was not there before the block, unless the function that this gives is called."""
    wanted = project.exists()

    def keep() -> None:
        nonlocal wanted
        wanted = True

    try:
        yield keep
    finally:
        if not wanted:
            shutil.rmtree(project, ignore_errors=True)


class _Run(PageRun):
    """One run of the command: which pages are prepared, and what failed."""

    def __init__(self, options: LabelOptions) -> None:
        super().__init__(options, renders=True)
        self.failures: list[str] = []
        self._pages = options.pages
        self._ids: set[str] = set()
        self._waiting: Iterator[Source] = iter(())

    def begin(self, project: Path) -> bool:
        """Whether there is anything to prepare: a page that was found, or one of before; what is missing is reported.

        Raises:
            InputError: no page is named, and the project has none.
            VcleanError: the one page that is named cannot be found.
        """
        from vclean.labelling.preparation import has_pages

        if not self._pages:
            if not has_pages(project):
                raise InputError(f"{project} has no pages yet: name some, as in vclean label page.html --out {project}")
            return True
        sources = self.sources()
        first = list(islice(sources, 1))
        self._waiting = chain(first, sources)
        return bool(first)

    def prepared(self, preparer: Preparer) -> Iterator[PreparedPage]:
        """The pages as they are ready; failures are reported."""
        if not self._pages:
            yield from preparer.known()
        for source in self._waiting:
            with self.reported(source.id):
                with bugs_reported():
                    page = preparer.prepare(self._own(self.read(source), source.id))
                yield page

    def put(self, pages: Iterable[PreparedPage], desk: Desk) -> None:
        """Put every page on the desk as soon as it is ready."""
        for page in pages:
            if lost := desk.add(page):
                _log.warning("%s has changed: %d labelled blocks are no longer there", page.id, lost)
            self.done += 1

    def fail(self, message: str) -> None:
        """Say that a page failed, in the browser too."""
        super().fail(message)
        self.failures.append(message)

    def _own(self, page: Page, name: str) -> Page:
        """The page under a name that no other of the run has."""
        own, count = name, 1
        while own in self._ids:
            count += 1
            own = f"{name} ({count})"
        self._ids.add(own)
        return replace(page, id=own)


def _wait() -> None:
    """Until Ctrl-C."""
    threading.Event().wait()


def _announce(url: str, *, open_it: bool) -> None:
    import webbrowser

    _say(f"open {url}\n  (this machine only; Ctrl-C ends it)")
    if open_it and not webbrowser.open(url):
        _say("no browser could be opened: copy the address")


def _say(text: str) -> None:
    """To standard error, also where --quiet is asked for: without the address there is nothing to be done."""
    write_stream(sys.stderr, f"vclean: {text}\n")
