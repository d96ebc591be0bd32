from __future__ import annotations

import signal
import threading
import time

import pytest

from vclean.errors import DeadlineError, LimitError
from vclean.runtime import run_within


class TestRunWithin:
    def test_the_result(self) -> None:
        assert run_within(10, lambda: 42) == 42

    def test_an_error_is_raised_as_it_is(self) -> None:
        def fail() -> None:
            raise LimitError("too much")

        with pytest.raises(LimitError, match="too much"):
            run_within(10, fail)

    def test_abandons_work_that_takes_longer(self) -> None:
        # The call ends although the work continues.
        release = threading.Event()
        started = time.monotonic()
        with pytest.raises(DeadlineError, match=r"longer than 0\.05 s: raise --timeout"):
            run_within(0.05, release.wait)
        assert time.monotonic() - started < 5
        release.set()

    def test_from_another_thread(self) -> None:
        # The limit also applies in threads, where no alarm can be set.
        raised: list[str] = []
        release = threading.Event()

        def wait() -> None:
            try:
                run_within(0.05, release.wait)
            except DeadlineError as error:
                raised.append(str(error))

        thread = threading.Thread(target=wait)
        thread.start()
        thread.join(5)
        release.set()
        assert len(raised) == 1

    @pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="POSIX only")
    def test_signals_are_handled(self) -> None:
        def alarm(_signal: int, _frame: object) -> None:
            raise KeyboardInterrupt

        release = threading.Event()
        before = signal.signal(signal.SIGALRM, alarm)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            with pytest.raises(KeyboardInterrupt):
                run_within(10, release.wait)
        finally:
            signal.signal(signal.SIGALRM, before)
            release.set()
