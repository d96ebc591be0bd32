from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from collections.abc import Callable

import pytest

from vclean import progress
from vclean.farm.command import finished, line, shown
from vclean.farm.stats import Stats


class TestLine:
    def test_everything_known(self) -> None:
        stats = Stats(total=2000, skipped=500, ok=490, started=time.monotonic() - 100)
        stats.failed["DeadlineError"] = 10
        assert line(stats) == "1,000 of 2,000 pages, 5.0 pages/s, 10 failed, 03:20 left"

    def test_of_an_unknown_number(self) -> None:
        assert line(Stats(started=time.monotonic() - 100, ok=50)) == "50 pages, 0.5 pages/s, 0 failed"


class TestFinished:
    def test_everything(self) -> None:
        stats = Stats(skipped=500, ok=490, started=time.monotonic() - 100)
        stats.failed["DeadlineError"] = 10
        failed = Counter(InputError=2, DeadlineError=10)
        assert finished(stats, failed) == (
            "1,000 pages, 500 of them before, 12 failed"
            " (DeadlineError 10, InputError 2; pages.jsonl says why, --retry-failed tries again), in 01:40"
        )

    @pytest.mark.parametrize(("count", "said"), [(50, "50 pages"), (1, "1 page")])
    def test_of_a_new_run(self, count: int, said: str) -> None:
        stats = Stats(ok=count, started=time.monotonic() - 100)
        assert finished(stats, Counter()) == f"{said}, 0 failed, in 01:40"


class TestShown:
    def test_lines_where_there_is_no_terminal(
        self, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(progress, "_LINE_SECONDS", 0.01)
        stats = Stats()
        with caplog.at_level(logging.WARNING, "vclean"), shown(stats):
            stats.ok = 7
            wait_until(lambda: any("7 pages" in message for message in caplog.messages))
        said = len(caplog.messages)
        time.sleep(0.05)
        assert len(caplog.messages) == said, "it goes on after the block"

    def test_a_bar_on_a_terminal(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setattr(progress, "_BAR_SECONDS", 0.01)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        said = ""
        stats = Stats(total=20)
        with shown(stats):
            stats.ok = 5
            stats.failed["LimitError"] = 1

            def is_shown() -> bool:
                nonlocal said
                said += capsys.readouterr().err
                return "6/20" in said and "1 failed" in said

            wait_until(is_shown)


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, "never"
        time.sleep(0.01)
