"""Notebooks of the documentation: their cells run, and their outputs are those of the present version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.documents import DOCS

NOTEBOOKS = sorted(DOCS.glob("notebooks/*.ipynb"))


def cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
class TestNotebooks:
    def test_outputs_show_tables_and_no_path(self, path: Path) -> None:
        data = [output["data"] for cell in cells(path) for output in cell["outputs"] if "data" in output]
        assert len(data) == 2
        assert all("<table>" in "".join(each["text/html"]) for each in data)
        assert "data:image/png;base64," in "".join(data[0]["text/html"])
        assert str(Path.home()) not in path.read_text("utf-8")
        assert str(DOCS.parent) not in path.read_text("utf-8")

    @pytest.mark.browser
    def test_cells_run(self, path: Path, folder: Path) -> None:
        names: dict[str, Any] = {}
        for cell in cells(path):
            exec("".join(cell["source"]), names)
        assert names["result"].content
