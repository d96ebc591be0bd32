from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from vclean.classify.content import stacking
from vclean.classify.content.model import load_default
from vclean.features import regions as region_columns

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(ROOT / "benchmarks" / "documents.py"))


def test_groups_have_the_columns_of_the_matrix_in_order(script):
    assert sum(script["GROUPS"].values(), ()) == stacking.COLUMNS


def test_every_feature_of_containers_is_in_one_group(script):
    names = [column.name for group in script["REGION_GROUPS"].values() for column in group]
    assert sorted(names) == sorted(column.name for column in region_columns.COLUMNS)


def test_model_card_has_the_scores_of_every_corpus(script):
    text = script["model_card"]()
    for corpus, methods in load_default().card["scores"].items():
        for figures in methods.values():
            assert f"| {corpus} | {figures['scores']['all']['pages']} |" in text


class TestCalibrations:
    def test_one_table_per_method(self, script):
        one = {"ece": 0.0123, "ece_equal_mass": 0.02, "bins": [{"count": 1234, "predicted": 0.25, "observed": 0.2}]}
        tables = script["_calibrations"]({"vclean, rendered": {"blocks": one, "pages": one}})
        lines = tables.splitlines()
        assert lines[1] == "## Calibration, rendered"
        assert lines[3] == (
            "| probability or confidence | blocks: count | blocks: predicted | blocks: observed"
            " | pages: count | pages: predicted | pages: observed |"
        )
        assert lines[5] == "| 0.0 to 0.1 | 0 |  |  | 0 |  |  |"
        assert lines[7] == "| 0.2 to 0.3 | 1,234 | 0.250 | 0.200 | 1,234 | 0.250 | 0.200 |"
        assert lines[-2:] == [
            "| expected calibration error |  |  | 0.012 |  |  | 0.012 |",
            "| in bins of equal mass |  |  | 0.020 |  |  | 0.020 |",
        ]
        assert script["_calibrations"]({}) == ""


def test_documents_are_up_to_date(script, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(script["main"].__globals__, "TABLES", tmp_path)
    script["main"]()
    assert capsys.readouterr().out.count("wrote") == len([*tmp_path.iterdir()]) == len(script["documents"]())
    for path in tmp_path.iterdir():
        document = ROOT / "docs" / "reference" / "tables" / path.name
        assert document.read_text(encoding="utf-8") == path.read_text("utf-8"), "run: python benchmarks/documents.py"
