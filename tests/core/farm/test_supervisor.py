"""Tests of the parent of a worker, with workers that fail in ways that real ones rarely do."""

from __future__ import annotations

import asyncio
import mmap
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import psutil
import pytest

from vclean.errors import BrowserMissingError, DeadlineError, LimitError
from vclean.farm import workers
from vclean.farm.tasks import RunSettings, Task, TaskOutcome
from vclean.farm.workers import WorkerLostError, WorkerProcess, private_memory
from vclean.page import Page
from vclean.settings import CleanerSettings

HEAD = """
import os, subprocess, sys, time
from vclean.errors import *
from vclean.farm.tasks import receive, send
from vclean.farm.tasks import TaskOutcome
settings = receive(sys.stdin.buffer)
say = lambda message: send(sys.stdout.buffer, message)
"""

READY = "say('ready')\n"
OUTCOME = "TaskOutcome(record=None)"

Play = Callable[..., object]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Run tasks on a worker with a given script, and return the last outcome."""
    monkeypatch.setattr(workers, "_MODULE", "odd_worker")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]))

    def run(script: str, tasks: int = 1, **run: int) -> object:
        (tmp_path / "odd_worker.py").write_text(HEAD + dedent(script))
        return asyncio.run(_run(tasks, RunSettings(**run)))

    return run


async def _run(tasks: int, run: RunSettings) -> tuple[list[TaskOutcome], set[int]]:
    """Return the outcomes, and the processes that they came from."""
    worker = WorkerProcess(CleanerSettings(render=True), run)
    outcomes, pids = [], set()
    try:
        for number in range(tasks):
            await worker.start()
            pids.add(worker.pid or 0)
            outcomes.append(await worker.run(Task(Page(id=str(number)), "", bytes(16))))
        return outcomes, pids
    finally:
        await worker.close()
        assert worker.pid is None
        assert not any(map(psutil.pid_exists, pids))


class TestRun:
    def test_uses_one_process_for_many_pages(self, play: Play) -> None:
        outcomes, pids = play(READY + f"while receive(sys.stdin.buffer): say({OUTCOME})", tasks=3)
        assert (len(outcomes), len(pids)) == (3, 1)

    def test_replaces_worn_worker(self, play: Play) -> None:
        script = READY + "while receive(sys.stdin.buffer): say(TaskOutcome(record=None, worn=True))"
        outcomes, pids = play(script, tasks=2)
        assert (len(outcomes), len(pids)) == (2, 2)

    def test_large_answers_and_messages_on_standard_error(self, play: Play) -> None:
        """Accept answers larger than any buffer, and messages on standard error between them."""
        script = READY + "receive(sys.stdin.buffer); print('chatter' * 10000, file=sys.stderr)\n"
        outcomes, _ = play(script + "say(TaskOutcome(record=None, snapshot=bytes(20_000_000)))")
        assert len(outcomes[0].snapshot) == 20_000_000

    @pytest.mark.parametrize(
        ("death", "cause"),
        [("os.kill(os.getpid(), 9)", "signal 9"), ("os._exit(3)", "exit code 3"), ("os.abort()", "signal 6")],
    )
    def test_worker_dies(self, play: Play, death: str, cause: str) -> None:
        with pytest.raises(WorkerLostError, match=cause):
            play(READY + f"receive(sys.stdin.buffer); {death}")

    def test_worker_dies_during_its_answer(self, play: Play) -> None:
        with pytest.raises(WorkerLostError):
            play(READY + "receive(sys.stdin.buffer); sys.stdout.buffer.write(bytes(7) + b'x' + b'half')")

    def test_worker_closes_its_output_without_ending(self, play: Play) -> None:
        with pytest.raises(WorkerLostError):
            play(READY + "receive(sys.stdin.buffer); os.close(1); time.sleep(600)")

    def test_worker_never_answers(self, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_GRACE_SECONDS", -119.5)  # 4 times 30 s, and this
        start = time.monotonic()
        with pytest.raises(DeadlineError, match=r"not cleaned within 0\.5 s"):
            play(READY + "time.sleep(600)")
        assert time.monotonic() - start < 60

    def test_worker_never_reads(self, tmp_path: Path, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
        """Send a page larger than the buffer of the operating system without blocking the parent."""
        monkeypatch.setattr(workers, "_GRACE_SECONDS", -119.5)
        (tmp_path / "odd_worker.py").write_text(HEAD + READY + "time.sleep(600)")

        async def run() -> None:
            worker = WorkerProcess(CleanerSettings(render=True), RunSettings())
            await worker.run(Task(Page(content=bytes(10_000_000)), "", bytes(16)))

        with pytest.raises(DeadlineError):
            asyncio.run(run())

    def test_ends_children_of_worker(self, play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_GRACE_SECONDS", -118)
        note = tmp_path / "child"
        script = f"child = subprocess.Popen(['sleep', '600']); open({str(note)!r}, 'w').write(str(child.pid))\n"
        with pytest.raises(DeadlineError):
            play(READY + script + "time.sleep(600)")
        child = int(note.read_text())
        assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE

    def test_worker_exceeds_memory_limit(self, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_UNWATCHED_SECONDS", 0.1)
        with pytest.raises(LimitError, match="more than 300 MB of memory: raise --max-memory"):
            play(READY + "data = b'x' * 400 * 2**20; time.sleep(600)", max_memory=300 * 2**20)

    def test_child_exceeds_memory_limit(self, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_UNWATCHED_SECONDS", 0.1)
        script = "subprocess.Popen([sys.executable, '-c', \"d = b'x' * 400 * 2**20; import time; time.sleep(600)\"])\n"
        with pytest.raises(LimitError):
            play(READY + script + "time.sleep(600)", max_memory=300 * 2**20)

    def test_invalid_answer(self, play: Play) -> None:
        with pytest.raises(WorkerLostError, match="invalid answer"):
            play(READY + "receive(sys.stdin.buffer); say(42)")

    def test_raises_fatal_error(self, play: Play) -> None:
        with pytest.raises(BrowserMissingError, match="none"):
            play(READY + "receive(sys.stdin.buffer); say(BrowserMissingError('none'))")


class TestStart:
    def test_raises_error_of_start(self, play: Play) -> None:
        with pytest.raises(BrowserMissingError, match="none at all"):
            play("say(BrowserMissingError('none at all')); time.sleep(600)")

    def test_worker_dies_at_start(self, play: Play) -> None:
        with pytest.raises(WorkerLostError):
            play("os._exit(1)")

    def test_worker_never_starts(self, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_START_SECONDS", 0.5)
        with pytest.raises(WorkerLostError, match=r"did not start within 0\.5 s"):
            play("time.sleep(600)")


class TestPrivateMemory:
    def test_grows_with_allocations(self) -> None:
        before = private_memory(os.getpid())
        with mmap.mmap(-1, 100 * 2**20, flags=mmap.MAP_PRIVATE) as taken:  # not from the heap, which may have room
            taken.write(b"x" * len(taken))
            assert private_memory(os.getpid()) - before > 90 * 2**20

    def test_includes_children(self) -> None:
        before = private_memory(os.getpid())
        script = "d = b'x' * 100 * 2**20; print('ready', flush=True); input()"
        with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            assert child.stdout
            assert child.stdin
            child.stdout.readline()
            assert private_memory(os.getpid()) - before > 90 * 2**20
            child.stdin.write(b"\n")

    def test_ended_process_has_none(self) -> None:
        child = subprocess.Popen(["true"])
        child.wait()
        assert private_memory(child.pid) == 0
