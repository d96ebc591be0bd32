"""The farm against Playwright used plainly, on the same pages in one run: `python benchmarks/farm.py CORPUS.parquet`.

Pages per second, CPU-seconds per page of the whole family of processes (start-up, browsers and Playwright's Node
included), and memory. The pages are dealt into chunks; on every chunk each peer runs once, in an order that turns
around from chunk to chunk, so that what else the machine does falls on all alike. At the end the farm runs over all
pages unbroken: whether its memory stays flat shows there.

Peers load nothing from the network, but for one that only lets requests fail by themselves: how long that takes
depends on the machine's resolver.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from family import KINDS, Figures
from speed import evenly

from vclean.classify.corpora.corpora import read_corpus
from vclean.errors import InputError, VcleanError
from vclean.farm.settings import RunSettings
from vclean.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from family import Sample

    from vclean.page import Page

    Command = Callable[[Path, int], list[str]]
    """What to run, from a file of pages, in whose folder there is room for output, and the number of workers."""

_HERE: Final = Path(__file__).parent
_PARTIAL: Final = 1
"""The farm's exit code where some pages failed."""

FARM: Final = "vclean farm"


def _farm(pages: Path, workers: int) -> list[str]:
    return ["-m", "vclean", "farm", str(pages), "-o", str(pages.with_suffix(".out")), "--workers", str(workers), "-q"]


def _plain(*options: str) -> Command:
    return lambda pages, _: [str(_HERE / "plain.py"), str(pages), *options]


def _plain_at_once(*options: str) -> Command:
    return lambda pages, workers: [str(_HERE / "plain.py"), str(pages), "--at-once", str(workers), *options]


PEERS: Final[dict[str, Command]] = {
    FARM: _farm,
    "plain": _plain("--abort"),
    "plain, as many at once": _plain_at_once("--abort"),
    "plain, at once, labelled": _plain_at_once("--abort", "--label"),
    "plain, scripts off": _plain_at_once("--abort", "--no-scripts"),
    "plain, requests let fail": _plain_at_once(),
}
"""By name. All but "plain" itself have as many pages in work at once as the farm has workers."""


@dataclass(slots=True)
class Runs:
    """What the runs of one peer took; the lists have one entry per chunk."""

    pages: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak: float = 0.0

    def add(self, figures: Figures, failed: int, pages: int) -> None:
        """Take up one run."""
        self.pages.append(pages)
        self.failed.append(failed)
        self.seconds.append(figures.seconds)
        self.cpu.append(figures.cpu)
        self.peak = max([self.peak, *map(resident, figures.samples)])

    @property
    def rate(self) -> float:
        """Pages per second of wall clock."""
        return sum(self.pages) / sum(self.seconds)

    @property
    def cost(self) -> float:
        """CPU-seconds per page."""
        return sum(self.cpu) / sum(self.pages)


def resident(sample: Sample) -> float:
    """Bytes of memory of all processes at one moment; what they share counts for each."""
    return sum(sample[kind] for kind in KINDS)


def run_peer(command: list[str]) -> tuple[Figures, str]:
    """What a Python command took, and what it printed.

    Raises:
        InputError: it failed, or left processes behind.
    """
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        family = [sys.executable, str(_HERE / "family.py"), file.name, sys.executable, *command]
        said = subprocess.run(family, stdout=subprocess.PIPE, text=True, check=False)
        data = Path(file.name).read_text(encoding="utf-8")
    figures = Figures(**json.loads(data)) if data else None
    if figures is None or figures.code not in (0, _PARTIAL):
        raise InputError(f"{' '.join(command)} failed: see what it says above")
    if figures.left:
        raise InputError(f"{' '.join(command)} left {figures.left} processes behind: end them, and run it again")
    return figures, said.stdout


def failures(pages: Path, said: str) -> tuple[int, int]:
    """How many pages a run had, and how many failed: by what it printed, or by the farm's summary."""
    summary = pages.with_suffix(".out") / "summary.json"
    counts: dict[str, Any] = json.loads(summary.read_text(encoding="utf-8") if summary.exists() else said)
    failed = counts["failed"]
    return counts["pages"], sum(failed.values()) if isinstance(failed, dict) else failed


def deal(pages: Sequence[Page], size: int) -> list[list[Page]]:
    """The pages in chunks of about `size` that are alike: dealt out like cards."""
    count = max(1, round(len(pages) / size))
    return [list(pages[start::count]) for start in range(count)]


def write_pages(pages: Iterable[Page], path: Path) -> None:
    """Pages as a Parquet file, which all peers read."""
    rows = [{"id": page.id, "url": page.url, "html": page.content} for page in pages]
    pq.write_table(pa.Table.from_pylist(rows), path)


