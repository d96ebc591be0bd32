from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from typing import Any

import pytest
from helpers.waiting import assert_eventually

from vclean import runtime
from vclean.farm.command import final_line, progress_line, show_progress
from vclean.farm.stats import Stats


class TestProgressLine:
    def test_all_counts_known(self) -> None:
        stats = Stats(total=2000, skipped=500, ok=490, started=time.monotonic() - 100)
        stats.failed["DeadlineError"] = 10
        assert progress_line(stats) == "1,000 of 2,000 pages, 5.0 pages/s, 10 failed, 03:20 left"

    def test_more_pages_than_counted(self) -> None:
        stats = Stats(total=10, ok=50, started=time.monotonic() - 100)
        assert progress_line(stats) == "50 of 10 pages, 0.5 pages/s, 0 failed, 00:00 left"

    def test_unknown_total(self) -> None:
        assert progress_line(Stats(started=time.monotonic() - 100, ok=50)) == "50 pages, 0.5 pages/s, 0 failed"


class TestFinalLine:
    @pytest.mark.parametrize(
        ("done", "counts", "line"),
        [
            ({"ok": 50}, {}, "50 pages, 0 failed, in 01:40"),
            ({"ok": 1}, {"no_pages": 1}, "1 page, 1 file skipped (no pages), 0 failed, in 01:40"),
            (
                {"ok": 10},
                {"render_reasons": {"empty": 1, "styles": 3}},
                "10 pages, 4 rendered (empty 1, styles 3), 0 failed, in 01:40",
            ),
            (
                {"skipped": 500, "ok": 490, "failed": Counter(DeadlineError=10)},
                {"failed": {"DeadlineError": 10, "InputError": 2}},
                "1,000 pages, 500 of them before, 12 failed (DeadlineError 10, InputError 2; "
                "each message is in pages.jsonl, --retry-failed tries again), in 01:40",
            ),
        ],
    )
    def test_counts(self, done: dict[str, Any], counts: dict[str, Any], line: str) -> None:
        stats = Stats(**done, started=time.monotonic() - 100)
        assert final_line(stats, {"failed": {}, "render_reasons": {}, "no_pages": 0, **counts}) == line


class TestShowProgress:
    def test_log_lines_without_terminal(
        self, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(runtime, "_LINE_SECONDS", 0.01)
        stats = Stats()
        with caplog.at_level(logging.WARNING, "vclean"), show_progress(stats):
            stats.ok = 7
            assert_eventually(lambda: any("7 pages" in message for message in caplog.messages))
        output = len(caplog.messages)
        time.sleep(0.05)
        assert len(caplog.messages) == output, "it continues after the block"

    def test_bar_on_terminal(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setattr(runtime, "_BAR_SECONDS", 0.01)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        output = ""
        stats = Stats(total=20)
        with show_progress(stats):
            stats.ok = 5
            stats.failed["LimitError"] = 1

            def is_shown() -> bool:
                nonlocal output
                output += capsys.readouterr().err
                return "6/20" in output and "1 failed" in output

            assert_eventually(is_shown)
