from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers.archives import record, response

from vclean.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser

HTML = """<!DOCTYPE html><html><body style="margin: 0"><div data-block=1 data-block-type=Header
style="height: 100px; background: #cde">Site</div><div data-block=1 data-block-type=Content style="height: 900px">
<h1 style="margin: 0">Rain</h1>
<p>It rained all day in the valley.</p></div></body></html>"""


def test_all_atoms_of_rendered_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The children of the body are the true segments, and of pixels the whole page has P = .1^2 + .9^2.
    archive, snapshots = tmp_path / "marked.warc", tmp_path / "kept"
    archive.write_bytes(record("http://a.example/", response(HTML.encode())))
    options = ["--level", "1", "--method", "page", "--method", "dom@1", "--snapshots", str(snapshots)]
    assert main(["evaluate-segments", str(archive), *options]) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines()[1:]]
    assert {row[1] for row in rows} == {"chars", "nodes", "pixels", "edges-fine", "edges-coarse"}
    assert {tuple(row[4:8]) for row in rows if row[2] == "dom@1"} == {("1.000",) * 4}
    precision = {row[1]: float(row[4]) for row in rows if row[2] == "page"}
    assert precision["pixels"] == pytest.approx(0.82)
    assert all(0 < value < 1 for value in precision.values())
    assert sorted(path.suffix for path in snapshots.iterdir()) == [".npz", ".png"]
