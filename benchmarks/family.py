"""What a command takes, with all that it starts: `python benchmarks/family.py FIGURES.json COMMAND...` (Linux).

CPU time is exact, also of processes that were killed or whose parents were: orphans come to this process, which waits
for them, and the kernel adds up the time of all that were waited for. Memory is sampled, and told apart by what the
processes are.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psutil

if TYPE_CHECKING:
    from collections.abc import Sequence

    Sample = dict[str, float]
    """`at`, seconds since the start, and resident bytes by kind of process."""

KINDS: Final = ("driver", "workers", "browsers", "playwright", "others")
"""The command itself, the farm's workers, Chromium, Playwright's Node, and what is left, such as orphan reapers."""

_PR_SET_CHILD_SUBREAPER: Final = 36
_SAMPLE_SECONDS: Final = 1.0
_ORPHAN_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Figures:
    """What a command took.

    Attributes:
        code: its exit code.
        seconds: wall clock.
        cpu: user and system time of all processes, in seconds.
        left: how many processes still ran 10 s after its end; their time is missing.
        samples: memory, once a second.
    """

    code: int
    seconds: float
    cpu: float
    left: int
    samples: list[Sample]


def measure(command: Sequence[str]) -> Figures:
    """Run a command to its end, and to that of all that it left behind."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before, start = _waited_for(), time.perf_counter()
    child = subprocess.Popen(command)
    sampler = Sampler(child.pid, start)
    code = child.returncode = _wait_for(child.pid)
    seconds = time.perf_counter() - start
    left = _wait_for_orphans()
    return Figures(code, seconds, _waited_for() - before, left, sampler.stop())


def _waited_for() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _wait_for(pid: int) -> int:
    """The exit code of a child; orphans that end before it are waited for too."""
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == pid:
            return os.waitstatus_to_exitcode(status)


def _wait_for_orphans() -> int:
    """How many are still there when the time is up."""
    until = time.monotonic() + _ORPHAN_SECONDS
    while time.monotonic() < until:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 0
        if not ended:
            time.sleep(0.02)
    return len(psutil.Process().children(recursive=True))


class Sampler:
    """Looks at the memory of a family of processes once a second, in a thread, until it is stopped."""

    def __init__(self, pid: int, start: float) -> None:
        self._pid = pid
        self._start = start
        self._samples: list[Sample] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> list[Sample]:
        """The samples."""
        self._done.set()
        self._thread.join()
        return self._samples

    def _run(self) -> None:
        while not self._done.wait(_SAMPLE_SECONDS):
            self._samples.append({"at": round(time.perf_counter() - self._start, 2)} | self._resident())

    def _resident(self) -> Sample:
        resident = dict.fromkeys(KINDS, 0)
        for process in psutil.Process().children(recursive=True):
            try:
                resident[kind(process, self._pid)] += process.memory_info().rss
            except psutil.Error:
                continue
        return resident


def kind(process: psutil.Process, driver: int) -> str:
    """Which of `KINDS` a process is; `driver` is the number of the command's."""
    if process.pid == driver:
        return "driver"
    command = process.cmdline()
    name = Path(command[0]).name if command else ""
    if "vclean.farm.worker" in command:
        return "workers"
    if "chrom" in name or "headless" in name:
        return "browsers"
    return "playwright" if name == "node" else "others"


def main() -> int:
    """Measure a command and write its figures; its exit code."""
    figures = measure(sys.argv[2:])
    Path(sys.argv[1]).write_text(json.dumps(asdict(figures)) + "\n", encoding="utf-8")
    return figures.code


if __name__ == "__main__":
    sys.exit(main())
