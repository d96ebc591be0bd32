from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pyarrow.parquet as pq
import pytest

from vclean.errors import InputError
from vclean.page import Page

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MB = 2**20


@pytest.fixture(scope="module")
def farm() -> ModuleType:
    """Return the benchmark; it imports other modules of its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        return _load("farm_benchmark", "farm.py")


@pytest.fixture(scope="module")
def baseline() -> ModuleType:
    return _load("playwright_baseline", "playwright_baseline.py")


def _load(name: str, file: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pages(count: int) -> list[Page]:
    return [
        Page(content=f"<p>{number}".encode(), url=f"http://{number}.org/", id=str(number)) for number in range(count)
    ]


def sample(at: float, *sizes: float) -> dict[str, float]:
    """Return a memory sample; `sizes` are those of driver, workers and browsers, in MB."""
    kinds = ("driver", "workers", "browsers", "playwright", "others")
    return {"at": at} | {kind: size * MB for kind, size in zip(kinds, (*sizes, 0, 0), strict=True)}


def command_usage(tmp_path: Path, code: str) -> dict:
    """Measure a Python program. The measurement needs a separate process, because it waits for all child processes."""
    script, out = BENCHMARKS / "command_usage.py", tmp_path / "usage.json"
    subprocess.run([sys.executable, script, out, sys.executable, "-c", code], check=False, timeout=60)
    return dict(json.loads(out.read_text()))


BUSY = "import time\nwhile time.process_time() < 0.5: pass\n"


@pytest.mark.skipif(sys.platform != "linux", reason="adoption of orphans requires Linux")
class TestCommandUsage:
    def test_time_and_exit_code(self, tmp_path: Path) -> None:
        usage = command_usage(tmp_path, BUSY + "raise SystemExit(3)")
        assert usage["code"] == 3
        assert 0.5 <= usage["cpu"] < 5
        assert usage["seconds"] >= 0.5
        assert usage["left"] == 0

    def test_counts_a_killed_child_whose_parent_did_not_wait(self, tmp_path: Path) -> None:
        """Count the browser of a killed worker, which ends in this way; a sum over running processes would miss it."""
        code = (
            "import os, signal, subprocess, sys\n"
            f"child = subprocess.Popen([sys.executable, '-c', {BUSY + 'print(flush=True); time.sleep(60)'!r}], "
            "stdout=subprocess.PIPE)\n"
            "child.stdout.readline(); child.kill(); os._exit(0)"
        )
        assert command_usage(tmp_path, code)["cpu"] >= 0.5

    def test_time_of_an_orphan_that_ends_later(self, tmp_path: Path) -> None:
        code = f"import os, subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {BUSY!r}])\nos._exit(0)"
        usage = command_usage(tmp_path, code)
        assert usage["cpu"] >= 0.5
        assert usage["left"] == 0

    def test_memory_by_kind(self, tmp_path: Path) -> None:
        usage = command_usage(
            tmp_path, "import time; data = bytearray(64 * 2**20); data[::4096] = b'x' * 16384; time.sleep(2.5)"
        )
        assert usage["samples"][-1]["driver"] > 64 * MB
        assert usage["samples"][-1]["browsers"] == 0


class TestRuns:
    @pytest.fixture
    def runs(self, farm):
        runs = farm.PeerRuns()
        runs.add(farm.CommandUsage(0, 10.0, 5.0, 0, [sample(1, 100, 0, 0), sample(2, 1, 2, 3)]), 1, 20)
        runs.add(farm.CommandUsage(0, 30.0, 15.0, 0, []), 0, 20)
        return runs

    def test_rate_and_cost_are_over_all_pages(self, runs) -> None:
        assert (runs.rate, runs.cost) == (1.0, 0.5)

    def test_peak_is_of_all_processes_together(self, runs) -> None:
        assert runs.peak == 100 * MB

    def test_failed_pages_count_as_pages(self, runs) -> None:
        assert (runs.pages, runs.failed) == ([20, 20], [1, 0])


class TestSplit:
    def test_chunks_are_alike(self, farm) -> None:
        """Put neighbours into different chunks, because a corpus is sorted."""
        chunks = farm.split(pages(10), 5)
        assert [[page.id for page in chunk] for chunk in chunks] == [
            ["0", "2", "4", "6", "8"],
            ["1", "3", "5", "7", "9"],
        ]

    @pytest.mark.parametrize(("count", "size", "expected"), [(3, 250, [3]), (7, 3, [4, 3]), (1, 1, [1])])
    def test_every_page_once(self, farm, count: int, size: int, expected: list[int]) -> None:
        chunks = farm.split(pages(count), size)
        assert [len(chunk) for chunk in chunks] == expected
        assert sorted(page.id for chunk in chunks for page in chunk) == [str(number) for number in range(count)]


class TestWritePages:
    def test_the_baseline_reads_the_file(self, farm, baseline, tmp_path: Path) -> None:
        path = tmp_path / "pages.parquet"
        farm.write_pages(pages(2), path)
        assert pq.read_schema(path).names == ["id", "url", "html"]
        assert list(baseline.documents(path)) == [("http://0.org/", "<p>0"), ("http://1.org/", "<p>1")]


class TestPageCounts:
    def test_from_printed_counts(self, farm, tmp_path: Path) -> None:
        assert farm.page_counts(tmp_path / "a.parquet", '{"pages": 9, "failed": 2, "extracted": 1}') == (9, 2)

    def test_from_the_summary_of_the_farm(self, farm, tmp_path: Path) -> None:
        (tmp_path / "a.out").mkdir()
        (tmp_path / "a.out" / "summary.json").write_text(
            '{"pages": 9, "failed": {"LimitError": 2, "DeadlineError": 1}}'
        )
        assert farm.page_counts(tmp_path / "a.parquet", "") == (9, 3)


class TestRunPeer:
    def test_usage_and_output(self, farm) -> None:
        usage, output = farm.run_peer(["-c", "print('done')"])
        assert (usage.code, output) == (0, "done\n")

    def test_accepts_the_exit_code_of_failed_pages(self, farm) -> None:
        assert farm.run_peer(["-c", "raise SystemExit(1)"])[0].code == 1

    def test_rejects_a_failing_peer(self, farm) -> None:
        with pytest.raises(InputError, match="failed"):
            farm.run_peer(["-c", "raise SystemExit(7)"])

    def test_rejects_processes_left_behind(self, farm, monkeypatch) -> None:
        def left(command, **_options):
            Path(command[2]).write_text('{"code": 0, "seconds": 1, "cpu": 1, "left": 2, "samples": []}')
            return subprocess.CompletedProcess(command, 0, "")

        monkeypatch.setattr(farm.subprocess, "run", left)
        with pytest.raises(InputError, match="left 2 processes"):
            farm.run_peer(["-c", ""])


class TestCompare:
    def test_order_of_peers_reverses(self, farm, monkeypatch, tmp_path: Path) -> None:
        """Spread other load on the machine evenly over all peers."""
        order = []

        def run_peer(command):
            order.append(command[0])
            return farm.CommandUsage(0, 1.0, 2.0, 0, []), '{"pages": 2, "failed": 0}'

        monkeypatch.setattr(farm, "run_peer", run_peer)
        monkeypatch.setattr(farm, "PEERS", {farm.FARM: lambda *_: ["a"], "plain": lambda *_: ["b"]})
        runs = farm.compare(farm.split(pages(6), 2), [farm.FARM, "plain"], 3, tmp_path)
        assert "".join(order) == "abbaab"
        assert (runs["plain"].pages, runs["plain"].rate) == ([2, 2, 2], 2.0)

    def test_commands(self, farm) -> None:
        commands = {name: command(Path("/x/p.parquet"), 3) for name, command in farm.PEERS.items()}
        assert commands[farm.FARM][:3] == ["-m", "vclean", "farm"]
        assert "--concurrency" not in commands["plain"]
        assert commands["plain, concurrent"][2:] == ["--concurrency", "3", "--abort"]


class TestGrowth:
    def test_last_quarter_over_first(self, farm) -> None:
        samples = [sample(second, 100, 300, 600 + 10 * second) for second in range(8)]
        assert farm.growth(samples) == {"driver": 1.0, "workers": 1.0, "browsers": 1.099, "all": 1.06}

    def test_start_up_is_left_out(self, farm) -> None:
        samples = [sample(0, 5, 0, 0), *(sample(second, 100, 300, 600) for second in range(4))]
        assert set(farm.growth(samples).values()) == {1.0}


class TestTable:
    @pytest.fixture
    def runs(self, farm):
        return {
            farm.FARM: farm.PeerRuns([10, 10], [0, 0], [5.0, 5.0], [2.0, 2.0], 900 * MB),
            "plain": farm.PeerRuns([10, 10], [0, 1], [10.0, 20.0], [5.0, 3.0], 300 * MB),
        }

    def test_ratios_to_the_farm(self, farm, runs) -> None:
        assert farm.table(runs).splitlines() == [
            "                              pages/s  CPU s/page   faster  cheaper  peak MB  failed",
            "vclean farm                      2.00       0.200    1.00x    1.00x      900       0",
            "plain                            0.67       0.400    3.00x    2.00x      300       1",
        ]

    def test_report_has_worst_and_best_chunk(self, farm, runs) -> None:
        report = json.loads(json.dumps(farm.report(runs, 3, None)))
        assert report["peers"]["plain"]["farm_is"] == {
            "faster": {"all": 3.0, "least": 2.0, "most": 4.0},
            "cheaper": {"all": 2.0, "least": 1.5, "most": 2.5},
        }
        assert (report["workers"], report["unbroken"]) == (3, None)


class TestMain:
    def test_no_corpus(self, farm, tmp_path: Path, capsys) -> None:
        assert farm.main([str(tmp_path / "none.parquet")]) == 3
        assert capsys.readouterr().err.startswith("farm.py: ")
