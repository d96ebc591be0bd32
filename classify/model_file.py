"""Read and write model files: zip archives of texts, without dates."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from vclean.errors import ModelError
from vclean.files import ZIP_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_T = TypeVar("_T")
_SHIPPED: Final = Path(__file__).with_name("data")
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def pack(members: dict[str, bytes]) -> bytes:
    """Write a zip archive without dates: equal members give equal bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
    return file.getvalue()


@contextmanager
def opened(data: bytes, if_damaged: str) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """Open the content of a model file with a card; errors while it is open mean that it is damaged.

    Yields:
        The archive, and the object in its member `card.json`.

    Raises:
        ModelError: the file is damaged; the message is `if_damaged`.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive, json.loads(archive.read("card.json"))
    except ZIP_ERRORS as error:
        raise ModelError(if_damaged) from error


def load(parse: Callable[[bytes, str], _T], path: Path | None, shipped: str) -> _T:
    """Return a model from a file; a model that ships with the package is loaded once.

    Args:
        parse: returns the model, given the content of the file and its name for messages.
        path: the file; None for the one that ships with the package.
        shipped: the name of that one.

    Raises:
        ModelError: the file cannot be read, or `parse` raised the error.
    """
    return parse(read(path), str(path)) if path else _load_shipped(parse, shipped)


@cache
def _load_shipped(parse: Callable[[bytes, str], _T], name: str) -> _T:
    return parse(read_shipped(name), f"the shipped model {name}")


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
