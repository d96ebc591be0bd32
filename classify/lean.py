"""LightGBM without what its models do not need: for processes that are vclean's alone."""

from __future__ import annotations

import importlib
import sys
from typing import Final

_UNUSED: Final = ("dask", "pandas", "sklearn")
"""LightGBM imports them wherever they are installed, which takes it several times as long."""


def import_lightgbm() -> None:
    """Import LightGBM as if those libraries were not there; whoever imports them later, finds them."""
    hidden = [name for name in _UNUSED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None stands for a module that is not there
    try:
        importlib.import_module("lightgbm")
    finally:
        for name in hidden:
            del sys.modules[name]
