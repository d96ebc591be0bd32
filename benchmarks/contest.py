"""Peers on the same pages in turn: what each took of every page, by stage and by kind of process."""

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

from clocks import Family
from peers import EARLIER

from vclean.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

WARM_UP: Final = 5
"""Pages that are not counted: caches fill, code is compiled."""
_MEMORY_PAGES: Final = 20
_END_SECONDS: Final = 20
_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""What the farm's workers have; threads that wait for each other would count as work."""
_HERE: Final = Path(__file__).parent


@dataclass(slots=True)
class Cost:
    """What one page took: seconds of wall clock by stage, and of CPU by stage and kind of process."""

    wall: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, Counter[str]] = field(default_factory=dict)

    def seconds(self, *stages: str, kinds: Sequence[str] = ()) -> float:
        """CPU in some stages, or all, of processes of some kinds, or all."""
        chosen = [self.cpu[stage] for stage in stages or self.cpu if stage in self.cpu]
        return float(sum(sum(counter[kind] for kind in kinds or counter) for counter in chosen))


class Contestant:
    """A peer at work in a process of its own; a context manager.

    Attributes:
        costs: by place of the page; pages that failed are not there.
        failed: how many failed.
        peak: the most memory at the end of a page, in bytes, by `rss` or `pss` and by kind of process.

    Args:
        name: the peer's.
        pages: a Parquet file of pages.
        python: runs it.

    Raises:
        InputError: it does not start.
    """

    def __init__(self, name: str, pages: Path, python: str = sys.executable) -> None:
        self.name = name
        self.costs: dict[int, Cost] = {}
        self.failed = 0
        self.peak: dict[str, Counter[str]] = {"rss": Counter(), "pss": Counter()}
        self._taken = 0
        # Another Python has its own vclean, which this one's path would hide.
        own = python == sys.executable
        environment = {name: value for name, value in os.environ.items() if own or name != "PYTHONPATH"} | _ONE_THREAD
        self._process = subprocess.Popen(
            [python, str(_HERE / "peers.py"), name, str(pages)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self._family = Family(self._process.pid)
        try:
            self._hear()
        except InputError:
            self.__exit__()
            raise
        self._family.find()
        self._before = self._family.seconds()

    def __enter__(self) -> Self:
        """It is ready."""
        return self

    def __exit__(self, *exception: object) -> None:
        """End it, and with it its browser."""
        try:
            self._process.communicate(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def take(self, place: int) -> None:
        """Have the peer do a page; what it still did since its last one, such as tidying up, counts for this one."""
        cost, stage = Cost(), ""
        start = time.perf_counter()
        self._say(f"\n{place}\n")
        while "stage" in (heard := self._hear()):
            stage = heard["stage"]
            cost.wall[stage] = time.perf_counter() - start
            cost.cpu[stage] = self._lap()
            start = time.perf_counter()
            self._say("\n")
        if stage:
            cost.cpu[stage] += self._lap()
        self._taken += 1
        if "error" in heard:
            self.failed += 1
            print(f"{self.name}, page {place}: {heard['error']}", file=sys.stderr)
        elif self._taken > WARM_UP:
            self.costs[place] = cost
        if self._taken % _MEMORY_PAGES == 0:
            self._look_at_memory()

    def _lap(self) -> Counter[str]:
        """CPU by kind since the last lap."""
        self._family.find()
        now = self._family.seconds()
        found: Counter[str] = Counter({kind: now[kind] - self._before[kind] for kind in now})
        self._before = now
        return found

    def _look_at_memory(self) -> None:
        for name, sizes in self._family.memory().items():
            self.peak[name] |= sizes

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise InputError(f"the peer {self.name} has ended: see what it says above")
        heard: dict[str, Any] = json.loads(line)
        return heard

    def _say(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text)
        self._process.stdin.flush()


def compete(
    names: Sequence[str],
    pages: Path,
    places: Iterable[int],
    told: Callable[[int], None] = lambda _: None,
    *,
    before: str = "",
) -> list[Contestant]:
    """The peers on all pages: each page goes to all of them, in an order that turns round from page to page.

    Args:
        names: of the peers.
        pages: a Parquet file of pages.
        places: of the pages in it, in order.
        told: is called after every page with the number that are done.
        before: the Python that has the version which peers of `peers.EARLIER` are of.
    """
    contestants: list[Contestant] = []
    try:
        for name in names:
            contestants.append(Contestant(name, pages, before if name in EARLIER else sys.executable))
        for number, place in enumerate(places, start=1):
            for each in contestants if number % 2 else reversed(contestants):
                each.take(place)
            told(number)
    finally:
        for each in contestants:
            each.__exit__()
    return contestants
