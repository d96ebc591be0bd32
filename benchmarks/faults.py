"""Check that a farm loses no pages when its processes are killed: `python benchmarks/faults.py CORPUS.parquet`.

The farm runs twice over the same pages. The first run is disturbed: a browser is killed after every 50 pages. After
half of the pages the driver is killed by SIGKILL, and the run is resumed. The second run is left alone. Both outputs
must contain every page once, with the same content. The exit code is 1 if they do not.
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
from command_usage import process_kind
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
"""Exit code of the farm if some pages failed."""

_POLL_SECONDS: Final = 0.1


@dataclass(slots=True)
class Disturbance:
    """Counts of killed processes and of retries in a disturbed run."""

    browsers_killed: int = 0
    drivers_killed: int = 0
    retries: int = 0
    left: int = 0
    """Processes that still ran ten seconds after their driver was killed."""


@dataclass(slots=True)
class RowComparison:
    """Differences between the rows of a disturbed run and those of an undisturbed run."""

    pages: int
    rows: int
    missing: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    different: dict[str, list[str]] = field(default_factory=dict)
    """Columns that differ, by page."""

    @property
    def is_equal(self) -> bool:
        """Return whether no page is missing, duplicated or different."""
        return not (self.missing or self.duplicated or self.different)


def farm_command(pages: Path, out: Path, *options: str) -> list[str]:
    """Return the command that runs the farm."""
    return [sys.executable, "-m", "vclean", "farm", str(pages), "-o", str(out), "-q", *options]


def done(out: Path) -> int:
    """Return the number of pages in the log of a run."""
    log = out / LOG
    return log.read_bytes().count(b"\n") if log.exists() else 0


def descendants(driver: int) -> list[psutil.Process]:
    """Return the running descendants of a driver."""
    return psutil.Process(driver).children(recursive=True)


def browsers(driver: int) -> list[psutil.Process]:
    """Return the main process of each browser of a run."""
    processes = []
    for process in descendants(driver):
        try:
            is_main = not any("--type=" in argument for argument in process.cmdline())
            if is_main and process_kind(process, driver) == "browsers":
                processes.append(process)
        except psutil.Error:
            continue
    return processes


def run_disturbed(pages: Path, count: int, every: int, out: Path) -> Disturbance:
    """Run the farm and resume it, killing browsers and once the driver.

    Args:
        pages: file of pages.
        count: number of pages in the file; the driver is killed after half of them.
        every: number of pages after which a browser is killed.
        out: output folder of the run.

    Raises:
        InputError: the farm ends with an error.
    """
    disturbance = Disturbance()
    _kill_browsers_until(_start(pages, out), out, every, count // 2, disturbance)
    code = _kill_browsers_until(_start(pages, out, "--resume"), out, every, None, disturbance)
    if code not in (0, _PARTIAL):
        raise InputError(f"the resumed run ended with exit code {code}: see its messages above")
    disturbance.retries = json.loads((out / "summary.json").read_bytes())["retries"]
    return disturbance


def _start(pages: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(farm_command(pages, out, *options))


def _kill_browsers_until(
    driver: subprocess.Popen[bytes], out: Path, every: int, stop: int | None, disturbance: Disturbance
) -> int:
    """Kill a browser after every `every` pages. Return the exit code of the run.

    After `stop` pages the driver is killed; without `stop` the run ends by itself.
    """
    due = done(out) + every
    while driver.poll() is None:
        time.sleep(_POLL_SECONDS)
        now = done(out)
        if stop is not None and now >= stop:
            return _kill_driver(driver, disturbance)
        if now >= due:
            due += every
            disturbance.browsers_killed += _kill_browser(driver.pid)
    return driver.returncode


def _kill_browser(driver: int) -> int:
    """Kill a running browser. Return the number of browsers killed, 0 or 1."""
    for process in browsers(driver)[:1]:
        process.kill()
        return 1
    return 0


def _kill_driver(driver: subprocess.Popen[bytes], disturbance: Disturbance) -> int:
    orphans = descendants(driver.pid)
    driver.kill()
    disturbance.drivers_killed += 1
    code = driver.wait()
    _, alive = psutil.wait_procs(orphans, timeout=10)
    disturbance.left += len([each for each in alive if each.status() != psutil.STATUS_ZOMBIE])
    return code


def rows(out: Path) -> list[dict[str, Any]]:
    """Return all rows of a run, without the columns that may differ between runs."""
    columns = [name for name in SCHEMA.names if name not in _CHANGES]
    return [row for path in part_paths(out) for row in pq.read_table(path, columns=columns).to_pylist()]


def compare_rows(
    ids: Sequence[str], undisturbed: Sequence[dict[str, Any]], disturbed: Sequence[dict[str, Any]]
) -> RowComparison:
    """Compare the rows of two runs over the same pages; `ids` are the distinct ids of the pages."""
    count = Counter(row["id"] for row in disturbed)
    expected = {row["id"]: row for row in undisturbed}
    return RowComparison(
        pages=len(ids),
        rows=len(disturbed),
        missing=[page for page in ids if not count[page]],
        duplicated=sorted(page for page, times in count.items() if times > 1),
        different={
            row["id"]: columns for row in disturbed if (columns := _different_columns(row, expected.get(row["id"], {})))
        },
    )


def _different_columns(row: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [name for name, value in row.items() if name not in other or other[name] != value]


def run(options: argparse.Namespace) -> bool:
    """Run the farm disturbed and undisturbed, and compare the rows. Return whether nothing was lost or left behind.

    Raises:
        VcleanError: the corpus cannot be read, or the farm ends with an error.
    """
    pages = list(evenly(read_corpus(options.corpus), options.pages))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pages(pages, folder / "pages.parquet")
        disturbance = run_disturbed(folder / "pages.parquet", len(pages), options.every, folder / "disturbed")
        command = farm_command(folder / "pages.parquet", folder / "undisturbed")
        if (code := subprocess.run(command, check=False).returncode) > 1:
            raise InputError(f"the undisturbed run ended with exit code {code}: see its messages above")
        comparison = compare_rows([page.id for page in pages], rows(folder / "undisturbed"), rows(folder / "disturbed"))
    text = json.dumps({"disturbance": asdict(disturbance), "comparison": asdict(comparison)}, indent=1)
    print(text)
    if options.json:
        write_atomic(options.json, text + "\n")
    return comparison.is_equal and not disturbance.left


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. Return the exit code: 1 if something was lost or left behind."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpus", type=Path, help="a Parquet file with the columns id, html and gold_text")
    parser.add_argument("--pages", type=int, default=1200, help="number of pages, evenly spaced (default: 1200)")
    parser.add_argument("--every", type=int, default=50, help="pages between two killed browsers (default: 50)")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    try:
        return int(not run(parser.parse_args(arguments)))
    except VcleanError as error:
        print(f"faults.py: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
