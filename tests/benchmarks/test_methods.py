from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vclean.classify.corpora.corpora import read_corpus
from vclean.classify.methods import names
from vclean.render.static.parse import parse

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import methods
from published import PUBLISHED, PublishedScore

pytestmark = pytest.mark.slow

ARTICLE = "<p>It rained all day in the valley, and nobody minded it at all, for it was warm.</p>"
MENU = "<ul>" + "<li><a href=/>Link</a></li>" * 4 + "</ul>"
GOLD = "It rained all day in the valley, and nobody minded it at all, for it was warm."


@pytest.fixture
def corpus(tmp_path):
    rows = [
        {"id": str(number), "url": f"http://{number}.example/", "html": (MENU + ARTICLE).encode(), "gold_text": GOLD,
         "gold_markup": f"<p>{GOLD}"}
        for number in range(4)
    ] + [{"id": "bad", "url": "", "html": b"\x00", "gold_text": GOLD, "gold_markup": ""}]  # fmt: skip
    path = tmp_path / "cleaneval-final.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


class TestPublished:
    @pytest.mark.parametrize("each", PUBLISHED, ids=lambda each: f"{each.method}-{each.corpus}-{each.score}")
    def test_methods_exist_and_scores_are_in_points(self, each):
        assert each.method in names()
        assert 1 < each.value <= 100
        assert each.label


class TestRun:
    def test_tables_and_figures(self, corpus, tmp_path, capsys):
        figures, document = tmp_path / "f.json", tmp_path / "d.md"
        document.write_text("# Methods\n\n## Results\n\nIt was so.\n")
        chosen = ["--method", "bte", "--method", "wcc-heuristic"]
        assert methods.main([str(corpus), *chosen, "--json", str(figures), "--write", str(document)]) == 0
        results = json.loads(figures.read_text())["cleaneval-final"]
        assert (results["bte"]["word_f1"], results["bte"]["pages"], results["bte"]["failed"]) == (0.8, 5, 1)
        text = document.read_text()
        assert text.startswith("# Methods\n\n## Results\n\n### cleaneval-final\n")
        assert "It was so." not in text
        assert "| `bte` | 0.800 |" in text
        assert "| `bte` | cleaneval-final | LCS F1 micro | 94.3 |" in text
        assert text.strip() in capsys.readouterr().out.join(["# Methods\n\n## Results\n", ""])

    def test_keeps_earlier_results(self, corpus, tmp_path):
        figures = tmp_path / "f.json"
        for name in ("bte", "text"):
            assert methods.main([str(corpus), "--method", name, "--json", str(figures)]) == 0
        assert {"bte", "text"} <= set(json.loads(figures.read_text())["cleaneval-final"])

    def test_trained_methods_are_cross_validated(self, corpus, tmp_path):
        figures = tmp_path / "f.json"
        arguments = ["--method", "wcc-tree", "--folds", "2", "--pages", "4", "--json", str(figures)]
        assert methods.main([str(corpus), *arguments]) == 0
        assert json.loads(figures.read_text())["cleaneval-final"]["wcc-tree"]["pages"] == 4

    @pytest.mark.parametrize("arguments", [["none.parquet", "--method", "bte"], ["--method", "magic"]])
    def test_errors_are_one_line(self, arguments, capsys):
        assert methods.main(arguments) != 0
        assert capsys.readouterr().err.count("\n") == 1

    def test_rejects_a_file_of_another_program(self, tmp_path, capsys):
        path = tmp_path / "f.json"
        path.write_text('{"a": 1}')
        assert methods.main(["--json", str(path)]) == 3
        assert "contains no results of this program" in capsys.readouterr().err


class TestMeasure:
    def test_reads_a_page_once_for_training_and_once_for_labels(self, corpus):
        """Read as often for three methods as for one; the last page cannot be read."""
        read = []

        def reader(page):
            read.append(page.url)
            return parse(page)

        pages = list(read_corpus(corpus))
        runs = methods.measure(pages, ["wcc-tree", "wcc-lm", "bte"], {False: reader}, 2)
        assert [(run.name, run.figures()["failed"]) for run in runs] == [
            ("wcc-tree", 1), ("wcc-lm", 1), ("bte", 1),
        ]  # fmt: skip
        assert sorted(read) == sorted(2 * [page.url for page in pages])


class TestComparison:
    def test_explains_differences_above_three_points(self):
        figures = {"c": {"m": {"cleaneval": 70.0, "cleaneval_markup": 80.0, "lcs_f1_micro": 0.5}}}
        far = PublishedScore("m", "c", "average", 60, "Because.")
        near = PublishedScore("m", "c", "lcs_f1_micro", 52, "Because.")
        assert methods._measured_points(far, figures) == 75
        notes = {"Another reason.": 1}
        assert methods._comparison_row(far, 75, notes)[-3:] == ("75.0", "+15.0", "2")
        assert methods._comparison_row(far, 70, notes)[-1] == "2"
        assert methods._comparison_row(near, methods._measured_points(near, figures), notes)[-3:] == (
            "50.0",
            "-2.0",
            "",
        )
        assert notes == {"Another reason.": 1, "Because.": 2}
        assert methods._measured_points(far, {}) is None


class TestAhead:
    MAIN: ClassVar = {"word_f1": 0.9, "pages": 50}

    def test_methods_ahead_on_the_same_number_of_pages(self):
        results = {
            "vclean": self.MAIN,
            "a": {"word_f1": 0.91, "word_f1_error": 0.02, "pages": 50},
            "b": {"word_f1": 0.89, "word_f1_error": 0.02, "pages": 50},
            "c": {"word_f1": 0.99, "word_f1_error": 0.02, "pages": 10},
        }
        line = "- news: `a`, by 0.010 on 50 pages; the standard error of its mean is {}\n"
        chance = line.format("0.020, so the difference may be due to chance")
        assert methods._ahead({"news": results, "other": {"a": results["a"]}}) == chance
        results["a"]["word_f1_error"] = 0.005
        assert methods._ahead({"news": results}) == line.format("0.005")

    def test_no_method_ahead(self):
        assert methods._ahead({"news": {"vclean": self.MAIN}}).startswith("None")


class TestAvailable:
    def test_without_templates_and_rendered_methods(self):
        results = methods.available([], render=False)
        assert {"bte", "cetd"} <= set(results)
        assert not {"template", "vclean", "vips"} & set(results)
        assert "vips" in methods.available([], render=True)


class TestEvenly:
    def test_evenly_spaced_pages(self):
        assert methods.evenly([1, 2, 3, 4, 5], 3) == [1, 3, 5]
        assert methods.evenly([1, 2], 0) == methods.evenly([1, 2], 9) == [1, 2]
