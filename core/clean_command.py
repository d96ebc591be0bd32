"""The main command: `vclean PAGE...`."""

from __future__ import annotations

import logging
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal

from tqdm import tqdm
from tqdm.contrib.logging import logging_redirect_tqdm

from vclean.api import Cleaner
from vclean.errors import BrowserMissingError, ModelError, OutputError, UsageError, VcleanError
from vclean.explain import has_scripts, unexpected, why_empty
from vclean.files import check_writable, write_atomic
from vclean.outputs import Names, beside, made, sink_for
from vclean.review import Review
from vclean.sources import Source, at_url, find, holds_many

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vclean.options import CleanOptions
    from vclean.page import Page
    from vclean.result import Result

_FATAL: Final = (BrowserMissingError, ModelError, OutputError, UsageError)
"""What would go wrong again with the next page."""

_log = logging.getLogger("vclean")


def clean_pages(options: CleanOptions) -> int:
    """Clean every page, write the results, and give the exit code.

    A page that fails among several is named on standard error, the rest goes on, and the code is 1. Where there is
    one page only, its error is raised; where there is one argument that gave no result, the code is its error's.

    Raises:
        VcleanError: by what went wrong.
    """
    run = _Run(options)
    cleaner = Cleaner(
        render=run.renders,
        method=options.method,
        model=options.model,
        policy=options.policy,
        settings=run.settings,
    )
    with run.sink, cleaner:
        sources = _progress(run.sources(), visible=run.shows_progress)
        if options.same_site:
            run.clean_sites(cleaner, sources)
        else:
            for source in sources:
                run.clean(cleaner, source)
    if run.review:
        run.review.write()
    return run.exit_code


class _Run:
    """One run of the command: what was asked for, where results go, and what failed."""

    def __init__(self, options: CleanOptions) -> None:
        self.options = options
        self.many = len(options.pages) > 1 or any(map(holds_many, options.pages))
        self.settings = options.settings
        self.renders = options.render or options.js or options.overlay is not None
        self.sink = sink_for(options.out, options.format, many=self.many)
        self.review = Review(options.review, options.review_below) if options.review else None
        self._names = Names()
        self._codes: set[int] = set()
        self._done = 0
        if options.overlay:
            check_writable(made(options.overlay.parent) / options.overlay.name if self.many else options.overlay)

    @property
    def exit_code(self) -> int:
        """0 if nothing failed, 1 if something did, unless that was all of one argument, and for one reason."""
        if len(self._codes) == 1 and not self._done and len(self.options.pages) == 1:
            return next(iter(self._codes))
        return int(bool(self._codes))

    @property
    def shows_progress(self) -> bool:
        """Whether there is something to wait for, and no text that a progress bar would tear apart."""
        to_terminal = self.options.out is None and sys.stdout.isatty()
        return self.many and self.options.verbosity >= 0 and sys.stderr.isatty() and not to_terminal

    def sources(self) -> Iterator[Source]:
        """The pages of all arguments; an argument that gives none is reported."""
        for argument in self.options.pages:
            with self._reported(argument):
                yield from find(argument, self.settings, live=self.renders)

    def clean(self, cleaner: Cleaner, source: Source) -> None:
        """Clean one page and write its result; a failure is reported."""
        with self._reported(source.id):
            start = time.perf_counter()
            with _bugs_reported():
                page = self._read(source)
                blocks, picture = cleaner.cut(page, picture=self.options.overlay is not None)
                result = cleaner.label(blocks, page.id)
            self._put(result, picture, scripted=has_scripts(page))
            self._tell(result, time.perf_counter() - start)

    def clean_sites(self, cleaner: Cleaner, sources: Iterator[Source]) -> None:
        """Read all pages, then label and write them; failures are reported."""
        with cleaner.sites() as sites:
            for source in sources:
                with self._reported(source.id), _bugs_reported():
                    page = self._read(source)
                    blocks, picture = cleaner.cut(page, picture=self.options.overlay is not None)
                    sites.add(blocks, (page.id, picture, has_scripts(page)))
            for blocks, (name, picture, scripted), repeated in sites:
                with self._reported(name):
                    start = time.perf_counter()
                    with _bugs_reported():
                        result = cleaner.label(blocks, name, repeated=repeated)
                    self._put(result, picture, scripted=scripted)
                    self._tell(result, time.perf_counter() - start)

    def _read(self, source: Source) -> Page:
        page = source.read()
        return at_url(page, self.options.url) if self.options.url and not page.url else page

    def _put(self, result: Result, picture: bytes, *, scripted: bool) -> None:
        """Write a result wherever it is wanted."""
        if self.options.overlay:
            self._draw(result, picture, self.options.overlay)
        if self.review:
            self.review.look(result)
        self.sink.put(result)
        self._done += 1
        if not result.text.strip():
            _log.warning("%s: %s", result.id, why_empty(result, scripted=scripted))

    def _draw(self, result: Result, picture: bytes, path: Path) -> None:
        kind: Literal["png", "svg"] = "svg" if path.suffix.lower() == ".svg" else "png"
        target = beside(path, self._names.name(result.id)) if self.many else path
        write_atomic(target, result.overlay(picture, kind))

    def _tell(self, result: Result, seconds: float) -> None:
        kept = sum(label.is_content for label in result.labels)
        _log.info("%s: %d of %d blocks kept, %.2f s", result.id, kept, len(result.blocks), seconds)

    @contextmanager
    def _reported(self, name: str) -> Iterator[None]:
        """Give errors the page's name; among several pages say them and go on, unless the next would fail too."""
        try:
            yield
        except _FATAL:
            raise
        except VcleanError as error:
            message = str(error) if name in str(error) else f"{name}: {error}"
            if not self.many:
                raise type(error)(message) from error
            self._codes.add(error.exit_code)
            _log.error("%s", message)


@contextmanager
def _bugs_reported() -> Iterator[None]:
    """One page that hits a bug must not end a run over many."""
    try:
        yield
    except VcleanError:
        raise
    except Exception as error:
        _log.debug("", exc_info=True)
        raise VcleanError(f"{unexpected(error)}, with the page") from error


def _progress(sources: Iterator[Source], *, visible: bool) -> Iterator[Source]:
    """The same sources, counted on standard error where that is visible."""
    if not visible:
        yield from sources
        return
    with logging_redirect_tqdm([_log]):
        yield from tqdm(sources, unit=" pages", leave=False)
