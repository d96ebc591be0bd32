"""Format the results of `suite.py` as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from documents import table
from process_clocks import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Facts = Mapping[str, Any]
    """Results of one section of the suite."""

_MB: Final = 2**20


def document(figures: Facts) -> str:
    """Return the measured sections, in their order."""
    parts = [f"### {head}\n\n{write(figures[name])}" for name, (head, write) in _SECTIONS.items() if name in figures]
    machine = "".join(f"{fact}\n" for fact in (_machine(figures["machine"]), "")) if "machine" in figures else ""
    return f"\n{machine}" + "\n".join(parts)


def _machine(facts: Facts) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    return f"{facts['cores']} cores, {facts['memory_gb']} GB; {facts['browser']}; {versions}."


def _targets(facts: Facts) -> str:
    rows = ((each["what"], each["aim"], each["found"], "met" if each["met"] else "missed") for each in facts["rows"])
    return table(("", "target", "measured", ""), rows)


def _peers(facts: Facts) -> str:
    head = (
        "",
        "ms of CPU, median",
        "p90",
        "ms of wall clock",
        "ratio to the first row",
        "memory, MB (PSS)",
        "failed",
    )
    rows = [_peer(name, peer) for name, peer in facts["peers"].items()]
    descriptions = "".join(f"- **{name}**: {peer['what']}.\n" for name, peer in facts["peers"].items())
    return f"{_head(facts)}\n{table(head, rows)}\n{descriptions}"


def _peer(name: str, peer: Facts) -> tuple[object, ...]:
    memory = sum(peer["peak"]["pss"].values()) / _MB
    return (
        name, f"{peer['cpu']['median']:.1f}", f"{peer['cpu']['p90']:.1f}", f"{peer['wall']['median']:.1f}",
        f"{peer['ratio']:.2f}", f"{memory:,.0f}", peer["failed"],
    )  # fmt: skip


def _head(facts: Facts) -> str:
    return f"{facts['pages']} pages of {facts['corpus']}; load of the machine at the start: {facts['load']:.1f}.\n"


def _rendered(facts: Facts) -> str:
    """Return the table of the peers, and a table of their mean CPU time by kind of process."""
    peers = facts["peers"]
    kinds = [kind for kind in KINDS if any(peer["kinds"].get(kind, 0) >= 0.05 for peer in peers.values())]
    rows = ([name, *(f"{peer['kinds'].get(kind, 0):.1f}" for kind in kinds)] for name, peer in peers.items())
    return f"{_peers(facts)}\nMean ms of CPU by kind of process:\n\n{table(('', *kinds), rows)}"


def _stages(facts: Facts) -> str:
    parts = [_head(facts)]
    for way, stages in facts["ways"].items():
        rows = [
            (name, f"{each['cpu']['median']:.1f}", f"{each['cpu']['p90']:.1f}", f"{each['wall']['median']:.1f}")
            for name, each in stages.items()
        ]
        parts.append(table((way, "ms of CPU, median", "p90", "ms of wall clock"), rows))
    return "\n".join(parts)


def _start(facts: Facts) -> str:
    rows = [(name, f"{each['wall']:.2f}", f"{each['cpu']:.2f}") for name, each in facts["commands"].items()]
    return f"Medians of {facts['runs']} runs.\n\n" + table(("", "s of wall clock", "s of CPU"), rows)


def _farm(facts: Facts) -> str:
    rows = [
        (
            each["workers"],
            f"{each['rate']:.2f}",
            f"{each['cpu']:.3f}",
            f"{each['busy']:.0%}",
            f"{each['peak'] / _MB:,.0f}",
        )
        for each in facts["runs"]
    ]
    head = ("workers", "pages/s", "CPU s per page", "cores busy", "peak MB (RSS)")
    return f"{facts['pages']} pages, start-up included, on {facts['cores']} cores.\n\n{table(head, rows)}"


def _growth(facts: Facts) -> str:
    kinds = {name: each for name, each in facts["growth"].items() if name != "others"}
    rows = [(name, f"{facts['first'][name] / _MB:,.0f}", f"{facts['last'][name] / _MB:,.0f}", f"{ratio:.2f}")
            for name, ratio in kinds.items()]  # fmt: skip
    return (
        f"{facts['pages']:,} pages, {facts['workers']} workers: {facts['rate']:.2f} pages/s, {facts['cpu']:.3f} s of"
        f" CPU per page, cores {facts['busy']:.0%} busy; {facts['failed']} failed.\n\n"
        + table(("MB, median", "first quarter", "last quarter", "ratio"), rows)
    )


def _sizes(facts: Facts) -> str:
    parts = []
    for unit, ways in facts["by"].items():
        sizes = next(iter(ways.values()))["sizes"]
        rows = [
            (name, *(f"{1000 * each:,.0f}" for each in fit["cpu"]), fit["exponent"], fit["steepest"])
            for name, fit in ways.items()
        ]
        head = (f"ms of CPU by {unit}", *(f"{size:,}" for size in sizes), "exponent", "steepest")
        parts.append(table(head, rows))
    return "\n".join(parts)


_SECTIONS: Final[dict[str, tuple[str, Callable[[Facts], str]]]] = {
    "targets": ("Targets", _targets),
    "rendered": ("Rendered, compared with other clients of Chromium", _rendered),
    "unrendered": ("Unrendered, compared with other extractors", _peers),
    "stages": ("By stage", _stages),
    "start": ("Start", _start),
    "farm": ("Workers of the farm", _farm),
    "growth": ("Growth", _growth),
    "sizes": ("Cost by size", _sizes),
}
"""Heading and function of each section, in the order of the document."""
