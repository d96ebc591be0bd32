"""`vclean segment`: pages cut into segments."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from vclean.outputs import Pictures, sink_for
from vclean.page_run import PageRun, bugs_reported
from vclean.segmenting import Segmenter

if TYPE_CHECKING:
    from vclean.segment_options import SegmentOptions
    from vclean.sources import Source

_log = logging.getLogger("vclean")


def segment_pages(options: SegmentOptions) -> int:
    """Segment every page, write the segments, and give the exit code; failures are told as `clean_pages` tells them.

    Raises:
        VcleanError: by what went wrong.
    """
    run = _Run(options)
    with run.sink, Segmenter(method=options.method, settings=options.settings) as segmenter:
        for source in run.sources():
            run.segment(segmenter, source)
    return run.exit_code


class _Run(PageRun):
    """One run of the command: what was asked for, where segments go, and what failed."""

    def __init__(self, options: SegmentOptions) -> None:
        super().__init__(options, renders=True)
        self.sink = sink_for(options.out, options.format, many=self.many)
        self._pdoc = options.pdoc
        self._pictures = Pictures(options.overlay, many=self.many) if options.overlay else None

    def segment(self, segmenter: Segmenter, source: Source) -> None:
        """Segment one page and write what comes out; a failure is reported."""
        with self.reported(source.id):
            start = time.perf_counter()
            with bugs_reported():
                wanted = self._pictures is not None
                segments, picture = segmenter.segment_page(self.read(source), pdoc=self._pdoc, picture=wanted)
            if self._pictures:
                self._pictures.put(segments, picture)
            self.sink.put(segments)
            self.done += 1
            _log.info("%s: %d segments, %.2f s", source.id, len(segments.leaves), time.perf_counter() - start)
