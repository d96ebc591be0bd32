from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


def test_lists_several_pages_in_a_folder(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(f"<h1>Rain</h1><p>It rained.</p><p hidden>Page {name}</p>")
    out = tmp_path / "out"
    assert main([str(tmp_path / "a.html"), str(tmp_path / "b.html"), "--show-hidden", "-o", str(out), "-q"]) == 0
    assert (out / "a.txt").read_text() == "hidden\tdisplay\t-\t/html[1]/body[1]/p[2]\tPage a\n"
    assert (out / "b.txt").read_text().endswith("\tPage b\n")
