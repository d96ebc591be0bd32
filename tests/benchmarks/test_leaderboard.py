from __future__ import annotations

import json
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from helpers.benchmarks import imported_benchmark, write_corpus
from helpers.synthetic import gold_page

pytestmark = pytest.mark.slow

PAGES = 6


@pytest.fixture(scope="module")
def board():
    """Return the leaderboard with two methods of vclean as the only systems."""
    with imported_benchmark("leaderboard") as module, pytest.MonkeyPatch.context() as patch:
        rivals = tuple(system for system in module.RIVALS if system.package == "vclean")
        patch.setattr(module, "RIVALS", rivals)
        patch.setattr(module, "VCLEAN", module.replace(module.VCLEAN, load=rivals[1].load))
        patch.setattr(module, "_SYSTEMS", {system.name: system for system in (*rivals, module.VCLEAN)})
        module._loaded.cache_clear()
        yield module


@pytest.fixture(scope="module")
def rivals(board):
    return import_module("rivals")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "small.parquet", [gold_page(number, "small") for number in range(PAGES)])


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    """Write perfect predictions of vclean, and predictions of another method, which do not count."""
    path = tmp_path / "cv.jsonl"
    pages = [gold_page(number, "small") for number in range(PAGES)]
    lines = [
        {"corpus": page.corpus, "id": page.id, "method": method, "text": text, "cleaneval": page.markup}
        for page in pages
        for method, text in (("vclean, unrendered", page.text), ("bte", ""))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


class TestMeasure:
    def test_a_slow_system_is_stopped(self, board, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(board, "LIMIT", 0.05)
        monkeypatch.setattr(board, "_loaded", lambda _: (lambda _: time.sleep(5), time.process_time))
        [measurement] = board.measure(gold_page(0), ["BTE"])
        assert measurement.evaluation.error.startswith("DeadlineError: ")

    def test_two_processes_return_the_same_as_one(self, board) -> None:
        pages = [gold_page(number) for number in range(3)]
        one, two = (list(board.measure_all(iter(pages), ["BTE", "all text"], count)) for count in (1, 2))
        assert [each.evaluation for each in one] == [each.evaluation for each in two]
        assert [each.evaluation.method for each in one] == ["BTE", "all text"] * 3
        assert [each.site for each in one[::2]] == ["site0.example", "site1.example", "site2.example"]
        assert all(each.seconds > 0 and 0 < each.evaluation.score.word.f1 <= 1 for each in one)


class TestInterval:
    def test_interval_contains_the_mean(self, board) -> None:
        difference = np.random.default_rng(1).normal(0.1, 0.2, 400)
        mean, low, high = board.interval(difference, np.arange(400))
        assert mean == pytest.approx(difference.mean())
        assert low < mean < high
        assert high - low == pytest.approx(2 * 1.96 * 0.2 / 20, rel=0.1)


class TestLeads:
    def test_lead_over_the_best_rival_of_each_corpus(self, board) -> None:
        pages = [gold_page(number, "small") for number in range(PAGES)]
        texts = {"vclean": lambda page: page.text, "good": lambda page: page.text[:60], "bad": lambda _: "nothing"}
        evaluations = [board.evaluate(page, name, (text(page), "")) for page in pages for name, text in texts.items()]
        [lead] = board.leads(evaluations, {("small", page.id): page.id for page in pages})
        assert (lead["corpus"], lead["system"], lead["rival"]) == ("small", "vclean", "good")
        assert 0 < lead["low"] <= lead["difference"] <= lead["high"] < 1


class TestRun:
    def test_scores_by_cross_validation(self, board, corpus, predictions, tmp_path, capsys) -> None:
        written = tmp_path / "found.json"
        arguments = [str(corpus), "--predictions", str(predictions), "--processes", "1", "--json", str(written)]
        assert board.main(arguments) == 0
        results = json.loads(written.read_text())
        systems = results["corpora"]["small"]
        assert set(systems) == {"vclean, unrendered", "BTE", "all text"}
        assert systems["vclean, unrendered"]["scores"]["all"]["word_f1"] == 1.0
        assert results["ms"]["small"]["vclean"]["median"] > 0
        output = capsys.readouterr().out
        assert "### small, 6 pages" in output
        assert "each page by a model that was not trained on its site" in output

    def test_page_types_have_a_table(self, board, tmp_path: Path, capsys) -> None:
        pages = [board.replace(gold_page(number), page_type=kind) for number, kind in enumerate(("forum", "article"))]
        assert board.main([str(write_corpus(tmp_path / "typed.parquet", pages)), "--shipped", "--processes", "1"]) == 0
        output = capsys.readouterr().out
        assert "### typed, 2 pages" in output
        assert "must not have been trained on these pages" in output
        assert "| system | article | forum |" in output

    def test_updates_the_document_below_its_heading(self, board, corpus, tmp_path: Path, capsys) -> None:
        document = tmp_path / "board.md"
        document.write_text("# Above\n\n## Results\n\nold\n")
        assert board.main([str(corpus), "--processes", "1", "--pages", "1", "--write", str(document)]) == 0
        text = document.read_text()
        assert text.startswith("# Above\n\n## Results\n\n### Leads\n")
        assert "old" not in text
        assert "vclean is timed, but not scored" in capsys.readouterr().out + text
