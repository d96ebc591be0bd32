from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.synthetic import SITES, gold_page, train_quickly

from vclean.labels import Label

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "structure.py"
GOLD = "# Title\n\nSome words\n\n- one item\n- two items\n\n| a | b |\n| - | - |\n| c | d |\n\n```\nx = 1\n```\n"


@pytest.fixture(scope="module")
def structure() -> ModuleType:
    spec = importlib.util.spec_from_file_location("structure", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["structure"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def agreement(structure: ModuleType, gold: str, predicted: str) -> dict[str, Any]:
    counts = structure.Agreement()
    counts.add(structure.units(gold), structure.units(predicted))
    figures: dict[str, Any] = counts.figures()
    return figures


class TestUnits:
    @pytest.mark.parametrize(
        ("markdown", "expected"),
        [
            ("# A b\n", [("heading", "a b", 1)]),
            ("a *b* `c`\n", [("paragraph", "a b c", 0)]),
            ("a  \nb\nc\n", [("paragraph", "a", 0), ("paragraph", "b", 0), ("paragraph", "c", 0)]),
            ("- a\n  - b\n- c\n", [("item", "a", 1), ("item", "b", 2), ("item", "c", 1)]),
            ("- a\n\n  b\n", [("item", "a", 1), ("paragraph", "b", 0)]),
            ("- a\n\n  3. b\n", [("item", "a", 1), ("item", "b", 2)]),
            ("- # A\n\n  b\n", [("heading", "a", 1), ("paragraph", "b", 0)]),
            ("| a b | |\n| - | - |\n| c | d |\n", [("row", "a b", 1), ("row", "c d", 2)]),
            ("```py\na\n```\n", [("code", "a", 0)]),
            ("![picture](i.png)\n", []),
            ("<div>a</div>\n", [("paragraph", "a", 0)]),
        ],
    )
    def test_kinds(self, structure: ModuleType, markdown: str, expected: list[tuple[str, str, int]]) -> None:
        units = structure.units(markdown)
        assert [(unit.kind, " ".join(unit.words), unit.level) for unit in units] == expected

    def test_links(self, structure: ModuleType) -> None:
        (unit,) = structure.units("a [b c](https://example.org/x%20y/) [](/z)\n")
        assert unit.links == ((("b", "c"), "https://example.org/x y"),)

    def test_code_without_surrounding_space(self, structure: ModuleType) -> None:
        (unit,) = structure.units("```\n\n  a \n b\n\n```\n")
        assert unit.text == "  a\n b"


class TestAgreement:
    def test_with_itself(self, structure: ModuleType) -> None:
        figures = agreement(structure, GOLD, GOLD)
        assert figures["paired words"] == 1
        for kind, pairs in {"heading": 1, "item": 2, "row": 2, "code": 1, "paragraph": 1}.items():
            part = figures["kinds"][kind]
            assert (part["precision"], part["recall"], part["pairs"]) == (1, 1, pairs)
            assert part["same level or code"] == (None if kind == "paragraph" else 1)

    def test_precision_and_recall(self, structure: ModuleType) -> None:
        items = agreement(structure, "- a\n- b\n- c\n\nd\n", "- a\n- d\n\nb\n\nc\n")["kinds"]["item"]
        assert (items["precision"], items["recall"]) == (0.5, 0.3333)

    def test_ignores_kinds_that_the_gold_does_not_have(self, structure: ModuleType) -> None:
        assert agreement(structure, "a\n\nb\n", "- a\n- b\n")["kinds"]["item"]["precision"] is None
        assert agreement(structure, "# a\n\nb\n", "# a\n\n# b\n")["kinds"]["heading"]["precision"] == 0.5

    def test_heading_levels_up_to_an_offset(self, structure: ModuleType) -> None:
        figures = agreement(structure, "# a\n## b\n## c\n# d\n", "## a\n### b\n### c\n### d\n")
        assert figures["kinds"]["heading"]["same level or code"] == 0.75

    def test_depth_of_items(self, structure: ModuleType) -> None:
        figures = agreement(structure, "- a\n  - b\n", "- a\n- b\n")
        assert figures["kinds"]["item"]["same level or code"] == 0.5

    def test_code_to_the_character(self, structure: ModuleType) -> None:
        gold, predicted = "```\nif a:\n    b\n```\n", "```\nif a:\nb\n```\n"
        assert agreement(structure, gold, predicted)["kinds"]["code"]["same level or code"] == 0

    def test_links(self, structure: ModuleType) -> None:
        gold, predicted = "a [b](/b) [c](/c) d\n", "a [b](/b) [c](/x) [d](/d)\n"
        links = agreement(structure, gold, predicted)["links"]
        assert (links["precision"], links["recall"]) == (0.3333, 0.5)

    def test_pairs_each_unit_once(self, structure: ModuleType) -> None:
        kinds = agreement(structure, "# a\n\na\n", "# a\n\na\n\na\n")["kinds"]
        assert (kinds["heading"]["pairs"], kinds["paragraph"]["pairs"]) == (1, 1)


class TestTypeFigures:
    def test_only_blocks_with_a_content_type_in_both(self, structure: ModuleType) -> None:
        gold = np.array([0, 1, 2, 3, 4, -1, 1], dtype=np.int8)
        predicted = np.array([0, 1, 1, 4, 1, 1, 1], dtype=np.int8)
        figures = structure.type_figures(gold, predicted)
        assert figures == {"blocks": 4, "accuracy": 0.75, "f1": {"h": 1.0, "p": 0.8, "l": 0.0, "c": None}}
        assert set(figures["f1"]) == {str(label) for label in Label if label.is_content}


@pytest.mark.slow
class TestMain:
    def test_a_run(
        self,
        structure: ModuleType,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        """Measure simple pages with the same gold as CleanEval markup and as Markdown."""
        train_quickly(monkeypatch)
        signs = {"<h>": "# ", "<p>": "", "<l>": "- "}
        pages = [gold_page(number) for number in range(2 * SITES)]
        rows = [
            {"id": page.id, "url": page.url, "html": page.html, "gold_text": page.text, "gold_markup": page.markup,
             "gold_markdown": "\n\n".join(signs[line[:3]] + line[3:] for line in page.markup.splitlines())}
            for page in pages
        ]  # fmt: skip
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "corpus.parquet")
        out = tmp_path / "out.json"
        assert structure.main([str(tmp_path / "corpus.parquet"), "--limit", "12", "--json", str(out)]) == 0
        figures = json.loads(out.read_text())["corpus"]
        assert figures["pages"] == SITES
        assert figures["types"]["accuracy"] > 0.9
        assert figures["structure"]["kinds"]["item"]["recall"] >= 0.9
        assert "corpus, 10 pages" in capsys.readouterr().out

    def test_no_corpus(self, structure: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert structure.main([str(tmp_path / "none.parquet")]) == 1
        assert "does not exist" in capsys.readouterr().err

    def test_leaves_out_pages_that_cannot_be_read(self, structure: ModuleType) -> None:
        from vclean.render.static.parse import parse

        assert structure._read(replace(gold_page(1), html=b""), parse) is None
