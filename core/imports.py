"""Import optional dependencies, or raise an error with the command that installs them."""

from __future__ import annotations

import importlib
import json
import sys
from contextlib import contextmanager, suppress
from importlib import metadata
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from vclean.errors import ExtraMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

DISTRIBUTION: Final = "vclean-web"
"""Name on the package index. `vclean` there is a program for genomes of viruses; its package is `vclean`, too."""


def import_optional(module: str, name: str, extra: str = "") -> ModuleType:
    """Import and return a module that an extra installs.

    Args:
        module: the module name; for `a.b` the submodule is returned.
        name: the name of the library in messages.
        extra: the name of the extra; `name` in lower case if empty.

    Raises:
        ExtraMissingError: it is not installed; the message has the command that installs it.
    """
    with requires_extra(extra or name.lower(), name):
        return importlib.import_module(module)


@contextmanager
def requires_extra(extra: str, name: str) -> Iterator[None]:
    """Convert an `ImportError` in the block to an error that names the extra.

    Args:
        extra: the extra that installs the libraries the block imports.
        name: the name of the library in messages.

    Raises:
        ExtraMissingError: the library is not installed; the message has the command that installs it.
    """
    try:
        yield
    except ImportError as error:
        raise ExtraMissingError(f"this needs {name} ({error}): {install_command(extra)}") from error


def versions(*names: str) -> dict[str, str]:
    """Return the versions of vclean and of other distributions, by name."""
    return {"vclean": metadata.version(DISTRIBUTION), **{name: metadata.version(name) for name in names}}


def install_command(*extras: str) -> str:
    """Return the command that installs extras of this copy of vclean, from where it was installed (PEP 610)."""
    source, option = DISTRIBUTION, ""
    with suppress(OSError, ValueError):
        # The first one may be the metadata of a build, in the current folder.
        origins = (found.read_text("direct_url.json") for found in metadata.distributions(name=DISTRIBUTION))
        origin = json.loads(next(filter(None, origins), "{}"))
        url = origin.get("url", "")
        if url.startswith("file:"):
            from urllib.request import url2pathname  # slow: it loads the HTTP client

            source = url2pathname(urlsplit(url).path)
            option = "-e " if origin.get("dir_info", {}).get("editable") else ""
    return f"pip install {option}'{source}[{','.join(extras)}]'"


def block_pandas() -> None:
    """Prevent Arrow from importing pandas, which it does on its first conversion of values: 0.5 s and 50 MB."""
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _WithoutPandas())


class _WithoutPandas(MetaPathFinder):
    """Import finder that hides pandas; Arrow is compiled and takes None in `sys.modules` for a module."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """Return None for the next finders to search for the module; raise a ModuleNotFoundError for pandas."""
        if fullname == "pandas":
            raise ModuleNotFoundError("vclean does not use pandas", name=fullname)
