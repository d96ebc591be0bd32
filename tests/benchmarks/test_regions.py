from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot
from helpers.synthetic import marked_page, train_quickly

from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.corpora.marked import MarkedPage
from vclean.classify.training import regions as model
from vclean.features.blocks import extract_blocks
from vclean.page import Page

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "regions.py"


@pytest.fixture(scope="module")
def regions():
    spec = importlib.util.spec_from_file_location("benchmark_regions", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def quick(monkeypatch, regions):
    monkeypatch.setattr(model, "PARAMETERS", model.PARAMETERS | {"min_data_in_leaf": 2})
    monkeypatch.setattr(model, "ROUNDS", 8)
    monkeypatch.setattr(regions, "SAMPLES", 50)
    train_quickly(monkeypatch)


@pytest.fixture(scope="module")
def pages(regions):
    """Return ten pages, read in all three ways."""
    read_pages = []
    for number in range(10):
        html, marks = marked_page(number)
        marked = MarkedPage(Page(content=html.encode(), url=f"https://site{number}.example/", id=str(number)), marks)
        blocks = {
            "rendered": extract_blocks(laid_out(html)),
            "unstyled": extract_blocks(laid_out(html)),
            "parsed": extract_blocks(snapshot(html)),
        }
        read_pages.append(regions.ReadPage(marked, marked.to_gold_page("marked"), blocks))
    return read_pages


def role_predictions(regions, truth, predicted, page=None):
    page = [0] * len(truth) if page is None else page
    return regions.RolePredictions(*(np.array(values, dtype=np.int64) for values in (page, truth, predicted)))


class TestRolePredictions:
    def test_accuracy(self, regions):
        assert role_predictions(regions, [0, 1, 1, 2], [0, 1, 2, 2]).accuracy() == 0.75

    def test_macro_f1_is_over_the_roles_that_occur(self, regions):
        """Average role 0 with an F1 of 2/3 and role 1 of 1; role 5 is predicted, but does not occur."""
        predictions = role_predictions(regions, [0, 0, 1], [0, 5, 1])
        assert predictions.macro_f1() == pytest.approx((2 / 3 + 1) / 2)

    def test_a_page_drawn_twice_counts_twice(self, regions):
        predictions = role_predictions(regions, [0, 1], [0, 2], [0, 1])
        assert predictions.accuracy(np.array([2, 1])) == pytest.approx(2 / 3)
        assert predictions.accuracy(np.array([0, 1])) == 0


class TestIntervals:
    def test_percentiles_of_the_values(self, regions):
        assert regions.interval(np.arange(1001) / 1000) == [0.025, 0.975]

    def test_draws_all_pages_with_replacement(self, regions):
        drawn = list(regions.draws(7))
        assert len(drawn) == 50
        assert {int(weight.sum()) for weight in drawn} == {7}
        assert [weight.tolist() for weight in drawn] == [weight.tolist() for weight in regions.draws(7)]

    def test_no_difference_between_equal_results(self, regions):
        predictions = role_predictions(regions, [0, 1, 1], [0, 1, 0], [0, 1, 2])
        difference = regions.role_difference(predictions, predictions, 3)
        assert difference["accuracy"] == 0
        assert difference["macro_f1_interval"] == [0, 0]


class TestMeasureRoles:
    def test_all_ways_of_training_and_reading(self, regions, pages):
        figures = regions.measure_roles(pages, pages[:2])
        assert len(figures["roles"]) == 4 * len(regions.WAYS)
        result = figures["roles"]["all ways and styled pages: rendered"]
        assert result["regions"] == 30
        assert result["accuracy"] > 0.8
        assert set(figures["recall by role, rendered and parsed, one model"]) == {"article", "navigation", "footer"}


class TestMeasureBlocks:
    def test_with_and_without_roles(self, regions, pages):
        figures = regions.measure_blocks(pages, [])
        assert set(figures["word_f1"]) == {
            f"{way}, {variant}" for way in ("rendered", "parsed") for variant in ("with roles", "without roles")
        }
        assert figures["word_f1"]["rendered, with roles"]["pages"] == 10
        assert figures["word_f1"]["parsed, with roles"]["mean"] > 0.8
        assert figures["differences"]["rendered, with roles minus parsed, with roles"]["pages"] == 10
        assert set(figures["right blocks by group, with roles, rendered minus parsed"]) == set(regions.GROUPS)


class TestColumns:
    def test_left_edges_and_column_count(self, regions):
        blocks = SimpleNamespace(box=np.array([[0, 0, 9, 9], [10, 0, 9, 9], [600, 0, 9, 9]], dtype=np.float32))
        blocks_of_page = extract_blocks(laid_out("<p>one two three</p><p>four five six</p><p>seven eight nine</p>"))
        assert regions._columns(blocks_of_page) == 1
        assert regions.column_edges(blocks.box).tolist() == [0, 0, 12]


class TestMain:
    def test_prints_and_writes_results(self, regions, pages, monkeypatch, tmp_path, capsys):
        monkeypatch.setattr(regions, "read", lambda archive, snapshots, ways: pages)
        out = tmp_path / "figures.json"
        assert regions.main(["a.warc", "--only", "roles", "--json", str(out)]) == 0
        assert json.loads(out.read_text()) == json.loads(capsys.readouterr().out)
        assert json.loads(out.read_text())["pages"] == 10

    def test_only_the_text(self, regions, pages, monkeypatch, capsys):
        monkeypatch.setattr(regions, "read", lambda archive, snapshots, ways: pages)
        monkeypatch.setattr(regions, "measure_blocks", lambda pages, styled: {"word_f1": len(pages)})
        assert regions.main(["a.warc", "--only", "blocks"]) == 0
        figures = json.loads(capsys.readouterr().out)
        assert figures["word_f1"] == 10
        assert "roles" not in figures


def test_gold_text_is_the_marked_content(pages):
    assert isinstance(pages[0].gold, GoldPage)
    assert pages[0].gold.text.startswith("The river and the")
