"""Compare the farm with plain Playwright on the same pages: `python benchmarks/farm.py CORPUS.parquet`.

This program measures pages per second, CPU seconds per page, and memory. CPU and memory are those of all processes,
with start-up, browsers and Playwright's Node.js. The pages are split into chunks. Every peer runs once on each chunk,
and the order of the peers reverses from chunk to chunk. Other load on the machine then affects all peers alike.
With `--memory` the farm also runs over all pages without a break, which shows whether its memory grows.

Peers load nothing from the network. One peer sends requests and lets them fail; how long that takes depends on the
DNS resolver of the machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from command_usage import KINDS, CommandUsage
from speed import evenly

from vclean.classify.corpora.corpora import read_corpus
from vclean.errors import InputError, VcleanError
from vclean.farm.settings import RunSettings
from vclean.files import write_atomic
from vclean.imports import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from command_usage import Sample

    from vclean.page import Page

    Command = Callable[[Path, int], list[str]]
    """Function from a file of pages and the number of workers to a Python command; output goes beside the file."""

_FOLDER: Final = Path(__file__).parent
_PARTIAL: Final = 1
"""Exit code of the farm if some pages failed."""

FARM: Final = "vclean farm"


def _farm(pages: Path, workers: int) -> list[str]:
    return ["-m", "vclean", "farm", str(pages), "-o", str(pages.with_suffix(".out")), "--workers", str(workers), "-q"]


def _sequential(*options: str) -> Command:
    return lambda pages, _: [str(_FOLDER / "playwright_baseline.py"), str(pages), *options]


def _concurrent(*options: str) -> Command:
    script = str(_FOLDER / "playwright_baseline.py")
    return lambda pages, workers: [script, str(pages), "--concurrency", str(workers), *options]


PEERS: Final[dict[str, Command]] = {
    FARM: _farm,
    "plain": _sequential("--abort"),
    "plain, concurrent": _concurrent("--abort"),
    "plain, labelled": _concurrent("--abort", "--label"),
    "plain, scripts off": _concurrent("--abort", "--no-scripts"),
    "plain, not aborted": _concurrent(),
}
"""Commands by name. All except "plain" work on as many pages concurrently as the farm has workers."""


@dataclass(slots=True)
class PeerRuns:
    """Measurements of one peer; the lists have one entry per chunk."""

    pages: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak: float = 0.0

    def add(self, usage: CommandUsage, failed: int, pages: int) -> None:
        """Add one run."""
        self.pages.append(pages)
        self.failed.append(failed)
        self.seconds.append(usage.seconds)
        self.cpu.append(usage.cpu)
        self.peak = max([self.peak, *map(resident, usage.samples)])

    @property
    def rate(self) -> float:
        """Return pages per second of wall clock."""
        return sum(self.pages) / sum(self.seconds)

    @property
    def cost(self) -> float:
        """Return CPU seconds per page."""
        return sum(self.cpu) / sum(self.pages)


def resident(sample: Sample) -> float:
    """Return resident bytes of all processes in a sample; shared memory counts for each process."""
    return sum(sample[kind] for kind in KINDS)


def run_peer(command: list[str]) -> tuple[CommandUsage, str]:
    """Run a Python command. Return its time and memory, and its standard output.

    Raises:
        InputError: the command failed, or left processes behind.
    """
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        measured = [sys.executable, str(_FOLDER / "command_usage.py"), file.name, sys.executable, *command]
        output = subprocess.run(measured, stdout=subprocess.PIPE, text=True, check=False).stdout
        data = Path(file.name).read_text(encoding="utf-8")
    usage = CommandUsage(**json.loads(data)) if data else None
    if usage is None or usage.code not in (0, _PARTIAL):
        raise InputError(f"{' '.join(command)} failed: see its messages above")
    if usage.left:
        raise InputError(f"{' '.join(command)} left {usage.left} processes behind: end them, and run it again")
    return usage, output


def page_counts(pages: Path, output: str) -> tuple[int, int]:
    """Return the numbers of pages and of failed pages of a run.

    Args:
        pages: file of pages that the command read.
        output: standard output of the command; read only if there is no summary of a farm beside the file.
    """
    summary = pages.with_suffix(".out") / "summary.json"
    counts: dict[str, Any] = json.loads(summary.read_text(encoding="utf-8") if summary.exists() else output)
    failed = counts["failed"]
    return counts["pages"], sum(failed.values()) if isinstance(failed, dict) else failed


def split(pages: Sequence[Page], size: int) -> list[list[Page]]:
    """Split pages into chunks of about `size`. Neighbours go to different chunks, so chunks are alike."""
    count = max(1, round(len(pages) / size))
    return [list(pages[start::count]) for start in range(count)]


def write_pages(pages: Iterable[Page], path: Path) -> None:
    """Write pages to a Parquet file, which all peers read."""
    rows = [{"id": page.id, "url": page.url, "html": page.content} for page in pages]
    pq.write_table(pa.Table.from_pylist(rows), path)


def compare(chunks: Sequence[Sequence[Page]], names: Sequence[str], workers: int, folder: Path) -> dict[str, PeerRuns]:
    """Run all peers on all chunks.

    Raises:
        InputError: a peer does not work.
    """
    runs = {name: PeerRuns() for name in names}
    for number, chunk in enumerate(chunks):
        for name in names if number % 2 == 0 else reversed(names):
            path = folder / f"{number}-{list(names).index(name)}.parquet"
            write_pages(chunk, path)
            usage, output = run_peer(PEERS[name](path, workers))
            pages, failed = page_counts(path, output)
            runs[name].add(usage, failed, pages)
            print(f"chunk {number}, {name}: {pages / usage.seconds:.2f} pages/s, {usage.cpu / pages:.3f} s CPU")
    return runs


def run_unbroken(pages: Sequence[Page], workers: int, folder: Path) -> CommandUsage:
    """Run the farm over all pages without a break."""
    path = folder / "all.parquet"
    write_pages(pages, path)
    return run_peer(_farm(path, workers))[0]


def growth(samples: Sequence[Sample]) -> dict[str, float]:
    """Return median memory in the last quarter of a run divided by that in the first, by kind of process and in all.

    Samples before the first browser starts do not count, because start-up is no growth.
    """
    running = [sample for sample in samples if sample["browsers"]]
    quarter = max(1, len(running) // 4)
    first, last = running[:quarter], running[-quarter:]
    sizes: dict[str, Callable[[Sample], float]] = {kind: lambda sample, kind=kind: sample[kind] for kind in KINDS}
    sizes["all"] = resident
    before = {name: float(np.median([size(sample) for sample in first])) for name, size in sizes.items()}
    after = {name: float(np.median([size(sample) for sample in last])) for name, size in sizes.items()}
    return {name: round(after[name] / before[name], 3) for name in sizes if before[name]}


def table(peers: dict[str, PeerRuns]) -> str:
    """Return a text table: speed, CPU and memory of every peer, and how many times faster and cheaper the farm is."""
    farm = peers[FARM]
    lines = [f"{'':28}{'pages/s':>9}{'CPU s/page':>12}{'faster':>9}{'cheaper':>9}{'peak MB':>9}{'failed':>8}"]
    for name, runs in peers.items():
        lines.append(
            f"{name:28}{runs.rate:9.2f}{runs.cost:12.3f}{farm.rate / runs.rate:8.2f}x{runs.cost / farm.cost:8.2f}x"
            f"{runs.peak / 2**20:9.0f}{sum(runs.failed):8}"
        )
    return "\n".join(lines)


def ratios(farm: PeerRuns, peer: PeerRuns) -> dict[str, dict[str, float]]:
    """Return how many times faster and cheaper the farm is than a peer: over all chunks, and the worst and best chunk.

    The keys of each ratio are `all`, `least` and `most`.
    """
    by_chunk = {
        "faster": np.array(peer.seconds) / np.array(farm.seconds),
        "cheaper": np.array(peer.cpu) / np.array(farm.cpu),
    }
    overall = {"faster": farm.rate / peer.rate, "cheaper": peer.cost / farm.cost}
    return {
        name: {"all": round(overall[name], 3), "least": round(float(by.min()), 3), "most": round(float(by.max()), 3)}
        for name, by in by_chunk.items()
    }


def report(peers: dict[str, PeerRuns], workers: int, unbroken: CommandUsage | None) -> dict[str, Any]:
    """Return all results, for JSON."""
    figures = {
        name: asdict(runs)
        | {"pages_per_second": round(runs.rate, 3), "cpu_per_page": round(runs.cost, 4)}
        | {"farm_is": ratios(peers[FARM], runs)}
        for name, runs in peers.items()
    }
    memory = {"growth": growth(unbroken.samples), **asdict(unbroken)} if unbroken else None
    return {"workers": workers, "versions": versions("playwright"), "peers": figures, "unbroken": memory}


def run(options: argparse.Namespace) -> None:
    """Measure, print the table, and write the JSON file.

    Raises:
        VcleanError: the corpus cannot be read, or a peer does not work.
    """
    pages = list(evenly(read_corpus(options.corpus), options.pages))
    if not pages:
        raise InputError(f"{options.corpus} has no pages: give another corpus, or more --pages")
    names = [FARM, *(name for name in PEERS if name in options.peers and name != FARM)]
    with tempfile.TemporaryDirectory() as folder:
        peers = compare(split(pages, options.chunk), names, options.workers, Path(folder))
        unbroken = run_unbroken(pages, options.workers, Path(folder)) if options.memory else None
    print(table(peers))
    print(
        f"{len(pages)} pages, {options.workers} workers; {versions('playwright')['playwright']} is Playwright's version"
    )
    if unbroken is not None:
        print(f"memory, last quarter over first: {growth(unbroken.samples)}")
    if options.json:
        write_atomic(options.json, json.dumps(report(peers, options.workers, unbroken), indent=1) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpus", type=Path, help="a Parquet file with the columns id, html and gold_text")
    parser.add_argument("--pages", type=int, default=1000, help="number of pages, evenly spaced (default: 1000)")
    parser.add_argument("--chunk", type=int, default=250, help="pages in each run of a peer (default: 250)")
    parser.add_argument(
        "--workers", type=int, default=RunSettings().pool_size, help="workers of the farm (default: processors + 1)"
    )
    parser.add_argument(
        "--peers", nargs="+", choices=PEERS, default=list(PEERS), help="peers to compare (default: all)"
    )
    parser.add_argument("--memory", action="store_true", help="also run the farm over all pages without a break")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    try:
        run(parser.parse_args(arguments))
    except VcleanError as error:
        print(f"farm.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
