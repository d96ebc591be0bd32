"""The main command: `vclean PAGE...`."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from vclean.errors import DeadlineError
from vclean.explain import has_scripts, why_empty
from vclean.outputs import Pictures, sink_for
from vclean.page_run import PageRun, bugs_reported
from vclean.reader import PageReader
from vclean.review import Review
from vclean.sources import is_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vclean.api import Cleaner
    from vclean.options import CleanOptions
    from vclean.result import Result
    from vclean.sources import Source

_EXPLAINED_UNASKED: Final = 5_000
"""Blocks; about fifteen seconds of one core."""

_log = logging.getLogger("vclean")


def clean_pages(options: CleanOptions) -> int:
    """Clean every page, write the results, and give the exit code.

    A page that fails among several is named on standard error, the rest goes on, and the code is 1. Where there is
    one page only, its error is raised; where there is one argument that gave no result, the code is its error's.

    Raises:
        VcleanError: by what went wrong.
    """
    run = _Run(options)
    with PageReader(run.settings, render=run.renders) as reader:
        reader.prepare(live=is_url(options.pages[0]), picture=options.overlay is not None)
        cleaner = _cleaner(options, reader)
        with run.sink:
            if options.same_site:
                run.clean_sites(cleaner, run.sources())
            else:
                for source in run.sources():
                    run.clean(cleaner, source)
    if run.review:
        run.review.write()
    return run.exit_code


def _cleaner(options: CleanOptions, reader: PageReader) -> Cleaner:
    """What cleans the pages; it is imported and its model read while a browser starts."""
    from vclean.classify.lean import import_lightgbm, uncollected

    with uncollected():
        from vclean.api import MODEL_METHOD, Cleaner
        from vclean.classify.forest import COMPILED

        if options.method == MODEL_METHOD and not COMPILED:
            import_lightgbm()
        return Cleaner(
            method=options.method,
            model=options.model,
            templates=options.templates,
            policy=options.policy,
            explain=options.explains,
            reader=reader,
        )


class _Run(PageRun):
    """One run of the command: what was asked for, where results go, and what failed."""

    def __init__(self, options: CleanOptions) -> None:
        super().__init__(options, renders=options.render or options.js or options.overlay is not None)
        self.options = options
        self.sink = sink_for(options.out, options.output, many=self.many)
        self.review = Review(options.review, options.review_below) if options.review else None
        self._pictures = Pictures(options.overlay, many=self.many) if options.overlay else None

    def clean(self, cleaner: Cleaner, source: Source) -> None:
        """Clean one page and write its result; a failure is reported."""
        with self.reported(source.id):
            start = time.perf_counter()
            with bugs_reported():
                page = self.read(source)
                blocks, picture = cleaner.cut(page, picture=self.options.overlay is not None)
                label = partial(cleaner.label, blocks, page.id, places=cleaner.places(page, blocks))
                result = self._labelled(label, page.id, len(blocks))
            self._put(result, picture, scripted=has_scripts(page))
            self._tell(result, time.perf_counter() - start)

    def clean_sites(self, cleaner: Cleaner, sources: Iterator[Source]) -> None:
        """Read all pages, then label and write them; failures are reported."""
        with cleaner.sites() as sites:
            for source in sources:
                with self.reported(source.id), bugs_reported():
                    page = self.read(source)
                    blocks, picture = cleaner.cut(page, picture=self.options.overlay is not None)
                    sites.add(blocks, (page.id, picture, has_scripts(page), cleaner.places(page, blocks)))
            for blocks, (name, picture, scripted, places), repeated in sites:
                with self.reported(name):
                    start = time.perf_counter()
                    with bugs_reported():
                        label = partial(cleaner.label, blocks, name, repeated=repeated, places=places)
                        result = self._labelled(label, name, len(blocks))
                    self._put(result, picture, scripted=scripted)
                    self._tell(result, time.perf_counter() - start)

    def _labelled(self, label: Callable[..., Result], name: str, count: int) -> Result:
        """The result of a page; if nobody asked for its reasons but the page to explore, these may be left out."""
        if self.options.explain or not self.options.explains:
            return label()
        if count <= _EXPLAINED_UNASKED:
            with suppress(DeadlineError):
                return label()
        _log.warning("%s: %d blocks take long to explain: --explain gives their reasons", name, count)
        return label(explain=False)

    def _put(self, result: Result, picture: bytes, *, scripted: bool) -> None:
        """Write a result wherever it is wanted."""
        if self._pictures:
            self._pictures.put(result, picture)
        if self.review:
            self.review.look(result)
        self.sink.put(result if self.options.explain else replace(result, explanation=None))
        self.done += 1
        if not result.text.strip():
            _log.warning("%s: %s", result.id, why_empty(result, scripted=scripted))

    def _tell(self, result: Result, seconds: float) -> None:
        kept = sum(label.is_content for label in result.labels)
        _log.info("%s: %d of %d blocks kept, %.2f s", result.id, kept, len(result.blocks), seconds)