def compare(chunks: Sequence[Sequence[Page]], names: Sequence[str], workers: int, folder: Path) -> dict[str, Runs]:
    """The runs of all peers over all chunks.

    Raises:
        InputError: a peer does not work.
    """
    found = {name: Runs() for name in names}
    for number, chunk in enumerate(chunks):
        for name in names if number % 2 == 0 else reversed(names):
            place = folder / f"{number}-{list(names).index(name)}.parquet"
            write_pages(chunk, place)
            figures, said = run_peer(PEERS[name](place, workers))
            pages, failed = failures(place, said)
            found[name].add(figures, failed, pages)
            print(f"chunk {number}, {name}: {pages / figures.seconds:.2f} pages/s, {figures.cpu / pages:.3f} s CPU")
    return found


def unbroken(pages: Sequence[Page], workers: int, folder: Path) -> Figures:
    """What the farm takes for all pages at once."""
    place = folder / "all.parquet"
    write_pages(pages, place)
    return run_peer(_farm(place, workers))[0]


def growth(samples: Sequence[Sample]) -> dict[str, float]:
    """Median memory in the last quarter of a run over that in the first, by kind of process that there is, and in all.

    The quarters are of the time from when the browsers are there, so that start-up does not count as growth.
    """
    at_work = [sample for sample in samples if sample["browsers"]]
    quarter = max(1, len(at_work) // 4)
    first, last = at_work[:quarter], at_work[-quarter:]
    sizes: dict[str, Callable[[Sample], float]] = {kind: lambda sample, kind=kind: sample[kind] for kind in KINDS}
    sizes["all"] = resident
    before = {name: float(np.median([size(sample) for sample in first])) for name, size in sizes.items()}
    after = {name: float(np.median([size(sample) for sample in last])) for name, size in sizes.items()}
    return {name: round(after[name] / before[name], 3) for name in sizes if before[name]}


def table(found: dict[str, Runs]) -> str:
    """A row for every peer: what it does and takes, and how many times better the farm is."""
    farm = found[FARM]
    lines = [f"{'':28}{'pages/s':>9}{'CPU s/page':>12}{'faster':>9}{'cheaper':>9}{'peak MB':>9}{'failed':>8}"]
    for name, runs in found.items():
        lines.append(
            f"{name:28}{runs.rate:9.2f}{runs.cost:12.3f}{farm.rate / runs.rate:8.2f}x{runs.cost / farm.cost:8.2f}x"
            f"{runs.peak / 2**20:9.0f}{sum(runs.failed):8}"
        )
    return "\n".join(lines)


def ratios(farm: Runs, peer: Runs) -> dict[str, dict[str, float]]:
    """How many times faster and cheaper the farm is than a peer: over all chunks, and in the worst and the best."""
    faster = np.array(peer.seconds) / np.array(farm.seconds)
    cheaper = np.array(peer.cpu) / np.array(farm.cpu)
    whole = {"faster": farm.rate / peer.rate, "cheaper": peer.cost / farm.cost}
    each = {"faster": faster, "cheaper": cheaper}
    return {
        name: {"all": round(whole[name], 3), "least": round(float(by.min()), 3), "most": round(float(by.max()), 3)}
        for name, by in each.items()
    }


def report(found: dict[str, Runs], workers: int, whole: Figures | None) -> dict[str, Any]:
    """All that was found, for JSON."""
    peers = {
        name: asdict(runs)
        | {"pages_per_second": round(runs.rate, 3), "cpu_per_page": round(runs.cost, 4)}
        | {"farm_is": ratios(found[FARM], runs)}
        for name, runs in found.items()
    }
    memory = {"growth": growth(whole.samples), **asdict(whole)} if whole else None
    versions = {name: metadata.version(name) for name in ("vclean", "playwright")}
    return {"workers": workers, "versions": versions, "peers": peers, "unbroken": memory}


def run(options: argparse.Namespace) -> None:
    """Measure, print the table, and write the JSON file.

    Raises:
        VcleanError: there is no such corpus, or a peer does not work.
    """
    pages = list(evenly(read_corpus(options.corpus), options.pages))
    if not pages:
        raise InputError(f"{options.corpus} has no pages: give another corpus, or more --pages")
    names = [FARM, *(name for name in PEERS if name in options.peers and name != FARM)]
    with tempfile.TemporaryDirectory() as folder:
        found = compare(deal(pages, options.chunk), names, options.workers, Path(folder))
        whole = unbroken(pages, options.workers, Path(folder)) if options.memory else None
    print(table(found))
    print(f"{len(pages)} pages, {options.workers} workers; {metadata.version('playwright')} is Playwright's version")
    if whole is not None:
        print(f"memory, last quarter over first: {growth(whole.samples)}")
    if options.json:
        write_atomic(options.json, json.dumps(report(found, options.workers, whole), indent=1) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpus", type=Path, help="a Parquet file with the columns id, html and gold_text")
    parser.add_argument("--pages", type=int, default=1000, help="how many, spread over the corpus (default: 1000)")
    parser.add_argument("--chunk", type=int, default=250, help="pages in one run of a peer (default: 250)")
    parser.add_argument("--workers", type=int, default=RunSettings().pool_size, help="of the farm (processors + 1)")
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS), help="which to compare (all)")
    parser.add_argument("--memory", action="store_true", help="run the farm over all pages unbroken, too")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    try:
        run(parser.parse_args(arguments))
    except VcleanError as error:
        print(f"farm.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
