"""What a disturbed run of the farm loses: `python benchmarks/faults.py CORPUS.parquet [--pages 1200]`.

Two runs over the same pages. One is left alone. Of the other a browser is killed whenever 50 more pages are done, and
at half its way the driver, by SIGKILL, after which it is resumed. Both have to hold every page once, with the same
content; the exit code says whether they do.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psutil
import pyarrow.parquet as pq
from family import kind
from farm import write_pages
from speed import evenly

from vclean.classify.corpora.corpora import read_corpus
from vclean.errors import InputError, VcleanError
from vclean.farm.output import LOG
from vclean.farm.parts import part_paths
from vclean.farm.rows import SCHEMA
from vclean.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHANGES: Final = frozenset({"source", "attempts", "seconds"})
"""Columns in which two runs over the same pages may differ."""

_PARTIAL: Final = 1
"""The farm's exit code where some pages failed."""

_LOOK_SECONDS: Final = 0.1


@dataclass(slots=True)
class Disturbed:
    """What was done to a run."""

    browsers_killed: int = 0
    drivers_killed: int = 0
    retries: int = 0
    left: int = 0
    """Processes that outlived a killed driver by ten seconds."""


@dataclass(slots=True)
class Verdict:
    """How the rows of a disturbed run compare with those of one that was left alone."""

    pages: int
    rows: int
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    different: dict[str, list[str]] = field(default_factory=dict)
    """By page, the columns that differ."""

    @property
    def holds(self) -> bool:
        """Whether nothing is lost, nothing is there twice, and all content is the same."""
        return not (self.lost or self.twice or self.different)


def command(pages: Path, out: Path, *options: str) -> list[str]:
    """A run of the farm."""
    return [sys.executable, "-m", "vclean", "farm", str(pages), "-o", str(out), "-q", *options]


def done(out: Path) -> int:
    """How many pages the log of a run names."""
    log = out / LOG
    return log.read_bytes().count(b"\n") if log.exists() else 0


def family(driver: int) -> list[psutil.Process]:
    """All that a driver has started and that is there."""
    return psutil.Process(driver).children(recursive=True)


def browsers(driver: int) -> list[psutil.Process]:
    """The browsers of a run: of each the process that started the others."""
    found = []
    for process in family(driver):
        try:
            if kind(process, driver) == "browsers" and not any("--type=" in word for word in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def disturb(pages: Path, count: int, every: int, out: Path) -> Disturbed:
    """A run with its browsers, and once its driver, killed.

    Raises:
        InputError: the farm ends with an error.
    """
    told = Disturbed()
    _until(_start(pages, out), out, every, count // 2, told)
    code = _until(_start(pages, out, "--resume"), out, every, None, told)
    if code not in (0, _PARTIAL):
        raise InputError(f"the resumed run ended with exit code {code}: see what it says above")
    told.retries = json.loads((out / "summary.json").read_bytes())["retries"]
    return told


def _start(pages: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command(pages, out, *options))


def _until(driver: subprocess.Popen[bytes], out: Path, every: int, stop: int | None, told: Disturbed) -> int:
    """Kill a browser for every so many pages, until the run ends or has done `stop` pages; its exit code."""
    due = done(out) + every
    while driver.poll() is None:
        time.sleep(_LOOK_SECONDS)
        now = done(out)
        if stop is not None and now >= stop:
            return _kill_driver(driver, told)
        if now >= due:
            due += every
            told.browsers_killed += _kill_one(driver.pid)
    return driver.returncode


def _kill_one(driver: int) -> int:
    """Kill a browser that is at work; how many that were."""
    for process in browsers(driver)[:1]:
        process.kill()
        return 1
    return 0


def _kill_driver(driver: subprocess.Popen[bytes], told: Disturbed) -> int:
    orphans = family(driver.pid)
    driver.kill()
    told.drivers_killed += 1
    code = driver.wait()
    _, alive = psutil.wait_procs(orphans, timeout=10)
    told.left += len([each for each in alive if each.status() != psutil.STATUS_ZOMBIE])
    return code


def rows(out: Path) -> list[dict[str, Any]]:
    """What all rows say of their pages."""
    columns = [name for name in SCHEMA.names if name not in _CHANGES]
    return [row for path in part_paths(out) for row in pq.read_table(path, columns=columns).to_pylist()]


def judge(ids: Sequence[str], whole: Sequence[dict[str, Any]], disturbed: Sequence[dict[str, Any]]) -> Verdict:
    """Compare the rows of two runs over the pages of these ids, which differ."""
    count = Counter(row["id"] for row in disturbed)
    expected = {row["id"]: row for row in whole}
    return Verdict(
        pages=len(ids),
        rows=len(disturbed),
        lost=[each for each in ids if not count[each]],
        twice=sorted(name for name, times in count.items() if times > 1),
        different={row["id"]: found for row in disturbed if (found := _unlike(row, expected.get(row["id"], {})))},
    )


def _unlike(row: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [name for name, value in row.items() if name not in other or other[name] != value]


def run(options: argparse.Namespace) -> bool:
    """Both runs, and what came of them; whether nothing was lost.

    Raises:
        VcleanError: there is no such corpus, or the farm ends with an error.
    """
    pages = list(evenly(read_corpus(options.corpus), options.pages))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pages(pages, folder / "pages.parquet")
        told = disturb(folder / "pages.parquet", len(pages), options.every, folder / "disturbed")
        if (code := subprocess.run(command(folder / "pages.parquet", folder / "whole"), check=False).returncode) > 1:
            raise InputError(f"the undisturbed run ended with exit code {code}: see what it says above")
        verdict = judge([page.id for page in pages], rows(folder / "whole"), rows(folder / "disturbed"))
    text = json.dumps({"disturbed": asdict(told), "verdict": asdict(verdict)}, indent=1)
    print(text)
    if options.json:
        write_atomic(options.json, text + "\n")
    return verdict.holds and not told.left


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit code, 1 if something was lost."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpus", type=Path, help="a Parquet file with the columns id, html and gold_text")
    parser.add_argument("--pages", type=int, default=1200, help="how many, spread over the corpus (default: 1200)")
    parser.add_argument("--every", type=int, default=50, help="pages between two killed browsers (default: 50)")
    parser.add_argument("--json", type=Path, help="write what was found to this file")
    try:
        return int(not run(parser.parse_args(arguments)))
    except VcleanError as error:
        print(f"faults.py: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
