"""Measure CPU time and memory of a process and its descendants, by kind of process (Linux).

The kernel has a CPU clock for every process. It counts nanoseconds and includes threads that have ended
(clock_getcpuclockid(3)). `/proc/PID/stat`, the usual source, counts ticks of 10 ms, as long as a small page takes.
"""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Final

KINDS: Final = ("python", "browser", "renderer", "gpu", "node", "others")
"""Python, Chromium's processes by type, Playwright's Node.js, and all others, such as orphan reapers."""

_CLOCK: Final = 2
"""Clock of the scheduled CPU time of a whole process (`CPUCLOCK_SCHED` in the kernel headers)."""
_UNKNOWN: Final = "others"
_PROC: Final = Path("/proc")


class ProcessTree:
    """Process with its descendants. Processes that have ended keep their last measured CPU time.

    Args:
        root: PID of the process.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._kinds: dict[int, str] = {}
        self._seconds: dict[int, float] = {}

    def refresh(self) -> None:
        """Add processes that were started since the last call."""
        for pid in _descendants(self._root):
            # A new renderer has its parent's command line at first, as does a child of Python before exec.
            if self._kinds.get(pid, _UNKNOWN) == _UNKNOWN:
                self._kinds[pid] = process_kind(_arguments(pid))

    def cpu_seconds(self) -> Counter[str]:
        """Return user and system time by kind, for the processes that `refresh` has added."""
        totals: Counter[str] = Counter()
        for pid, kind in self._kinds.items():
            self._seconds[pid] = _cpu_seconds(pid) or self._seconds.get(pid, 0.0)
            totals[kind] += self._seconds[pid]  # type: ignore[assignment]  # a Counter also adds floats
        return totals

    def memory(self) -> dict[str, Counter[str]]:
        """Return bytes by kind: `rss` counts shared pages for each process, `pss` divides them among the processes."""
        totals: dict[str, Counter[str]] = {"rss": Counter(), "pss": Counter()}
        for pid, kind in self._kinds.items():
            sizes = _memory_sizes(pid)
            for name, counter in totals.items():
                counter[kind] += sizes.get(name, 0)
        return totals


def process_kind(arguments: list[str]) -> str:
    """Return the kind (one of `KINDS`) of a process with these command-line arguments.

    >>> process_kind(["/usr/bin/chromium", "--type=renderer"]), process_kind(["/usr/bin/python3.11", "-m", "vclean"])
    ('renderer', 'python')
    >>> process_kind([])
    'others'
    """
    name = Path(arguments[0]).name if arguments else ""
    if "chrom" in name or "headless" in name:
        types = [argument.partition("=")[2] for argument in arguments if argument.startswith("--type=")]
        kinds = {"renderer": "renderer", "gpu-process": "gpu"}
        return kinds.get(types[0], _UNKNOWN) if types else "browser"
    if name.startswith("python"):
        return _UNKNOWN if any("orphan_reaper" in argument for argument in arguments) else "python"
    return "node" if name == "node" else _UNKNOWN


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in _PROC.glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(entry.parent.name))
    pids = [root]
    for pid in pids:
        pids += children.get(pid, [])
    return pids


def _arguments(pid: int) -> list[str]:
    try:
        text = (_PROC / str(pid) / "cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return []
    # Chromium's child processes join their arguments with spaces.
    return text.strip("\0").replace("\0", " ").split(" ")


def _cpu_seconds(pid: int) -> float | None:
    """Return the CPU time of a process; None if it has ended."""
    try:
        return time.clock_gettime((~pid << 3) | _CLOCK)
    except OSError:
        return None


def _memory_sizes(pid: int) -> dict[str, int]:
    """Return memory sizes in bytes by field of `smaps_rollup`; empty if the process has ended."""
    try:
        lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()[1:]
    except OSError:
        return {}
    fields = (line.split() for line in lines)
    return {name[:-1].lower(): int(size) * 1024 for name, size, *_ in fields}
