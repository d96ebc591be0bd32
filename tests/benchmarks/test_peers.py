"""Check the peers of the suite that run vclean step by step: they use private names, which must exist."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from helpers.synthetic import gold_page

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.skipif(sys.platform != "linux", reason="CPU clocks of other processes require Linux")
def test_stages_of_a_rendered_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    peer_processes, farm = importlib.import_module("peer_processes"), importlib.import_module("farm")
    count = peer_processes.WARM_UP + 1
    farm.write_pages([gold_page(number).to_page() for number in range(count)], tmp_path / "pages.parquet")
    (peer,) = peer_processes.run_peers(["stages, rendered"], tmp_path / "pages.parquet", range(count))
    assert peer.failed == 0
    (cost,) = peer.costs.values()
    assert list(cost.cpu) == ["deliver", "layout", "walk", "decode", "extract", "features", "predict", "write"]
    assert cost.seconds("deliver", kinds=["renderer"]) > cost.seconds("predict", kinds=["renderer"]) == 0
