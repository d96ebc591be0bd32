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
    """The benchmark, which imports others of its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        return _load("farm_benchmark", "farm.py")


@pytest.fixture(scope="module")
def plain() -> ModuleType:
    return _load("plain", "plain.py")


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
    """Memory of the driver, the workers and the browsers, in MB."""
    kinds = ("driver", "workers", "browsers", "playwright", "others")
    return {"at": at} | {kind: size * MB for kind, size in zip(kinds, (*sizes, 0, 0), strict=True)}


def family(tmp_path: Path, code: str) -> dict:
    """What `family.py` finds of a Python program; in a process of its own, for it waits for every child there is."""
    out = tmp_path / "figures.json"
    subprocess.run([sys.executable, BENCHMARKS / "family.py", out, sys.executable, "-c", code], check=False, timeout=60)
    return dict(json.loads(out.read_text()))


BUSY = "import time\nwhile time.process_time() < 0.5: pass\n"


@pytest.mark.skipif(sys.platform != "linux", reason="orphans come to the program by a call of Linux")
class TestFamily:
    def test_own_time_and_exit_code(self, tmp_path: Path) -> None:
        found = family(tmp_path, BUSY + "raise SystemExit(3)")
        assert found["code"] == 3
        assert 0.5 <= found["cpu"] < 5
        assert found["seconds"] >= 0.5
        assert found["left"] == 0

    def test_time_of_a_killed_child_that_nobody_waited_for(self, tmp_path: Path) -> None:
        """So ends a browser whose worker is killed: a sum over living processes would miss it."""
        code = (
            "import os, signal, subprocess, sys\n"
            f"child = subprocess.Popen([sys.executable, '-c', {BUSY + 'print(flush=True); time.sleep(60)'!r}], "
            "stdout=subprocess.PIPE)\n"
            "child.stdout.readline(); child.kill(); os._exit(0)"
        )
        assert family(tmp_path, code)["cpu"] >= 0.5

    def test_time_of_an_orphan_that_ends_later(self, tmp_path: Path) -> None:
        code = f"import os, subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {BUSY!r}])\nos._exit(0)"
        found = family(tmp_path, code)
        assert found["cpu"] >= 0.5
        assert found["left"] == 0

    def test_memory_by_kind(self, tmp_path: Path) -> None:
        found = family(
            tmp_path, "import time; data = bytearray(64 * 2**20); data[::4096] = b'x' * 16384; time.sleep(2.5)"
        )
        assert found["samples"][-1]["driver"] > 64 * MB
        assert found["samples"][-1]["browsers"] == 0


class TestRuns:
    @pytest.fixture
    def runs(self, farm):
        found = farm.Runs()
        found.add(farm.Figures(0, 10.0, 5.0, 0, [sample(1, 100, 0, 0), sample(2, 1, 2, 3)]), 1, 20)
        found.add(farm.Figures(0, 30.0, 15.0, 0, []), 0, 20)
        return found

    def test_rate_and_cost_are_over_all_pages(self, runs) -> None:
        assert (runs.rate, runs.cost) == (1.0, 0.5)

    def test_peak_is_of_all_processes_together(self, runs) -> None:
        assert runs.peak == 100 * MB

    def test_failed_pages_count_as_pages(self, runs) -> None:
        assert (runs.pages, runs.failed) == ([20, 20], [1, 0])


class TestDeal:
    def test_chunks_are_alike(self, farm) -> None:
        """A corpus is sorted, so that neighbours go to different chunks."""
        dealt = farm.deal(pages(10), 5)
        assert [[page.id for page in chunk] for chunk in dealt] == [
            ["0", "2", "4", "6", "8"],
            ["1", "3", "5", "7", "9"],
        ]

    @pytest.mark.parametrize(("count", "size", "expected"), [(3, 250, [3]), (7, 3, [4, 3]), (1, 1, [1])])
    def test_every_page_once(self, farm, count: int, size: int, expected: list[int]) -> None:
        dealt = farm.deal(pages(count), size)
        assert [len(chunk) for chunk in dealt] == expected
        assert sorted(page.id for chunk in dealt for page in chunk) == [str(number) for number in range(count)]


class TestWritePages:
    def test_what_plain_reads(self, farm, plain, tmp_path: Path) -> None:
        path = tmp_path / "pages.parquet"
        farm.write_pages(pages(2), path)
        assert pq.read_schema(path).names == ["id", "url", "html"]
        assert list(plain.documents(path)) == [("http://0.org/", "<p>0"), ("http://1.org/", "<p>1")]


class TestFailures:
    def test_by_what_was_printed(self, farm, tmp_path: Path) -> None:
        assert farm.failures(tmp_path / "a.parquet", '{"pages": 9, "failed": 2, "found": 1}') == (9, 2)

    def test_by_the_summary_of_the_farm(self, farm, tmp_path: Path) -> None:
        (tmp_path / "a.out").mkdir()
        (tmp_path / "a.out" / "summary.json").write_text(
            '{"pages": 9, "failed": {"LimitError": 2, "DeadlineError": 1}}'
        )
        assert farm.failures(tmp_path / "a.parquet", "") == (9, 3)


class TestRunPeer:
    def test_figures_and_what_was_printed(self, farm) -> None:
        figures, said = farm.run_peer(["-c", "print('done')"])
        assert (figures.code, said) == (0, "done\n")

    def test_pages_may_fail(self, farm) -> None:
        assert farm.run_peer(["-c", "raise SystemExit(1)"])[0].code == 1

    def test_a_peer_that_does_not_work(self, farm) -> None:
        with pytest.raises(InputError, match="failed"):
            farm.run_peer(["-c", "raise SystemExit(7)"])

    def test_processes_left_behind(self, farm, monkeypatch) -> None:
        def left(command, **_options):
            Path(command[2]).write_text('{"code": 0, "seconds": 1, "cpu": 1, "left": 2, "samples": []}')
            return subprocess.CompletedProcess(command, 0, "")

        monkeypatch.setattr(farm.subprocess, "run", left)
        with pytest.raises(InputError, match="left 2 processes"):
            farm.run_peer(["-c", ""])


class TestCompare:
    def test_order_turns_around(self, farm, monkeypatch, tmp_path: Path) -> None:
        """What else the machine does falls on all peers alike."""
        order = []

        def run_peer(command):
            order.append(command[0])
            return farm.Figures(0, 1.0, 2.0, 0, []), '{"pages": 2, "failed": 0}'

        monkeypatch.setattr(farm, "run_peer", run_peer)
        monkeypatch.setattr(farm, "PEERS", {farm.FARM: lambda *_: ["a"], "plain": lambda *_: ["b"]})
        found = farm.compare(farm.deal(pages(6), 2), [farm.FARM, "plain"], 3, tmp_path)
        assert "".join(order) == "abbaab"
        assert (found["plain"].pages, found["plain"].rate) == ([2, 2, 2], 2.0)

    def test_commands(self, farm) -> None:
        commands = {name: command(Path("/x/p.parquet"), 3) for name, command in farm.PEERS.items()}
        assert commands[farm.FARM][:3] == ["-m", "vclean", "farm"]
        assert "--at-once" not in commands["plain"]
        assert commands["plain, as many at once"][2:] == ["--at-once", "3", "--abort"]


class TestGrowth:
    def test_last_quarter_over_first(self, farm) -> None:
        samples = [sample(second, 100, 300, 600 + 10 * second) for second in range(8)]
        assert farm.growth(samples) == {"driver": 1.0, "workers": 1.0, "browsers": 1.099, "all": 1.06}

    def test_start_up_is_left_out(self, farm) -> None:
        samples = [sample(0, 5, 0, 0), *(sample(second, 100, 300, 600) for second in range(4))]
        assert set(farm.growth(samples).values()) == {1.0}


class TestTable:
    @pytest.fixture
    def found(self, farm):
        return {
            farm.FARM: farm.Runs([10, 10], [0, 0], [5.0, 5.0], [2.0, 2.0], 900 * MB),
            "plain": farm.Runs([10, 10], [0, 1], [10.0, 20.0], [5.0, 3.0], 300 * MB),
        }

    def test_how_many_times_better(self, farm, found) -> None:
        assert farm.table(found).splitlines() == [
            "                              pages/s  CPU s/page   faster  cheaper  peak MB  failed",
            "vclean farm                      2.00       0.200    1.00x    1.00x      900       0",
            "plain                            0.67       0.400    3.00x    2.00x      300       1",
        ]

    def test_report(self, farm, found) -> None:
        """The worst chunk is told, too."""
        told = json.loads(json.dumps(farm.report(found, 3, None)))
        assert told["peers"]["plain"]["farm_is"] == {
            "faster": {"all": 3.0, "least": 2.0, "most": 4.0},
            "cheaper": {"all": 2.0, "least": 1.5, "most": 2.5},
        }
        assert (told["workers"], told["unbroken"]) == (3, None)


class TestMain:
    def test_no_corpus(self, farm, tmp_path: Path, capsys) -> None:
        assert farm.main([str(tmp_path / "none.parquet")]) == 3
        assert capsys.readouterr().err.startswith("farm.py: ")
