"""Compare the measurements of `suite.py` with performance targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from peers import FLOOR, RAW, STAGED, UNRENDERED, VCLEAN
from suite_sections import FIRST_RENDERED, HELP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Facts = Mapping[str, Any]


def targets(figures: Facts) -> dict[str, list[dict[str, object]]]:
    """Return a row for every measured target, with its keys `what`, `aim`, `found` (the value) and `met`."""
    measured = [row for name, rows in _TARGETS.items() if name in figures for row in rows(figures[name])]
    return {
        "rows": [
            {"what": what, "aim": aim, "found": f"{value:.2f} {unit}".rstrip(), "met": value <= limit}
            for what, aim, value, unit, limit in measured
        ]
    }


def snapshot_ratio(vclean: Facts, raw: Facts) -> float:
    """Return vclean's CPU time until the snapshot divided by the raw client's, the median over pages both read."""
    both = vclean["snapshot"].keys() & raw["snapshot"].keys()
    return float(np.median([vclean["snapshot"][page] / raw["snapshot"][page] for page in both]))


def _rendered(facts: Facts) -> Iterator[tuple[str, str, float, str, float]]:
    peers = facts["peers"]
    vclean = peers[VCLEAN]["stages"]["snapshot"]["cpu"]["median"]
    yield (
        "a page to its snapshot, CPU of all processes", "at most 1.10 times the raw client",
        snapshot_ratio(peers[VCLEAN], peers[RAW]), "times", 1.10,
    )  # fmt: skip
    yield "the same", "at most 2.5 times the renderer of Chromium alone", vclean / _floor(peers), "times", 2.5


def _floor(peers: Facts) -> float:
    return float(peers[FLOOR]["renderer"]["median"])


def _stages(facts: Facts) -> Iterator[tuple[str, str, float, str, float]]:
    share = facts["ways"][STAGED]["Python's share"]["cpu"]["median"]
    yield "Python, rendered, from decoding to the written text", "at most 30 ms", share, "ms", 30


def _unrendered(facts: Facts) -> Iterator[tuple[str, str, float, str, float]]:
    peers = facts["peers"]
    vclean = peers[UNRENDERED]["cpu"]["median"]
    yield "unrendered, from bytes to text", "at most 25 ms", vclean, "ms", 25
    if "trafilatura" in peers:
        ratio = vclean / peers["trafilatura"]["cpu"]["median"]
        yield "the same", "faster than trafilatura", ratio, "times its time", 1


def _start(facts: Facts) -> Iterator[tuple[str, str, float, str, float]]:
    commands = facts["commands"]
    yield f"`{HELP}`", "under 150 ms", 1000 * commands[HELP]["wall"], "ms", 150
    yield "the first rendered page, from a cold start", "under 2 s", commands[FIRST_RENDERED]["wall"], "s", 2


def _growth(facts: Facts) -> Iterator[tuple[str, str, float, str, float]]:
    yield "cores that the farm leaves idle", "under 10 %", 100 * (1 - facts["busy"]), "%", 10


def _sizes(facts: Facts) -> Iterator[tuple[str, str, float, str, float]]:
    for unit, ways in facts["by"].items():
        worst = max(ways[name]["exponent"] for name in ("rendered: total", "unrendered: total"))
        yield f"growth of the cost with {unit}", "exponent about 1 at most", worst, "", 1.1


_TARGETS = {
    "rendered": _rendered,
    "stages": _stages,
    "unrendered": _unrendered,
    "start": _start,
    "growth": _growth,
    "sizes": _sizes,
}
"""Functions from the facts of a section to target rows, by section."""
