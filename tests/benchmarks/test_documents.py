from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from vclean.classify.content import stacking
from vclean.classify.content.model import load
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
    for corpus, methods in load().card["scores"].items():
        for figures in methods.values():
            assert f"| {corpus} | {figures['scores']['all']['pages']} |" in text


def test_documents_are_up_to_date(script, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(script["main"].__globals__, "TABLES", tmp_path)
    script["main"]()
    assert capsys.readouterr().out.count("wrote") == len([*tmp_path.iterdir()]) == len(script["documents"]())
    for path in tmp_path.iterdir():
        document = ROOT / "docs" / "reference" / "tables" / path.name
        assert document.read_text(encoding="utf-8") == path.read_text("utf-8"), "run: python benchmarks/documents.py"
