from __future__ import annotations

import pickle
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vclean.errors import BrowserError, BrowserMissingError, InputError, OutputError
from vclean.farm.inputs import Inputs
from vclean.farm.parts import PartWriter, part_paths
from vclean.farm.ray import stages
from vclean.farm.ray.stages import Chunk, Cleaning, Fence, Written, chunks, packed, units, unpacked, write
from vclean.farm.rows import failed
from vclean.farm.settings import RunSettings, settings_digest
from vclean.farm.stats import Stats
from vclean.farm.tasks import Task, TaskOutcome, key_of
from vclean.page import Page
from vclean.settings import CleanerSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

UNRENDERED = CleanerSettings(render=False)


@pytest.fixture
def fence(tmp_path: Path) -> Fence:
    path = tmp_path / "fence"
    path.write_text("mine", encoding="ascii")
    return Fence(path, "mine")


def crawl(folder: Path, pages: dict[str, str], *, group: int = 1000) -> Path:
    path = folder / "crawl.parquet"
    table = pa.table({"id": list(pages), "html": list(pages.values())})
    pq.write_table(table, path, row_group_size=group)
    return path


def many(count: int) -> dict[str, str]:
    return {f"p{number}": f"<p>Page {number}." for number in range(count)}


def read(path: Path, fence: Fence, *, size: int = 4, claims: Any = None) -> list[Chunk]:
    """The chunks of all units of a file."""
    inputs = Inputs([str(path)], UNRENDERED)
    options = {
        "reader": inputs.reader,
        "digest": settings_digest(UNRENDERED),
        "fence": fence,
        "claims": claims,
        "size": size,
    }
    found = [table for unit in units(packed(0), inputs) for table in chunks(unit, **options)]
    return [cast("Chunk", unpacked(table)) for table in found]


def ids(chunk: Chunk) -> list[str]:
    return [pickle.loads(page)[0].page.id for page in chunk.pages]


def outcome(name: str, *, error: Exception | None = None) -> TaskOutcome:
    page = Page(id=name)
    return failed(Task(page, "source", key_of(page, name)), error or InputError("no"))


def cleaned(place: tuple[int, int], names: Sequence[str], **counts: int) -> Chunk:
    return Chunk(place, [pickle.dumps(outcome(name)) for name in names], Stats(**counts))


def joined(*parts: Chunk) -> pa.Table:
    return pa.concat_tables(map(packed, parts))


class TestPacked:
    def test_any_bytes_survive(self) -> None:
        assert unpacked(packed(b"\0a\0\0")) == b"\0a\0\0"

    def test_a_table_of_one_row(self) -> None:
        assert packed(list(range(1000))).num_rows == 1


class TestFence:
    def test_this_run(self, fence: Fence) -> None:
        fence.check()

    def test_a_later_run(self, fence: Fence) -> None:
        fence.path.write_text("another", encoding="ascii")
        with pytest.raises(OutputError, match="another run has taken over"):
            fence.check()

    def test_a_folder_that_is_not_shared(self, fence: Fence) -> None:
        fence.path.unlink()
        with pytest.raises(OutputError, match="a folder that all nodes share"):
            fence.check()


