from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.benchmarks import imported_benchmark
from helpers.synthetic import gold_page

from vclean.errors import InputError
from vclean.page import Page
from vclean.render.static.parse import parse

pytestmark = pytest.mark.slow

NAMES = ("process_clocks", "peer_processes", "sizes", "suite", "suite_sections", "suite_tables", "suite_targets")
MB = 2**20

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="CPU clocks of other processes require Linux")


@pytest.fixture(scope="module")
def modules():
    """Import the modules of the suite. They import each other from their folder."""
    with imported_benchmark(NAMES[0]):
        yield {name: importlib.import_module(name) for name in NAMES}


@pytest.fixture
def process_clocks(modules) -> ModuleType:
    return modules["process_clocks"]


@pytest.fixture
def peer_processes(modules) -> ModuleType:
    return modules["peer_processes"]


@pytest.fixture
def sizes(modules) -> ModuleType:
    return modules["sizes"]


@pytest.fixture
def suite(modules) -> ModuleType:
    return modules["suite"]


@pytest.fixture
def read_results(modules):
    return importlib.import_module("results_file").read_results


@pytest.fixture
def sections(modules) -> ModuleType:
    return modules["suite_sections"]


@pytest.fixture
def cost(peer_processes):
    """Return a function that makes a page cost from CPU seconds by stage: a number for Python, or a dict by kind."""

    def make(**stages: float | dict[str, float]):
        cpu = {name: Counter(each if isinstance(each, dict) else {"python": each}) for name, each in stages.items()}
        return peer_processes.PageCost(wall=dict.fromkeys(stages, 0.5), cpu=cpu)

    return make


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Write a corpus of sixteen pages."""
    pages = [gold_page(number) for number in range(16)]
    path = tmp_path / "sixteen.parquet"
    columns = {"id": [page.id for page in pages], "html": [page.html for page in pages], "gold_text": [""] * 16}
    pq.write_table(pa.table(columns), path)
    return path


def peer_facts(cpu: float, snapshot: dict[str, float] | None = None, renderer: float = 0) -> dict:
    both = {"median": cpu, "p90": 2 * cpu}
    return {
        "what": "reads", "cpu": both, "wall": both, "ratio": 1.0, "kinds": {"python": cpu}, "failed": 0,
        "stages": {"snapshot": {"cpu": both, "wall": both}}, "renderer": {"median": renderer, "p90": renderer},
        "peak": {"rss": {"python": 2 * MB}, "pss": {"python": MB}}, "snapshot": snapshot or {},
    }  # fmt: skip


def figures() -> dict:
    """Return small results of all sections."""
    peers = {
        "vclean": peer_facts(100, {"0": 0.1, "1": 0.3, "2": 0.4}),
        "raw DevTools client": peer_facts(90, {"0": 0.1, "1": 0.2, "3": 9.0}),
        "Chromium alone": peer_facts(50, renderer=40),
    }
    share = {"cpu": {"median": 30.5, "p90": 60}, "wall": {"median": 31, "p90": 61}}
    plain = {"pages": 3, "corpus": "sixteen", "load": 0.25}
    fit = {"sizes": [10, 100], "cpu": [0.01, 0.1], "exponent": 1.05, "steepest": 1.2}
    return {
        "rendered": {**plain, "peers": peers},
        "unrendered": {**plain, "peers": {"vclean, unrendered": peer_facts(20), "trafilatura": peer_facts(40)}},
        "stages": {**plain, "ways": {"stages, rendered": {"decode": share, "Python's share": share}}},
        "start": {"runs": 5, "commands": {name: {"wall": 0.125, "cpu": 0.1} for name in
                                          ("vclean --help", "vclean PAGE --render, the first")}},
        "farm": {"pages": 9, "cores": 2,
                 "runs": [{"workers": 1, "rate": 5.0, "cpu": 0.2, "busy": 0.9, "peak": 100 * MB}]},
        "growth": {"pages": 2000, "workers": 3, "rate": 6.5, "cpu": 0.25, "busy": 0.95, "failed": 0,
                   "growth": {"workers": 1.5}, "first": {"workers": 2 * MB}, "last": {"workers": 3 * MB}},
        "sizes": {"by": {"bytes": {"rendered: total": fit, "unrendered: total": fit | {"exponent": 0.9}}}},
    }  # fmt: skip


class TestProcessKind:
    @pytest.mark.parametrize(
        ("arguments", "kind"),
        [
            (["/usr/lib/chromium/chromium-headless-shell", "--headless"], "browser"),
            (["/usr/lib/chromium/chromium-headless-shell", "--type=renderer", "--lang=en"], "renderer"),
            (["/usr/lib/chromium/chromium-headless-shell", "--type=gpu-process"], "gpu"),
            (["/usr/lib/chromium/chromium-headless-shell", "--type=zygote"], "others"),
            (["/opt/python3.12", "-m", "vclean"], "python"),
            (["/opt/python3.12", "-I", "/x/render/isolation/orphan_reaper.py", "12"], "others"),
            (["/x/playwright/driver/node", "cli.js"], "node"),
            (["/bin/sh"], "others"),
            ([], "others"),
        ],
    )
    def test_by_the_command_line(self, process_clocks, arguments: list[str], kind: str) -> None:
        assert process_clocks.process_kind(arguments) == kind


@linux_only
class TestProcessTree:
    def test_time_of_this_process(self, process_clocks) -> None:
        """Measure more finely than the ten-millisecond ticks of /proc."""
        tree = process_clocks.ProcessTree(os.getpid())
        tree.refresh()
        before, start = tree.cpu_seconds()["python"], time.process_time()
        while time.process_time() - start < 0.004:
            pass
        assert 0.003 < tree.cpu_seconds()["python"] - before < 0.1

    def test_keeps_the_time_of_an_ended_child(self, process_clocks) -> None:
        import subprocess

        code = "import time\nwhile time.process_time() < 0.1: pass\nprint(flush=True); input()"
        child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        tree = process_clocks.ProcessTree(child.pid)
        tree.refresh()
        before = tree.cpu_seconds()["python"]
        memory = tree.memory()
        child.communicate(b"\n")
        assert before >= 0.1
        assert tree.cpu_seconds()["python"] == before
        assert 0 < memory["pss"]["python"] <= memory["rss"]["python"]
        assert tree.memory()["rss"]["python"] == 0


class TestPageCost:
    def test_sums_over_stages_and_kinds(self, cost) -> None:
        page_cost = cost(snapshot={"python": 1, "renderer": 2}, cleaned={"python": 4})
        assert page_cost.seconds() == 7
        assert page_cost.seconds("snapshot") == 3
        assert page_cost.seconds("snapshot", "unknown stage") == 3
        assert page_cost.seconds(kinds=["python"]) == 5
        assert page_cost.seconds("cleaned", kinds=["renderer"]) == 0


class TestFit:
    def test_ignores_the_smaller_half(self, sizes) -> None:
        """Fit larger pages only, because a fixed cost hides the growth of small ones."""
        assert sizes.Fit.of([1, 10, 100, 1000, 10_000], [5, 5, 6, 60, 600]).exponent == 1

    def test_quadratic_growth(self, sizes) -> None:
        assert sizes.Fit.of([10, 100, 1000], [1, 100, 10_000]) == sizes.Fit(exponent=2.0, steepest=2.0)

    def test_the_steepest_step(self, sizes) -> None:
        fit = sizes.Fit.of([1, 10, 100, 1000], [1, 1, 1, 1000])
        assert (fit.exponent, fit.steepest) == (3, 3)
        assert sizes.Fit.of([1, 1, 10, 100, 1000], [1, 1, 1, 1, 1000]).steepest == 3


class TestSyntheticPages:
    @pytest.mark.parametrize("size", [1000, 10_000, 300_000])
    def test_number_of_bytes(self, sizes, size: int) -> None:
        assert size <= len(sizes.by_bytes(size).content) < size + 1500

    @pytest.mark.parametrize("number", [10, 100, 1000])
    def test_number_of_elements(self, sizes, number: int) -> None:
        assert abs(len(parse(sizes.by_nodes(number))) - number) <= 4

    def test_texts_differ(self, sizes) -> None:
        """Prevent that a cache entry of one text serves the others."""
        snapshot = parse(sizes.by_bytes(20_000))
        long = [text for text in snapshot.texts if len(text) > 25]
        assert len(set(long)) > 0.6 * len(long)


class TestRatio:
    def test_median_over_the_pages_that_both_read(self, sections, cost) -> None:
        costs = {0: cost(a=1), 1: cost(a=4), 2: cost(a=9), 3: cost(a=100)}
        reference = {0: cost(a=1), 1: cost(a=2), 2: cost(a=3), 4: cost(a=7)}
        assert sections.ratio(costs, reference) == 2


class TestByStage:
    def test_every_stage_the_total_and_pythons_share(self, sections, cost) -> None:
        stages = sections.by_stage([cost(deliver=0.1, decode=0.001, extract=0.002)])
        assert {name: each["cpu"]["median"] for name, each in stages.items()} == {
            "deliver": 100, "decode": 1, "extract": 2, "Python's share": 3, "total": 103,
        }  # fmt: skip
        assert stages["Python's share"]["wall"]["median"] == 1000

    def test_no_share_without_a_stage_of_python(self, sections, cost) -> None:
        assert list(sections.by_stage([cost(deliver=0.1)])) == ["deliver", "total"]


class TestQuarters:
    def test_samples_without_browsers_do_not_count(self, sections) -> None:
        kinds = ("driver", "workers", "browsers", "playwright", "others")
        rows = [(0, 9, 0), *((second, 10 + second, 1) for second in range(8))]
        samples = [{"at": at} | dict.fromkeys(kinds, 0) | {"workers": w, "browsers": b} for at, w, b in rows]
        first, last = sections.quarters(samples)
        assert (first["workers"], last["workers"]) == (10.5, 16.5)
        assert last["all"] == 17.5


class TestTargets:
    def rows(self, modules) -> dict[str, tuple[str, bool]]:
        rows = modules["suite_targets"].targets(figures())["rows"]
        return {f"{row['what']}: {row['aim']}": (row["found"], row["met"]) for row in rows}

    def test_ratio_to_the_raw_client_by_page(self, modules) -> None:
        """Compare pages 0 and 1, which both have read; their ratios are 1 and 1.5."""
        row = "a page to its snapshot, CPU of all processes: at most 1.10 times the raw client"
        assert self.rows(modules)[row] == ("1.25 times", False)

    def test_chromium_alone_counts_only_the_renderer(self, modules) -> None:
        assert self.rows(modules)["the same: at most 2.5 times the renderer of Chromium alone"] == ("2.50 times", True)

    def test_met_and_missed(self, modules) -> None:
        rows = self.rows(modules)
        assert rows["Python, rendered, from decoding to the written text: at most 30 ms"] == ("30.50 ms", False)
        assert rows["unrendered, from bytes to text: at most 25 ms"] == ("20.00 ms", True)
        assert rows["the same: faster than trafilatura"] == ("0.50 times its time", True)
        assert rows["`vclean --help`: under 150 ms"] == ("125.00 ms", True)
        assert rows["cores that the farm leaves idle: under 10 %"] == ("5.00 %", True)
        assert rows["growth of the cost with bytes: exponent about 1 at most"] == ("1.05", True)

    def test_no_row_for_an_unmeasured_target(self, modules) -> None:
        assert modules["suite_targets"].targets({}) == {"rows": []}


class TestDocument:
    def test_all_sections_in_order(self, modules) -> None:
        facts = figures() | {"targets": modules["suite_targets"].targets(figures())}
        text = modules["suite_tables"].document(facts)
        heads = [line for line in text.splitlines() if line.startswith("###")]
        assert heads == [
            "### Targets", "### Rendered, compared with other clients of Chromium",
            "### Unrendered, compared with other extractors", "### By stage", "### Start", "### Workers of the farm",
            "### Growth", "### Cost by size",
        ]  # fmt: skip
        assert "| vclean | 100.0 | 200.0 | 100.0 | 1.00 | 1 | 0 |" in text
        assert "| 1 | 5.00 | 0.200 | 90% | 100 |" in text
        assert "2,000 pages, 3 workers: 6.50 pages/s, 0.250 s of CPU per page, cores 95% busy; 0 failed." in text
        assert "| rendered: total | 10 | 100 | 1.05 | 1.2 |" in text

    def test_a_part_of_the_sections(self, modules) -> None:
        assert modules["suite_tables"].document({"farm": figures()["farm"]}).count("###") == 1


class TestReadResults:
    def test_reads_earlier_results(self, suite, read_results, tmp_path: Path) -> None:
        path = tmp_path / "figures.json"
        path.write_text(json.dumps(figures()))
        assert read_results(path, suite.document) == figures()

    def test_empty_without_a_file(self, suite, read_results, tmp_path: Path) -> None:
        assert read_results(tmp_path / "none.json", suite.document) == {}
        assert read_results(None, suite.document) == {}

    @pytest.mark.parametrize("text", ["", "[1]", '{"farm": {}}', '{"farm": 3}'])
    def test_rejects_a_file_of_another_program(self, suite, read_results, tmp_path: Path, text: str) -> None:
        path = tmp_path / "figures.json"
        path.write_text(text)
        with pytest.raises(InputError, match="contains no results of this program"):
            read_results(path, suite.document)


class TestMain:
    @pytest.fixture
    def measured(self, modules, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Replace the sections by functions that return `figures()`. Return a list that their names are added to."""
        measured_names: list[str] = []

        def section(name: str):
            def run(options, pages, folder) -> dict:
                measured_names.append(name)
                return figures()[name]

            return run

        names = list(modules["suite_sections"].SECTIONS)
        monkeypatch.setattr(modules["suite"], "SECTIONS", {name: section(name) for name in names})
        return measured_names

    def test_measures_and_writes_missing_sections(self, suite, corpus, measured, tmp_path: Path, capsys) -> None:
        out, page = tmp_path / "figures.json", tmp_path / "page.md"
        out.write_text(json.dumps({name: figures()[name] for name in ("rendered", "stages", "farm")}))
        page.write_text(f"# Cost\n\nWords.\n\n{suite.HEADING}old tables")
        assert suite.main([str(corpus), "--json", str(out), "--write", str(page)]) == 0
        assert measured == ["unrendered", "start", "growth", "sizes"]
        assert {"machine", "targets", *figures()} == set(json.loads(out.read_text()))
        text = page.read_text()
        assert text.startswith("# Cost\n\nWords.\n\n")
        assert "### Cost by size" in text
        assert "old tables" not in text

    def test_measures_selected_sections_again(self, suite, corpus, measured, tmp_path: Path, capsys) -> None:
        out = tmp_path / "figures.json"
        out.write_text(json.dumps(figures()))
        assert suite.main([str(corpus), "--json", str(out), "--only", "farm,start"]) == 0
        assert measured == ["farm", "start"]

    def test_rejects_an_unknown_section(self, suite, corpus, capsys) -> None:
        with pytest.raises(SystemExit):
            suite.main([str(corpus), "--only", "farm,pace"])
        assert "no section pace" in capsys.readouterr().err

    def test_no_corpus(self, suite, tmp_path: Path, capsys) -> None:
        assert suite.main([str(tmp_path / "none.parquet")]) == InputError.exit_code
        assert "suite.py: " in capsys.readouterr().err


