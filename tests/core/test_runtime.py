from __future__ import annotations

import io
import logging
import signal
import sys
import threading
import time
from contextlib import nullcontext
from unittest.mock import Mock

import pytest
from helpers.waiting import assert_eventually

from vclean import runtime
from vclean.errors import DeadlineError, LimitError
from vclean.runtime import LineFormatter, count_progress, deadline, run_within, show_progress, track


class Terminal(io.StringIO):
    """Simulated standard error on a terminal."""

    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Shorten the interval between lines."""
    monkeypatch.setattr(runtime, "_LINE_SECONDS", 0.01)
    monkeypatch.setattr(runtime, "_BAR_SECONDS", 0.01)


class TestTrack:
    def test_lines_in_a_log(self, caplog):
        # An item is done when the next one is requested.
        items = track("abcd", "reading", "pages", total=4)
        assert [next(items), next(items), next(items)] == ["a", "b", "c"]
        assert_eventually(lambda: any(line.startswith("reading: 2/4 pages [") for line in caplog.messages))
        assert list(items) == ["d"]

    def test_stops_with_its_consumer(self, caplog):
        items = iter(track("abcd", "reading", "pages"))
        next(items)
        assert_eventually(lambda: len(caplog.messages) > 2)
        items.close()
        message_count = len(caplog.messages)
        time.sleep(0.05)
        assert len(caplog.messages) == message_count


class TestCountProgress:
    def test_of_an_unknown_number(self, caplog):
        with count_progress("training", "folds") as advance:
            assert_eventually(lambda: "training: 0/? folds [00:00<?, ? folds/s]" in caplog.messages)
            advance()
            assert_eventually(lambda: any(line.startswith("training: 1/? folds [") for line in caplog.messages))

    def test_clears_bar_before_next_one(self, monkeypatch):
        # A bar is cleared at its end.
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)  # not in a fixture: pytest replaces the stream later
        for what in ("reading", "scoring"):
            with count_progress(what, "pages", total=2) as advance:
                advance()
                assert_eventually(lambda what=what: f"{what}:  50%" in terminal.getvalue())
        assert terminal.getvalue().endswith("\r")
        assert terminal.getvalue().replace("\r", "").count("\n") == 0


class TestShowProgress:
    @pytest.mark.parametrize("tty", [True, False], ids=["terminal", "log"])
    def test_nothing_if_only_errors_are_logged(self, tty, monkeypatch, caplog):
        stream = Terminal() if tty else io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        with (
            caplog.at_level(logging.ERROR, "vclean"),
            show_progress(pytest.fail, lambda: pytest.fail("asked"), unit="pages"),
        ):
            time.sleep(0.05)
        assert stream.getvalue() == ""
        assert caplog.messages == []


pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="POSIX only")


def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


class TestDeadline:
    def test_interrupts_endless_work(self):
        start = time.monotonic()
        with pytest.raises(DeadlineError, match=r"longer than 0\.05 s"), deadline(0.05):
            work(60)
        assert time.monotonic() - start < 5

    @pytest.mark.parametrize("error", [None, KeyError])
    def test_restores_signal_handler(self, error):
        with pytest.raises(error) if error else nullcontext(), deadline(0.05):
            if error:
                raise error
        time.sleep(0.1)
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)

    def test_other_threads_are_not_limited(self):
        done = []

        def bounded():
            with deadline(0.01):
                time.sleep(0.05)
                done.append(True)

        thread = threading.Thread(target=bounded)
        thread.start()
        thread.join()
        assert done == [True]

    def test_alarm_in_use_is_not_changed(self):
        handlers = [lambda *_: None]
        before = signal.signal(signal.SIGALRM, handlers[0])
        try:
            with deadline(0.01):
                handlers.append(signal.getsignal(signal.SIGALRM))
        finally:
            signal.signal(signal.SIGALRM, before)
        assert handlers[0] is handlers[1]
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)

    def test_an_inner_deadline_leaves_the_outer_one_running(self):
        def work_under_its_own_deadline():
            with deadline(60):
                work(0.01)
            work(60)

        with pytest.raises(DeadlineError), deadline(0.05):
            work_under_its_own_deadline()


def formatted(message, error=None):
    return LineFormatter().format(logging.LogRecord("vclean", logging.WARNING, "", 0, "%s", (message,), error))


class TestLineFormatter:
    @pytest.mark.parametrize(
        ("message", "line"),
        [
            ("a\nb", "a b"),
            ("a\x1b[31mb\x9b", "a [31mb "),
            ("a\u202egpj.exe", "a gpj.exe"),
            ("žluť  日本 \udcff", "žluť  日本 \udcff"),
        ],
    )
    def test_one_line_without_controls(self, message, line):
        assert formatted(message) == f"vclean: {line}"

    def test_traceback_follows(self):
        try:
            raise ValueError("bad")
        except ValueError:
            text = formatted("a", sys.exc_info())  # type: ignore[arg-type]
        assert text.startswith("vclean: a\nTraceback ")
        assert text.endswith("ValueError: bad")


def test_run_within_returns_the_result_or_raises_the_error():
    assert run_within(10, lambda: 42) == 42
    with pytest.raises(LimitError, match="too much"):
        run_within(10, Mock(side_effect=LimitError("too much")))
