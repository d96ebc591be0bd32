from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.labelled import labelled

from vclean.errors import InputError
from vclean.labelling.export import LabelledPage, read_gold


class TestLine:
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
