"""The sections of `suite.py`: each measures something of vclean, and says what it found as values for JSON."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from clocks import KINDS
from contest import WARM_UP, Contestant, compete
from farm import FARM, PEERS, failures, growth, resident, run_peer, write_pages
from peers import EARLIER, STAGED, STAGED_UNRENDERED, is_installed
from peers import PEERS as WAYS
from sizes import BYTES, NODES, Fit, by_bytes, by_nodes
from speed import Spread
from tqdm import tqdm

from vclean.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from contest import Cost

    from vclean.page import Page

    Facts = dict[str, Any]
    """What a section found, for JSON."""
    Section = Callable[[argparse.Namespace, list[Page], Path], Facts]

_RUNS: Final = 5
_WORKERS: Final = (1, 2, 3, 4)
_PYTHON: Final = ("decode", "cut", "features", "predict", "write")
HELP, FIRST, FIRST_RENDERED = "vclean --help", "vclean PAGE, the first", "vclean PAGE --render, the first"


def rendered(options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """The ways to read a page in Chromium."""
    return _contest(ways(options, rendered=True), options, pages, folder)


def unrendered(options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """The extractors that need no browser."""
    names = ways(options, rendered=False)
    missing = [name for name in names if not is_installed(name)]
    for name in missing:
        print(f"{name} is left out: it is not installed", file=sys.stderr)
    return _contest([name for name in names if name not in missing], options, pages, folder) | {"missing": missing}


def ways(options: argparse.Namespace, *, rendered: bool) -> list[str]:
    """The peers that are compared; an earlier version where there is one."""
    apart = (STAGED, STAGED_UNRENDERED, *(() if options.before else EARLIER))
    return [name for name, peer in WAYS.items() if peer.rendered == rendered and name not in apart]


def stages(options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """The stages of a page, rendered and not."""
    found = _compete([STAGED, STAGED_UNRENDERED], options, pages, folder)
    return _facts(options, found) | {"ways": {each.name: by_stage(list(each.costs.values())) for each in found}}


def _contest(names: Sequence[str], options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    found = _compete(names, options, pages, folder)
    return _facts(options, found) | {"peers": {each.name: peer_facts(each, found[0]) for each in found}}


def _compete(names: Sequence[str], options: argparse.Namespace, pages: list[Page], folder: Path) -> list[Contestant]:
    place = folder / "pages.parquet"
    write_pages(pages, place)
    with tqdm(total=len(pages), unit="page", mininterval=5) as bar:
        found = compete(names, place, range(len(pages)), lambda _: bar.update(), before=options.before)
    if not all(each.costs for each in found):
        raise InputError(f"too few pages could be read: give more than {WARM_UP}")
    return found


def _facts(options: argparse.Namespace, found: Sequence[Contestant]) -> Facts:
    return {"corpus": options.corpus.stem, "pages": len(found[0].costs)}


def peer_facts(peer: Contestant, first: Contestant) -> Facts:
    """The figures of a peer; its ratio to the first is the median over the pages that both could read."""
    costs = list(peer.costs.values())
    kinds = {kind: round(float(np.mean([1000 * cost.seconds(kinds=[kind]) for cost in costs])), 2) for kind in KINDS}
    return {
        "what": WAYS[peer.name].what,
        "cpu": spread([cost.seconds() for cost in costs]),
        "wall": spread([sum(cost.wall.values()) for cost in costs]),
        "ratio": ratio(peer.costs, first.costs),
        "stages": by_stage(costs),
        "kinds": kinds,
        "renderer": spread([cost.seconds(kinds=["renderer"]) for cost in costs]),
        "peak": {name: dict(sizes) for name, sizes in peer.peak.items()},
        "failed": peer.failed,
    } | _over_raw(peer)


def _over_raw(peer: Contestant) -> Facts:
    """CPU until there is a snapshot, page by page, which is what the yardstick and the floor are compared with."""
    own = {place: cost.seconds("snapshot") for place, cost in peer.costs.items() if "snapshot" in cost.cpu}
    return {"snapshot": {str(place): round(seconds, 5) for place, seconds in own.items()}} if own else {}


def by_stage(costs: Sequence[Cost]) -> Facts:
    """CPU and clock by stage, and in total."""
    names = list(costs[0].cpu)
    found = {
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
    return {**found, "Python's share": share, "total": total} if python else {**found, "total": total}


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Median and 90th percentile, in milliseconds."""
    found = Spread.of(seconds)
    return {"median": found.median, "p90": found.p90}


def ratio(costs: dict[int, Cost], of: dict[int, Cost]) -> float:
    """How many times as much CPU, the median over the pages that are in both."""
    both = costs.keys() & of.keys()
    return round(float(np.median([costs[place].seconds() / of[place].seconds() for place in both])), 3)


