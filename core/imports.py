"""Import dependencies of extras, or raise an error with the command that installs them."""

from __future__ import annotations

import gc
import importlib
import sys
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from vclean.errors import ExtraMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator
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
    with of_extra(extra or name.lower(), name):
        return importlib.import_module(module)


@contextmanager
def of_extra(extra: str, name: str) -> Iterator[None]:
    """Turn a failed import in the block into an error that names the extra.

    Args:
        extra: the extra that installs what the block imports.
        name: what users call the library.

    Raises:
        ExtraMissingError: the library is not installed; the text has the command that installs it.
    """
    try:
        yield
    except ImportError as error:
        raise ExtraMissingError(f"this needs {name} ({error}): pip install 'vclean[{extra}]'") from error


def check_installed(module: str, name: str, extra: str) -> None:
    """Check that a module is there, before work that needs it in the end; it is not imported.

    Raises:
        ExtraMissingError: it is not; the text has the command that installs it.
    """
    with of_extra(extra, name):
        if find_spec(module) is None:
            raise ModuleNotFoundError(f"No module named {module!r}")


_UNUSED: Final = ("dask", "pandas", "sklearn")
"""LightGBM imports them wherever they are installed, which takes it several times as long."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Have the collector of garbage leave alone, now and later, what the block loads: libraries and models are none."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def import_lightgbm() -> None:
    """Import LightGBM as if those libraries were not there; whoever imports them later, finds them."""
    hidden = [name for name in _UNUSED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None stands for a module that is not there
    try:
        importlib.import_module("lightgbm")
    finally:
        for name in hidden:
            del sys.modules[name]


def forgo_pandas() -> None:
    """Have Arrow do without pandas, which it imports with the first values that it is given: 0.5 s and 50 MB."""
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _WithoutPandas())


class _WithoutPandas(MetaPathFinder):
    """Finds pandas nowhere; None in `sys.modules`, as above, is a module to Arrow, which is compiled."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """Nothing, for the finders that follow to look for the module.

        Raises:
            ModuleNotFoundError: it is pandas.
        """
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not needed here", name=fullname)
