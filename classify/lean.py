"""Libraries without what others they would bring along: for processes that are vclean's alone."""

from __future__ import annotations

import gc
import importlib
import sys
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

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
