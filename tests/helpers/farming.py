"""Run `vclean farm` as a process, on small pages."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from helpers.waiting import assert_eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

PATIENCE = 120.0
"""Time limit of any wait on a busy machine, in seconds."""

MARK = "VCLEAN_TEST_FARM"

_IGNORED_MESSAGES = re.compile(r"sandbox is off|^vclean: [\d,]+( of [\d,]+)? pages?, ")

CONTENT = ("text", "cleaneval", "blocks", "title", "language", "confidence", "status", "error", "message", "url", "key")
"""Columns that are equal in two runs over the same pages."""


def html(name: str) -> str:
    """Return a small page with a menu, a heading, paragraphs and a footer; `name` is in all texts."""
    words = " ".join(f"The {name} of the day was {name}{number}, which nobody had expected." for number in range(9))
    menu = "".join(f"<li><a href=/{number}>{number}</a>" for number in range(5))
    return f"<title>{name}</title><ul>{menu}</ul><h1>On {name}</h1><p>{words}<p>{words}<footer>End of {name}</footer>"


@dataclass
class Run:
    """Started process of `vclean farm`, with its output folder."""

    process: subprocess.Popen[str]
    out: Path

    @property
    def family(self) -> list[psutil.Process]:
        """Return the driver and all its descendants."""
        driver = psutil.Process(self.process.pid)
        return [driver, *driver.children(recursive=True)]

    def descendants(self, *words: str) -> list[psutil.Process]:
        """Return the descendants of the driver with all the words in their command lines."""
        return [each for each in self.family[1:] if _has(each, words)]

    def lines(self) -> list[dict[str, Any]]:
        """Return the complete lines of the log."""
        path = self.out / "pages.jsonl"
        text = path.read_text("utf-8") if path.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def wait_for_pages(self, count: int) -> None:
        """Wait until the log has `count` pages."""
        wait_until(lambda: len(self.lines()) >= count or self.process.poll() is not None)
        assert self.process.poll() is None, "the run has already ended"

    def end(self) -> tuple[int, str]:
        """Wait for the end. Return exit code and messages, without progress and the warning that the sandbox is off."""
        _, messages = self.process.communicate(timeout=PATIENCE)
        lines = [line for line in messages.splitlines(keepends=True) if not _IGNORED_MESSAGES.search(line)]
        return self.process.returncode, "".join(lines)


@dataclass
class Farm:
    """Runs of one test. A mark in their environment identifies the processes that they started.

    Attributes:
        folder: folder of inputs and outputs.
        mark: value of the environment variable `MARK`.
        runs: runs that were started.
    """

    folder: Path
    mark: str
    runs: list[Run]

    def left(self) -> list[psutil.Process]:
        """Return all running processes of the runs, including orphans."""
        return [each for each in psutil.process_iter() if _is_marked(each, self.mark)]

    def start(self, *arguments: object, out: str = "out", env: dict[str, str] | None = None) -> Run:
        """Start a run; the default is one worker."""
        target = self.folder / out
        command = [sys.executable, "-m", "vclean", "farm", "--workers", "1", *map(str, arguments), "-o", str(target)]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {MARK: self.mark} | (env or {}),
        )
        self.runs.append(Run(process, target))
        return self.runs[-1]

    def run(self, *arguments: object, out: str = "out", env: dict[str, str] | None = None) -> tuple[int, str]:
        """Run the farm to its end. Return exit code and messages."""
        return self.start(*arguments, out=out, env=env).end()

    def rows(self, out: str = "out") -> list[dict[str, Any]]:
        """Return all rows, sorted by id."""
        parts = sorted((self.folder / out / "parts").glob("*.parquet"))
        rows = [row for part in parts for row in pq.read_table(part).to_pylist()]
        return sorted(rows, key=lambda row: row["id"])

    def ids(self, out: str = "out") -> list[str]:
        """Return the ids of all rows, sorted."""
        return [row["id"] for row in self.rows(out)]

    def summary(self, out: str = "out") -> dict[str, Any]:
        """Return the summary of the last run."""
        facts: dict[str, Any] = json.loads((self.folder / out / "summary.json").read_text("utf-8"))
        return facts

    def crawl(self, count: int, **others: str) -> Path:
        """Write a Parquet file of `count` small pages and of `others`, HTML by id. Return its path."""
        pages = {f"p{number:03}": html(f"thing{number}") for number in range(count)} | others
        table = pa.table({"id": list(pages), "html": [page.encode() for page in pages.values()]})
        path = self.folder / f"crawl-{count}-{len(others)}.parquet"
        pq.write_table(table, path)
        return path


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true; busy machines need much longer than idle ones."""
    assert_eventually(condition, PATIENCE, 0.05)


def content(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the columns `CONTENT` of rows, by id."""
    return {row["id"]: {name: row[name] for name in CONTENT} for row in rows}


def kill(processes: Sequence[psutil.Process]) -> None:
    """Kill processes by SIGKILL."""
    for process in processes:
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _is_marked(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _has(process: psutil.Process, words: Sequence[str]) -> bool:
    try:
        line = " ".join(process.cmdline())
        return all(word in line for word in words)
    except psutil.Error:
        return False
