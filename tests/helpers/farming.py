"""Runs of the farm as a user starts them: as a process, on pages of a few words."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

PATIENCE = 120.0
"""Seconds that anything may take on a busy machine."""

MARK = "VCLEAN_TEST_FARM"

_SAID_ANYWAY = re.compile(r"sandbox is off|^vclean: [\d,]+( of [\d,]+)? pages?, ")

CONTENT = ("text", "cleaneval", "blocks", "title", "language", "confidence", "status", "error", "message", "url", "key")
"""The columns that two runs have in common."""


def html(name: str) -> str:
    """A page about nothing much."""
    words = " ".join(f"The {name} of the day was {name}{number}, which nobody had expected." for number in range(9))
    menu = "".join(f"<li><a href=/{number}>{number}</a>" for number in range(5))
    return f"<title>{name}</title><ul>{menu}</ul><h1>On {name}</h1><p>{words}<p>{words}<footer>End of {name}</footer>"


@dataclass
class Run:
    """A run of `vclean farm` that was started."""

    process: subprocess.Popen[str]
    out: Path

    @property
    def family(self) -> list[psutil.Process]:
        """The driver, its workers and all they started."""
        driver = psutil.Process(self.process.pid)
        return [driver, *driver.children(recursive=True)]

    def descendants(self, *words: str) -> list[psutil.Process]:
        """What the driver started, by words of its command line."""
        return [each for each in self.family[1:] if _has(each, words)]

    def lines(self) -> list[dict[str, Any]]:
        """The log so far."""
        path = self.out / "pages.jsonl"
        text = path.read_text("utf-8") if path.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def wait_for_pages(self, count: int) -> None:
        """Until so many pages are done."""
        wait_until(lambda: len(self.lines()) >= count or self.process.poll() is not None)
        assert self.process.poll() is None, "the run is over already"

    def end(self) -> tuple[int, str]:
        """The exit code and what was said, without the progress, and without the sandbox that root does not have."""
        _, said = self.process.communicate(timeout=PATIENCE)
        lines = [line for line in said.splitlines(keepends=True) if not _SAID_ANYWAY.search(line)]
        return self.process.returncode, "".join(lines)


@dataclass
class Farm:
    """Starts runs, and ends those a test leaves; a mark in their environment tells what they started."""

    folder: Path
    mark: str
    runs: list[Run]

    def left(self) -> list[psutil.Process]:
        """The processes of all runs that are still there, however they came to be whose child."""
        return [each for each in psutil.process_iter() if _is_marked(each, self.mark)]

    def start(self, *arguments: object, out: str = "out", env: dict[str, str] | None = None) -> Run:
        """Start a run, with one worker unless the arguments say otherwise."""
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
        """The exit code of a whole run, and what it said."""
        return self.start(*arguments, out=out, env=env).end()

    def rows(self, out: str = "out") -> list[dict[str, Any]]:
        """All rows, by id."""
        parts = sorted((self.folder / out / "parts").glob("*.parquet"))
        found = [row for part in parts for row in pq.read_table(part).to_pylist()]
        return sorted(found, key=lambda row: row["id"])

    def ids(self, out: str = "out") -> list[str]:
        """The ids of all rows."""
        return [row["id"] for row in self.rows(out)]

    def summary(self, out: str = "out") -> dict[str, Any]:
        """The summary of the last run."""
        facts: dict[str, Any] = json.loads((self.folder / out / "summary.json").read_text("utf-8"))
        return facts

    def crawl(self, count: int, **others: str) -> Path:
        """A Parquet file of `count` small pages, and then others by their id."""
        pages = {f"p{number:03}": html(f"thing{number}") for number in range(count)} | others
        table = pa.table({"id": list(pages), "html": [page.encode() for page in pages.values()]})
        path = self.folder / f"crawl-{count}-{len(others)}.parquet"
        pq.write_table(table, path)
        return path


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for something that will be."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


def content(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What two runs have in common, by id."""
    return {row["id"]: {name: row[name] for name in CONTENT} for row in rows}


def kill(processes: Sequence[psutil.Process]) -> None:
    """End processes as hard as can be."""
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
