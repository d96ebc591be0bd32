from __future__ import annotations

import errno
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.outcomes import RESULT, SNAPSHOT, done, key, lost

from vclean.errors import InputError, OutputError
from vclean.farm import parts
from vclean.farm.parts import SNAPSHOT_SCHEMA, PartWriter, forget_failures, part_paths, read_parts, tidy
from vclean.farm.rows import SCHEMA
from vclean.render.storage.cache import from_bytes


def put(writer, *outcomes):
    for outcome in outcomes:
        writer.put(outcome.record, outcome.snapshot)


def names(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def ids(folder):
    return [name for path in part_paths(folder) for name in pq.read_table(path)["id"].to_pylist()]


class Full:
    """A file that takes so many bytes, as on a disk that is full then."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def __getattr__(self, name):
        return getattr(self._file, name)

    def write(self, data):
        self._room -= len(data)
        if self._room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._file.write(data)


@pytest.fixture
def full_disk(monkeypatch):
    """Gives a function that leaves room for so many bytes in every file that is opened from then on."""
    whole = Path.open

    def fill(room):
        monkeypatch.setattr(Path, "open", lambda path, mode="r", **facts: Full(whole(path, mode, **facts), room))

    return fill


class TestPut:
    def test_rows_come_back(self, tmp_path):
        with PartWriter(tmp_path) as writer:
            put(writer, done(1), lost(2))
        (path,) = part_paths(tmp_path)
        expected = pa.Table.from_batches([done(1).record, lost(2).record])
        assert pq.read_table(path).equals(expected)

    def test_a_part_is_there_when_it_is_full(self, tmp_path):
        writer = PartWriter(tmp_path, rows=2)
        put(writer, *map(done, range(5)))
        assert len(part_paths(tmp_path)) == 2
        writer.commit()
        assert sorted(ids(tmp_path)) == [f"p{number}" for number in range(5)]

    def test_no_pages_no_part(self, tmp_path):
        with PartWriter(tmp_path, snapshots=True):
            pass
        assert names(tmp_path) == []

    def test_pages_are_kept_where_the_run_breaks_off(self, tmp_path):
        writer = PartWriter(tmp_path)
        put(writer, done(1))
        writer.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
        assert ids(tmp_path) == ["p1"]

    def test_few_rows_wait_in_memory(self, tmp_path, monkeypatch):
        """Row groups are of so many rows, or of so many bytes where pages are huge."""
        monkeypatch.setattr(parts, "_GROUP_BYTES", 3 * done(1).record.nbytes)
        with PartWriter(tmp_path) as writer:
            put(writer, *map(done, range(7)))
        metadata = pq.read_metadata(part_paths(tmp_path)[0])
        assert [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)] == [3, 3, 1]

    def test_facts_are_in_the_metadata(self, tmp_path):
        with PartWriter(tmp_path, snapshots=True, facts={"vclean.digest": "abc"}) as writer:
            put(writer, done(1))
        for path in tmp_path.rglob("*.parquet"):
            assert pq.read_schema(path).metadata[b"vclean.digest"] == b"abc"
        assert pq.read_schema(part_paths(tmp_path)[0]).metadata[b"vclean.schema"] == b"1"


class TestNames:
    def test_order_does_not_matter(self, tmp_path):
        for place, order in (("a", (1, 2, 3)), ("b", (3, 1, 2))):
            with PartWriter(tmp_path / place) as writer:
                put(writer, *map(done, order))
        assert names(tmp_path / "a") == names(tmp_path / "b")

    def test_a_task_done_twice_replaces_its_part(self, tmp_path):
        for _ in range(2):
            with PartWriter(tmp_path, mark=b"task 1", snapshots=True) as writer:
                put(writer, done(1), done(2))
        assert ids(tmp_path) == ["p1", "p2"]
        assert len(names(tmp_path)) == 2

    def test_equal_pages_of_other_tasks_are_kept(self, tmp_path):
        for mark in (b"task 1", b"task 2"):
            with PartWriter(tmp_path, mark=mark) as writer:
                put(writer, done(1))
        assert ids(tmp_path) == ["p1", "p1"]

    def test_equal_pages_of_one_writer_are_kept(self, tmp_path):
        """A page that is there three times has three rows, whatever the size of the parts."""
        with PartWriter(tmp_path, rows=1) as writer:
            put(writer, done(1), done(1), done(1))
        assert ids(tmp_path) == ["p1"] * 3


class TestSnapshots:
    def test_stand_beside_their_part(self, tmp_path):
        with PartWriter(tmp_path, rows=2, snapshots=True) as writer:
            put(writer, *map(done, range(4)))
        stems = {path.name.removeprefix("part-") for path in part_paths(tmp_path)}
        assert {path.name.removeprefix("snapshots-") for path in (tmp_path / "snapshots").iterdir()} == stems

    def test_come_back_with_what_tells_the_page(self, tmp_path):
        with PartWriter(tmp_path, snapshots=True) as writer:
            put(writer, lost(1), done(2))
        (path,) = (tmp_path / "snapshots").iterdir()
        (row,) = pq.read_table(path).to_pylist()
        assert list(row) == SNAPSHOT_SCHEMA.names
        assert (row["id"], row["key"], row["snapshot"]) == ("p2", key(2), SNAPSHOT)
        assert row["read_key"] == done(2).record.column("read_key")[0].as_py()
        assert from_bytes(row["snapshot"]).texts == RESULT.columns.snapshot.texts

    def test_one_can_be_read_without_the_others(self, tmp_path):
        with PartWriter(tmp_path, snapshots=True) as writer:
            put(writer, *map(done, range(20)))
        (path,) = (tmp_path / "snapshots").iterdir()
        assert pq.read_metadata(path).num_row_groups == 3

    def test_only_where_they_are_kept(self, tmp_path):
        with PartWriter(tmp_path) as writer:
            put(writer, done(1))
        assert not (tmp_path / "snapshots").exists()

    def test_are_in_place_before_the_part(self, tmp_path, monkeypatch):
        order = []
        put_in_place = parts.put_in_place
        monkeypatch.setattr(
            parts, "put_in_place", lambda aside, target: (order.append(target.parent.name), put_in_place(aside, target))
        )
        with PartWriter(tmp_path, snapshots=True) as writer:
            put(writer, done(1))
        assert order == ["snapshots", "parts"]


class TestFailure:
    @pytest.mark.parametrize("room", [0, 3, 1_000, 5_000])
    def test_full_disk(self, tmp_path, full_disk, room):
        """What was committed stays, nothing of the part in hand is left, and the error says what to do."""
        with PartWriter(tmp_path, rows=2) as writer:
            put(writer, done(1), done(2))
        before = names(tmp_path)
        full_disk(room)
        with (
            pytest.raises(OutputError, match="the disk is full"),
            PartWriter(tmp_path, rows=20, snapshots=True) as writer,
        ):
            put(writer, *map(done, range(3, 9)))
        assert names(tmp_path) == before

    def test_cannot_be_renamed(self, tmp_path, monkeypatch):
        writer = PartWriter(tmp_path)
        put(writer, done(1))

        def refuse(*_):
            raise OSError(errno.EDQUOT, "Disk quota exceeded")

        monkeypatch.setattr(Path, "replace", refuse)
        with pytest.raises(OutputError, match="quota is used up"):
            writer.commit()
        assert names(tmp_path) == []

    def test_goes_on_after_it(self, tmp_path, full_disk, monkeypatch):
        writer = PartWriter(tmp_path)
        full_disk(10)
        put(writer, done(1))
        with pytest.raises(OutputError):
            writer.commit()
        monkeypatch.undo()
        put(writer, done(2))
        writer.commit()
        assert ids(tmp_path) == ["p2"]

    def test_file_in_the_way(self, tmp_path):
        (tmp_path / "parts").touch()
        with pytest.raises(OutputError, match="a folder is wanted"):
            PartWriter(tmp_path)

    def test_parts_are_on_the_disk_before_they_have_their_name(self, tmp_path, monkeypatch):
        synced = []
        fsync = os.fsync
        monkeypatch.setattr(
            os, "fsync", lambda number: (synced.append(Path(f"/proc/self/fd/{number}").readlink().name), fsync(number))
        )
        with PartWriter(tmp_path) as writer:
            put(writer, done(1))
        assert [name[:8] for name in synced] == [".vclean-", "parts"]


class TestReadParts:
    def test_columns_in_pieces(self, tmp_path):
        with PartWriter(tmp_path) as writer:
            put(writer, *map(done, range(5)))
        batches = list(read_parts(part_paths(tmp_path), ["id", "key"], 2))
        assert [batch.num_rows for batch in batches] == [2, 2, 1]
        assert batches[0].schema.names == ["id", "key"]

    @pytest.mark.parametrize("content", [b"", b"no Parquet", b"PAR1" * 9])
    def test_damaged(self, tmp_path, content):
        path = tmp_path / "part-0.parquet"
        path.write_bytes(content)
        with pytest.raises(InputError, match="is damaged"):
            list(read_parts([path], ["id"], 2))

    def test_not_there(self, tmp_path):
        with pytest.raises(InputError, match="is damaged"):
            list(read_parts([tmp_path / "no.parquet"], ["id"], 2))


class TestTidy:
    def test_leftovers_go_and_the_rest_stays(self, tmp_path):
        with PartWriter(tmp_path, snapshots=True) as writer:
            put(writer, done(1))
        before = names(tmp_path)
        killed = PartWriter(tmp_path, snapshots=True)
        put(killed, *map(done, range(100)))
        (tmp_path / ".vclean-0.tmp").touch()
        assert len(names(tmp_path)) == len(before) + 3
        tidy(tmp_path)
        assert names(tmp_path) == before
        killed.discard()

    def test_snapshots_whose_part_never_came_go(self, tmp_path):
        with PartWriter(tmp_path, rows=1, snapshots=True) as writer:
            put(writer, done(1), done(2))
        part_paths(tmp_path)[0].unlink()
        tidy(tmp_path)
        assert len(names(tmp_path)) == 2

    def test_empty_folder(self, tmp_path):
        tidy(tmp_path)
        assert names(tmp_path) == []


def test_schema_has_the_columns_of_the_document() -> None:
    document = Path(__file__).parents[3] / "docs" / "reference" / "farm-output.md"
    text = document.read_text(encoding="utf-8")
    assert all(f"| `{name}`" in text for name in SCHEMA.names)


class TestForgetFailures:
    @pytest.fixture
    def mixed(self, tmp_path):
        """Four parts of two rows: two pages that were cleaned, one and one that failed, two that failed."""
        with PartWriter(tmp_path, rows=2, snapshots=True, facts={"vclean.digest": "d"}) as writer:
            put(writer, done(0), done(1), done(2), lost(3), lost(4), done(5), lost(6), lost(7))
        return tmp_path

    def test_the_others_stay(self, mixed):
        before = {path.name for path in part_paths(mixed)}
        forget_failures(mixed)
        assert sorted(ids(mixed)) == ["p0", "p1", "p2", "p5"]
        assert {path.name for path in part_paths(mixed)} < before
        assert len(part_paths(mixed)) == 3

    def test_rows_and_metadata_are_as_they_were(self, mixed):
        forget_failures(mixed)
        for path in part_paths(mixed):
            table = pq.read_table(path)
            assert table.schema.metadata[b"vclean.digest"] == b"d"
            assert table["text"].to_pylist() == [RESULT.to_text()] * table.num_rows

    def test_parts_without_any_are_not_touched(self, mixed):
        before = {path.name: path.stat().st_ino for path in part_paths(mixed)}
        forget_failures(mixed)
        same = [path for path in part_paths(mixed) if path.stat().st_ino == before[path.name]]
        assert [pq.read_table(path)["status"].to_pylist() for path in same] == [["ok", "ok"]]

    def test_snapshots_stay_with_their_part(self, mixed):
        forget_failures(mixed)
        before = names(mixed)
        tidy(mixed)
        assert names(mixed) == before
        assert len(list((mixed / "snapshots").iterdir())) == 3

    def test_nothing_is_lost_on_a_full_disk(self, mixed, full_disk):
        before = sorted(ids(mixed)), names(mixed)
        full_disk(100)
        with pytest.raises(OutputError, match="the disk is full"):
            forget_failures(mixed)
        left = sorted(ids(mixed)), [name for name in names(mixed) if not name.startswith(".")]
        assert set(before[0]) - set(left[0]) <= {"p6", "p7"}
        assert set(left[1]) <= set(before[1])

    def test_damaged_part(self, mixed):
        part_paths(mixed)[0].write_bytes(b"PAR1")
        with pytest.raises(InputError, match="damaged"):
            forget_failures(mixed)

    def test_no_parts(self, tmp_path):
        forget_failures(tmp_path)
        assert names(tmp_path) == []
