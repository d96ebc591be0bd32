"""Tests of runs on a Ray cluster of three nodes, with and without faults."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from helpers.farming import MARK, PATIENCE, Farm, _has, _is_marked, content, kill, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install .[ray]")]

COUNT, MANY = 120, 150
NAMES = [f"p{number:03}" for number in range(COUNT)]

PARTNERS = ("vclean.farm.worker", "chrom")
"""Words of the command lines of an actor's child and grandchild."""

QUICK = {"RAY_health_check_period_ms": "1000", "RAY_health_check_timeout_ms": "5000"}
"""Environment that makes Ray notice a lost node within seconds, not half a minute."""


@dataclass
class Nodes:
    """Cluster in a separate process."""

    process: subprocess.Popen[str]
    mark: str
    address: str = ""

    def command(self, line: str) -> None:
        """Send a command and wait until it is done."""
        print(line, file=self.process.stdin, flush=True)
        self._read_line()

    def start(self) -> None:
        self.address = self._read_line().removeprefix("at ")

    def _read_line(self) -> str:
        """Read the next line of the cluster's script, skipping Ray's lines."""
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith(("at ", "gone")):
                return line.strip()
        raise AssertionError("the cluster is gone")

    def left(self, *words: str) -> list[psutil.Process]:
        """Return the processes that any of its nodes started, by words of their command lines."""
        return [each for each in psutil.process_iter() if _is_marked(each, self.mark) and _has(each, words)]

    def end(self) -> None:
        """End the cluster and its remaining processes."""
        self.process.communicate(timeout=PATIENCE)
        try:
            wait_until(lambda: not self.left())
        finally:
            kill(self.left())


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    mark = f"{os.getpid()}-{tmp_path_factory.mktemp('ray')}"
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / "ray_nodes.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | QUICK | {MARK: mark},
    )
    cluster = Nodes(process, mark)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.end()


@pytest.fixture
def ray(nodes: Nodes) -> tuple[object, ...]:
    """Return the arguments of a run on the cluster, with parts of ten pages."""
    return ("--engine", "ray", "--address", nodes.address, "--part-rows", 10, "--workers", 2)


class TestRun:
    def test_failures_and_equal_pages_have_one_row_each(self, farm: Farm, ray: tuple[object, ...]) -> None:
        pages = farm.crawl(12, empty="")
        assert farm.run(pages, pages, farm.folder / "missing", "--no-render", *ray)[0] == 1
        assert farm.ids() == sorted(["empty", *NAMES[:12]] * 2 + [str(farm.folder / "missing")])
        assert farm.summary()["state"] == "complete"
        assert (farm.summary()["failed"], farm.summary()["no_pages"]) == ({"InputError": 1}, 2)

    def test_resumes_after_killed_driver(self, farm: Farm, nodes: Nodes, ray: tuple[object, ...]) -> None:
        """Lose and duplicate no page, leave no worker, and write the rows of an uninterrupted local run."""
        pages = farm.crawl(COUNT)
        run = farm.start(pages, "--no-render", *ray)
        run.wait_for_pages(20)
        kill(run.family)
        run.end()
        wait_until(lambda: not nodes.left("vclean.farm.worker"))
        assert 20 <= len(farm.ids()) < COUNT
        assert farm.run(pages, "--no-render", "--resume", *ray)[0] == 0
        assert farm.ids() == NAMES
        assert sorted(line["id"] for line in run.lines()) == NAMES
        assert farm.summary()["run"]["skipped"] >= 20
        assert farm.run(pages, "--no-render", out="local") == (0, "")
        assert content(farm.rows()) == content(farm.rows("local"))

    def test_limited_run_continues_without_limit(self, farm: Farm, ray: tuple[object, ...]) -> None:
        pages = farm.crawl(30)
        assert farm.run(pages, "--no-render", "--limit", 12, *ray)[0] == 0
        assert farm.ids() == NAMES[:12]
        assert farm.run(pages, "--no-render", "--resume", *ray)[0] == 0
        assert farm.ids() == NAMES[:30]
        assert farm.summary()["run"]["skipped"] == 12

    def test_interrupt(self, farm: Farm, nodes: Nodes, ray: tuple[object, ...]) -> None:
        run = farm.start(farm.crawl(5 * COUNT), "--no-render", *ray)
        run.wait_for_pages(10)
        run.process.send_signal(signal.SIGINT)
        code, output = run.end()
        assert code == 128 + signal.SIGINT
        assert "--resume continues" in output
        assert "Traceback" not in output
        assert 10 <= len(farm.ids()) < 5 * COUNT
        assert farm.summary()["state"] == "interrupted"
        wait_until(lambda: not nodes.left("vclean.farm.worker"))

    @pytest.mark.browser
    def test_node_killed_during_run(self, farm: Farm, nodes: Nodes, ray: tuple[object, ...]) -> None:
        """Write one rendered row for every page; leave no worker, browser or driver after its node or the run."""
        run = farm.start(farm.crawl(MANY), *ray, "--workers", 9)
        wait_until(lambda: all(nodes.left(words) for words in PARTNERS))
        run.wait_for_pages(10)
        assert len(run.lines()) < MANY
        nodes.command("kill 0")
        assert run.end()[0] == 0
        names = [f"p{number:03}" for number in range(MANY)]
        assert farm.ids() == names
        assert {row["status"] for row in farm.rows()} == {"ok"}
        assert sorted(line["id"] for line in run.lines()) == names
        wait_until(lambda: not any(nodes.left(words) for words in PARTNERS))
