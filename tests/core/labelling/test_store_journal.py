from __future__ import annotations

import os
from pathlib import Path

import pytest

from vclean.errors import InputError, OutputError
from vclean.labelling.store import Journal


def entries(path: Path) -> list[dict[str, object]]:
    with Journal(path) as journal:
        return journal.entries


class TestJournal:
    def test_what_was_added_is_there_the_next_time(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        with Journal(path) as journal:
            journal.append({"page": "a", "do": "set"})
            journal.append({"page": "ä", "do": "undo"})
        assert entries(path) == [{"page": "a", "do": "set"}, {"page": "ä", "do": "undo"}]

    def test_it_is_on_the_disk_when_append_returns(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        synced: list[bytes] = []
        path = tmp_path / "me.jsonl"
        monkeypatch.setattr(os, "fsync", lambda _: synced.append(path.read_bytes()))
        with Journal(path) as journal:
            journal.append({"do": "set"})
            assert synced == [b'{"do":"set"}\n']

    def test_new_entries_follow_old_ones(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        for number in range(3):
            with Journal(path) as journal:
                journal.append({"number": number})
        assert entries(path) == [{"number": 0}, {"number": 1}, {"number": 2}]

    @pytest.mark.parametrize("torn", [b'{"do":', b'{"do":"set"}', b"\xff", b'"'])
    def test_a_torn_last_line_is_dropped_and_said(
        self, tmp_path: Path, torn: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Only its line end makes a line: what has none may be half of one, even where it looks whole."""
        path = tmp_path / "me.jsonl"
        path.write_bytes(b'{"number":1}\n' + torn)
        assert entries(path) == [{"number": 1}]
        assert "dropped" in caplog.text
        assert path.read_bytes() == b'{"number":1}\n'

    def test_after_a_torn_line_the_file_goes_on(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        path.write_bytes(b'{"number":1}\n{"num')
        with Journal(path) as journal:
            journal.append({"number": 2})
        assert entries(path) == [{"number": 1}, {"number": 2}]

    @pytest.mark.parametrize("damage", [b"rubbish", b"[1]", b"\xff\xfe", b""])
    def test_damage_before_the_end_names_the_line(self, tmp_path: Path, damage: bytes) -> None:
        path = tmp_path / "me.jsonl"
        path.write_bytes(b'{"number":1}\n' + damage + b'\n{"number":2}\n')
        with pytest.raises(InputError, match=r"me\.jsonl, line 2, is damaged"):
            entries(path)

    def test_a_full_disk_leaves_the_file_as_it_was(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "me.jsonl"

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        with Journal(path) as journal:
            journal.append({"number": 1})
            monkeypatch.setattr(os, "fsync", full)
            with pytest.raises(OutputError, match="the disk is full"):
                journal.append({"number": 2})
            monkeypatch.undo()
            journal.append({"number": 3})
        assert entries(path) == [{"number": 1}, {"number": 3}]

    def test_half_a_write_is_none(self, tmp_path: Path) -> None:
        """A disk that is nearly full takes a part of a line, and says so by the count alone."""
        path = tmp_path / "me.jsonl"
        with Journal(path) as journal:
            journal.append({"number": 1})
            real = journal._file

            class Short:
                def __getattr__(self, name: str) -> object:
                    return getattr(real, name)

                def write(self, line: bytes) -> int:
                    return real.write(line[:5])

            journal._file = Short()  # type: ignore[assignment]
            with pytest.raises(OutputError, match="the disk is full"):
                journal.append({"number": 2})
            journal._file = real
        assert entries(path) == [{"number": 1}]

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="folder does not exist"):
            entries(tmp_path / "no" / "me.jsonl")

    def test_line_separators_inside_strings_part_no_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        with Journal(path) as journal:
            journal.append({"page": "a\u2028b\x85c\x1cd"})
        assert entries(path) == [{"page": "a\u2028b\x85c\x1cd"}]
