"""`vclean farm`: one run, from its inputs to its exit code."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from vclean.classify.methods import get
from vclean.classify.methods.registry import DEFAULT
from vclean.classify.methods.templates import Templates
from vclean.farm.inputs import Inputs
from vclean.farm.local import InterruptedRunError, run_locally
from vclean.farm.metrics import served
from vclean.farm.output import Output
from vclean.farm.parts import PARTS
from vclean.farm.progress import finished, line, shown
from vclean.farm.stats import Stats
from vclean.farm.total import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.farm.options import FarmOptions
    from vclean.farm.settings import CleaningSettings, RunSettings

_SIGNAL_CODE: Final = 128
"""What a shell adds to the number of the signal that ended a command."""

_log = logging.getLogger("vclean")


def farm(options: FarmOptions) -> int:
    """Clean all pages and give the exit code: 0, 1 if pages failed, 128 and the signal's number if interrupted.

    What is wrong with the command line is found before anything is written.

    Raises:
        VcleanError: what keeps every page from being cleaned, or the output from being written.
    """
    stats = Stats()
    going_on = {"resume": options.resume, "retry_failed": options.retry_failed}
    output = Output(options.out, options.cleaning, options.run, **going_on, stats=stats)
    inputs = Inputs(options.inputs, options.cleaning, pages=options.pages, index_folder=output.index_folder)
    _check_methods(options.cleaning)
    with (
        _engine(options) as run,
        served(stats, options.metrics_port),
        output,
        counted(inputs, stats),
        shown(stats),
    ):
        try:
            run(inputs, output, options.cleaning, options.run, stats)
        except InterruptedRunError as interruption:
            output.interrupt()
            return _stopped(interruption, stats)
    if options.verbosity >= 0:
        _log.warning("%s; they are in %s", finished(stats, output.failed), output.folder / PARTS)
    return int(output.failed.total() > 0)


class _Run(Protocol):
    """An engine: see `vclean.farm.local.run_locally`."""

    def __call__(
        self, inputs: Inputs, output: Output, cleaning: CleaningSettings, run: RunSettings, stats: Stats, /
    ) -> None:
        """Clean all pages of `inputs` into `output`."""


@contextmanager
def _engine(options: FarmOptions) -> Iterator[_Run]:
    """The engine, as far as can be told able to run; before anything is written."""
    if options.engine == "ray":
        from vclean.farm.ray_cluster import connected
        from vclean.farm.ray_engine import run_on_ray

        with connected(options.address) as ray:
            yield partial(run_on_ray, ray=ray)
        return
    if options.cleaning.render:
        _check_browser()
    yield run_locally


def _check_methods(cleaning: CleaningSettings) -> None:
    """Say before the run what would go wrong with every page; that the shipped model is whole is not checked here.

    Raises:
        VcleanError: there is no such method, it lacks a library or a model, or a template is wrong.
    """
    if cleaning.method != DEFAULT or cleaning.model:
        get(cleaning.method, cleaning.model)
    if cleaning.templates:
        Templates.of(cleaning.templates)


def _check_browser() -> None:
    """Say before the run what would go wrong with every page, and what a user has to know of the browser.

    Raises:
        BrowserMissingError: there is no usable Chromium.
    """
    from vclean.render.chromium import find_chromium
    from vclean.render.sandbox import obstacle

    find_chromium()
    if in_the_way := obstacle():
        _log.warning("Chromium's sandbox is off (%s): %s", in_the_way.reason, in_the_way.remedy)


def _stopped(interruption: InterruptedRunError, stats: Stats) -> int:
    _log.warning("stopped after %s; --resume goes on", line(stats))
    return _SIGNAL_CODE + interruption.number
