"""Run peers on the same pages in turn, and measure each page by stage and by kind of process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from peers import EARLIER
from process_clocks import ProcessTree

from vclean.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

WARM_UP: Final = 5
"""Number of pages that are not counted, while caches fill and code is compiled."""
_MEMORY_PAGES: Final = 20
_END_SECONDS: Final = 20
_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Environment of the farm's workers. With more threads, waiting for each other would count as work."""
_FOLDER: Final = Path(__file__).parent


@dataclass(slots=True)
class PageCost:
    """Cost of one page in seconds: wall clock by stage, and CPU by stage and kind of process."""

    wall: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, Counter[str]] = field(default_factory=dict)

    def seconds(self, *stages: str, kinds: Sequence[str] = ()) -> float:
        """Return CPU seconds of the given stages and kinds of process; all if none is given."""
        counters = [self.cpu[stage] for stage in stages or self.cpu if stage in self.cpu]
        return float(sum(sum(counter[kind] for kind in kinds or counter) for counter in counters))


class PeerProcess:
    """Peer that runs in a separate process; a context manager.

    Attributes:
        costs: cost of each page, by index of the page; without pages that failed.
        failed: number of pages that failed.
        peak: peak memory at the end of a page, in bytes, by `rss` or `pss` and by kind of process.

    Args:
        name: name of the peer.
        pages: Parquet file of pages.
        python: Python interpreter that runs the peer.

    Raises:
        InputError: the peer does not start.
    """

    def __init__(self, name: str, pages: Path, python: str = sys.executable) -> None:
        self.name = name
        self.costs: dict[int, PageCost] = {}
        self.failed = 0
        self.peak: dict[str, Counter[str]] = {"rss": Counter(), "pss": Counter()}
        self._page_count = 0
        # PYTHONPATH of this Python would hide the vclean that another Python has installed.
        is_this_python = python == sys.executable
        environment = {name: value for name, value in os.environ.items() if is_this_python or name != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [python, str(_FOLDER / "peers.py"), name, str(pages)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment | _ONE_THREAD,
        )  # fmt: skip
        self._processes = ProcessTree(self._process.pid)
        try:
            self._receive()
        except InputError:
            self.__exit__()
            raise
        self._processes.refresh()
        self._before = self._processes.cpu_seconds()

    def __enter__(self) -> Self:
        """Return the peer, which is ready."""
        return self

    def __exit__(self, *exception: object) -> None:
        """End the process and its browser."""
        try:
            self._process.communicate(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def run(self, index: int) -> None:
        """Run the peer on a page. Work that it did since the last page, such as cleanup, counts for this page."""
        cost, stage = PageCost(), ""
        start = time.perf_counter()
        self._send(f"\n{index}\n")
        while "stage" in (message := self._receive()):
            stage = message["stage"]
            cost.wall[stage] = time.perf_counter() - start
            cost.cpu[stage] = self._cpu_since_last_call()
            start = time.perf_counter()
            self._send("\n")
        if stage:
            cost.cpu[stage] += self._cpu_since_last_call()
        self._page_count += 1
        if "error" in message:
            self.failed += 1
            print(f"{self.name}, page {index}: {message['error']}", file=sys.stderr)
        elif self._page_count > WARM_UP:
            self.costs[index] = cost
        if self._page_count % _MEMORY_PAGES == 0:
            self._update_peak_memory()

    def _cpu_since_last_call(self) -> Counter[str]:
        """Return CPU seconds by kind of process since the last call."""
        self._processes.refresh()
        now = self._processes.cpu_seconds()
        difference: Counter[str] = Counter({kind: now[kind] - self._before[kind] for kind in now})
        self._before = now
        return difference

    def _update_peak_memory(self) -> None:
        for name, sizes in self._processes.memory().items():
            self.peak[name] |= sizes

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise InputError(f"the peer {self.name} has ended: see its messages above")
        message: dict[str, Any] = json.loads(line)
        return message

    def _send(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text)
        self._process.stdin.flush()


def run_peers(
    names: Sequence[str],
    pages: Path,
    indices: Iterable[int],
    on_progress: Callable[[int], None] = lambda _: None,
    *,
    before: str = "",
) -> list[PeerProcess]:
    """Run all peers on each page before the next page; the order of the peers reverses from page to page.

    Args:
        names: names of the peers.
        pages: Parquet file of pages.
        indices: indices of the pages in the file, in order.
        on_progress: called after every page with the number of pages that are done.
        before: Python interpreter with the earlier version that the peers in `peers.EARLIER` run.
    """
    processes: list[PeerProcess] = []
    try:
        for name in names:
            processes.append(PeerProcess(name, pages, before if name in EARLIER else sys.executable))
        for number, index in enumerate(indices, start=1):
            for process in processes if number % 2 else reversed(processes):
                process.run(index)
            on_progress(number)
    finally:
        for process in processes:
            process.__exit__()
    return processes
