from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.outcomes import RESULT, SNAPSHOT, done, key, lost

from vclean.errors import InputError, OutputError
from vclean.farm import parts
from vclean.farm.parts import PartWriter, drop_failures, part_paths, read_parts, remove_leftovers
from vclean.farm.rows import SCHEMA
from vclean.render.cache import from_bytes


def write_rows(writer, *outcomes):
    for outcome in outcomes:
        writer.write(outcome.record, outcome.snapshot)


def write(folder, *outcomes, **options):
    """Write outcomes to parts of a folder."""
    with PartWriter(folder, **options) as writer:
        write_rows(writer, *outcomes)


def names(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def ids(folder):
    return [name for path in part_paths(folder) for name in pq.read_table(path)["id"].to_pylist()]


class Full:
    """File that accepts a limited number of bytes, as on a full disk."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._file.close()

    def write(self, data):
        self._room -= len(data)
        if self._room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._file.write(data)


@pytest.fixture
def full_disk(monkeypatch):
    """Return a function that limits every file opened afterwards to a number of bytes."""
    whole = Path.open

    def fill(room):
        monkeypatch.setattr(Path, "open", lambda path, mode="r", **facts: Full(whole(path, mode, **facts), room))

    return fill


class TestWrite:
    def test_rows_can_be_read(self, tmp_path):
        write(tmp_path, done(1), lost(2))
        (path,) = part_paths(tmp_path)
        expected = pa.Table.from_batches([done(1).record, lost(2).record])
        assert pq.read_table(path).equals(expected)

    @pytest.mark.parametrize(("rows", "size"), [(3, parts._PART_BYTES), (99, 3)])
    def test_limits_parts(self, tmp_path, monkeypatch, rows, size):
        """Limit parts by their number of rows, and by their bytes for huge pages."""
        monkeypatch.setattr(parts, "_PART_BYTES", size * (done(1).record.nbytes + len(SNAPSHOT)))
        write(tmp_path, *map(done, range(7)), rows=rows)
        assert sorted(pq.read_metadata(path).num_rows for path in part_paths(tmp_path)) == [1, 3, 3]
        assert not (tmp_path / "snapshots").exists()

    def test_writes_facts_to_metadata(self, tmp_path):
        write(tmp_path, done(1), snapshots=True, facts={"vclean.digest": "abc"})
        for path in tmp_path.rglob("*.parquet"):
            assert pq.read_schema(path).metadata[b"vclean.digest"] == b"abc"
        assert pq.read_schema(part_paths(tmp_path)[0]).metadata[b"vclean.schema"] == b"2"


class TestNames:
    def test_independent_of_order(self, tmp_path):
        for folder, order in (("a", (1, 2, 3)), ("b", (3, 1, 2))):
            write(tmp_path / folder, *map(done, order))
        assert names(tmp_path / "a") == names(tmp_path / "b")
        assert re.fullmatch(r"part-[0-9a-f]{16}\.parquet", *names(tmp_path / "a"))

    def test_equal_pages_of_one_writer_get_own_parts(self, tmp_path):
        """Write three rows for a page that occurs three times, with parts of any size."""
        write(tmp_path, done(1), done(1), done(1), rows=1)
        assert ids(tmp_path) == ["p1"] * 3


class TestSnapshots:
    def test_contain_columns_that_identify_the_page(self, tmp_path):
        write(tmp_path, lost(1), done(2), snapshots=True)
        (path,) = (tmp_path / "snapshots").iterdir()
        (row,) = pq.read_table(path).to_pylist()
        assert list(row) == ["id", "url", "source", "key", "read_key", "snapshot"]
        assert (row["id"], row["key"], row["snapshot"]) == ("p2", key(2), SNAPSHOT)
        assert row["read_key"] == done(2).record.column("read_key")[0].as_py()
        assert from_bytes(row["snapshot"]).texts == RESULT.columns.snapshot.texts

    def test_can_be_read_individually(self, tmp_path):
        write(tmp_path, *map(done, range(20)), snapshots=True)
        (path,) = (tmp_path / "snapshots").iterdir()
        assert pq.read_metadata(path).num_row_groups == 3


class TestFailure:
    @pytest.mark.parametrize("room", [0, 3, 1_000, 5_000, 8_000])
    def test_full_disk_discards_unfinished_part(self, tmp_path, full_disk, room):
        """Keep committed parts, delete the unfinished part, and name a remedy in the error."""
        write(tmp_path, done(1), done(2), rows=2)
        before = names(tmp_path)
        full_disk(room)
        with (
            pytest.raises(OutputError, match="the disk is full"),
            PartWriter(tmp_path, rows=20, snapshots=True) as writer,
        ):
            write_rows(writer, *map(done, range(3, 9)))
        assert names(tmp_path) == before

    @pytest.mark.parametrize("room", [10, None])
    def test_writes_next_part_after_failure(self, tmp_path, full_disk, monkeypatch, room):
        """Discard the rows if writing fails, and if renaming fails."""
        writer = PartWriter(tmp_path)

        def refuse(*_):
            raise OSError(errno.EDQUOT, "Disk quota exceeded")

        if room is None:
            monkeypatch.setattr(Path, "replace", refuse)
        else:
            full_disk(room)
        write_rows(writer, done(1))
        with pytest.raises(OutputError, match="quota is used up" if room is None else "the disk is full"):
            writer.commit()
        assert names(tmp_path) == []
        monkeypatch.undo()
        write_rows(writer, done(2))
        writer.commit()
        assert ids(tmp_path) == ["p2"]

    def test_flushes_before_rename_and_snapshots_before_rows(self, tmp_path, monkeypatch):
        synced = []
        fsync = os.fsync
        monkeypatch.setattr(
            os, "fsync", lambda number: (synced.append(Path(f"/proc/self/fd/{number}").readlink().name), fsync(number))
        )
        write(tmp_path, done(1), snapshots=True)
        assert [re.match(r"\.?[a-z]+", name)[0] for name in synced] == [".vclean", "snapshots", ".vclean", "parts"]


class TestReadParts:
    def test_reads_columns_in_batches(self, tmp_path):
        write(tmp_path, *map(done, range(5)))
        batches = list(read_parts(part_paths(tmp_path), ["id", "key"], 2))
        assert [batch.num_rows for batch in batches] == [2, 2, 1]
        assert batches[0].schema.names == ["id", "key"]

    @pytest.mark.parametrize("content", [None, b"", b"no Parquet", b"PAR1" * 9])
    def test_rejects_missing_or_damaged_part(self, tmp_path, content):
        path = tmp_path / "part-0.parquet"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(InputError, match="is damaged"):
            list(read_parts([path], ["id"], 2))


class TestRemoveLeftovers:
    def test_deletes_only_leftovers(self, tmp_path):
        """Delete temporary files, and snapshots without a part."""
        write(tmp_path, done(1), snapshots=True)
        before = names(tmp_path)
        for name in (
            ".vclean-0.tmp",
            "parts/.vclean-1.tmp",
            "snapshots/.vclean-2.tmp",
            "snapshots/snapshots-0.parquet",
        ):
            (tmp_path / name).touch()
        assert len(names(tmp_path)) == len(before) + 4
        remove_leftovers(tmp_path)
        assert names(tmp_path) == before


def test_schema_matches_documentation() -> None:
    document = Path(__file__).parents[3] / "docs" / "reference" / "farm-output.md"
    text = document.read_text(encoding="utf-8")
    assert all(f"| `{name}`" in text for name in SCHEMA.names)


class TestDropFailures:
    @pytest.fixture
    def mixed(self, tmp_path):
        """Write four parts of two rows: two results, a result and a failure twice, two failures."""
        pages = [lost(number) if number in (3, 4, 6, 7) else done(number) for number in range(8)]
        write(tmp_path, *pages, rows=2, snapshots=True, facts={"vclean.digest": "d"})
        return tmp_path

    def test_rewrites_only_parts_with_failures(self, mixed):
        """Keep the other rows, the metadata, and all snapshots."""
        before = {path.name: path.stat().st_ino for path in part_paths(mixed)}
        drop_failures(mixed)
        assert sorted(ids(mixed)) == ["p0", "p1", "p2", "p5"]
        assert len(part_paths(mixed)) == 3
        unchanged = []
        for path in part_paths(mixed):
            table = pq.read_table(path)
            assert table.schema.metadata[b"vclean.digest"] == b"d"
            assert table["text"].to_pylist() == [RESULT.to_text()] * table.num_rows
            if path.stat().st_ino == before[path.name]:
                unchanged.append(table["id"].to_pylist())
        assert unchanged == [["p0", "p1"]]
        files = names(mixed)
        remove_leftovers(mixed)
        assert names(mixed) == files
        assert len(list((mixed / "snapshots").iterdir())) == 3

    def test_full_disk_loses_nothing(self, mixed, full_disk):
        before = sorted(ids(mixed)), names(mixed)
        full_disk(100)
        with pytest.raises(OutputError, match="the disk is full"):
            drop_failures(mixed)
        left = sorted(ids(mixed)), [name for name in names(mixed) if not name.startswith(".")]
        assert set(before[0]) - set(left[0]) <= {"p6", "p7"}
        assert set(left[1]) <= set(before[1])
