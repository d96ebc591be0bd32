from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.labelled import labelled

from vclean.errors import InputError
from vclean.features.block_names import text_hash
from vclean.labelling.export import SUFFIX, LabelledPage, read_gold
from vclean.labelling.store import Status
from vclean.labels import PartKind, Role


class TestLine:
    def test_round_trip(self, tmp_path: Path) -> None:
        parts = [PartKind.TITLE, PartKind.POST, None]
        roles = [Role.TITLE, None, Role.AD]
        page = labelled("hpo", roles=roles, parts=parts, snapshots={"rendered": "ab"}, folder=tmp_path)
        assert LabelledPage.from_line(page.to_line(), tmp_path) == page

    def test_has_documented_fields(self) -> None:
        line = labelled("ho", name="a.html", roles=[Role.TITLE, None], parts=[PartKind.TITLE, None]).to_line()
        facts = json.loads(line)
        assert line.endswith("}\n")
        assert (facts["id"], facts["status"], facts["content"], facts["settings"]) == ("a.html", "done", "c0", "s0")
        assert facts["blocks"][0] == {
            "xpath": "/html[1]/p[0]",
            "text_hash": text_hash("word0"),
            "text": "word0",
            "label": "h",
            "role": "title",
            "part": "title",
            "by_hand": True,
            "version": 0,
        }

    def test_lines_without_parts(self, tmp_path: Path) -> None:
        """Read a line as vclean 0.1 wrote it."""
        page = labelled("hpo", folder=tmp_path)
        facts = json.loads(page.to_line())
        for block in facts["blocks"]:
            del block["part"]
        assert LabelledPage.from_line(json.dumps(facts), tmp_path) == page

    def test_cleaneval_text(self) -> None:
        page = labelled("ohpcl", texts=["Home", "Rain", "It rained.", "Much.", "wet"])
        assert page.cleaneval == "<h>Rain\n<p>It rained. Much.\n<l>wet\n"

    @pytest.mark.parametrize(
        "damage",
        [{"version": 2}, {"status": "half"}, {"blocks": [{"xpath": "/p"}]}, {"hat": 1}, {"blocks": [1]}],
        ids=repr,
    )
    def test_rejects_invalid_line(self, damage: dict[str, object]) -> None:
        facts = json.loads(labelled("h").to_line()) | damage
        with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
            LabelledPage.from_line(json.dumps(facts), Path())


class TestReadGold:
    def test_file_of_several_pages(self, tmp_path: Path) -> None:
        path = tmp_path / "gold.jsonl"
        path.write_text(labelled("h", name="b").to_line() + labelled("p", name="a", status=Status.OPEN).to_line())
        pages = read_gold(path)
        assert [(page.id, page.status, page.folder) for page in pages] == [
            ("b", Status.DONE, tmp_path),
            ("a", Status.OPEN, tmp_path),
        ]

    def test_files_in_subfolders_sorted_by_name(self, tmp_path: Path) -> None:
        """Change logs are not read as gold."""
        for name in ("ben/z", "anna/a"):
            path = tmp_path / f"{name}{SUFFIX}"
            path.parent.mkdir()
            path.write_text(labelled("h", name=name).to_line())
        (tmp_path / "me.jsonl").write_text('{"do":"undo"}\n')
        assert [page.id for page in read_gold(tmp_path)] == ["anna/a", "ben/z"]

    def test_text_with_line_separators(self, tmp_path: Path) -> None:
        path = tmp_path / "gold.jsonl"
        path.write_text(labelled("h", texts=["one\u2028two\x85three"]).to_line(), encoding="utf-8")
        assert read_gold(path)[0].blocks[0].text == "one\u2028two\x85three"

    def test_rejects_missing_gold(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"no gold in .*: label pages first"):
            read_gold(tmp_path)
        with pytest.raises(InputError, match=r"there is no .*: label pages first"):
            read_gold(tmp_path / "gold.jsonl")

    @pytest.mark.parametrize("content", [b"rubbish\n", b"[]\n", b'{"version":1}\n', b"\xff\n", b"\n"])
    def test_rejects_damaged_file(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "gold.jsonl"
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"gold\.jsonl"):
            read_gold(path)