def start(_options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """What a new process takes until it is done with its first page."""
    page = folder / "page.html"
    page.write_bytes(bytes(pages[len(pages) // 2].content))
    commands = {
        HELP: ["-m", "vclean", "--help"],
        FIRST: ["-m", "vclean", str(page), "-o", str(folder / "text.txt")],
        FIRST_RENDERED: ["-m", "vclean", str(page), "--render", "-o", str(folder / "text.txt")],
    }
    runs = {name: [run_peer(command)[0] for _ in range(_RUNS)] for name, command in commands.items()}
    found = {name: {"wall": float(np.median([each.seconds for each in figures])),
                    "cpu": float(np.median([each.cpu for each in figures]))}
             for name, figures in runs.items()}  # fmt: skip
    return {"runs": _RUNS, "commands": found}


def farm(options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """Pages a second by the number of workers."""
    chosen = pages[: options.farm_pages]
    runs = [_farm_run(chosen, workers, folder)[0] for workers in _WORKERS]
    return {"pages": len(chosen), "cores": os.cpu_count(), "runs": runs}


def _farm_run(pages: Sequence[Page], workers: int, folder: Path) -> tuple[Facts, list[dict[str, float]]]:
    place = folder / f"farm-{workers}-{len(pages)}.parquet"
    write_pages(pages, place)
    figures, said = run_peer(PEERS[FARM](place, workers))
    count, failed = failures(place, said)
    facts = {
        "workers": workers, "pages": count, "failed": failed, "rate": count / figures.seconds,
        "cpu": figures.cpu / count, "busy": figures.cpu / figures.seconds / min(workers, os.cpu_count() or 1),
        "peak": max(map(resident, figures.samples), default=0),
    }  # fmt: skip
    return facts, figures.samples


def long_run(options: argparse.Namespace, pages: list[Page], folder: Path) -> Facts:
    """Memory over a run without a break; a corpus that has too few pages is read more than once."""
    many = [pages[place % len(pages)] for place in range(options.growth_pages)]
    workers = (os.cpu_count() or 1) + 1
    facts, samples = _farm_run([_named(page, place) for place, page in enumerate(many)], workers, folder)
    first, last = quarters(samples)
    return facts | {"growth": growth(samples), "first": first, "last": last}


def _named(page: Page, place: int) -> Page:
    return replace(page, id=f"{page.id}-{place}")


def quarters(samples: Sequence[dict[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """Median bytes by kind of process, and in all, in the first and the last quarter of the time there are browsers."""
    at_work = [sample for sample in samples if sample["browsers"]]
    size = max(1, len(at_work) // 4)
    return _medians(at_work[:size]), _medians(at_work[-size:])


def _medians(samples: Sequence[dict[str, float]]) -> dict[str, float]:
    kinds = [name for name in samples[0] if name != "at"]
    found = {kind: float(np.median([sample[kind] for sample in samples])) for kind in kinds}
    return {**found, "all": float(np.median([resident(sample) for sample in samples]))}


def by_size(options: argparse.Namespace, _: list[Page], folder: Path) -> Facts:
    """Cost against bytes and nodes, in all and stage by stage."""
    series = {
        "bytes": [by_bytes(size) for size in BYTES if size <= options.most_bytes],
        "nodes": [by_nodes(size) for size in NODES if size <= options.most_nodes],
    }
    counts = {"bytes": BYTES, "nodes": NODES}
    return {"by": {unit: _series(list(counts[unit]), pages, folder) for unit, pages in series.items()}}


def _series(sizes: list[int], pages: list[Page], folder: Path) -> Facts:
    place = folder / "sizes.parquet"
    write_pages(pages, place)
    warm_up = [0] * WARM_UP
    with tqdm(total=WARM_UP + len(pages), unit="page", mininterval=5) as bar:
        ended = compete([STAGED, STAGED_UNRENDERED], place, [*warm_up, *range(len(pages))], lambda _: bar.update())
    return {f"{each.name.partition(', ')[2]}: {stage}": _growth(each, stage, sizes)
            for each in ended for stage in (*next(iter(each.costs.values())).cpu, "total")}  # fmt: skip


def _growth(peer: Contestant, stage: str, sizes: Sequence[int]) -> Facts:
    """The cost of a stage, or of all, by size; pages that the peer could not do are left out."""
    places = sorted(peer.costs)
    cpu = [peer.costs[place].seconds(*([] if stage == "total" else [stage])) for place in places]
    done = [sizes[place] for place in places]
    fit = Fit.of(done, cpu)
    return {"sizes": done, "cpu": cpu, "exponent": fit.exponent, "steepest": fit.steepest}


SECTIONS: Final[dict[str, Section]] = {
    "rendered": rendered,
    "unrendered": unrendered,
    "stages": stages,
    "start": start,
    "farm": farm,
    "growth": long_run,
    "sizes": by_size,
}
"""By name, in the order in which they run."""
