"""What `suite.py` measured, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clocks import KINDS
from documents import table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Facts = Mapping[str, Any]
    """What one section of the suite found."""

_MB: Final = 2**20


def document(figures: Facts) -> str:
    """All sections that were measured, in their order."""
    parts = [f"### {head}\n\n{write(figures[name])}" for name, (head, write) in _SECTIONS.items() if name in figures]
    machine = "".join(f"{fact}\n" for fact in (_machine(figures["machine"]), "")) if "machine" in figures else ""
    return f"\n{machine}" + "\n".join(parts)


def _machine(facts: Facts) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    return f"{facts['cores']} cores, {facts['memory_gb']} GB; {facts['browser']}; {versions}."


def _targets(facts: Facts) -> str:
    rows = ((each["what"], each["aim"], each["found"], "met" if each["met"] else "missed") for each in facts["rows"])
    return table(("", "target", "found", ""), rows)


def _peers(facts: Facts) -> str:
    head = (
        "",
        "ms of CPU, median",
        "p90",
        "ms on the clock",
        "times as much as the first",
        "memory, MB (PSS)",
        "failed",
    )
    rows = [_peer(name, found) for name, found in facts["peers"].items()]
    told = "".join(f"- **{name}**: {found['what']}.\n" for name, found in facts["peers"].items())
    return f"{_head(facts)}\n{table(head, rows)}\n{told}"


def _peer(name: str, found: Facts) -> tuple[object, ...]:
    memory = sum(found["peak"]["pss"].values()) / _MB
    return (
        name, f"{found['cpu']['median']:.1f}", f"{found['cpu']['p90']:.1f}", f"{found['wall']['median']:.1f}",
        f"{found['ratio']:.2f}", f"{memory:,.0f}", found["failed"],
    )  # fmt: skip


def _head(facts: Facts) -> str:
    return f"{facts['pages']} pages of {facts['corpus']}; load of the machine at the start: {facts['load']:.1f}.\n"


def _rendered(facts: Facts) -> str:
    """The peers, and what kinds of process their time is spent in."""
    found = facts["peers"]
    kinds = [kind for kind in KINDS if any(each["kinds"].get(kind, 0) >= 0.05 for each in found.values())]
    rows = ([name, *(f"{each['kinds'].get(kind, 0):.1f}" for kind in kinds)] for name, each in found.items())
    return f"{_peers(facts)}\nMean ms of CPU by kind of process:\n\n{table(('', *kinds), rows)}"


def _stages(facts: Facts) -> str:
    parts = [_head(facts)]
    for way, stages in facts["ways"].items():
        rows = [
            (name, f"{each['cpu']['median']:.1f}", f"{each['cpu']['p90']:.1f}", f"{each['wall']['median']:.1f}")
            for name, each in stages.items()
        ]
        parts.append(table((way, "ms of CPU, median", "p90", "ms on the clock"), rows))
    return "\n".join(parts)


def _start(facts: Facts) -> str:
    rows = [(name, f"{each['wall']:.2f}", f"{each['cpu']:.2f}") for name, each in facts["commands"].items()]
    return f"Medians of {facts['runs']} runs.\n\n" + table(("", "s on the clock", "s of CPU"), rows)


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
    head = ("workers", "pages/s", "CPU s a page", "cores busy", "peak MB (RSS)")
    return f"{facts['pages']} pages, start-up included, on {facts['cores']} cores.\n\n{table(head, rows)}"


def _growth(facts: Facts) -> str:
    kinds = {name: each for name, each in facts["growth"].items() if name != "others"}
    rows = [(name, f"{facts['first'][name] / _MB:,.0f}", f"{facts['last'][name] / _MB:,.0f}", f"{times:.2f}")
            for name, times in kinds.items()]  # fmt: skip
    return (
        f"{facts['pages']:,} pages, {facts['workers']} workers: {facts['rate']:.2f} pages/s, {facts['cpu']:.3f} s of"
        f" CPU a page, cores {facts['busy']:.0%} busy; {facts['failed']} failed.\n\n"
        + table(("MB, median", "first quarter", "last quarter", "times"), rows)
    )


def _sizes(facts: Facts) -> str:
    parts = []
    for unit, ways in facts["by"].items():
        sizes = next(iter(ways.values()))["sizes"]
        rows = [
            (name, *(f"{1000 * each:,.0f}" for each in found["cpu"]), found["exponent"], found["steepest"])
            for name, found in ways.items()
        ]
        head = (f"ms of CPU by {unit}", *(f"{size:,}" for size in sizes), "exponent", "steepest")
        parts.append(table(head, rows))
    return "\n".join(parts)


_SECTIONS: Final[dict[str, tuple[str, Callable[[Facts], str]]]] = {
    "targets": ("Targets", _targets),
    "rendered": ("Rendered, beside other ways to read a page in Chromium", _rendered),
    "unrendered": ("Unrendered, beside other extractors", _peers),
    "stages": ("By stage", _stages),
    "start": ("Start", _start),
    "farm": ("Workers of the farm", _farm),
    "growth": ("Growth", _growth),
    "sizes": ("Cost by size", _sizes),
}
"""In the order of the document."""
