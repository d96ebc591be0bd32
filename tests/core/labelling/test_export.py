from __future__ import annotations

from pathlib import Path

import pytest
from helpers.labelled import H, page

from vclean.errors import InputError, OutputError
from vclean.labelling.export import GoldWriter, export, read_gold
from vclean.labelling.store import PageAnnotations, Status


def put(project: Path, name: str, *, annotator: str = "me", status: Status = Status.DONE, key: str = "00" * 16) -> None:
    annotations = PageAnnotations(status=status)
    made = page(name, snapshots={"rendered": key})
    annotations.set({made.names[0]: H})
    GoldWriter(project, annotator).write(made, annotations)
    (project / "snapshots").mkdir(exist_ok=True)
    (project / "snapshots" / f"{key}.npz").write_bytes(key.encode())


class TestWrite:
    def test_ids_that_are_no_file_names(self, tmp_path: Path) -> None:
        """Write a file for each page, even if their ids are similar."""
        for name in ("https://a.example/?q=1", "https://a.example/?q:1", "../../etc/passwd", "x" * 400, "ä" * 300):
            put(tmp_path, name)
        files = list((tmp_path / "gold" / "me").iterdir())
        assert len(files) == 10
        assert {each.id for each in read_gold(tmp_path / "gold")} >= {"../../etc/passwd", "x" * 400}


class TestExport:
    def test_missing_project(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="label pages first"):
            export(tmp_path, tmp_path / "out")

    def test_missing_snapshot(self, tmp_path: Path) -> None:
        put(tmp_path, "a.html")
        (tmp_path / "snapshots" / f"{'00' * 16}.npz").unlink()
        with pytest.raises(OutputError, match="cannot write"):
            export(tmp_path, tmp_path / "out")
