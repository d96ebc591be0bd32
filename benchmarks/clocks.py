"""The CPU time and the memory of a process and all that it started, told apart by what the processes are (Linux).

The kernel keeps a clock for every process, to the nanosecond and with threads that ended (clock_getcpuclockid(3));
`/proc/PID/stat`, which other programs read, counts ticks of ten milliseconds, as long as a small page takes.
"""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Final

KINDS: Final = ("python", "browser", "renderer", "gpu", "node", "others")
"""Python itself, Chromium's processes by their type, Playwright's Node, and what is left, such as orphan reapers."""

_CLOCK: Final = 2
"""The kind of clock that counts what the scheduler gave a whole process (`CPUCLOCK_SCHED` in the kernel's headers)."""
_UNKNOWN: Final = "others"
_PROC: Final = Path("/proc")


class Family:
    """A process with its descendants; the time of those that ended goes on counting, as it was last seen.

    Args:
        root: the number of the process.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._kinds: dict[int, str] = {}
        self._seconds: dict[int, float] = {}

    def find(self) -> None:
        """Look for processes that were started meanwhile."""
        for pid in _descendants(self._root):
            # A renderer bears its parent's name at first, as Python does what it is about to start.
            if self._kinds.get(pid, _UNKNOWN) == _UNKNOWN:
                self._kinds[pid] = kind(_arguments(pid))

    def seconds(self) -> Counter[str]:
        """User and system time so far by kind, of the processes that `find` has seen."""
        found: Counter[str] = Counter()
        for pid, what in self._kinds.items():
            self._seconds[pid] = _seconds(pid) or self._seconds.get(pid, 0.0)
            found[what] += self._seconds[pid]  # type: ignore[assignment]  # a Counter adds up fractions too
        return found

    def memory(self) -> dict[str, Counter[str]]:
        """Bytes by kind: `rss`, where shared pages count for each process, and `pss`, where they are divided."""
        found: dict[str, Counter[str]] = {"rss": Counter(), "pss": Counter()}
        for pid, what in self._kinds.items():
            sizes = _sizes(pid)
            for name, counter in found.items():
                counter[what] += sizes.get(name, 0)
        return found


def kind(arguments: list[str]) -> str:
    """Which of `KINDS` a process with these arguments is.

    >>> kind(["/usr/bin/chromium", "--type=renderer"]), kind(["/usr/bin/python3.11", "-m", "vclean"]), kind([])
    ('renderer', 'python', 'others')
    """
    name = Path(arguments[0]).name if arguments else ""
    if "chrom" in name or "headless" in name:
        types = [each.partition("=")[2] for each in arguments if each.startswith("--type=")]
        own = {"renderer": "renderer", "gpu-process": "gpu"}
        return own.get(types[0], _UNKNOWN) if types else "browser"
    if name.startswith("python"):
        return _UNKNOWN if any("orphan_reaper" in each for each in arguments) else "python"
    return "node" if name == "node" else _UNKNOWN


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in _PROC.glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(entry.parent.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def _arguments(pid: int) -> list[str]:
    try:
        text = (_PROC / str(pid) / "cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return []
    # Chromium's own processes write their arguments in one piece.
    return text.strip("\0").replace("\0", " ").split(" ")


def _seconds(pid: int) -> float | None:
    """None for a process that is gone."""
    try:
        return time.clock_gettime((~pid << 3) | _CLOCK)
    except OSError:
        return None


def _sizes(pid: int) -> dict[str, int]:
    """Nothing for a process that is gone."""
    try:
        lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()[1:]
    except OSError:
        return {}
    fields = (line.split() for line in lines)
    return {name[:-1].lower(): int(size) * 1024 for name, size, *_ in fields}
