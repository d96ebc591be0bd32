"""Define `vclean label`: serve pages for labelling, export gold, or compare two annotators."""

from __future__ import annotations

import logging
import re
import shutil
import sys
import threading
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Final

import click

from vclean.characters import format_count
from vclean.cli.batch import PageRun
from vclean.cli.command import PATH, argument, flag, option
from vclean.cli.options import PORT, PageOptions
from vclean.errors import InputError, UsageError
from vclean.files import folder_lock, make_folder, write_stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from vclean.labelling.preparation import PreparedPage, Preparer
    from vclean.labelling.session import AnnotationSession
    from vclean.page import Source

CHANGE_LOG_FOLDER: Final = "journal"
"""Folder of the change logs in a project."""
_NAME: Final = re.compile(r"\w[\w.-]{0,63}")

_EPILOG: Final = """\
Open the printed address in a browser. Click or drag to select blocks, press h, p, l, c or o to label them, and Enter
when the page is done. Ctrl-C ends the server; the same command continues later.
"""

_log = logging.getLogger("vclean")


def _parse_annotator(text: str) -> str:
    """Check a name: it has to be a valid file name on every system."""
    if not _NAME.fullmatch(text):
        raise click.BadParameter(f"has to be at most 64 letters, digits, dots and hyphens, not {text!r}")
    return text


class LabelCommand(PageOptions):
    """Label pages by click, in a browser on this machine; every change is saved at once."""

    epilog = _EPILOG

    pages: list[str] = argument("[PAGE]...", "pages to label, as for vclean itself; default: all pages of PROJECT")
    out: Path | None = option(
        "-o, --out PROJECT",
        "store rendered pages and labels in this folder; created if it does not exist",
        type=PATH,
    )
    annotator: str = option(
        "--annotator NAME", "set the name of the annotator ({default})", type=_parse_annotator, default="me"
    )
    model: Path | None = option("--model FILE", "use this model in place of the shipped model")
    port: int | None = option("--port N", "set the port of the server (any free port)", type=PORT)
    open: bool = flag("--open", "open the address in the browser")
    export: Path | None = option(
        "--export FOLDER", "export the gold and snapshots of all finished pages, without serving pages"
    )
    agreement: list[Path] | None = option(
        "--agreement",
        "compare the gold of two annotators (files or folders), without serving pages",
        type=PATH,
        nargs=2,
        metavar="GOLD GOLD",
        excludes="export",
    )

    def check(self) -> None:
        """Check combinations of values.

        Raises:
            UsageError: a combination is not allowed.
        """
        super().check()
        if self.agreement:
            if self.pages or self.out:
                raise UsageError("--agreement compares two files of gold: give no PAGE and no --out with it")
        elif self.out is None:
            raise UsageError("no folder for the gold: name one with --out PROJECT")
        elif self.export and self.pages:
            raise UsageError("--export writes the gold of all pages of the project: give no PAGE with it")
        elif self.export and self.export.resolve().is_relative_to(self.out.resolve()):
            raise UsageError(f"{self.export} is in the project {self.out}: export to a folder outside")

    def execute(self) -> int:
        """Serve pages for labelling until Ctrl-C, or export or compare gold, and return the exit code."""
        from vclean.labelling.export import agreement_report, export, read_gold

        if self.agreement:
            write_stream(sys.stdout, agreement_report(*map(read_gold, self.agreement)))
            return 0
        assert self.out is not None
        if not self.export:
            return _serve(self, self.out)
        done, unfinished = export(self.out, self.export)
        left_out = format_count(unfinished, "unfinished page")
        write_stream(sys.stdout, f"{format_count(done, 'page')} in {self.export}; {left_out} left out\n")
        return 0


def _serve(options: LabelCommand, project: Path) -> int:
    """Serve the pages, from when the first one is ready. If none is, delete the folder of a new project.

    Raises:
        InputError: no page is named, and the project has none.
        VcleanError: the only page that is named does not exist.
    """
    import webbrowser

    from vclean.input.sources import PREPARED_SUFFIX
    from vclean.labelling.export import GOLD, write_gold
    from vclean.labelling.preparation import PAGES, Preparer
    from vclean.labelling.server import LabelServer
    from vclean.labelling.session import AnnotationSession

    if not options.pages and not any((project / PAGES).glob(f"*{PREPARED_SUFFIX}")):
        raise InputError(f"{project} has no pages yet: name some, as in vclean label page.html --out {project}")
    run = _Run(options)
    sources = run.sources()
    first = list(islice(sources, 1))
    if options.pages and not first:
        return run.exit_code
    with ExitStack() as unused_folder, ExitStack() as stack:
        if not project.exists():
            unused_folder.callback(shutil.rmtree, project, ignore_errors=True)
        stack.enter_context(folder_lock(make_folder(project), f".lock-{options.annotator}"))
        preparer = stack.enter_context(Preparer(project, model=options.model, settings=options.settings))
        log = make_folder(project / CHANGE_LOG_FOLDER) / f"{options.annotator}.jsonl"
        gold = make_folder(project / GOLD / options.annotator)
        session = AnnotationSession(log, partial(write_gold, gold, options.annotator), run.failures)
        server = LabelServer(session, lambda number: preparer.document(session.page(number)), options.port or 0)
        stack.enter_context(server)
        pages = run.prepare_pages(preparer, chain(first, sources))
        run.add_pages(islice(pages, 1), session)
        if not run.done:
            return run.exit_code
        unused_folder.pop_all()
        _print_message(f"open {server.url}\n  (this machine only; Ctrl-C ends it)")
        if options.open and not webbrowser.open(server.url):
            _print_message("no browser could be opened: copy the address")
        try:
            run.add_pages(pages, session)
            session.ready = True
            _wait()
        except KeyboardInterrupt:
            _print_message(f"the labels are in {gold}")
    return run.exit_code


class _Run(PageRun):
    """Run of the command over pages that are prepared."""

    def prepare_pages(self, preparer: Preparer, sources: Iterable[Source]) -> Iterator[PreparedPage]:
        """Yield the pages as they are prepared, under unique ids; failures are reported."""
        ids: set[str] = set()
        if not self.options.pages:
            yield from preparer.stored_pages()
        for source in sources:
            with self.report_errors(source.id):
                names = chain([source.id], (f"{source.id} ({number})" for number in count(2)))
                unique = next(name for name in names if name not in ids)
                ids.add(unique)
                yield preparer.prepare(replace(self.read(source), id=unique))

    def add_pages(self, pages: Iterable[PreparedPage], session: AnnotationSession) -> None:
        """Add every page to the session when it is prepared."""
        for page in pages:
            if orphaned := session.add(page):
                _log.warning("%s has changed: it lacks %s", page.id, format_count(orphaned, "labelled block"))
            self.done += 1


def _wait() -> None:
    """Wait for Ctrl-C."""
    threading.Event().wait()


def _print_message(text: str) -> None:
    """Print to standard error, even with --quiet: without the address the command is useless."""
    write_stream(sys.stderr, f"vclean: {text}\n")
