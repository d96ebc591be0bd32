"""Show the examples of docstrings as code: Markdown would read `>>>` as a quotation, and a list as a link."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^ *>>> .*(?:\n *\S.*)*", re.MULTILINE)
"""Lines from a prompt to the next empty line."""


class Examples(griffe.Extension):
    """Fence the examples of all docstrings."""

    def on_package(self, *, pkg: griffe.Module, **_kwargs: Any) -> None:
        """Change the docstrings of a package after it is loaded."""
        _fence(pkg)


def _fence(parent: griffe.Object) -> None:
    if parent.docstring:
        parent.docstring.value = _EXAMPLE.sub(r"```pycon\n\g<0>\n```", parent.docstring.value)
    for member in parent.members.values():
        if not member.is_alias:
            _fence(member)
