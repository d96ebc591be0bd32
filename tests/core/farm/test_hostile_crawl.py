"""Crawl pages that try to reach this machine: each has its row, no server is reached, nothing is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers.attacks import ACTIVE, PASSIVE, listening
from helpers.farming import html, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from helpers.farming import Farm

pytestmark = [pytest.mark.slow, pytest.mark.browser]

FILLING = """<script>const u = URL.createObjectURL(new Blob([new Uint8Array(1e8)])); let i = 0;
setInterval(() => { const a = document.createElement("a"); a.href = u; a.download = i++; a.click() }, 20);
navigator.storage.getDirectory().then(async (d) => { for (;;) {
  const w = await (await d.getFileHandle("f" + i++, { create: true })).createWritable();
  await w.write(new Uint8Array(1e7)); await w.close() } })</script>"""


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """Set the folder for temporary files of the run."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_hostile_crawl(scripts: bool, farm: Farm, temporary: Path) -> None:
    with listening() as listener:
        attacks = [*listener.pages(PASSIVE, size=22), *listener.pages(ACTIVE, size=13)]
        pages = {f"attack{number}": html("attack") + page for number, page in enumerate(attacks)}
        pages["filling"] = html("filling") + FILLING
        crawl = farm.crawl(2, **pages, z=html("last"))
        options = ["--js"] if scripts else []
        code, output = farm.run(crawl, "--workers", "2", *options, env={"TMPDIR": str(temporary)})
    assert (code, output) == (0, "")
    assert farm.ids() == sorted(["p000", "p001", *pages, "z"])
    assert [row["id"] for row in farm.rows() if "nobody had expected" not in row["text"]] == []
    assert listener.hits == []
    wait_until(lambda: not farm.left())
    wait_until(lambda: not list(temporary.iterdir()))
