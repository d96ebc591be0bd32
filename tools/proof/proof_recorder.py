"""Plan a recording, and run it in worker processes."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pyarrow.parquet as pq
import tqdm
from proof_commands import command_count, command_entries
from proof_images import is_animated
from proof_records import SUFFIX, evenly_spaced, read_meta, sample, write_entries, write_meta
from proof_subject import (
    Subject,
    archive_addresses,
    archive_pages,
    browser,
    corpus_pages,
    corpus_size,
    farm_entries,
)

from vclean.imports import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from proof_records import Entry

VERSION = 1
"""Version of the record format. Records of different versions cannot be compared."""
PROGRAM = Path(__file__).with_name("proof.py")
MODES = ("rendered", "static")
"""Ways to read pages. The slower one is first, to be recorded first."""
FARM, COMMANDS, MARKED = "farm", "commands", "marked"
"""Parts other than corpora: the farm, the commands, and the hand-marked pages of the archive."""
PAGES, QUICK_PAGES = 100, 12
EXPLAINED, QUICK_EXPLAINED = 400, 200
"""Maximum number of blocks of a page that is explained; a block takes about two milliseconds."""
COMMAND_PAGES, QUICK_COMMAND_PAGES = 6, 2
CANDIDATES = 12
"""Number of pages of a corpus from which the commands get the first page without animation."""
INTERRUPTED = 130
END_SECONDS = 20
"""Time that interrupted processes have to end, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Plan of a recording.

    Attributes:
        out: folder of the record.
        corpora: paths of Parquet files.
        archive: path of a web archive; empty for none.
        pages: number of pages of each corpus.
        archive_pages: number of pages of the archive; 0 for all.
        command_pages: number of pages for the commands.
        explained: maximum number of blocks of a page that is explained.
        methods: names of methods; empty for all.
    """

    out: str
    corpora: list[str]
    archive: str = ""
    pages: int = PAGES
    archive_pages: int = 0
    command_pages: int = COMMAND_PAGES
    explained: int = EXPLAINED
    methods: list[str] = field(default_factory=list)

    @property
    def facts(self) -> dict[str, Any]:
        """Return the settings that two records must share to be compared."""
        counts = {name: getattr(self, name) for name in ("pages", "archive_pages", "command_pages", "explained")}
        return {"version": VERSION, "methods": self.methods, **counts}

    def sources(self) -> dict[str, Path]:
        """Return the corpora and the archive by name."""
        return {path.name.partition(".")[0]: path for path in map(Path, (*self.corpora, *filter(None, [self.archive])))}

    def names(self) -> list[str]:
        """Return the names of the parts to record in each mode, the slowest first."""
        sources = self.sources()
        parts = [COMMANDS, FARM, *([MARKED] if self.archive else [])]
        return [*parts, *sorted(sources, key=lambda name: -sources[name].stat().st_size)]


class Recorder(ExitStack):
    """Recorder of the parts of a plan, with one browser for all parts."""

    def __init__(self, plan: Plan, done: Callable[[], None]) -> None:
        super().__init__()
        self._plan = plan
        self._done = done
        self._subjects: dict[str, Subject] = {}

    def record(self, name: str, mode: str) -> int:
        """Record a corpus, the archive, the farm or the commands. Return the number of pages."""
        with tempfile.TemporaryDirectory(prefix="proof-") as folder:
            return write_entries(
                Path(self._plan.out, f"{name}-{mode}{SUFFIX}"), self._entries(name, mode, Path(folder))
            )

    def _entries(self, name: str, mode: str, folder: Path) -> Iterator[Entry]:
        rendered = mode == "rendered"
        if name == FARM:
            return self._farm(folder, rendered=rendered)
        if name == COMMANDS:
            return self._commands(folder, rendered=rendered)
        if name == MARKED:
            pages = corpus_pages(Path(self._plan.archive), self._plan.archive_pages)
            return self._subject(mode).corpus(pages, self._done)
        path = self._plan.sources()[name]
        if str(path) == self._plan.archive:
            return self._subject(mode).corpus(archive_pages(path, self._plan.archive_pages), self._done)
        return self._subject(mode).corpus(corpus_pages(self._sample(path, folder, self._plan.pages)), self._done)

    def _subject(self, mode: str) -> Subject:
        if mode not in self._subjects:
            subject = Subject(rendered=mode == "rendered", explained=self._plan.explained, methods=self._plan.methods)
            self._subjects[mode] = self.enter_context(subject)
        return self._subjects[mode]

    def _farm(self, folder: Path, *, rendered: bool) -> Iterator[Entry]:
        plan, only = self._plan, []
        inputs = [self._sample(path, folder, plan.pages) for path in map(Path, plan.corpora)]
        if plan.archive:
            inputs.append(Path(plan.archive))
            addresses = archive_addresses(inputs[-1]) if plan.archive_pages else []
            only = [addresses[index] for index in evenly_spaced(len(addresses), plan.archive_pages)]
        return farm_entries(inputs, rendered=rendered, only=only)

    def _commands(self, folder: Path, *, rendered: bool) -> Iterator[Entry]:
        indices = evenly_spaced(len(self._plan.corpora), self._plan.command_pages)
        chosen = [Path(self._plan.corpora[index]) for index in indices]
        samples = [pq.read_table(self._sample(path, folder, CANDIDATES)).to_pylist() for path in chosen]
        rows = [next((row for row in rows if not is_animated(row["html"])), rows[0]) for rows in samples]
        return command_entries(rows, rendered=rendered, done=self._done)

    @staticmethod
    def _sample(path: Path, folder: Path, count: int) -> Path:
        sample(path, folder / path.name, count)
        return folder / path.name


VERSIONED = ("lightgbm", "lxml", "numpy", "pillow", "playwright", "resiliparse", "shapely", "trafilatura")
"""Packages beside vclean that may change results."""


def record(plan: Plan, names: Sequence[str], modes: Sequence[str], *, jobs: int, fresh: bool) -> int:
    """Record the missing parts in worker processes. Return the exit code.

    Args:
        plan: the plan.
        names: names of the parts to record.
        modes: modes to record, of `MODES`.
        jobs: number of processes.
        fresh: record parts again that are in the record.
    """
    out = Path(plan.out)
    out.mkdir(parents=True, exist_ok=True)
    before = {} if fresh else read_meta(out)
    if before and before["plan"] != plan.facts:
        print(
            f"proof.py: {out} contains a record with different settings: add --fresh, or give another folder",
            file=sys.stderr,
        )
        return 2
    facts = {
        "plan": plan.facts,
        "versions": versions(*VERSIONED),
        "python": platform.python_version(),
        "browser": browser(),
    }
    meta = {**facts, "files": before.get("files", {})}
    write_meta(out, meta)
    tasks = [(name, mode) for mode in MODES if mode in modes for name in plan.names() if name in names]
    left = [task for task in tasks if fresh or not (out / f"{'-'.join(task)}{SUFFIX}").exists()]
    with tqdm.tqdm(total=sum(_size(plan, *task) for task in left), unit="page", disable=None) as bar:
        return _Workers(plan, meta, bar).run(left, jobs)


def _size(plan: Plan, name: str, mode: str) -> int:
    """Return the number of progress steps of a part."""
    if name in (FARM, COMMANDS):
        return command_count(rendered=mode == "rendered") if name == COMMANDS else 0
    if name == MARKED:
        return plan.archive_pages or corpus_size(Path(plan.archive))
    path = plan.sources()[name]
    if str(path) == plan.archive:
        return plan.archive_pages or len(archive_addresses(path))
    return min(plan.pages, pq.read_metadata(path).num_rows)


class _Workers:
    """Worker processes, each of which records one part at a time."""

    def __init__(self, plan: Plan, meta: dict[str, Any], bar: tqdm.tqdm) -> None:
        self._plan, self._meta, self._bar = plan, meta, bar
        self._lock = threading.Lock()
        self._processes: list[subprocess.Popen[str]] = []
        self._failed = False
        self._stopped = False

    def run(self, tasks: Sequence[tuple[str, str]], jobs: int) -> int:
        """Record the parts in order. Return 0, 1 if a part failed, or 130 if a user interrupted."""
        queue = list(reversed(tasks))
        with ThreadPoolExecutor(jobs) as pool:
            threads = [pool.submit(self._work, queue) for _ in range(min(jobs, len(tasks)))]
            try:
                for thread in threads:
                    thread.result()
            except KeyboardInterrupt:
                self._stop(queue)
                return INTERRUPTED
        return int(self._failed)

    def _work(self, queue: list[tuple[str, str]]) -> None:
        """Record parts of the queue in one process until the queue is empty; replace the process if it ends."""
        process: subprocess.Popen[str] | None = None
        while (task := self._next(queue)) is not None:
            if process is None or process.poll() is not None:
                process = self._start_process()
            self._record_part(process, *task)
        if process is not None:
            process.communicate()

    def _next(self, queue: list[tuple[str, str]]) -> tuple[str, str] | None:
        with self._lock:
            return queue.pop() if queue and not self._stopped else None

    def _start_process(self) -> subprocess.Popen[str]:
        with self._lock:
            process = subprocess.Popen(
                [sys.executable, str(PROGRAM), "work", json.dumps(asdict(self._plan))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,  # Ctrl-C reaches only this process, which interrupts the workers once
            )
            self._processes.append(process)
        return process

    def _record_part(self, process: subprocess.Popen[str], name: str, mode: str) -> None:
        start = time.monotonic()
        with suppress(BrokenPipeError):
            print(name, mode, file=process.stdin, flush=True)
        for line in _open_stream(process.stdout):
            if line == "page\n":
                self._bar.update()
                continue
            with self._lock:
                facts = {"pages": int(line), "seconds": round(time.monotonic() - start)}
                self._meta["files"][f"{name}-{mode}"] = facts
                write_meta(Path(self._plan.out), self._meta)
            tqdm.tqdm.write(f"{name}, {mode}: {facts['pages']} pages, {facts['seconds']} s", file=sys.stderr)
            return
        process.communicate()
        if not self._stopped:
            self._failed = True
            tqdm.tqdm.write(f"{name}, {mode}: failed", file=sys.stderr)

    def _stop(self, queue: list[tuple[str, str]]) -> None:
        """Interrupt all processes, and kill those that do not end."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not leave processes behind
        with self._lock:
            self._stopped = True
            queue.clear()
        for number in (signal.SIGINT, signal.SIGKILL):
            for process in self._processes:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                for process in self._processes:
                    process.wait(END_SECONDS)
                return


def _open_stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def work(plan: Plan) -> int:
    """Record parts in a worker process. Return the exit code.

    Standard input has one part per line. Standard output gets the line "page" after each page, and the number of pages
    after each part.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have set it to be ignored
    output = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # other output goes to standard error
    try:
        with Recorder(plan, lambda: print("page", file=output)) as recorder:
            for line in sys.stdin:
                print(recorder.record(*line.split()), file=output)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        traceback.print_exc()
        return 1
    return 0
