from __future__ import annotations

import os
from pathlib import Path

import pytest

from vclean.errors import InputError, OutputError
from vclean.labelling.store import ChangeLog


def entries(path: Path) -> list[dict[str, object]]:
    with ChangeLog(path) as change_log:
        return change_log.entries


class TestChangeLog:
    def test_entries_persist(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        with ChangeLog(path) as change_log:
            change_log.append({"page": "a", "do": "set"})
            change_log.append({"page": "ä", "do": "undo"})
        assert entries(path) == [{"page": "a", "do": "set"}, {"page": "ä", "do": "undo"}]

    def test_append_flushes_to_disk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        synced: list[bytes] = []
        path = tmp_path / "me.jsonl"
        monkeypatch.setattr(os, "fsync", lambda _: synced.append(path.read_bytes()))
        with ChangeLog(path) as change_log:
            change_log.append({"do": "set"})
            assert synced == [b'{"do":"set"}\n']

    def test_appends_to_existing_entries(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        for number in range(3):
            with ChangeLog(path) as change_log:
                change_log.append({"number": number})
        assert entries(path) == [{"number": 0}, {"number": 1}, {"number": 2}]

    @pytest.mark.parametrize("torn", [b'{"do":', b'{"do":"set"}', b"\xff", b'"'])
    def test_drops_incomplete_last_line_with_warning(
        self, tmp_path: Path, torn: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Drop a line without its end, even if it is valid: it may be half of one."""
        path = tmp_path / "me.jsonl"
        path.write_bytes(b'{"number":1}\n' + torn)
        assert entries(path) == [{"number": 1}]
        assert "dropped" in caplog.text
        assert path.read_bytes() == b'{"number":1}\n'

    def test_appends_after_incomplete_line(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        path.write_bytes(b'{"number":1}\n{"num')
        with ChangeLog(path) as change_log:
            change_log.append({"number": 2})
        assert entries(path) == [{"number": 1}, {"number": 2}]

    @pytest.mark.parametrize("damage", [b"rubbish", b"[1]", b"\xff\xfe", b""])
    def test_reports_number_of_damaged_line(self, tmp_path: Path, damage: bytes) -> None:
        path = tmp_path / "me.jsonl"
        path.write_bytes(b'{"number":1}\n' + damage + b'\n{"number":2}\n')
        with pytest.raises(InputError, match=r"me\.jsonl, line 2, is damaged"):
            entries(path)

    def test_full_disk_does_not_change_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "me.jsonl"

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        with ChangeLog(path) as change_log:
            change_log.append({"number": 1})
            monkeypatch.setattr(os, "fsync", full)
            with pytest.raises(OutputError, match="the disk is full"):
                change_log.append({"number": 2})
            monkeypatch.undo()
            change_log.append({"number": 3})
        assert entries(path) == [{"number": 1}, {"number": 3}]

    def test_partial_write_is_reverted(self, tmp_path: Path) -> None:
        """Revert part of a line, which a nearly full disk may write and only the returned count shows."""
        path = tmp_path / "me.jsonl"
        with ChangeLog(path) as change_log:
            change_log.append({"number": 1})
            real = change_log._file

            class Short:
                def __getattr__(self, name: str) -> object:
                    return getattr(real, name)

                def write(self, line: bytes) -> int:
                    return real.write(line[:5])

            change_log._file = Short()  # type: ignore[assignment]
            with pytest.raises(OutputError, match="the disk is full"):
                change_log.append({"number": 2})
            change_log._file = real
        assert entries(path) == [{"number": 1}]

    def test_missing_folder(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="folder does not exist"):
            entries(tmp_path / "no" / "me.jsonl")

    def test_strings_with_line_separators(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        with ChangeLog(path) as change_log:
            change_log.append({"page": "a\u2028b\x85c\x1cd"})
        assert entries(path) == [{"page": "a\u2028b\x85c\x1cd"}]
