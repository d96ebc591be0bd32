"""`vclean methods`: what there is to label blocks."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from vclean.classify.methods import all_facts, ships
from vclean.files import write_stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.classify.methods import Facts
    from vclean.methods_options import MethodsOptions


def list_methods(options: MethodsOptions) -> int:
    """Print every method with what it needs and what it is, one a line; the exit code."""
    write_stream(sys.stdout, to_json(all_facts()) if options.json else to_lines(all_facts()))
    return 0


def to_lines(methods: Sequence[Facts]) -> str:
    """Name, needs and description in columns; `-` where a method needs nothing."""
    rows = [(facts.name, ", ".join(_needs(facts)) or "-", facts.line) for facts in methods]
    name, needs = (max(len(row[column]) for row in rows) for column in (0, 1))
    return "".join(f"{row[0]:{name}}  {row[1]:{needs}}  {row[2]}\n" for row in rows)


def to_json(methods: Sequence[Facts]) -> str:
    """An array of objects with name, description and what each method needs."""
    rows = [
        {
            "name": facts.name,
            "description": facts.line,
            "rendered": facts.rendered,
            "trained": facts.trained,
            "ships": ships(facts) if facts.trained else None,
            "template": facts.templated,
            "extra": facts.extra or None,
        }
        for facts in methods
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _needs(facts: Facts) -> list[str]:
    """What a method needs, and whether the model that it needs is there."""
    return [f"{need} (ships)" if need == "a model" and ships(facts) else need for need in facts.needs]
