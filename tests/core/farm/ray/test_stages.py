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
from vclean.farm.ray.stages import (
    Chunk,
    ChunkCleaner,
    Claims,
    FencingToken,
    PartReport,
    from_table,
    list_units,
    read_chunks,
    to_table,
    write_part,
)
from vclean.farm.rows import failed_outcome
from vclean.farm.stats import Stats
from vclean.farm.tasks import RunSettings, Task, TaskOutcome, page_key, settings_digest
from vclean.page import Page
from vclean.settings import CleanerSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

UNRENDERED = CleanerSettings(render=False)


@pytest.fixture
def fencing_token(tmp_path: Path) -> FencingToken:
    path = tmp_path / "token"
    path.write_text("mine", encoding="ascii")
    return FencingToken(path, "mine")


def crawl(folder: Path, pages: dict[str, str], *, group: int = 1000) -> Path:
    path = folder / "crawl.parquet"
    table = pa.table({"id": list(pages), "html": list(pages.values())})
    pq.write_table(table, path, row_group_size=group)
    return path


def many(count: int) -> dict[str, str]:
    return {f"p{number}": f"<p>Page {number}." for number in range(count)}


def read(path: Path, fencing_token: FencingToken, *, size: int = 4, claims: Any = None) -> list[Chunk]:
    """Return the chunks of all units of a file."""
    inputs = Inputs([str(path)], UNRENDERED)
    options = {
        "reader": inputs.reader,
        "digest": settings_digest(UNRENDERED),
        "fencing_token": fencing_token,
        "claim": claims and claims.claim,
        "size": size,
    }
    chunks = [table for unit in list_units(to_table(0), inputs) for table in read_chunks(unit, **options)]
    return [cast("Chunk", from_table(table)) for table in chunks]


def ids(chunk: Chunk) -> list[str]:
    return [pickle.loads(page)[0].page.id for page in chunk.pages]


def outcome(name: str, *, error: Exception | None = None) -> TaskOutcome:
    page = Page(id=name)
    return failed_outcome(Task(page, "source", page_key(page, name)), error or InputError("no"))


def cleaned(position: tuple[int, int], names: Sequence[str], **counts: int) -> Chunk:
    return Chunk(position, [pickle.dumps(outcome(name)) for name in names], Stats(**counts))


def joined(*parts: Chunk) -> pa.Table:
    return pa.concat_tables(map(to_table, parts))


class TestTables:
    def test_preserves_any_bytes(self) -> None:
        assert from_table(to_table(b"\0a\0\0")) == b"\0a\0\0"

    def test_table_has_one_row(self) -> None:
        assert to_table(list(range(1000))).num_rows == 1


class TestFencingToken:
    def test_accepts_this_run(self, fencing_token: FencingToken) -> None:
        fencing_token.check()
        assert fencing_token.path.read_text("ascii") == fencing_token.token

    def test_rejects_earlier_run(self, fencing_token: FencingToken) -> None:
        fencing_token.path.write_text("another", encoding="ascii")
        with pytest.raises(OutputError, match="another run writes to"):
            fencing_token.check()

    def test_rejects_folder_that_is_not_shared(self, fencing_token: FencingToken) -> None:
        fencing_token.path.unlink()
        with pytest.raises(OutputError, match="a folder that all nodes share"):
            fencing_token.check()


