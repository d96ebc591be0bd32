from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from helpers.outcomes import CLEANING, RUN, done, lost

from vclean.farm.output import RunOutput

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def faults() -> ModuleType:
    """Return the benchmark; it imports other modules of its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        spec = importlib.util.spec_from_file_location("faults", BENCHMARKS / "faults.py")
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules["faults"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def rows(faults: ModuleType, folder: Path, *outcomes) -> list[dict]:
    """Return the rows of a run with these outcomes."""
    with RunOutput(folder, CLEANING, RUN, resume=False) as output:
        for outcome in outcomes:
            output.write(outcome)
    return list(faults.rows(folder))


class TestCompareRows:
    @pytest.fixture
    def undisturbed(self, faults: ModuleType, tmp_path: Path) -> list[dict]:
        return rows(faults, tmp_path / "undisturbed", done(1), done(2), lost(3))

    def test_order_and_attempts_may_differ(self, faults: ModuleType, undisturbed, tmp_path: Path) -> None:
        disturbed = rows(faults, tmp_path / "disturbed", lost(3), done(2, attempt=3), done(1, source="/elsewhere"))
        comparison = faults.compare_rows(["p1", "p2", "p3"], undisturbed, disturbed)
        assert comparison == faults.RowComparison(pages=3, rows=3)
        assert comparison.is_equal

    def test_missing_page(self, faults: ModuleType, undisturbed, tmp_path: Path) -> None:
        disturbed = rows(faults, tmp_path / "disturbed", done(1), lost(3))
        comparison = faults.compare_rows(["p1", "p2", "p3"], undisturbed, disturbed)
        assert (comparison.missing, comparison.duplicated, comparison.different) == (["p2"], [], {})
        assert not comparison.is_equal

    def test_duplicated_page(self, faults: ModuleType, undisturbed, tmp_path: Path) -> None:
        disturbed = rows(faults, tmp_path / "disturbed", done(1), done(2), done(2), lost(3))
        comparison = faults.compare_rows(["p1", "p2", "p3"], undisturbed, disturbed)
        assert (comparison.missing, comparison.duplicated, comparison.different) == ([], ["p2"], {})
        assert not comparison.is_equal

    def test_page_that_failed_only_in_the_disturbed_run(self, faults: ModuleType, undisturbed, tmp_path: Path) -> None:
        disturbed = rows(faults, tmp_path / "disturbed", done(1), lost(2), lost(3))
        comparison = faults.compare_rows(["p1", "p2", "p3"], undisturbed, disturbed)
        assert (comparison.missing, comparison.duplicated, comparison.is_equal) == ([], [], False)
        assert list(comparison.different) == ["p2"]
        assert {"status", "error", "text", "blocks"} <= set(comparison.different["p2"])


class TestDone:
    def test_counts_lines(self, faults: ModuleType, tmp_path: Path) -> None:
        assert faults.done(tmp_path) == 0
        rows(faults, tmp_path / "out", done(1), lost(2))
        assert faults.done(tmp_path / "out") == 2


class TestMain:
    @pytest.mark.parametrize("corpus", ["missing.parquet", "page.html"])
    def test_no_corpus(self, faults: ModuleType, tmp_path: Path, corpus: str, capsys) -> None:
        (tmp_path / "page.html").write_text("<p>")
        assert faults.main([str(tmp_path / corpus)]) > 1
        assert capsys.readouterr().err.startswith("faults.py: ")

    @pytest.mark.browser
    def test_nothing_is_lost(self, corpus: Path) -> None:
        command = [sys.executable, str(BENCHMARKS / "faults.py"), str(corpus), "--pages", "12", "--every", "3"]
        completed = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert completed.returncode == 0, completed.stderr
        assert '"drivers_killed": 1' in completed.stdout
        assert '"missing": []' in completed.stdout

    @pytest.fixture
    def corpus(self, tmp_path: Path) -> Path:
        import pyarrow as pa
        import pyarrow.parquet as pq

        html = [f"<title>{number}</title><h1>One</h1><p>{'Some words. ' * number}</p>".encode() for number in range(12)]
        columns = {"id": [f"p{number}" for number in range(12)], "url": [""] * 12, "html": html, "gold_text": [""] * 12}
        pq.write_table(pa.table(columns), tmp_path / "corpus.parquet")
        return tmp_path / "corpus.parquet"
