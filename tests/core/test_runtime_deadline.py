from __future__ import annotations

import signal
import threading
import time

import pytest

from vclean.errors import DeadlineError
from vclean.runtime import deadline

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="POSIX only")


def work(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def work_under_its_own_deadline() -> None:
    with deadline(60):
        work(0.01)
    work(60)


class TestDeadline:
    def test_interrupts_endless_work(self) -> None:
        start = time.monotonic()
        with pytest.raises(DeadlineError, match=r"longer than 0\.05 s"), deadline(0.05):
            work(60)
        assert time.monotonic() - start < 5

    def test_work_in_time_restores_signal_handler(self) -> None:
        with deadline(0.05):
            pass
        time.sleep(0.1)
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)

    def test_failure_restores_signal_handler(self) -> None:
        with pytest.raises(KeyError), deadline(5):
            raise KeyError
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)

    def test_other_threads_are_not_limited(self) -> None:
        done = []

        def bounded() -> None:
            with deadline(0.01):
                time.sleep(0.05)
                done.append(True)

        thread = threading.Thread(target=bounded)
        thread.start()
        thread.join()
        assert done == [True]

    def test_alarm_in_use_is_not_changed(self) -> None:
        before = signal.signal(signal.SIGALRM, lambda *_: None)
        try:
            with deadline(0.01):
                handler = signal.getsignal(signal.SIGALRM)
        finally:
            signal.signal(signal.SIGALRM, before)
        assert handler is not signal.SIG_DFL
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)

    def test_an_inner_deadline_leaves_the_outer_one_running(self) -> None:
        with pytest.raises(DeadlineError), deadline(0.05):
            work_under_its_own_deadline()
