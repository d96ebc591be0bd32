from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from vclean.classify.model_file import pack, read, read_shipped
from vclean.errors import ModelError
from vclean.files import ZIP_ERRORS


class TestPack:
    def test_equal_members_give_equal_bytes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = pack({"a": b"one"})
        monkeypatch.setattr("time.time", lambda: 2e9)
        assert pack({"a": b"one"}) == before


class TestRead:
    def test_reads_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "m").write_bytes(b"model")
        assert read(tmp_path / "m") == b"model"

    def test_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match=r"cannot read the model .*: No such file"):
            read(tmp_path / "m")


class TestReadShipped:
    def test_incomplete_package(self) -> None:
        with pytest.raises(ModelError, match=r"none\.vclean is not in the installed package: install vclean again"):
            read_shipped("none.vclean")


def test_read_errors_cover_all_damage() -> None:
    data, refused = pack({"a": b"one" * 100}), 0
    for at in range(len(data)):
        broken = bytearray(data)
        broken[at] ^= 0xFF
        try:
            with zipfile.ZipFile(io.BytesIO(bytes(broken))) as archive:
                archive.read("a")
        except ZIP_ERRORS:
            refused += 1
    assert len(data) / 3 < refused < len(data), "some bytes, such as the date of a member, do not matter"
