"""Command `vclean methods`: list the methods that label blocks."""

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
    """Options of `vclean methods`; `json` prints a JSON array."""

    json: bool


@command("methods", MethodsOptions, help="List the methods that label blocks, and their requirements.")
@flag("--json", help="print a JSON array")
def list_methods(options: MethodsOptions) -> int:
    """Print one line for each method, with its requirements and its description; return the exit code."""
    from vclean.classify.methods import all_method_infos
    from vclean.files import write_stream

    write_stream(sys.stdout, to_json(all_method_infos()) if options.json else to_lines(all_method_infos()))
    return 0


def to_lines(methods: Sequence[MethodInfo]) -> str:
    """Return a table of names, requirements and descriptions; `-` for a method without requirements."""
    from tabulate import tabulate

    rows = [(facts.name, ", ".join(_needs(facts)) or "-", facts.summary) for facts in methods]
    return tabulate(rows, tablefmt="plain", disable_numparse=True) + "\n"


def to_json(methods: Sequence[MethodInfo]) -> str:
    """Return a JSON array of objects with name, description and requirements of each method."""
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
    """Return the requirements of a method, and whether vclean ships the required model."""
    from vclean.classify.methods import is_shipped

    return [f"{need} (ships)" if need == "a model" and is_shipped(facts) else need for need in facts.needs]
