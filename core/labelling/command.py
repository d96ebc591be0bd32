"""`vclean label`: pages labelled by click; their gold exported; two annotators compared."""

from __future__ import annotations

import logging
import shutil
import sys
import threading
import webbrowser
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from vclean.errors import InputError
from vclean.files import locked, write_stream
from vclean.labelling.agreement import Agreement
from vclean.labelling.book import Book
from vclean.labelling.desk import Desk
from vclean.labelling.documents import list_document
from vclean.labelling.gold import read_gold
from vclean.labelling.journal import Journal
from vclean.labelling.preparing import Preparer, has_pages
from vclean.labelling.server import LabelServer
from vclean.labelling.shelf import GOLD, Shelf, export
from vclean.outputs import made
from vclean.page_run import PageRun, bugs_reported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from vclean.labelling.options import LabelOptions
    from vclean.labelling.prepared import PreparedPage
    from vclean.page import Page
    from vclean.sources import Source

JOURNAL: Final = "journal"

_log = logging.getLogger("vclean")


def label_pages(options: LabelOptions) -> int:
    """Serve pages for labelling until Ctrl-C, or do what is asked for instead; the exit code.

    Raises:
        VcleanError: by what went wrong.
    """
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
    run = _Run(options)
    if not run.begin(project):
        return run.exit_code
    with _kept_if_wanted(project) as keep, ExitStack() as stack:
        stack.enter_context(locked(made(project), f".lock-{options.annotator}"))
        preparer = stack.enter_context(Preparer(project, model=options.model, settings=options.settings))
        journal = stack.enter_context(Journal(made(project / JOURNAL) / f"{options.annotator}.jsonl"))
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
    _say(f"open {url}\n  (this machine only; Ctrl-C ends it)")
    if open_it and not webbrowser.open(url):
        _say("no browser could be opened: copy the address")


def _say(text: str) -> None:
    """To standard error, also where --quiet is asked for: without the address there is nothing to be done."""
    write_stream(sys.stderr, f"vclean: {text}\n")
