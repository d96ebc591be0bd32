from __future__ import annotations

import io
import logging
import sys
import time
from typing import TYPE_CHECKING

import pytest
from helpers.waiting import assert_eventually

from vclean import runtime
from vclean.runtime import call_every, count_progress, show_progress, track

if TYPE_CHECKING:
    pass


class Terminal(io.StringIO):
    """Simulated standard error on a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the interval between lines."""
    monkeypatch.setattr(runtime, "_LINE_SECONDS", 0.01)
    monkeypatch.setattr(runtime, "_BAR_SECONDS", 0.01)


def opened_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Replace standard error by a terminal; call it in the test, because pytest replaces the stream later."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


class TestTrack:
    def test_lines_in_a_log(self, caplog: pytest.LogCaptureFixture) -> None:
        # An item is done when the next one is requested.
        items = track("abcd", "reading", "pages", total=4)
        assert [next(items), next(items), next(items)] == ["a", "b", "c"]
        assert_eventually(lambda: any(line.startswith("reading: 2 of 4 pages, ") for line in caplog.messages))
        assert list(items) == ["d"]

    def test_stops_with_its_consumer(self, caplog: pytest.LogCaptureFixture) -> None:
        items = iter(track("abcd", "reading", "pages"))
        next(items)
        items.close()
        message_count = len(caplog.messages)
        time.sleep(0.05)
        assert len(caplog.messages) == message_count


class TestCountProgress:
    def test_of_an_unknown_number(self, caplog: pytest.LogCaptureFixture) -> None:
        with count_progress("training", "folds") as advance:
            assert_eventually(lambda: "training: 0 folds" in caplog.messages)
            advance()
            assert_eventually(lambda: any(line.startswith("training: 1 fold, ") for line in caplog.messages))

    def test_clears_bar_before_next_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # A bar is cleared at its end.
        terminal = opened_terminal(monkeypatch)
        for what in ("reading", "scoring"):
            with count_progress(what, "pages", total=2) as advance:
                advance()
                assert_eventually(lambda what=what: f"{what}:  50%" in terminal.getvalue())
        assert terminal.getvalue().endswith("\r")
        assert terminal.getvalue().replace("\r", "").count("\n") == 0


class TestShowProgress:
    @pytest.mark.parametrize("tty", [True, False], ids=["terminal", "log"])
    def test_nothing_if_only_errors_are_logged(
        self, tty: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        stream = Terminal() if tty else io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        with (
            caplog.at_level(logging.ERROR, "vclean"),
            show_progress(pytest.fail, lambda: pytest.fail("asked"), "pages"),
        ):
            time.sleep(0.05)
        assert stream.getvalue() == ""
        assert caplog.messages == []


class TestCallEvery:
    def test_until_the_block_ends(self) -> None:
        calls: list[int] = []
        with call_every(0.005, lambda: calls.append(1)):
            assert_eventually(lambda: len(calls) > 2)
        count = len(calls)
        time.sleep(0.03)
        assert len(calls) == count


class TestLine:
    @pytest.mark.parametrize(
        ("done", "total", "seconds", "line"),
        [
            (0, None, 5, "0 folds"),
            (0, 10, 5, "0 of 10 folds"),
            (2, 10, 100, "2 of 10 folds, 50 s each, 06:40 left"),
            (1500, None, 1, "1,500 folds, 1,500 a second"),
        ],
    )
    def test_known_parts(self, done: int, total: int | None, seconds: float, line: str) -> None:
        assert runtime._line(done, total, "folds", seconds) == line
