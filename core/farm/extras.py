"""Dependencies that only some users need: importing them, or saying how to install them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from vclean.errors import ExtraMissingError

if TYPE_CHECKING:
    from types import ModuleType


def need(module: str, extra: str) -> ModuleType:
    """Import a module that comes with an extra.

    Args:
        module: its name; of `a.b`, `a.b` is given.
        extra: the name of the extra, capitalised as users know it.

    Raises:
        ExtraMissingError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        text = f"this needs {extra} ({error}): pip install 'vclean[{extra.lower()}]'"
        raise ExtraMissingError(text) from error