class TestPeerNames:
    @pytest.mark.parametrize("rendered", [True, False])
    def test_earlier_version_only_with_before(self, modules, rendered: bool) -> None:
        peer_names = modules["suite_sections"].peer_names
        default, more = (peer_names(SimpleNamespace(before=path), rendered=rendered) for path in ("", "/old/python"))
        assert [name for name in more if "before" in name] == ["vclean before" + ", unrendered" * (not rendered)]
        assert [name for name in more if "before" not in name] == default
        assert not any("stages" in name for name in default)


@linux_only
class TestRunPeers:
    def test_costs_of_a_peer(self, peer_processes, modules, tmp_path: Path) -> None:
        """Count neither warm-up pages nor failed pages."""
        pages = [gold_page(number).to_page() for number in range(7)] + [Page(content=b"", id="empty")]
        importlib.import_module("farm").write_pages(pages, tmp_path / "pages.parquet")
        progress: list[int] = []
        path = tmp_path / "pages.parquet"
        (peer,) = peer_processes.run_peers(["vclean, unrendered"], path, range(8), progress.append)
        assert (sorted(peer.costs), peer.failed, progress) == ([5, 6], 1, list(range(1, 9)))
        facts = modules["suite_sections"].peer_facts(peer, peer)
        assert facts["ratio"] == 1
        assert list(facts["stages"]) == ["snapshot", "cleaned", "total"]
        assert facts["kinds"]["python"] > 1 > facts["kinds"]["renderer"] == 0

    @pytest.mark.parametrize("path", ["", "/of/this/one"])
    def test_earlier_version_runs_without_pythonpath(
        self, peer_processes, tmp_path: Path, monkeypatch, path: str
    ) -> None:
        """Remove PYTHONPATH, with which the other Python imports the packages of this one."""
        monkeypatch.setenv("PYTHONPATH", path)
        python = tmp_path / "python"
        python.write_text('#!/bin/sh\n[ -z "$PYTHONPATH" ] && echo "{}"\ncat > /dev/null\n')
        python.chmod(0o755)
        (peer,) = peer_processes.run_peers(["vclean before"], tmp_path / "pages.parquet", [], before=str(python))
        assert (peer.name, peer.costs, peer.failed) == ("vclean before", {}, 0)

    def test_rejects_a_peer_that_does_not_start(self, peer_processes, tmp_path: Path, capfd) -> None:
        with pytest.raises(InputError, match="the peer resiliparse has ended"):
            peer_processes.run_peers(["resiliparse"], tmp_path / "none.parquet", range(3))
