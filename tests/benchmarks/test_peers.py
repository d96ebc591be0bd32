"""The peers of the suite that take vclean's steps one by one reach into it: each step has to be there."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from helpers.synthetic import gold_page

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.skipif(sys.platform != "linux", reason="the clocks of other processes are the kernel's")
def test_stages_of_a_rendered_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    contest, farm = importlib.import_module("contest"), importlib.import_module("farm")
    count = contest.WARM_UP + 1
    farm.write_pages([gold_page(number).page() for number in range(count)], tmp_path / "pages.parquet")
    (peer,) = contest.compete(["stages, rendered"], tmp_path / "pages.parquet", range(count))
    assert peer.failed == 0
    (cost,) = peer.costs.values()
    assert list(cost.cpu) == ["deliver", "layout", "walk", "decode", "cut", "features", "predict", "write"]
    assert cost.seconds("deliver", kinds=["renderer"]) > cost.seconds("predict", kinds=["renderer"]) == 0
