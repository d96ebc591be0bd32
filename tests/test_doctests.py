"""Run the examples in docstrings.

`pytest --doctest-modules` is not used, because it would also collect the tests, which have modules with equal names.
"""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import vclean

PACKAGE = Path(vclean.__file__).parent


def modules() -> list[str]:
    """Return the names of all modules with an example; the others may need libraries that are not installed."""
    paths = [path for path in PACKAGE.rglob("*.py") if ">>> " in path.read_text("utf-8")]
    return sorted(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in paths)


@pytest.mark.parametrize("name", modules())
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_examples_are_found() -> None:
    assert len(modules()) > 10
