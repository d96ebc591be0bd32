"""Tests of signals during a run on Ray, without a cluster."""

from __future__ import annotations

import signal
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from vclean.farm.inputs import Inputs
from vclean.farm.output import RunOutput
from vclean.farm.ray import engine
from vclean.farm.ray.stages import PartReport
from vclean.farm.stats import Stats
from vclean.farm.tasks import RunSettings
from vclean.farm.workers import InterruptedRunError
from vclean.settings import CleanerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def _reports(*_: object) -> Iterator[PartReport]:
    """Yield the reports of two parts; ignore the error that a signal raises before the first."""
    with suppress(InterruptedRunError):
        signal.raise_signal(signal.SIGTERM)
    yield PartReport([], Stats(ok=1))
    yield PartReport([], Stats(ok=1))


def test_signal_whose_error_was_ignored_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_run_pipeline", _reports)
    cleaning, run, stats = CleanerSettings(render=False), RunSettings(), Stats()
    with RunOutput(tmp_path / "out", cleaning, run, resume=False) as output, pytest.raises(InterruptedRunError):
        engine.run_on_ray(Inputs([str(tmp_path)], cleaning), output, cleaning, run, stats, ray=ModuleType("ray"))
    assert stats.ok == 1
