from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from vclean.features import matrix

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(ROOT / "benchmarks" / "feature_table.py"))


def test_the_document_is_up_to_date(script):
    text = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    assert text.partition(script["HEADING"])[2] == script["tables"](), "run: python benchmarks/feature_table.py"


def test_the_groups_are_the_matrix_in_its_order(script):
    assert sum(script["GROUPS"].values(), ()) == matrix.COLUMNS


def test_renewing_keeps_what_stands_above(script, tmp_path, monkeypatch, capsys):
    document = tmp_path / "features.md"
    document.write_text("Above.\n\n" + script["HEADING"] + "\nold tables\n", encoding="utf-8")
    main = script["main"]
    monkeypatch.setitem(main.__globals__, "DOCUMENT", document)
    main()
    assert document.read_text(encoding="utf-8") == "Above.\n\n" + script["HEADING"] + script["tables"]()
    assert capsys.readouterr().out.startswith(f"{len(matrix.COLUMNS)} columns")
