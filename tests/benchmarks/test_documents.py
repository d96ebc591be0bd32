from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from vclean.classify.content import stacking
from vclean.classify.content.model import load_default

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(ROOT / "benchmarks" / "documents.py"))


@pytest.mark.parametrize("name", ["features.md", "model.md"])
def test_the_document_is_up_to_date(script, name):
    heading, tables = script["DOCUMENTS"][name]
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert text.partition(heading)[2] == tables(), "run: python benchmarks/documents.py"


def test_the_groups_are_the_matrix_in_its_order(script):
    assert sum(script["GROUPS"].values(), ()) == stacking.COLUMNS


def test_every_corpus_of_the_model_has_its_scores(script):
    text = script["model_tables"]()
    for corpus, methods in load_default().card["scores"].items():
        for figures in methods.values():
            assert f"| {corpus} | {figures['scores']['all']['pages']} |" in text


class TestCalibrations:
    """The reliability of blocks, words and pages side by side, bin by bin."""

    def test_a_table_for_every_method(self, script):
        one = {"ece": 0.0123, "ece_equal_mass": 0.02, "bins": [{"count": 1234, "said": 0.25, "observed": 0.2}]}
        found = script["_calibrations"]({"vclean, rendered": {"blocks": one, "pages": one}})
        lines = found.splitlines()
        assert lines[1] == "### Calibration, rendered"
        assert lines[3] == (
            "| probability or confidence | blocks: count | blocks: said | blocks: came"
            " | pages: count | pages: said | pages: came |"
        )
        assert lines[5] == "| 0.0 to 0.1 | 0 |  |  | 0 |  |  |"
        assert lines[7] == "| 0.2 to 0.3 | 1,234 | 0.250 | 0.200 | 1,234 | 0.250 | 0.200 |"
        assert lines[-2:] == [
            "| expected calibration error |  |  | 0.012 |  |  | 0.012 |",
            "| in bins of the same mass |  |  | 0.020 |  |  | 0.020 |",
        ]

    def test_nothing_without_one(self, script):
        assert script["_calibrations"]({}) == ""


def test_tables(script):
    assert script["table"](("a", "b"), [(1, 2)]) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n"


def test_renewing_keeps_what_stands_above(script, tmp_path, monkeypatch, capsys):
    for name, (heading, _) in script["DOCUMENTS"].items():
        (tmp_path / name).write_text("Above.\n\n" + heading + "\nold tables\n", encoding="utf-8")
    main = script["main"]
    monkeypatch.setitem(main.__globals__, "DOCS", tmp_path)
    main()
    for name, (heading, tables) in script["DOCUMENTS"].items():
        assert (tmp_path / name).read_text(encoding="utf-8") == "Above.\n\n" + heading + tables()
    assert capsys.readouterr().out.count("renewed") == len(script["DOCUMENTS"])
