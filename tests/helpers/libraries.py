"""Libraries that adapters need and that the ordinary run does not install."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ADAPTER = "VCLEAN_TEST_ADAPTER"
"""Environment variable with the name of the adapter whose libraries `nox -s adapters` has installed."""


def require(module: str, adapter: str) -> ModuleType:
    """Import a module; skip the test if it is not installed, unless its adapter's session runs."""
    if os.environ.get(ADAPTER) == adapter:
        return importlib.import_module(module)
    return pytest.importorskip(module)
