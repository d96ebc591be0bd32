"""`vclean methods`: the methods that label blocks."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vclean.cli.command import command
from vclean.cli.options import flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.classify.methods import MethodInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodsOptions:
    """Options of `vclean methods`: `json` for a machine-readable list."""

    json: bool


@command("methods", MethodsOptions, help="List the methods that label blocks, and what each needs.")
@flag("--json", help="print a JSON array")
def list_methods(options: MethodsOptions) -> int:
    """Print every method with what it needs and what it is, one a line; the exit code."""
    from vclean.classify.methods import all_method_infos
    from vclean.files import write_stream

    write_stream(sys.stdout, to_json(all_method_infos()) if options.json else to_lines(all_method_infos()))
    return 0


def to_lines(methods: Sequence[MethodInfo]) -> str:
    """Name, needs and description in columns; `-` where a method needs nothing."""
    from tabulate import tabulate

    rows = [(facts.name, ", ".join(_needs(facts)) or "-", facts.summary) for facts in methods]
    return tabulate(rows, tablefmt="plain", disable_numparse=True) + "\n"


def to_json(methods: Sequence[MethodInfo]) -> str:
    """An array of objects with name, description and what each method needs."""
    from vclean.classify.methods import is_shipped

    rows = [
        {
            "name": facts.name,
            "description": facts.summary,
            "rendered": facts.rendered,
            "trained": facts.trained,
            "ships": is_shipped(facts) if facts.trained else None,
            "template": facts.templated,
            "extra": facts.extra or None,
        }
        for facts in methods
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _needs(facts: MethodInfo) -> list[str]:
    """What a method needs, and whether the model that it needs is there."""
    from vclean.classify.methods import is_shipped

    return [f"{need} (ships)" if need == "a model" and is_shipped(facts) else need for need in facts.needs]
