from __future__ import annotations

import io
import zipfile

import pytest

from vclean.classify.model_file import pack
from vclean.files import ZIP_ERRORS


class TestPack:
    def test_equal_members_give_equal_bytes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = pack({"a": b"one"})
        monkeypatch.setattr("time.time", lambda: 2e9)
        assert pack({"a": b"one"}) == before


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
