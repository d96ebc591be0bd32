"""Tests of the local engine with fake workers; `test_runs.py` has real ones."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pytest

from vclean.errors import (
    BrowserError,
    BrowserMissingError,
    DeadlineError,
    InputError,
    LimitError,
    OutputError,
    VcleanError,
)
from vclean.farm import workers
from vclean.farm.rows import failed_outcome
from vclean.farm.stats import Stats
from vclean.farm.tasks import Item, RunSettings, Task, TaskOutcome
from vclean.farm.workers import InterruptedRunError, WorkerLostError, run_locally
from vclean.page import Page
from vclean.settings import CleanerSettings

Answer = Callable[[Task], TaskOutcome]


@dataclass
class Inputs:
    """Pages by name; those named `bad` cannot be read."""

    names: list[str]
    read: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Item]:
        for name in self.names:
            yield Item(name, "/crawl", lambda name=name: self._page(name))

    def covers(self, source: str) -> bool:
        return True

    def _page(self, name: str) -> Page:
        self.read.append(name)
        if name == "bad":
            raise InputError("it is damaged")
        return Page(content=name, id=name)


@dataclass
class Output:
    """Output that stores rows in memory."""

    done: set[str] = field(default_factory=set)
    rows: list[dict[str, object]] = field(default_factory=list)
    error: VcleanError | None = None

    def is_done(self, page_id: str, key: bytes, covers: object) -> bool:
        return page_id in self.done

    def write(self, outcome: TaskOutcome) -> None:
        if self.error:
            raise self.error
        self.rows.append(outcome.record.to_pylist()[0])

    @property
    def ids(self) -> list[object]:
        return sorted(row["id"] for row in self.rows)


class Worker:
    """Worker that answers with `answer` and counts its instances."""

    answer: Answer
    living = 0
    most = 0
    work: int = 0

    def __init__(self, cleaning: CleanerSettings, run: RunSettings) -> None:
        Worker.living += 1

    async def run(self, task: Task) -> TaskOutcome:
        Worker.work += 1
        Worker.most = max(Worker.most, Worker.work)
        try:
            await asyncio.sleep(0.002)
            return Worker.answer(task)
        finally:
            Worker.work -= 1

    async def close(self) -> None:
        Worker.living -= 1


def good(task: Task) -> TaskOutcome:
    """Return the outcome of a cleaned page without cleaning it."""
    return replace(failed_outcome(task, VcleanError("fine")), error="", seconds={"render": 0.5})


def lost_first(task: Task) -> TaskOutcome:
    """Crash in the first two attempts."""
    if task.attempt < 3:
        raise WorkerLostError("it died")
    return good(task)


def raising(error: Exception) -> Answer:
    def answer(task: Task) -> TaskOutcome:
        raise error

    return answer


@pytest.fixture(autouse=True)
def _workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(workers, "WorkerProcess", Worker)
    Worker.answer, Worker.living, Worker.most, Worker.work = good, 0, 0, 0
    yield
    assert Worker.living == 0, "a worker was not closed"


def farm(names: list[str], answer: Answer = good, output: Output | None = None, **run: int) -> tuple[Output, Stats]:
    Worker.answer = staticmethod(answer)  # type: ignore[assignment]
    target, stats = output or Output(), Stats()
    settings = RunSettings(**{"workers": 3, **run})
    run_locally(Inputs(names), target, CleanerSettings(render=True), settings, stats)  # type: ignore[arg-type]
    return target, stats


PAGES = [f"p{number:03}" for number in range(100)]


class TestRunLocally:
    def test_cleans_every_page_once(self) -> None:
        output, stats = farm(PAGES)
        assert output.ids == PAGES
        assert (stats.ok, stats.done, stats.working) == (100, 100, 0)
        assert stats.seconds["render"] == pytest.approx(50)

    def test_runs_all_workers_concurrently(self) -> None:
        farm(PAGES, workers=4)
        assert Worker.most == 4

    def test_reads_no_more_pages_than_workers(self) -> None:
        inputs, most = Inputs(PAGES), 0

        class Slow(Output):
            def write(self, outcome: TaskOutcome) -> None:
                nonlocal most
                super().write(outcome)
                most = max(most, len(inputs.read) - len(self.rows))

        Worker.answer = staticmethod(good)  # type: ignore[assignment]
        run_locally(inputs, Slow(), CleanerSettings(render=True), RunSettings(workers=3), Stats())  # type: ignore[arg-type]
        assert most <= 3

    def test_no_pages(self) -> None:
        output, stats = farm([])
        assert (output.rows, stats.done) == ([], 0)

    def test_skips_finished_pages(self) -> None:
        output, stats = farm(PAGES, output=Output(done=set(PAGES[:60])))
        assert output.ids == PAGES[60:]
        assert (stats.skipped, stats.ok) == (60, 40)

    def test_unreadable_page_reaches_no_worker(self) -> None:
        output, stats = farm(["a", "bad", "c"], lambda task: good(task) if task.page.id != "bad" else 1 / 0)  # type: ignore[return-value]
        assert output.ids == ["a", "bad", "c"]
        assert stats.failed == {"InputError": 1}


class TestFailures:
    def test_retries_after_crash(self) -> None:
        output, stats = farm(PAGES[:5], lost_first, retries=2)
        assert [row["attempts"] for row in output.rows] == [3] * 5
        assert (stats.ok, stats.retried) == (5, 10)
        assert stats.restarts == {"crash": 10}

    @pytest.mark.parametrize(
        ("error", "reason"), [(DeadlineError("late"), "deadline"), (LimitError("too much"), "memory")]
    )
    def test_does_not_retry_errors_of_the_page(self, error: VcleanError, reason: str) -> None:
        output, stats = farm(PAGES[:5], raising(error))
        assert {(row["status"], row["message"], row["attempts"]) for row in output.rows} == {("failed", str(error), 1)}
        assert stats.failed == {type(error).__name__: 5}
        assert stats.restarts == {reason: 5}

    def test_counts_lost_browser(self) -> None:
        _, stats = farm(["a"], lambda task: failed_outcome(task, BrowserError("gone")), retries=1)
        assert stats.restarts == {"browser": 2}
        assert stats.failed == {"BrowserError": 1}

    def test_isolated_crashes_give_failure_rows(self) -> None:
        def answer(task: Task) -> TaskOutcome:
            if int(task.page.id[1:]) % 2:
                raise WorkerLostError("it died")
            return good(task)

        output, stats = farm(PAGES, answer, retries=0)
        assert output.ids == PAGES
        assert stats.failed == {"WorkerLostError": 50}

    def test_repeated_crashes_end_run_without_failure_rows(self) -> None:
        output = Output()
        # The other workers may lose a page each before the run ends.
        with pytest.raises(BrowserError, match=r"2\d pages in a row"):
            farm(PAGES, raising(WorkerLostError("it died")), output, retries=0)
        assert output.rows == []

    def test_few_pages_that_all_crash_give_failure_rows(self) -> None:
        output, stats = farm(PAGES[:5], raising(WorkerLostError("it died")), retries=1)
        assert output.ids == PAGES[:5]
        assert (stats.retried, stats.failed) == (5, Counter(WorkerLostError=5))

    def test_fatal_error_ends_run(self) -> None:
        output = Output()
        with pytest.raises(BrowserMissingError, match="no Chromium"):
            farm(PAGES, raising(BrowserMissingError("no Chromium")), output)
        assert output.rows == []

    def test_full_disk_ends_run(self) -> None:
        with pytest.raises(OutputError, match="full"):
            farm(PAGES, output=Output(error=OutputError("the disk is full")))

    def test_bug_ends_run(self) -> None:
        with pytest.raises(ZeroDivisionError):
            farm(PAGES, raising(ZeroDivisionError()))


class TestSignals:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_finishes_pages_in_progress(self, number: signal.Signals) -> None:
        output = Output()

        def answer(task: Task) -> TaskOutcome:
            if task.page.id == "p010":
                os.kill(os.getpid(), number)
            return good(task)

        with pytest.raises(InterruptedRunError) as interruption:
            farm(PAGES, answer, output)
        assert interruption.value.number == number
        assert 10 <= len(output.rows) <= 14

    def test_drops_pages_after_time_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_FINISH_SECONDS", 0.1)
        monkeypatch.setattr(Worker, "run", lambda self, task: asyncio.sleep(600))
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start, output = time.monotonic(), Output()
        with pytest.raises(InterruptedRunError):
            farm(PAGES, output=output)
        assert time.monotonic() - start < 60
        assert output.rows == []

    def test_restores_handlers_after_run(self) -> None:
        before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        farm(PAGES[:2])
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before

    def test_other_thread_installs_no_handlers(self) -> None:
        outputs: list[Output] = []
        thread = threading.Thread(target=lambda: outputs.append(farm(PAGES)[0]))
        thread.start()
        thread.join()
        assert outputs[0].ids == PAGES
