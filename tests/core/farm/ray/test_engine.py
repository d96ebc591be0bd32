"""Runs of the farm on a Ray cluster of three nodes, undisturbed and disturbed."""

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
"""What an actor starts, and what that starts, by words of their command lines."""

QUICK = {"RAY_health_check_period_ms": "1000", "RAY_health_check_timeout_ms": "5000"}
"""A node that is gone is missed within seconds, not within half a minute."""


@dataclass
class Nodes:
    """A cluster."""

    process: subprocess.Popen[str]
    mark: str
    address: str = ""

    def say(self, line: str) -> None:
        """Tell it something, and wait until it is done."""
        print(line, file=self.process.stdin, flush=True)
        self._hear()

    def start(self) -> None:
        self.address = self._hear().removeprefix("at ")

    def _hear(self) -> str:
        """The next of its own lines: Ray has some to say, too."""
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith(("at ", "gone")):
                return line.strip()
        raise AssertionError("the cluster is gone")

    def left(self, *words: str) -> list[psutil.Process]:
        """The processes that any of its nodes started, by words of their command line."""
        return [each for each in psutil.process_iter() if _is_marked(each, self.mark) and _has(each, words)]

    def end(self) -> None:
        """End it; what is left then was left behind."""
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
    """The arguments of a run on the cluster, by chunks and parts of ten pages."""
    return ("--engine", "ray", "--address", nodes.address, "--part-rows", 10, "--workers", 2)


class TestRun:
    def test_failures_are_rows_and_equal_pages_have_one_each(self, farm: Farm, ray: tuple[object, ...]) -> None:
        pages = farm.crawl(12, empty="")
        assert farm.run(pages, pages, farm.folder / "missing", "--no-render", *ray)[0] == 1
        assert farm.ids() == sorted(["empty", *NAMES[:12]] * 2 + [str(farm.folder / "missing")])
        assert farm.summary()["state"] == "complete"
        assert farm.summary()["failed"] == {"InputError": 1, "NotHtmlError": 2}

    def test_the_driver_killed_and_resumed(self, farm: Farm, nodes: Nodes, ray: tuple[object, ...]) -> None:
        """No page is lost, none is there twice, no worker is left, and the rows are those of an unbroken local run."""
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

    def test_control_c(self, farm: Farm, nodes: Nodes, ray: tuple[object, ...]) -> None:
        run = farm.start(farm.crawl(5 * COUNT), "--no-render", *ray)
        run.wait_for_pages(10)
        run.process.send_signal(signal.SIGINT)
        code, said = run.end()
        assert code == 128 + signal.SIGINT
        assert "--resume goes on" in said
        assert "Traceback" not in said
        assert 10 <= len(farm.ids()) < 5 * COUNT
        assert farm.summary()["state"] == "interrupted"
        wait_until(lambda: not nodes.left("vclean.farm.worker"))

    @pytest.mark.browser
    def test_a_node_killed_in_the_middle(self, farm: Farm, nodes: Nodes, ray: tuple[object, ...]) -> None:
        """Every page is there once, rendered; no worker, no browser and no driver of one outlives node or run."""
        run = farm.start(farm.crawl(MANY), *ray, "--workers", 9)
        wait_until(lambda: all(nodes.left(words) for words in PARTNERS))
        run.wait_for_pages(10)
        assert len(run.lines()) < MANY
        nodes.say("kill 0")
        assert run.end()[0] == 0
        names = [f"p{number:03}" for number in range(MANY)]
        assert farm.ids() == names
        assert {row["status"] for row in farm.rows()} == {"ok"}
        assert sorted(line["id"] for line in run.lines()) == names
        wait_until(lambda: not any(nodes.left(words) for words in PARTNERS))
