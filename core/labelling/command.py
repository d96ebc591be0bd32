"""`vclean label`: pages labelled by click; their gold exported; two annotators compared."""

from __future__ import annotations

import logging
import sys
import threading
import webbrowser
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vclean.errors import InputError, VcleanError
from vclean.files import locked, write_stream
from vclean.labelling.agreement import Agreement
from vclean.labelling.book import Book
from vclean.labelling.desk import Desk
from vclean.labelling.documents import list_document
from vclean.labelling.gold import read_gold
from vclean.labelling.journal import Journal
from vclean.labelling.preparing import Preparer
from vclean.labelling.server import LabelServer
from vclean.labelling.shelf import GOLD, Shelf, export
from vclean.outputs import made
from vclean.page_run import PageRun, bugs_reported

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vclean.labelling.options import LabelOptions
    from vclean.labelling.prepared import PreparedPage
    from vclean.page import Page

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
    run = _Run(options)
    with ExitStack() as stack:
        stack.enter_context(locked(made(project), f".lock-{options.annotator}"))
        preparer = stack.enter_context(Preparer(project, model=options.model, settings=options.settings))
        if not options.pages and not preparer.has_pages:
            raise InputError(f"{project} has no pages yet: name some, as in vclean label page.html --out {project}")
        journal = stack.enter_context(Journal(made(project / JOURNAL) / f"{options.annotator}.jsonl"))
        desk = Desk(options.annotator, Book(journal), Shelf(project, options.annotator))
        server = LabelServer(desk, lambda number: preparer.document(desk.page(number)), list_document(), options.port)
        stack.enter_context(server)
        _announce(server.url, open_it=options.open)
        try:
            run.fill(desk, preparer)
            _wait()
        except KeyboardInterrupt:
            _say(f"the labels are in {project / GOLD / options.annotator}")
    return run.exit_code


class _Run(PageRun):
    """One run of the command: which pages are prepared, and what failed."""

    def __init__(self, options: LabelOptions) -> None:
        super().__init__(options, renders=True)
        self._pages = options.pages
        self._ids: set[str] = set()

    def fill(self, desk: Desk, preparer: Preparer) -> None:
        """Put every page on the desk as soon as it is ready; failures are reported."""
        for page in self._prepared(preparer) if self._pages else preparer.known():
            if lost := desk.add(page):
                _log.warning("%s has changed: %d labelled blocks are no longer there", page.id, lost)
            self.done += 1
        desk.ready = True
        if not self.done:
            raise VcleanError("no page could be prepared: see above")

    def _prepared(self, preparer: Preparer) -> Iterator[PreparedPage]:
        for source in self.sources():
            with self.reported(source.id):
                with bugs_reported():
                    page = preparer.prepare(self._own(self.read(source), source.id))
                yield page

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
