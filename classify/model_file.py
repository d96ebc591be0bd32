"""What the files of all models of boosted trees have in common: zip archives of texts, without dates."""

from __future__ import annotations

import io
import zipfile
import zlib
from importlib import resources
from typing import TYPE_CHECKING, Final

from vclean.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

DAMAGE: Final = (zipfile.BadZipFile, zlib.error, RuntimeError, LookupError, ValueError, TypeError, EOFError, OSError)
"""What reading a damaged archive raises; RuntimeError where a wrong bit means encryption or an unknown method."""

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def pack(members: dict[str, bytes]) -> bytes:
    """A zip archive without dates, so that equal members give equal bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def read(path: Path) -> bytes:
    """A model's file.

    Raises:
        ModelError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot read the model {path}: {error.strerror or error}") from error


def shipped(name: str) -> bytes:
    """A model's file that ships with the package.

    Raises:
        ModelError: it is not there.
    """
    try:
        return resources.files("vclean.classify").joinpath("data", name).read_bytes()
    except OSError as error:
        raise ModelError(f"the model {name} is not in the installed package: install vclean again") from error