class TestUnits:
    def test_they_are_numbered_and_large_files_are_divided(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(stages, "_UNIT_ROWS", 20)
        inputs = Inputs([str(crawl(tmp_path, many(50), group=10))], UNRENDERED)
        found = [cast("tuple[int, Any]", unpacked(table)) for table in units(packed(0), inputs)]
        assert [number for number, _ in found] == [0, 1, 2]
        assert [item.id for _, unit in found for item in inputs.reader.items(unit)] == list(many(50))

    def test_the_inputs_can_be_sent_away(self, tmp_path: Path) -> None:
        inputs = pickle.loads(pickle.dumps(Inputs([str(crawl(tmp_path, many(1)))], UNRENDERED)))
        assert len(list(units(packed(0), inputs))) == 1


class TestChunks:
    def test_pages_in_their_order_so_many_at_a_time(self, tmp_path: Path, fence: Fence) -> None:
        found = read(crawl(tmp_path, many(10)), fence)
        assert [chunk.place for chunk in found] == [(0, 0), (0, 1), (0, 2)]
        assert [len(chunk.pages) for chunk in found] == [4, 4, 2]
        assert [name for chunk in found for name in ids(chunk)] == list(many(10))

    def test_large_pages_fill_a_chunk_sooner(self, tmp_path: Path, fence: Fence) -> None:
        large = "<p>" + "x" * (stages._CHUNK_BYTES // 2)
        found = read(crawl(tmp_path, {"a": large, "b": large, "c": "<p>c"}), fence)
        assert [ids(chunk) for chunk in found] == [["a", "b"], ["c"]]

    def test_twice_the_same(self, tmp_path: Path, fence: Fence) -> None:
        """A reader that is done again has to give the same pages in the same chunks."""
        path = crawl(tmp_path, many(10))
        first, second = read(path, fence), read(path, fence)
        assert [(chunk.place, ids(chunk)) for chunk in first] == [(chunk.place, ids(chunk)) for chunk in second]

    def test_what_cannot_be_read_is_a_page_too(self, tmp_path: Path, fence: Fence) -> None:
        [chunk] = read(tmp_path / "missing.warc.gz", fence)
        [(task, failure)] = map(pickle.loads, chunk.pages)
        assert (task.page.id, failure.error) == (str(tmp_path / "missing.warc.gz"), "InputError")

    def test_what_is_done_is_left_out_and_counted(self, tmp_path: Path, fence: Fence) -> None:
        found = read(crawl(tmp_path, many(10)), fence, claims=Done({"p0", "p5", "p6"}))
        assert [ids(chunk) for chunk in found] == [["p1", "p2", "p3"], ["p4", "p7"], ["p8", "p9"]]
        assert sum(chunk.stats.skipped for chunk in found) == 3

    def test_a_unit_that_is_done_is_counted_in_one_empty_chunk(self, tmp_path: Path, fence: Fence) -> None:
        [chunk] = read(crawl(tmp_path, many(10)), fence, claims=Done(many(10)))
        assert (chunk.pages, chunk.stats.skipped) == ([], 10)

    def test_not_for_a_run_that_is_over(self, tmp_path: Path, fence: Fence) -> None:
        with pytest.raises(OutputError):
            read(crawl(tmp_path, many(1)), Fence(fence.path, "yours"))


class Done:
    """What stands for the claims."""

    def __init__(self, names: Any) -> None:
        self._names = set(names)

    def take(self, _unit: int, _batch: int, pages: Sequence[tuple[bytes, str]]) -> bytes:
        return bytes(name in self._names for _, name in pages)


class Worker:
    """What stands for a worker process: it answers with `answers` in turn, and then with the last of them."""

    def __init__(self, *answers: TaskOutcome | Exception) -> None:
        self.answers = list(answers)
        self.tasks: list[Task] = []
        self.closed = False

    async def close(self) -> None:
        self.closed = True

    async def run(self, task: Task) -> TaskOutcome:
        self.tasks.append(task)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def cleaning(worker: Worker, monkeypatch: pytest.MonkeyPatch, **run: int) -> Cleaning:
    monkeypatch.setattr(stages, "WorkerProcess", lambda *_: worker)
    return Cleaning(UNRENDERED, RunSettings(**run))


def to_clean(count: int) -> pa.Table:
    pages = [(Task(Page(id=f"p{number}"), "source", b"k" * 16), None) for number in range(count)]
    return packed(Chunk((0, 0), [pickle.dumps(page) for page in pages]))


class TestCleaning:
    def test_a_chunk_stays_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        worker = Worker(outcome("any"))
        chunk = cast("Chunk", unpacked(cleaning(worker, monkeypatch)(to_clean(3))))
        assert chunk.place == (0, 0)
        assert [pickle.loads(page).error for page in chunk.pages] == ["InputError"] * 3
        assert [task.page.id for task in worker.tasks] == ["p0", "p1", "p2"]

    def test_what_could_not_be_read_needs_no_worker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        worker = Worker(outcome("any"))
        task = Task(Page(id="a"), "source", b"k" * 16)
        table = packed(Chunk((0, 0), [pickle.dumps((task, outcome("a")))]))
        chunk = cast("Chunk", unpacked(cleaning(worker, monkeypatch)(table)))
        assert len(chunk.pages) == 1
        assert worker.tasks == []

    def test_the_worker_ends_with_the_actor(self, monkeypatch: pytest.MonkeyPatch) -> None:
        worker = Worker(outcome("any"))
        cleaning(worker, monkeypatch)(to_clean(1))
        assert worker.closed

    def test_a_crash_is_tried_again_and_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        worker = Worker(outcome("a", error=BrowserError("crashed")), outcome("a"))
        chunk = cast("Chunk", unpacked(cleaning(worker, monkeypatch)(to_clean(1))))
        assert [task.attempt for task in worker.tasks] == [1, 2]
        assert (chunk.stats.retried, chunk.stats.restarts["browser"]) == (1, 1)

    def test_a_machine_on_which_every_page_crashes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The run ends, also where the crashes are in several chunks."""
        clean = cleaning(Worker(outcome("a", error=BrowserError("crashed"))), monkeypatch, retries=0)
        clean(to_clean(15))
        with pytest.raises(BrowserError, match="20 pages in a row were lost"):
            clean(to_clean(15))

    def test_what_keeps_every_page_from_being_cleaned_ends_the_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(BrowserMissingError):
            cleaning(Worker(BrowserMissingError("none")), monkeypatch)(to_clean(1))


class TestWrite:
    def test_one_part_and_the_light_rows(self, tmp_path: Path, fence: Fence) -> None:
        table = joined(cleaned((0, 0), "ab", skipped=3), cleaned((4, 1), "c", retried=1))
        written = cast("Written", unpacked(write(table, partial(PartWriter, tmp_path / "out"), fence)))
        [part] = part_paths(tmp_path / "out")
        assert pq.read_table(part)["id"].to_pylist() == ["a", "b", "c"]
        assert [line["id"] for line in written.lines] == ["a", "b", "c"]
        assert "text" not in written.lines[0]
        counts = written.stats
        assert (counts.skipped, counts.retried, counts.failed) == (3, 1, {"InputError": 3})

    def test_twice_is_once(self, tmp_path: Path, fence: Fence) -> None:
        """Ray writes again what was on a node that it lost."""
        for _ in range(2):
            write(joined(cleaned((0, 0), "ab")), partial(PartWriter, tmp_path / "out"), fence)
        assert len(part_paths(tmp_path / "out")) == 1

    def test_equal_pages_from_two_places_are_both_kept(self, tmp_path: Path, fence: Fence) -> None:
        for place in ((0, 0), (1, 0)):
            write(joined(cleaned(place, "a")), partial(PartWriter, tmp_path / "out"), fence)
        assert len(part_paths(tmp_path / "out")) == 2

    def test_equal_pages_in_two_runs_are_both_kept(self, tmp_path: Path, fence: Fence) -> None:
        write(joined(cleaned((0, 0), "a")), partial(PartWriter, tmp_path / "out"), fence)
        fence.path.write_text("next", encoding="ascii")
        write(joined(cleaned((0, 0), "a")), partial(PartWriter, tmp_path / "out"), Fence(fence.path, "next"))
        assert len(part_paths(tmp_path / "out")) == 2

    def test_nothing_is_written_for_a_run_that_is_over(self, tmp_path: Path, fence: Fence) -> None:
        writer = partial(PartWriter, tmp_path / "out")
        with pytest.raises(OutputError, match="another run"):
            write(joined(cleaned((0, 0), "a")), writer, Fence(fence.path, "yours"))
        assert list((tmp_path / "out" / "parts").iterdir()) == []

    def test_an_empty_chunk_is_no_part(self, tmp_path: Path, fence: Fence) -> None:
        writer = partial(PartWriter, tmp_path / "out")
        written = cast("Written", unpacked(write(joined(cleaned((0, -1), "", skipped=7)), writer, fence)))
        assert (written.lines, written.stats.skipped) == ([], 7)
        assert part_paths(tmp_path / "out") == []
