from __future__ import annotations

import signal
import threading
import time

import pytest

from vclean.errors import DeadlineError, LimitError
from vclean.timeouts import within


class TestWithin:
    def test_the_result(self) -> None:
        assert within(10, lambda: 42) == 42

    def test_an_error_is_raised_as_it_is(self) -> None:
        def fail() -> None:
            raise LimitError("too much")

        with pytest.raises(LimitError, match="too much"):
            within(10, fail)

    def test_what_takes_longer_is_left_behind(self) -> None:
        """The wait ends although the work does not."""
        release = threading.Event()
        started = time.monotonic()
        with pytest.raises(DeadlineError, match=r"longer than 0\.05 s: raise --timeout"):
            within(0.05, release.wait)
        assert time.monotonic() - started < 5
        release.set()

    def test_from_another_thread(self) -> None:
        """Where no alarm can be set, the wait ends all the same."""
        raised: list[str] = []
        release = threading.Event()

        def wait() -> None:
            try:
                within(0.05, release.wait)
            except DeadlineError as error:
                raised.append(str(error))

        thread = threading.Thread(target=wait)
        thread.start()
        thread.join(5)
        release.set()
        assert len(raised) == 1

    @pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="POSIX only")
    def test_signals_get_through(self) -> None:
        def alarm(_signal: int, _frame: object) -> None:
            raise KeyboardInterrupt

        release = threading.Event()
        before = signal.signal(signal.SIGALRM, alarm)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            with pytest.raises(KeyboardInterrupt):
                within(10, release.wait)
        finally:
            signal.signal(signal.SIGALRM, before)
            release.set()
