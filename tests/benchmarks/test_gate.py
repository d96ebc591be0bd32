"""Test the accuracy gate: it passes on the pinned scores and fails when the fixtures lose more than .005."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from helpers.benchmarks import BENCHMARKS, imported_benchmark


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Return the module, with scores of this test and an empty file of pinned scores."""
    with imported_benchmark("gate") as module:
        monkeypatch.setattr(module, "PINNED", tmp_path / "gate.json")
        yield module


def run(gate: ModuleType, monkeypatch: pytest.MonkeyPatch, f1: float, *options: str) -> int:
    monkeypatch.setattr(gate, "page_scores", lambda *, render: {"a": (f1, 0.9), "b": (f1, 0.8 + 0.1 * render)})
    monkeypatch.setattr("sys.argv", ["gate.py", *options])
    return int(gate.main())


class TestGate:
    def test_pins_means(self, gate: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        assert run(gate, monkeypatch, 0.9, "--write") == 0
        assert json.loads(gate.PINNED.read_text()) == {
            "word F1, unrendered": 0.9,
            "with marks, unrendered": 0.85,
            "word F1, rendered": 0.9,
            "with marks, rendered": 0.9,
        }

    @pytest.mark.parametrize(("f1", "code"), [(0.95, 0), (0.9, 0), (0.896, 0), (0.894, 1)])
    def test_fails_below_the_tolerance(self, gate: ModuleType, monkeypatch, capsys, f1: float, code: int) -> None:
        run(gate, monkeypatch, 0.9, "--write")
        assert run(gate, monkeypatch, f1) == code
        assert ("more than 0.005 below" in capsys.readouterr().err) == bool(code)

    @pytest.mark.browser
    def test_scores_the_fixtures(self, gate: ModuleType) -> None:
        pinned = json.loads((BENCHMARKS / "gate.json").read_text("utf-8"))
        scores = gate.page_scores(render=False)
        assert {"news", "forum", "product"} <= scores.keys()
        mean = sum(f1 for f1, _ in scores.values()) / len(scores)
        assert mean >= pinned["word F1, unrendered"] - gate.TOLERANCE
