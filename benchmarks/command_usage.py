"""Measure time and memory of a command and its descendants: `python benchmarks/command_usage.py OUT.json COMMAND...`.

CPU time is exact, even for processes that were killed or lost their parent. This process adopts orphans and waits for
them, and the kernel sums the time of all processes that were waited for. Memory is sampled by kind of process.
This program requires Linux.
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
"""The command, the farm's workers, Chromium, Playwright's Node.js, and all others, such as orphan reapers."""

_PR_SET_CHILD_SUBREAPER: Final = 36
_SAMPLE_SECONDS: Final = 1.0
_ORPHAN_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class CommandUsage:
    """Time and memory of a command and its descendants.

    Attributes:
        code: exit code of the command.
        seconds: wall-clock time in seconds.
        cpu: user and system time of all processes, in seconds.
        left: number of processes that still ran 10 s after the command ended; their time is not in `cpu`.
        samples: memory, once a second.
    """

    code: int
    seconds: float
    cpu: float
    left: int
    samples: list[Sample]


def measure(command: Sequence[str]) -> CommandUsage:
    """Run a command, and wait for it and for the processes that it left behind."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before, start = _children_cpu_seconds(), time.perf_counter()
    child = subprocess.Popen(command)
    sampler = MemorySampler(child.pid, start)
    code = child.returncode = _wait_for(child.pid)
    seconds = time.perf_counter() - start
    left = _wait_for_orphans()
    return CommandUsage(code, seconds, _children_cpu_seconds() - before, left, sampler.stop())


def _children_cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _wait_for(pid: int) -> int:
    """Wait for a child, and for orphans that end before it. Return the child's exit code."""
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == pid:
            return os.waitstatus_to_exitcode(status)


def _wait_for_orphans() -> int:
    """Wait for orphans, for 10 s at most. Return the number of processes that still run."""
    until = time.monotonic() + _ORPHAN_SECONDS
    while time.monotonic() < until:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 0
        if not ended:
            time.sleep(0.02)
    return len(psutil.Process().children(recursive=True))


class MemorySampler:
    """Thread that samples the memory of all descendants once a second until it is stopped."""

    def __init__(self, pid: int, start: float) -> None:
        self._pid = pid
        self._start = start
        self._samples: list[Sample] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> list[Sample]:
        """Stop sampling and return the samples."""
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
                resident[process_kind(process, self._pid)] += process.memory_info().rss
            except psutil.Error:
                continue
        return resident


def process_kind(process: psutil.Process, driver: int) -> str:
    """Return the kind (one of `KINDS`) of a process; `driver` is the PID of the command."""
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
    """Measure a command and write its usage as JSON. Return the command's exit code."""
    usage = measure(sys.argv[2:])
    Path(sys.argv[1]).write_text(json.dumps(asdict(usage)) + "\n", encoding="utf-8")
    return usage.code


if __name__ == "__main__":
    sys.exit(main())
