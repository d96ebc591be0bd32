"""Run a command over pages: read the inputs, report failures, determine the exit code."""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from vclean.errors import (
    BrowserMissingError,
    InputError,
    ModelError,
    NotHtmlError,
    OutputError,
    UsageError,
    VcleanError,
)
from vclean.labels import EmptyReason
from vclean.runtime import track

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.cli.options import PageOptions
    from vclean.features.segments.segments import Segments
    from vclean.page import Page, Source
    from vclean.result import Result


def describe_unexpected(error: Exception) -> str:
    """Return a one-line message for an error that only a bug can cause."""
    reason = " ".join(str(error).split())
    return f"unexpected {type(error).__name__}{': ' * bool(reason)}{reason}; -v prints the traceback: please report it"


def suggest_option(result: Result, note: str) -> str:
    """Return options to try, behind a semicolon, if the note is on the empty text; empty if none helps."""
    js = "--js" if result.columns.snapshot.rendered else "--render --js"
    suggestions = {
        EmptyReason.NEEDS_SCRIPTS: f"; try {js}",
        EmptyReason.HIDDEN: "; --show-hidden lists them, --hidden keep keeps them",
        EmptyReason.BOILERPLATE: "; -f json shows them, --method text keeps them",
    }
    return suggestions.get(result.empty_reason, "") if result.empty_reason and note == result.notes[-1] else ""


_FATAL: Final = (BrowserMissingError, ModelError, OutputError, UsageError)
"""Errors that would recur with the next page."""

_MANY_PAGES: Final = 1_000
"""Number of pages of a folder above which the number is logged before the pages are read."""

_log = logging.getLogger("vclean")


class PageRun:
    """Run of a command over pages.

    Attributes:
        options: the options of the command.
        many: whether the inputs may have several pages.
        done: the number of pages that were processed without an error.
        failures: a message for each failed page of several, with its name and the reason.

    Args:
        options: the options of the command. `page` may be the URL of the only page to read from the only input.
    """

    def __init__(self, options: PageOptions) -> None:
        from vclean.input.sources import is_container

        self.options = options
        self._page: str = getattr(options, "page", "")
        self.many = not self._page and (len(options.pages) > 1 or any(map(is_container, options.pages)))
        self.done = 0
        self.failures: list[str] = []
        self._codes: set[int] = set()

    @property
    def exit_code(self) -> int:
        """Return 0 without a failure, else 1; for a single input without a result, the exit code of its error."""
        if len(self._codes) == 1 and not self.done and len(self.options.pages) == 1:
            return next(iter(self._codes))
        return int(bool(self._codes))

    def sources(self) -> Iterator[Source]:
        """Iterate over the pages of all inputs and show the progress; inputs without pages are reported.

        The size of a large folder is logged before its pages are read; on a terminal, the user is asked.

        Raises:
            UsageError: the user does not want to read a large folder.
        """
        interleaved = (
            self.options.out is None and sys.stdout.isatty() and sys.stderr is not None and sys.stderr.isatty()
        )
        total = self._count_pages() if self.many else None
        sources = islice(self._find_sources(), self.options.limit)
        if not self.many or interleaved:  # a bar would appear between the lines of the text
            yield from sources
        else:
            yield from track(sources, "done", "pages", total=total)

    def read(self, source: Source) -> Page:
        """Read the page of a source; a page without a URL gets the URL of the options."""
        from vclean.input.sources import with_url

        page = source.read()
        return with_url(page, self.options.url) if self.options.url and not page.url else page

    @contextmanager
    def report_errors(self, name: str) -> Iterator[None]:
        """Add the name of the page to errors in the block; with several pages, report the error and continue.

        An unexpected error is reported in one line: a bug on one page must not end a run over many.

        Raises:
            VcleanError: there is only one page, or the error would recur with the next page.
        """
        try:
            yield
        except (*_FATAL, BrokenPipeError):
            raise
        except Exception as error:
            if isinstance(error, VcleanError):
                kind, reason = type(error), str(error)
            else:
                _log.debug("", exc_info=True)
                kind, reason = VcleanError, f"{describe_unexpected(error)}, with the page"
            message = reason if name in reason else f"{name}: {reason}"
            if not self.many:
                raise kind(message) from error
            self._codes.add(kind.exit_code)
            self.failures.append(message)
            _log.error("%s", message)

    def _count_pages(self) -> int | None:
        """Return the number of pages of all inputs; None if unknown: archives and tables would have to be read."""
        from vclean.input.sources import html_files, is_container, is_folder

        limit, total, is_known = self.options.limit, 0, True
        for argument in self.options.pages:
            is_file = not is_container(argument)
            count = 1 if is_file else sum(1 for _ in islice(html_files(Path(argument)), limit))
            if limit is None and count > _MANY_PAGES:
                self._announce(argument, count)
            total += count
            is_known &= is_file or is_folder(Path(argument))
        return min(total, limit or total) if is_known else None

    def _announce(self, folder: str, count: int) -> None:
        """Log the number of pages of a large folder, and on a terminal ask whether to read them.

        Raises:
            UsageError: the answer is no.
        """
        _log.warning("%s has %s pages: --limit N reads only N of them", folder, f"{count:,}")
        is_interactive = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
        is_asked = is_interactive and self.options.verbosity >= 0 and "-" not in self.options.pages
        if is_asked and not click.confirm("Read all of them?", err=True):
            raise UsageError(f"{folder} was not read: name another folder, or add --limit N")

    def _find_sources(self) -> Iterator[Source]:
        from vclean.input.sources import archive_sources, find_sources

        if self._page:
            path, max_bytes = Path(self.options.pages[0]), self.options.settings.max_bytes
            source = next(archive_sources(path, max_bytes, only=[self._page]), None)
            if source is None:
                raise InputError(f"{path} has no page {self._page}: check the URL")
            yield source
            return
        for argument in self.options.pages:
            with self.report_errors(argument):
                source = None
                for source in find_sources(argument, self.options.settings, live=bool(self.options.render_mode)):
                    yield source
                if source is None:
                    raise NotHtmlError(f"{argument} is empty: it has no rows, hence no pages")


class OutputRun(PageRun):
    """Run of a command that writes an output for each page, and an overlay if it is requested.

    Attributes:
        writer: the output.
        overlays: the overlays; None without them.

    Args:
        options: the options of the command.
        output: the name of the output, see `vclean.output.writers.ResultWriter`.
    """

    def __init__(self, options: PageOptions, output: str) -> None:
        from vclean.output.writers import OverlayWriter, ResultWriter

        super().__init__(options)
        overlay: Path | None = getattr(options, "overlay", None)
        self.writer = ResultWriter(options.out, output, many=self.many, inputs=options.pages)
        self.overlays = OverlayWriter(overlay, many=self.many, inputs=options.pages) if overlay else None

    def write(self, output: Result | Segments, screenshot: bytes) -> None:
        """Write the output for one page, and its overlay on the screenshot if it is requested."""
        if self.overlays:
            self.overlays.write(output, screenshot)
        self.writer.write(output)
        self.done += 1
