"""Read and write model files: zip archives of texts, without dates."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Final

from vclean.errors import ModelError

_SHIPPED: Final = Path(__file__).with_name("data")
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def pack(members: dict[str, bytes]) -> bytes:
    """Write a zip archive without dates: equal members give equal bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def read(path: Path) -> bytes:
    """Read a model file.

    Raises:
        ModelError: the file cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot read the model {path}: {error.strerror or error}; check the name") from error


def read_shipped(name: str) -> bytes:
    """Read a model file that ships with the package.

    Raises:
        ModelError: the package does not contain the file.
    """
    try:
        return (_SHIPPED / name).read_bytes()
    except OSError as error:
        raise ModelError(f"the model {name} is not in the installed package: install vclean again") from error