class TestListUnits:
    def test_numbers_units_and_divides_large_files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stages, "_UNIT_ROWS", 20)
        inputs = Inputs([str(crawl(tmp_path, many(50), group=10))], UNRENDERED)
        chunks = [cast("tuple[int, Any]", from_table(table)) for table in list_units(to_table(0), inputs)]
        assert [number for number, _ in chunks] == [0, 1, 2]
        assert [item.id for _, unit in chunks for item in inputs.reader.items(unit)] == list(many(50))

    def test_limit_ends_within_a_unit(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Read the first 25 of 50 pages, whatever the size of a unit, in the order of a local run."""
        monkeypatch.setattr(stages, "_UNIT_ROWS", 20)
        limited = Inputs([str(crawl(tmp_path, many(50), group=10))], UNRENDERED, limit=25)
        units = [cast("tuple[int, Any]", from_table(table))[1] for table in list_units(to_table(0), limited)]
        names = [[item.id for item in limited.reader.items(unit)] for unit in units]
        assert [len(each) for each in names] == [20, 5]
        assert [*names[0], *names[1]] == [item.id for item in limited] == list(many(50))[:25]

    def test_limit_beyond_the_input(self, tmp_path: Path) -> None:
        path = str(crawl(tmp_path, many(3)))
        limited = Inputs([path, path], UNRENDERED, limit=9)
        units = [cast("tuple[int, Any]", from_table(table))[1] for table in list_units(to_table(0), limited)]
        assert sum(len(list(limited.reader.items(unit))) for unit in units) == 6

    def test_inputs_are_picklable(self, tmp_path: Path) -> None:
        inputs = pickle.loads(pickle.dumps(Inputs([str(crawl(tmp_path, many(1)))], UNRENDERED)))
        assert len(list(list_units(to_table(0), inputs))) == 1


class TestReadChunks:
    def test_preserves_order_in_chunks_of_limited_size(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        chunks = read(crawl(tmp_path, many(10)), fencing_token)
        assert [chunk.position for chunk in chunks] == [(0, 0), (0, 1), (0, 2)]
        assert [len(chunk.pages) for chunk in chunks] == [4, 4, 2]
        assert [name for chunk in chunks for name in ids(chunk)] == list(many(10))

    def test_chunks_of_large_pages_are_smaller(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        large = "<p>" + "x" * (stages._CHUNK_BYTES // 2)
        chunks = read(crawl(tmp_path, {"a": large, "b": large, "c": "<p>c"}), fencing_token)
        assert [ids(chunk) for chunk in chunks] == [["a", "b"], ["c"]]

    def test_is_repeatable(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        """Return the same pages in the same chunks from a repeated reader."""
        path = crawl(tmp_path, many(10))
        first, second = read(path, fencing_token), read(path, fencing_token)
        assert [(chunk.position, ids(chunk)) for chunk in first] == [(chunk.position, ids(chunk)) for chunk in second]

    def test_includes_unreadable_pages(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        [chunk] = read(tmp_path / "missing.warc.gz", fencing_token)
        [(task, failure)] = map(pickle.loads, chunk.pages)
        assert (task.page.id, failure.error) == (str(tmp_path / "missing.warc.gz"), "InputError")

    def test_skips_and_counts_finished_pages(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        chunks = read(crawl(tmp_path, many(10)), fencing_token, claims=Done({"p0", "p5", "p6"}))
        assert [ids(chunk) for chunk in chunks] == [["p1", "p2", "p3"], ["p4", "p7"], ["p8", "p9"]]
        assert sum(chunk.stats.skipped for chunk in chunks) == 3

    def test_finished_unit_gives_one_empty_chunk(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        [chunk] = read(crawl(tmp_path, many(10)), fencing_token, claims=Done(many(10)))
        assert (chunk.pages, chunk.stats.skipped) == ([], 10)

    def test_rejects_earlier_run(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        with pytest.raises(OutputError):
            read(crawl(tmp_path, many(1)), FencingToken(fencing_token.path, "yours"))


class Done:
    """Fake claims."""

    def __init__(self, names: Any) -> None:
        self._names = set(names)

    def claim(self, _unit: int, _batch: int, pages: Sequence[tuple[bytes, str]]) -> bytes:
        return bytes(name in self._names for _, name in pages)


class Worker:
    """Fake worker process that returns `answers` in turn, and then repeats the last."""

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


def cleaning(worker: Worker, monkeypatch: pytest.MonkeyPatch, **run: int) -> ChunkCleaner:
    monkeypatch.setattr(stages, "WorkerProcess", lambda *_: worker)
    return ChunkCleaner(UNRENDERED, RunSettings(**run))


def to_clean(count: int) -> pa.Table:
    pages = [(Task(Page(id=f"p{number}"), "source", b"k" * 16), None) for number in range(count)]
    return to_table(Chunk((0, 0), [pickle.dumps(page) for page in pages]))


class TestChunkCleaner:
    def test_returns_one_chunk(self, monkeypatch: pytest.MonkeyPatch) -> None:
        worker = Worker(outcome("any"))
        chunk = cast("Chunk", from_table(cleaning(worker, monkeypatch)(to_clean(3))))
        assert chunk.position == (0, 0)
        assert [pickle.loads(page).error for page in chunk.pages] == ["InputError"] * 3
        assert [task.page.id for task in worker.tasks] == ["p0", "p1", "p2"]

    def test_unreadable_page_needs_no_worker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        worker = Worker(outcome("any"))
        task = Task(Page(id="a"), "source", b"k" * 16)
        table = to_table(Chunk((0, 0), [pickle.dumps((task, outcome("a")))]))
        chunk = cast("Chunk", from_table(cleaning(worker, monkeypatch)(table)))
        assert len(chunk.pages) == 1
        assert worker.tasks == []

    def test_ends_worker_with_actor(self, monkeypatch: pytest.MonkeyPatch) -> None:
        worker = Worker(outcome("any"))
        cleaning(worker, monkeypatch)(to_clean(1))
        assert worker.closed

    def test_retries_and_counts_crash(self, monkeypatch: pytest.MonkeyPatch) -> None:
        worker = Worker(outcome("a", error=BrowserError("crashed")), outcome("a"))
        chunk = cast("Chunk", from_table(cleaning(worker, monkeypatch)(to_clean(1))))
        assert [task.attempt for task in worker.tasks] == [1, 2]
        assert (chunk.stats.retried, chunk.stats.restarts["browser"]) == (1, 1)

    def test_repeated_crashes_end_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """End the run also if the crashes are in several chunks."""
        clean = cleaning(Worker(outcome("a", error=BrowserError("crashed"))), monkeypatch, retries=0)
        clean(to_clean(15))
        with pytest.raises(BrowserError, match="20 pages in a row were lost"):
            clean(to_clean(15))

    def test_fatal_error_ends_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(BrowserMissingError):
            cleaning(Worker(BrowserMissingError("none")), monkeypatch)(to_clean(1))


class TestWritePart:
    def test_writes_part_and_returns_log_entries(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        table = joined(cleaned((0, 0), "ab", skipped=3), cleaned((4, 1), "c", retried=1))
        report = cast("PartReport", from_table(write_part(table, partial(PartWriter, tmp_path / "out"), fencing_token)))
        [part] = part_paths(tmp_path / "out")
        assert pq.read_table(part)["id"].to_pylist() == ["a", "b", "c"]
        assert [line["id"] for line in report.entries] == ["a", "b", "c"]
        assert "text" not in report.entries[0]
        counts = report.stats
        assert (counts.skipped, counts.retried, counts.failed) == (3, 1, {"InputError": 3})

    def test_repeated_task_writes_one_part(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        """Repeat a task, as Ray does for a lost node."""
        for _ in range(2):
            write_part(joined(cleaned((0, 0), "ab")), partial(PartWriter, tmp_path / "out"), fencing_token)
        assert len(part_paths(tmp_path / "out")) == 1

    def test_equal_pages_from_two_chunks_have_separate_parts(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        for position in ((0, 0), (1, 0)):
            write_part(joined(cleaned(position, "a")), partial(PartWriter, tmp_path / "out"), fencing_token)
        assert len(part_paths(tmp_path / "out")) == 2

    def test_equal_pages_of_two_runs_have_separate_parts(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        write_part(joined(cleaned((0, 0), "a")), partial(PartWriter, tmp_path / "out"), fencing_token)
        fencing_token.path.write_text("next", encoding="ascii")
        write_part(
            joined(cleaned((0, 0), "a")),
            partial(PartWriter, tmp_path / "out"),
            FencingToken(fencing_token.path, "next"),
        )
        assert len(part_paths(tmp_path / "out")) == 2

    def test_earlier_run_writes_nothing(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        writer = partial(PartWriter, tmp_path / "out")
        with pytest.raises(OutputError, match="another run"):
            write_part(joined(cleaned((0, 0), "a")), writer, FencingToken(fencing_token.path, "yours"))
        assert list((tmp_path / "out" / "parts").iterdir()) == []

    def test_empty_chunk_gives_no_part(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        writer = partial(PartWriter, tmp_path / "out")
        report = cast(
            "PartReport", from_table(write_part(joined(cleaned((0, -1), "", skipped=7)), writer, fencing_token))
        )
        assert (report.entries, report.stats.skipped) == ([], 7)
        assert part_paths(tmp_path / "out") == []


def key(number: int) -> bytes:
    return number.to_bytes(16)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "pages.parquet"
    path.touch()
    return path


def claims(folder: Path, source: Path, pages: Iterable[tuple[bytes, str]]) -> Claims:
    """Return the claims of a run on `source` after a run that has done `pages` of it."""
    with PartWriter(folder) as writer:
        for each, name in pages:
            writer.write(failed_outcome(Task(Page(id=name), str(source), each), InputError("no")).record)
    return Claims(part_paths(folder), Inputs([str(source)], CleanerSettings(render=False)))


class TestClaim:
    def test_returns_finished_pages(self, tmp_path: Path, source: Path) -> None:
        done = claims(tmp_path / "out", source, [(key(1), "a"), (key(3), "c")])
        assert done.claim(0, 0, [(key(1), "a"), (key(2), "b"), (key(3), "c")]) == bytes([1, 0, 1])

    def test_assigns_each_row_to_one_page_of_all_units(self, tmp_path: Path, source: Path) -> None:
        done = claims(tmp_path / "out", source, [(key(1), "a")])
        assert [done.claim(unit, 0, [(key(1), "a")]) for unit in range(3)] == [b"\1", b"\0", b"\0"]

    def test_repeated_question_has_the_same_answer(self, tmp_path: Path, source: Path) -> None:
        """Restart a reader after its node was lost; other readers have claimed rows in between."""
        done = claims(tmp_path / "out", source, [(key(1), "a"), (key(1), "a"), (key(2), "b")])
        asked = [(5, 0, [(key(1), "a"), (key(2), "b")]), (6, 0, [(key(1), "a")]), (7, 1, [(key(1), "a")])]
        first = [done.claim(*each) for each in asked]
        assert first == [b"\1\1", b"\1", b"\0"]
        assert [done.claim(*each) for each in reversed(asked)] == first[::-1]

    def test_page_of_renamed_file_is_done(self, tmp_path: Path, source: Path) -> None:
        done = claims(tmp_path / "out", tmp_path / "gone.parquet", [(key(1), "gone.parquet#0")])
        assert done.claim(0, 0, [(key(1), f"{source}#0")]) == b"\1"
