from __future__ import annotations

import pickle
import signal
import socket
import sys
from contextlib import suppress
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.outcomes import key, lost

from vclean.errors import (
    BrowserError,
    BrowserMissingError,
    ExtraMissingError,
    InputError,
    OutputError,
    UsageError,
    VcleanError,
)
from vclean.farm import ray as module
from vclean.farm.inputs import Inputs
from vclean.farm.output import RunOutput
from vclean.farm.parts import PartWriter, part_paths
from vclean.farm.ray import (
    TASK_CPUS,
    WORKER_CPUS,
    Chunk,
    ChunkCleaner,
    Claims,
    FencingToken,
    PartReport,
    connect_to_cluster,
    from_table,
    list_units,
    pool_sizes,
    read_chunks,
    run_on_ray,
    to_table,
    to_vclean_error,
    write_part,
)
from vclean.farm.rows import failed_outcome
from vclean.farm.stats import Stats
from vclean.farm.tasks import RunSettings, Task, TaskOutcome, page_key, settings_digest
from vclean.farm.workers import InterruptedRunError
from vclean.page import Page
from vclean.settings import CleanerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
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


def read(path: Path, fencing_token: FencingToken, *, claim: Any = None) -> list[Chunk]:
    """Return the chunks of all units of a file."""
    inputs = Inputs([str(path)], UNRENDERED)
    options = {"reader": inputs.reader, "digest": settings_digest(UNRENDERED), "size": 4}
    options |= {"fencing_token": fencing_token, "claim": claim}
    chunks = [table for unit in list_units(to_table(0), inputs) for table in read_chunks(unit, **options)]
    return [from_table(table) for table in chunks]


def ids(chunk: Chunk) -> list[str]:
    return [pickle.loads(page)[0].page.id for page in chunk.pages]


def outcome(name: str, *, error: Exception | None = None) -> TaskOutcome:
    page = Page(id=name)
    return failed_outcome(Task(page, "source", page_key(page, name)), error or InputError("no"))


def chunk(position: tuple[int, int], names: Sequence[str], **counts: int) -> Chunk:
    """Return a chunk of cleaned pages."""
    return Chunk(position, [pickle.dumps(outcome(name)) for name in names], Stats(**counts))


def write(folder: Path, fencing_token: FencingToken, *chunks: Chunk) -> PartReport:
    """Write chunks as one part."""
    table = pa.concat_tables(map(to_table, chunks))
    report: PartReport = from_table(write_part(table, partial(PartWriter, folder / "out"), fencing_token))
    return report


