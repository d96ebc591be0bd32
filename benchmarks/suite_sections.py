"""Measure the sections of `suite.py`; each function returns its results as values for JSON."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from farm import FARM, PEERS, growth, page_counts, resident, run_peer, write_pages
from peer_processes import WARM_UP, PeerProcess, run_peers
from peers import EARLIER, STAGED, STAGED_UNRENDERED, is_installed
from peers import PEERS as READERS
from process_clocks import KINDS
from sizes import BYTES, NODES, Fit, by_bytes, by_nodes
from speed import Spread
from tqdm import tqdm

from vclean.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from peer_processes import PageCost

    from vclean.page import Page

    Facts = dict[str, Any]
    """Results of a section, for JSON."""
    Section = Callable[[argparse.Namespace, list[Page], Path], Facts]

_RUNS: Final = 5
_WORKERS: Final = (1, 2, 3, 4)
_PYTHON: Final = ("decode", "extract", "features", "predict", "write")
HELP, FIRST, FIRST_RENDERED = "vclean --help", "vclean PAGE, the first", "vclean PAGE --render, the first"


def rendered(options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """Measure the peers that read pages in Chromium."""
    return _measure_peers(peer_names(options, rendered=True), options, pages, folder)


def unrendered(options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """Measure the peers that need no browser."""
    names = peer_names(options, rendered=False)
    missing = [name for name in names if not is_installed(name)]
    for name in missing:
        print(f"{name} is left out: it is not installed", file=sys.stderr)
    installed = [name for name in names if name not in missing]
    return _measure_peers(installed, options, pages, folder) | {"missing": missing}


def peer_names(options: argparse.Namespace, *, rendered: bool) -> list[str]:
    """Return the names of the peers to compare; those of an earlier version only with `--before`."""
    excluded = (STAGED, STAGED_UNRENDERED, *(() if options.before else EARLIER))
    return [name for name, peer in READERS.items() if peer.rendered == rendered and name not in excluded]


def stages(options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """Measure the stages of a page, rendered and unrendered."""
    peers = _run_peers([STAGED, STAGED_UNRENDERED], options, pages, folder)
    return _facts(options, peers) | {"ways": {peer.name: by_stage(list(peer.costs.values())) for peer in peers}}


def _measure_peers(names: Sequence[str], options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    peers = _run_peers(names, options, pages, folder)
    return _facts(options, peers) | {"peers": {peer.name: peer_facts(peer, peers[0]) for peer in peers}}


def _run_peers(names: Sequence[str], options: argparse.Namespace, pages: list[Page], folder: Path) -> list[PeerProcess]:
    path = folder / "pages.parquet"
    write_pages(pages, path)
    with tqdm(total=len(pages), unit="page", mininterval=5) as bar:
        peers = run_peers(names, path, range(len(pages)), lambda _: bar.update(), before=options.before)
    if not all(peer.costs for peer in peers):
        raise InputError(f"too few pages could be read: give more than {WARM_UP}")
    return peers


def _facts(options: argparse.Namespace, peers: Sequence[PeerProcess]) -> Facts:
    return {"corpus": options.corpus.stem, "pages": len(peers[0].costs)}


def peer_facts(peer: PeerProcess, first: PeerProcess) -> Facts:
    """Return the results of a peer; its ratio to `first` is the median over the pages that both could read."""
    costs = list(peer.costs.values())
    kinds = {kind: round(float(np.mean([1000 * cost.seconds(kinds=[kind]) for cost in costs])), 2) for kind in KINDS}
    return {
        "what": READERS[peer.name].description,
        "cpu": spread([cost.seconds() for cost in costs]),
        "wall": spread([sum(cost.wall.values()) for cost in costs]),
        "ratio": ratio(peer.costs, first.costs),
        "stages": by_stage(costs),
        "kinds": kinds,
        "renderer": spread([cost.seconds(kinds=["renderer"]) for cost in costs]),
        "peak": {name: dict(sizes) for name, sizes in peer.peak.items()},
        "failed": peer.failed,
    } | _snapshot_seconds(peer)


def _snapshot_seconds(peer: PeerProcess) -> Facts:
    """Return the CPU time until the snapshot by page, to compare with the raw client; empty without snapshots."""
    seconds = {index: cost.seconds("snapshot") for index, cost in peer.costs.items() if "snapshot" in cost.cpu}
    return {"snapshot": {str(index): round(value, 5) for index, value in seconds.items()}} if seconds else {}


def by_stage(costs: Sequence[PageCost]) -> Facts:
    """Return CPU and wall-clock time by stage and in total, with Python's share if Python has a stage."""
    names = list(costs[0].cpu)
    stages = {
        name: {
            "cpu": spread([cost.seconds(name) for cost in costs]),
            "wall": spread([cost.wall.get(name, 0.0) for cost in costs]),
        }
        for name in names
    }
    total = {
        "cpu": spread([cost.seconds() for cost in costs]),
        "wall": spread([sum(cost.wall.values()) for cost in costs]),
    }
    python = [name for name in names if name in _PYTHON or name == "parse"]
    share = {"cpu": spread([cost.seconds(*python) for cost in costs]),
             "wall": spread([sum(cost.wall.get(name, 0.0) for name in python) for cost in costs])}  # fmt: skip
    return {**stages, "Python's share": share, "total": total} if python else {**stages, "total": total}


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Return median and 90th percentile, in milliseconds."""
    values = Spread.of(seconds)
    return {"median": values.median, "p90": values.p90}


def ratio(costs: dict[int, PageCost], reference: dict[int, PageCost]) -> float:
    """Return the CPU time divided by that of the reference, the median over the pages that are in both."""
    both = costs.keys() & reference.keys()
    return round(float(np.median([costs[index].seconds() / reference[index].seconds() for index in both])), 3)


def start(_options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """Measure a new process until it ends: the help, the first page, and the first rendered page."""
    page = folder / "page.html"
    page.write_bytes(bytes(pages[len(pages) // 2].content))
    commands = {
        HELP: ["-m", "vclean", "--help"],
        FIRST: ["-m", "vclean", str(page), "-o", str(folder / "text.txt")],
        FIRST_RENDERED: ["-m", "vclean", str(page), "--render", "-o", str(folder / "text.txt")],
    }
    runs = {name: [run_peer(command)[0] for _ in range(_RUNS)] for name, command in commands.items()}
    medians = {name: {"wall": float(np.median([usage.seconds for usage in usages])),
                      "cpu": float(np.median([usage.cpu for usage in usages]))}
               for name, usages in runs.items()}  # fmt: skip
    return {"runs": _RUNS, "commands": medians}


def farm(options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """Measure pages per second of the farm, by number of workers."""
    chosen = pages[: options.farm_pages]
    runs = [_farm_run(chosen, workers, folder)[0] for workers in _WORKERS]
    return {"pages": len(chosen), "cores": os.cpu_count(), "runs": runs}


def _farm_run(pages: Sequence[Page], workers: int, folder: Path) -> tuple[Facts, list[dict[str, float]]]:
    path = folder / f"farm-{workers}-{len(pages)}.parquet"
    write_pages(pages, path)
    usage, output = run_peer(PEERS[FARM](path, workers))
    count, failed = page_counts(path, output)
    facts = {
        "workers": workers, "pages": count, "failed": failed, "rate": count / usage.seconds,
        "cpu": usage.cpu / count, "busy": usage.cpu / usage.seconds / min(workers, os.cpu_count() or 1),
        "peak": max(map(resident, usage.samples), default=0),
    }  # fmt: skip
    return facts, usage.samples


def long_run(options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """Measure memory over a run without a break; a corpus with too few pages is read repeatedly."""
    repeated = [pages[index % len(pages)] for index in range(options.growth_pages)]
    workers = (os.cpu_count() or 1) + 1
    facts, samples = _farm_run([_with_index(page, index) for index, page in enumerate(repeated)], workers, folder)
    first, last = quarters(samples)
    return facts | {"growth": growth(samples), "first": first, "last": last}


def _with_index(page: Page, index: int) -> Page:
    return replace(page, id=f"{page.id}-{index}")


def quarters(samples: Sequence[dict[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """Return median bytes by kind of process and in all, in the first and the last quarter of the run.

    Samples without a browser do not count.
    """
    running = [sample for sample in samples if sample["browsers"]]
    size = max(1, len(running) // 4)
    return _medians(running[:size]), _medians(running[-size:])


def _medians(samples: Sequence[dict[str, float]]) -> dict[str, float]:
    kinds = [name for name in samples[0] if name != "at"]
    medians = {kind: float(np.median([sample[kind] for sample in samples])) for kind in kinds}
    return {**medians, "all": float(np.median([resident(sample) for sample in samples]))}


def by_size(options: argparse.Namespace, _: list[Page], folder: Path) -> Facts:
    """Measure cost by bytes and by nodes, in total and by stage."""
    series = {
        "bytes": [by_bytes(size) for size in BYTES if size <= options.most_bytes],
        "nodes": [by_nodes(size) for size in NODES if size <= options.most_nodes],
    }
    counts = {"bytes": BYTES, "nodes": NODES}
    return {"by": {unit: _series(list(counts[unit]), pages, folder) for unit, pages in series.items()}}


def _series(sizes: list[int], pages: list[Page], folder: Path) -> Facts:
    path = folder / "sizes.parquet"
    write_pages(pages, path)
    warm_up = [0] * WARM_UP
    with tqdm(total=WARM_UP + len(pages), unit="page", mininterval=5) as bar:
        peers = run_peers([STAGED, STAGED_UNRENDERED], path, [*warm_up, *range(len(pages))], lambda _: bar.update())
    return {f"{peer.name.partition(', ')[2]}: {stage}": _growth(peer, stage, sizes)
            for peer in peers for stage in (*next(iter(peer.costs.values())).cpu, "total")}  # fmt: skip


def _growth(peer: PeerProcess, stage: str, sizes: Sequence[int]) -> Facts:
    """Return the cost of a stage, or of all for "total", by size; pages that failed are left out."""
    indices = sorted(peer.costs)
    cpu = [peer.costs[index].seconds(*([] if stage == "total" else [stage])) for index in indices]
    page_sizes = [sizes[index] for index in indices]
    fit = Fit.of(page_sizes, cpu)
    return {"sizes": page_sizes, "cpu": cpu, "exponent": fit.exponent, "steepest": fit.steepest}


SECTIONS: Final[dict[str, Section]] = {
    "rendered": rendered,
    "unrendered": unrendered,
    "stages": stages,
    "start": start,
    "farm": farm,
    "growth": long_run,
    "sizes": by_size,
}
"""Functions by name of the section, in the order in which they run."""
