"""Tests of the parent of a worker, with workers that fail in ways that real ones rarely do."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil
import pytest
from helpers.farming import wait_until

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
from vclean.farm.rows import RunSettings, Task, TaskOutcome, failed_outcome
from vclean.farm.stats import Stats
from vclean.farm.workers import Farm, InterruptedRunError, WorkerLostError, WorkerProcess, private_memory
from vclean.page import Page, Source
from vclean.render.browser import process
from vclean.settings import CleanerSettings

HEAD = """
import os, pickle, subprocess, sys, time
from dataclasses import replace
from vclean.errors import *
from vclean.farm.rows import failed_outcome
receive = lambda: pickle.load(sys.stdin.buffer)
say = lambda message: (pickle.dump(message, sys.stdout.buffer), sys.stdout.buffer.flush())
settings = receive()

def answer(task, worn=False, snapshot=None):
    outcome = failed_outcome(task, InputError("no"))
    say(replace(outcome, worn=worn, snapshot=snapshot))
"""

READY = "say('ready')\n"
RECEIVED = READY + "receive(); "

Play = Callable[..., object]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Run tasks on a worker with a given script, and return the last outcome."""
    monkeypatch.setattr(workers, "_MODULE", "odd_worker")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]))

    def run(script: str, tasks: int = 1, content: bytes = b"", **run: int) -> object:
        (tmp_path / "odd_worker.py").write_text(HEAD + script)
        return _run(tasks, content, RunSettings(**run))

    return run


def _run(tasks: int, content: bytes, run: RunSettings) -> tuple[list[TaskOutcome], set[int]]:
    """Return the outcomes, and the processes that they came from."""
    worker = WorkerProcess(CleanerSettings(render=True), run)
    outcomes, pids = [], set()
    try:
        for number in range(tasks):
            worker.start()
            assert worker._process
            pids.add(worker._process.pid)
            outcomes.append(worker.run(Task(Page(id=str(number), content=content), "", bytes(16))))
        return outcomes, pids
    finally:
        worker.close()
        assert worker._process is None
        assert not any(map(psutil.pid_exists, pids))