class TestFencingToken:
    def test_rejects_earlier_run(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        """Read and write nothing."""
        fencing_token.path.write_text("another", encoding="ascii")
        with pytest.raises(OutputError, match="another run writes to"):
            read(crawl(tmp_path, many(1)), fencing_token)
        with pytest.raises(OutputError, match="another run writes to"):
            write(tmp_path, fencing_token, chunk((0, 0), "a"))
        assert list((tmp_path / "out" / "parts").iterdir()) == []

    def test_rejects_folder_that_is_not_shared(self, fencing_token: FencingToken) -> None:
        fencing_token.path.unlink()
        with pytest.raises(OutputError, match="a folder that all nodes share"):
            fencing_token.check()


class TestListUnits:
    @pytest.mark.parametrize(
        ("limit", "sizes"), [(None, [20, 20, 10]), (25, [20, 5]), (40, [20, 20]), (99, [20, 20, 10])]
    )
    def test_numbers_units_and_divides_large_files(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int | None, sizes: list[int]
    ) -> None:
        """Read the first pages, whatever the size of a unit, in the order of a local run."""
        monkeypatch.setattr(module, "_UNIT_ROWS", 20)
        inputs = Inputs([str(crawl(tmp_path, many(50), group=10))], UNRENDERED, limit=limit)
        tables = list(list_units(to_table(0), pickle.loads(pickle.dumps(inputs))))
        units = [from_table(table) for table in tables]
        names = [[item.id for item in inputs.reader.items(unit)] for _, unit in units]
        assert [number for number, _ in units] == list(range(len(sizes)))
        assert [len(each) for each in names] == sizes
        assert [name for each in names for name in each] == [item.id for item in inputs] == list(many(50))[:limit]


class TestReadChunks:
    def test_same_pages_in_same_chunks_of_a_repeated_reader(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        path = crawl(tmp_path, many(10))
        for _ in range(2):
            chunks = read(path, fencing_token)
            assert [each.position for each in chunks] == [(0, 0), (0, 1), (0, 2)]
            assert [len(each.pages) for each in chunks] == [4, 4, 2]
            assert [name for each in chunks for name in ids(each)] == list(many(10))

    def test_chunks_of_large_pages_are_smaller(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        large = "<p>" + "x" * (module._CHUNK_BYTES // 2)
        chunks = read(crawl(tmp_path, {"a": large, "b": large, "c": "<p>c"}), fencing_token)
        assert list(map(ids, chunks)) == [["a", "b"], ["c"]]

    def test_includes_unreadable_pages(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        [chunk] = read(tmp_path / "missing.warc.gz", fencing_token)
        [(task, failure)] = map(pickle.loads, chunk.pages)
        assert (task.page.id, failure.error) == (str(tmp_path / "missing.warc.gz"), "InputError")

    @pytest.mark.parametrize(
        ("done", "remaining"),
        [
            (["p0", "p5", "p6"], [["p1", "p2", "p3"], ["p4", "p7"], ["p8", "p9"]]),
            (list(many(10)), [[]]),
        ],
    )
    def test_skips_and_counts_finished_pages(
        self, tmp_path: Path, fencing_token: FencingToken, done: list[str], remaining: list[list[str]]
    ) -> None:
        """Return one empty chunk for a finished unit."""

        def claim(_unit: int, _batch: int, pages: Sequence[tuple[bytes, str]]) -> bytes:
            return bytes(name in done for _, name in pages)

        chunks = read(crawl(tmp_path, many(10)), fencing_token, claim=claim)
        assert list(map(ids, chunks)) == remaining
        assert sum(each.stats.skipped for each in chunks) == len(done)


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
    monkeypatch.setattr(module, "WorkerProcess", lambda *_: worker)
    return ChunkCleaner(UNRENDERED, RunSettings(**run))


def to_clean(count: int, *others: bytes) -> pa.Table:
    pages = [(Task(Page(id=f"p{number}"), "source", b"k" * 16), None) for number in range(count)]
    return to_table(Chunk((0, 0), [*map(pickle.dumps, pages), *others]))


class TestChunkCleaner:
    def test_returns_one_chunk(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Give unreadable pages to no worker, and end the worker with the actor."""
        worker = Worker(outcome("any"))
        unreadable = pickle.dumps((Task(Page(id="a"), "source", b"k" * 16), outcome("a", error=BrowserError("no"))))
        chunk = from_table(cleaning(worker, monkeypatch)(to_clean(2, unreadable)))
        assert chunk.position == (0, 0)
        assert [pickle.loads(page).error for page in chunk.pages] == ["InputError", "InputError", "BrowserError"]
        assert [task.page.id for task in worker.tasks] == ["p0", "p1"]
        assert worker.closed

    def test_retries_and_counts_crash(self, monkeypatch: pytest.MonkeyPatch) -> None:
        worker = Worker(outcome("a", error=BrowserError("crashed")), outcome("a"))
        chunk = from_table(cleaning(worker, monkeypatch)(to_clean(1)))
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
        chunks = chunk((0, 0), "ab", skipped=3), chunk((4, 1), "c", retried=1)
        report = write(tmp_path, fencing_token, *chunks)
        [part] = part_paths(tmp_path / "out")
        assert pq.read_table(part)["id"].to_pylist() == ["a", "b", "c"]
        assert [line["id"] for line in report.entries] == ["a", "b", "c"]
        assert "text" not in report.entries[0]
        counts = report.stats
        assert (counts.skipped, counts.retried, counts.failed) == (3, 1, {"InputError": 3})

    @pytest.mark.parametrize(
        ("position", "run", "parts"), [((0, 0), "mine", 1), ((1, 0), "mine", 2), ((0, 0), "next", 2)]
    )
    def test_only_repeated_task_replaces_its_part(
        self, tmp_path: Path, fencing_token: FencingToken, position: tuple[int, int], run: str, parts: int
    ) -> None:
        """Write equal pages as Ray does for a lost node, from another chunk, and in another run."""
        write(tmp_path, fencing_token, chunk((0, 0), "ab"))
        fencing_token.path.write_text(run, encoding="ascii")
        write(tmp_path, FencingToken(fencing_token.path, run), chunk(position, "ab"))
        assert len(part_paths(tmp_path / "out")) == parts

    def test_empty_chunk_gives_no_part(self, tmp_path: Path, fencing_token: FencingToken) -> None:
        report = write(tmp_path, fencing_token, chunk((0, -1), "", skipped=7))
        assert (report.entries, report.stats.skipped) == ([], 7)
        assert part_paths(tmp_path / "out") == []


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "pages.parquet"
    path.touch()
    return path


def claims(source: Path, *pages: TaskOutcome) -> Claims:
    """Return the claims of a run on `source` after a run that has done some pages."""
    folder = source.parent / "out"
    with PartWriter(folder) as writer:
        for page in pages:
            writer.write(page.record)
    return Claims(part_paths(folder), Inputs([str(source)], UNRENDERED))


class TestClaim:
    def test_each_row_is_of_one_page_also_when_asked_again(self, source: Path) -> None:
        """Restart a reader after its node was lost; other readers have claimed rows in between."""
        a, b, c = ((key(number), f"p{number}") for number in (1, 2, 3))
        done = claims(source, *(lost(number, source=str(source)) for number in (1, 1, 2)))
        asked = [(5, 0, [a, c, b]), (6, 0, [a]), (7, 1, [a])]
        first = [done.claim(*each) for each in asked]
        assert first == [b"\1\0\1", b"\1", b"\0"]
        assert [done.claim(*each) for each in reversed(asked)] == first[::-1]

    def test_page_of_renamed_file_is_done(self, source: Path) -> None:
        done = claims(source, lost(1, source="/gone.parquet", name="gone.parquet#0"))
        assert done.claim(0, 0, [(key(1), f"{source}#0")]) == b"\1"


GIB = 2**30


def node(cpus: float, memory: float = 256 * GIB) -> dict[str, float]:
    return {"CPU": cpus, "memory": memory}


class TestPoolSizes:
    @pytest.mark.parametrize(("cpus", "workers"), [(1, 1), (2, 2), (3, 3), (4, 4), (8, 9), (64, 80)])
    def test_one_node(self, cpus: int, workers: int) -> None:
        assert pool_sizes([node(cpus)]).workers == workers

    @pytest.mark.parametrize("nodes", [(1,), (1, 2, 2), (3, 3, 3), (4,) * 10, (16, 16), (96,), (64,) * 50, (1,) * 7])
    def test_readers_and_writers_always_have_room(self, nodes: tuple[int, ...]) -> None:
        """Leave room even if each reader occupies its processor and waits for a writer."""
        sizes = pool_sizes(map(node, nodes))
        assert sizes.readers >= 1 <= sizes.writers
        assert sizes.workers * WORKER_CPUS + (sizes.readers + sizes.writers) * TASK_CPUS <= sum(nodes)

    def test_ignores_nodes_without_processors(self) -> None:
        assert pool_sizes([{"memory": 64.0 * GIB}, node(2)]) == pool_sizes([node(2)])

    def test_memory_limits_workers(self) -> None:
        assert pool_sizes([node(8, 3.5 * GIB)]).workers == 3
        assert pool_sizes([node(8, 3.5 * GIB)], memory=GIB // 2).workers == 7

    def test_request_lowers_number_but_does_not_raise_it(self) -> None:
        assert pool_sizes([node(8)], requested=3).workers == 3
        assert pool_sizes([node(8)], requested=99).workers == 9

    @pytest.mark.parametrize("nodes", [[], [node(0)], [node(4, GIB / 2)]])
    def test_rejects_cluster_without_room(self, nodes: list[dict[str, float]]) -> None:
        with pytest.raises(UsageError, match="add a node"):
            pool_sizes(nodes)


class TestConnectToCluster:
    def test_missing_ray(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "ray", None)
        with pytest.raises(ExtraMissingError, match=r"this needs Ray .*: pip install .*\[ray\]'"):
            connect_to_cluster(None).__enter__()

    def test_rejects_client_address(self, ray: SimpleNamespace) -> None:
        with pytest.raises(UsageError, match="run vclean on a node"):
            connect_to_cluster("ray://head:10001").__enter__()
        assert ray.calls == []

    def test_unreachable_address(self, ray: SimpleNamespace) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        with pytest.raises(UsageError, match=f"no Ray cluster at 127.0.0.1:{port} .*refused"):
            connect_to_cluster(f"127.0.0.1:{port}").__enter__()
        assert ray.calls == []

    @pytest.mark.parametrize("address", [None, "auto"])
    def test_disconnects_after_block(self, address: str | None, ray: SimpleNamespace) -> None:
        with connect_to_cluster(address) as connected:
            assert connected is ray
        assert ray.calls == [address, "shutdown"]

    def test_does_not_close_existing_connection(self, ray: SimpleNamespace) -> None:
        ray.is_initialized = lambda: True
        with connect_to_cluster(None):
            pass
        assert ray.calls == []

    def test_reports_message_of_ray(self, ray: SimpleNamespace) -> None:
        def init(*_: object, **__: object) -> None:
            raise ConnectionError("Could not find any running Ray instance.\nAnd so on.")

        ray.init = init
        with pytest.raises(UsageError, match=r"no Ray cluster at auto \(Could not find any running Ray instance.\)"):
            connect_to_cluster("auto").__enter__()

    @pytest.fixture
    def ray(self, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
        """Return a fake module that records its calls."""
        calls: list[object] = []
        fake = SimpleNamespace(
            calls=calls,
            is_initialized=lambda: False,
            init=lambda address, **_: calls.append(address),
            shutdown=lambda: calls.append("shutdown"),
        )
        monkeypatch.setattr(module, "import_optional", lambda *_: fake)
        return fake


class TestToVcleanError:
    def test_unwraps_vclean_error(self) -> None:
        mine = BrowserMissingError("no browser")
        task = RuntimeError("task failed")
        task.cause = mine  # as RayTaskError has it
        outer = ValueError("dataset failed")
        outer.__cause__ = task
        assert to_vclean_error(outer) is mine

    @pytest.mark.parametrize(
        ("error", "reason"),
        [(RuntimeError("a trace\n\n  The node died.\n"), "The node died."), (TimeoutError(), "TimeoutError")],
    )
    def test_reports_last_line_of_ray(self, error: Exception, reason: str) -> None:
        found = to_vclean_error(error)
        assert (type(found), str(found)) == (VcleanError, f"Ray failed ({reason}): continue with --resume")


def _reports(*_: object) -> Iterator[PartReport]:
    """Yield the reports of two parts; ignore the error that a signal raises before the first."""
    with suppress(InterruptedRunError):
        signal.raise_signal(signal.SIGTERM)
    yield PartReport([], Stats(ok=1))
    yield PartReport([], Stats(ok=1))


def test_signal_whose_error_was_ignored_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_run_pipeline", _reports)
    cleaning, run, stats = CleanerSettings(render=False), RunSettings(), Stats()
    with RunOutput(tmp_path / "out", cleaning, run, resume=False) as output, pytest.raises(InterruptedRunError):
        run_on_ray(Inputs([str(tmp_path)], cleaning), output, cleaning, run, stats, ray=ModuleType("ray"))
    assert stats.ok == 1
