"""Dependencies that only some users need: importing them, or saying how to install them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from vclean.errors import ExtraMissingError

if TYPE_CHECKING:
    from types import ModuleType


def need(module: str, name: str, extra: str = "") -> ModuleType:
    """Import a module that comes with an extra.

    Args:
        module: its name; of `a.b`, `a.b` is given.
        name: what users call it.
        extra: the name of the extra; `name` in small letters where none is given.

    Raises:
        ExtraMissingError: it is not installed; the text has the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        text = f"this needs {name} ({error}): pip install 'vclean[{extra or name.lower()}]'"
        raise ExtraMissingError(text) from error