def is_running(pid: int) -> bool:
    """Return whether a process exists and is no zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class TestRun:
    @pytest.mark.parametrize(("worn", "processes"), [(False, 1), (True, 2)])
    def test_replaces_only_worn_worker(self, play: Play, *, worn: bool, processes: int) -> None:
        script = READY + f"while True: answer(receive(), worn={worn})"
        outcomes, pids = play(script, tasks=2)
        assert (len(outcomes), len(pids)) == (2, processes)

    def test_large_answers_and_messages_on_standard_error(self, play: Play) -> None:
        """Accept answers larger than any buffer, and messages on standard error between them."""
        script = READY + "print('chatter' * 10000, file=sys.stderr)\n"
        (outcome,), _ = play(script + "answer(receive(), snapshot=bytes(20_000_000))")
        assert (len(outcome.snapshot), outcome.record["message"][0].as_py()) == (20_000_000, "no")

    @pytest.mark.parametrize(
        ("script", "error", "message"),
        [
            (RECEIVED + "os.kill(os.getpid(), 9)", WorkerLostError, "signal 9"),
            (RECEIVED + "os._exit(3)", WorkerLostError, "exit code 3"),
            (RECEIVED + "os.abort()", WorkerLostError, "signal 6"),
            (RECEIVED + "sys.stdout.buffer.write(pickle.dumps('half')[:9])", WorkerLostError, "died"),
            (RECEIVED + "os.close(1); time.sleep(600)", WorkerLostError, "died"),
            (RECEIVED + "say(42)", WorkerLostError, "invalid answer"),
            (RECEIVED + "say(BrowserMissingError('none'))", BrowserMissingError, "none"),
            ("say(BrowserMissingError('none at all')); time.sleep(600)", BrowserMissingError, "none at all"),
            ("os._exit(1)", WorkerLostError, "exit code 1"),
        ],
    )
    def test_worker_fails(self, play: Play, script: str, error: type[Exception], message: str) -> None:
        """Die or close the output after a page or at the start, or answer with an error or with nonsense."""
        with pytest.raises(error, match=message) as caught:
            play(script)
        assert type(caught.value) is error

    @pytest.mark.parametrize("content", [b"", bytes(10_000_000)], ids=["small", "large"])
    def test_worker_never_answers(self, play: Play, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
        """Do not wait either for a worker that never reads a page larger than the buffer of the operating system."""
        monkeypatch.setattr(workers, "_GRACE_SECONDS", -119.5)  # 4 times 30 s, and this
        start = time.monotonic()
        with pytest.raises(DeadlineError, match=r"not cleaned within 0\.5 s"):
            play(READY + "time.sleep(600)", content=content)
        assert time.monotonic() - start < 60

    def test_ends_children_of_worker(self, play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_GRACE_SECONDS", -118)
        note = tmp_path / "child"
        script = f"child = subprocess.Popen(['sleep', '600']); open({str(note)!r}, 'w').write(str(child.pid))\n"
        with pytest.raises(DeadlineError):
            play(READY + script + "time.sleep(600)")
        child = int(note.read_text())
        wait_until(lambda: not is_running(child))  # the kernel ends a killed process a little later

    @pytest.mark.parametrize(
        "script",
        [
            "data = b'x' * 400 * 2**20; time.sleep(600)",
            "subprocess.run([sys.executable, '-c', \"d = b'x' * 400 * 2**20; import time; time.sleep(600)\"])",
        ],
        ids=["worker", "child"],
    )
    def test_memory_limit_is_exceeded(self, play: Play, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
        monkeypatch.setattr(process, "_CHECK_SECONDS", 0.1)
        with pytest.raises(LimitError, match="more than 300 MB of memory: raise --max-memory"):
            play(READY + script, max_memory=300 * 2**20)

    def test_worker_never_starts(self, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_START_SECONDS", 0.5)
        with pytest.raises(WorkerLostError, match=r"did not start within 0\.5 s"):
            play("time.sleep(600)")

    @pytest.mark.parametrize("delay", [-1.0, 0.0, 0.5])
    def test_stopped(self, play: Play, monkeypatch: pytest.MonkeyPatch, delay: float) -> None:
        """Stop before, during and after the start of the process."""
        stop = WorkerProcess.stop
        start = WorkerProcess.start

        def start_and_stop(worker: WorkerProcess) -> None:
            threading.Timer(delay, stop, [worker]).start() if delay >= 0 else stop(worker)
            start(worker)

        monkeypatch.setattr(WorkerProcess, "start", start_and_stop)
        with pytest.raises(VcleanError, match="was stopped") as caught:
            play(READY + "time.sleep(600)")
        assert type(caught.value) is VcleanError


def test_ended_process_has_no_memory() -> None:
    child = subprocess.Popen(["true"])
    child.wait()
    assert private_memory(child.pid) == 0


Answer = Callable[[Task], TaskOutcome]


@dataclass
class Inputs:
    """Pages by name; those named `bad` cannot be read."""

    names: list[str]
    read: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Source]:
        for name in self.names:
            yield Source(name, lambda name=name: self._page(name), "/crawl")

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

    def is_done(self, key: bytes, page_id: str) -> bool:
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
    lock = threading.Lock()

    def __init__(self, cleaning: CleanerSettings, run: RunSettings) -> None:
        Worker.living += 1
        self.stopped = threading.Event()

    def run(self, task: Task) -> TaskOutcome:
        with Worker.lock:
            Worker.work += 1
            Worker.most = max(Worker.most, Worker.work)
        try:
            time.sleep(0.002)
            return Worker.answer(task)
        finally:
            with Worker.lock:
                Worker.work -= 1

    def stop(self) -> None:
        self.stopped.set()

    def close(self) -> None:
        with Worker.lock:
            Worker.living -= 1


def good(task: Task) -> TaskOutcome:
    """Return the outcome of a cleaned page without cleaning it."""
    return replace(failed_outcome(task, VcleanError("fine")), error="", seconds={"render": 0.5})


@pytest.fixture(autouse=True)
def _workers() -> Iterator[None]:
    Worker.answer, Worker.living, Worker.most, Worker.work = good, 0, 0, 0
    yield
    assert Worker.living == 0, "a worker was not closed"


def farm(names: list[str], answer: Answer = good, output: Output | None = None, **run: int) -> tuple[Output, Stats]:
    Worker.answer = staticmethod(answer)  # type: ignore[assignment]
    target, stats = output or Output(), Stats()
    settings = RunSettings(**{"workers": 3, **run})
    Farm(Inputs(names), target, CleanerSettings(render=True), settings, stats, new_worker=Worker).run()  # type: ignore[arg-type]
    return target, stats


PAGES = [f"p{number:03}" for number in range(100)]


class TestFarm:
    def test_cleans_every_page_once_in_concurrent_workers(self) -> None:
        output, stats = farm(PAGES, workers=4)
        assert output.ids == PAGES
        assert (stats.ok, stats.done, stats.working) == (100, 100, 0)
        assert stats.seconds["render"] == pytest.approx(50)
        assert Worker.most == 4

    def test_reads_no_more_pages_than_workers(self) -> None:
        class Slow(Output):
            def write(self, outcome: TaskOutcome) -> None:
                super().write(outcome)
                assert len(inputs.read) - len(self.rows) <= 3

        inputs, run = Inputs(PAGES), RunSettings(workers=3)
        Farm(inputs, Slow(), CleanerSettings(), run, Stats(), new_worker=Worker).run()  # type: ignore[arg-type]

    def test_finished_and_unreadable_pages_reach_no_worker(self) -> None:
        tasks: list[str] = []

        def answer(task: Task) -> TaskOutcome:
            tasks.append(task.page.id)
            return good(task)

        output, stats = farm([*PAGES, "bad"], answer, Output(done=set(PAGES[:60])))
        assert sorted(tasks) == PAGES[60:]
        assert output.ids == ["bad", *PAGES[60:]]
        assert (stats.skipped, stats.ok, stats.failed) == (60, 40, {"InputError": 1})


class TestFailures:
    @pytest.mark.parametrize(
        ("error", "attempts", "restarts"),
        [
            (DeadlineError("late"), 1, {"deadline": 5}),
            (LimitError("too much"), 1, {"memory": 5}),
            (WorkerLostError("it died"), 3, {"crash": 15}),
            (BrowserError("gone"), 3, {"browser": 15}),
        ],
    )
    def test_only_crashes_are_tried_again(self, error: VcleanError, attempts: int, restarts: dict[str, int]) -> None:
        def answer(task: Task) -> TaskOutcome:
            if type(error) is BrowserError:  # the worker survives its browser
                return failed_outcome(task, error)
            raise error

        output, stats = farm(PAGES[:5], answer, retries=2)
        rows = {(row["id"], row["status"], row["message"], row["attempts"]) for row in output.rows}
        assert rows == {(name, "failed", str(error), attempts) for name in PAGES[:5]}
        assert (stats.failed, stats.retried) == ({type(error).__name__: 5}, 5 * (attempts - 1))
        assert stats.restarts == restarts

    def test_isolated_crashes_give_failure_rows(self) -> None:
        def answer(task: Task) -> TaskOutcome:
            if int(task.page.id[1:]) % 2:
                raise WorkerLostError("it died")
            return good(task)

        output, stats = farm(PAGES, answer, retries=0)
        assert output.ids == PAGES
        assert stats.failed == {"WorkerLostError": 50}

    @pytest.mark.parametrize(
        ("error", "kind", "message"),
        [
            # The other workers may lose a page each before the run ends.
            (WorkerLostError("it died"), BrowserError, r"2\d pages in a row"),
            (BrowserMissingError("no Chromium"), BrowserMissingError, "no Chromium"),
            (ZeroDivisionError("a bug"), ZeroDivisionError, "a bug"),
        ],
    )
    def test_repeated_crashes_and_other_errors_end_run_without_failure_rows(
        self, error: Exception, kind: type[Exception], message: str
    ) -> None:
        def answer(task: Task) -> TaskOutcome:
            raise error

        output = Output()
        with pytest.raises(kind, match=message):
            farm(PAGES, answer, output, retries=0)
        assert output.rows == []

    def test_full_disk_ends_run(self) -> None:
        with pytest.raises(OutputError, match="full"):
            farm(PAGES, output=Output(error=OutputError("the disk is full")))


def wait_for_stop(worker: Worker, _task: Task) -> TaskOutcome:
    worker.stopped.wait(600)
    raise VcleanError("stopped")


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
        assert interruption.value.args == (number,)
        assert 10 <= len(output.rows) < 60  # fake pages take 2 ms, and the main thread may wait for its turn

    def test_drops_pages_after_time_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_FINISH_SECONDS", 0.1)
        monkeypatch.setattr(Worker, "run", wait_for_stop)
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
