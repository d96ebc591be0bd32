"""The files of trained methods: a line that says whose model it is, and the model, compressed."""

from __future__ import annotations

import io
import json
import zlib
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import model_file
from vclean.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Method, Trainable


FORMAT: Final = 1
"""Version of the file's layout."""


def pack(name: str, model: bytes, facts: Mapping[str, Any]) -> bytes:
    """The file of a model of the method `name`; `facts` say what it was trained on."""
    card = {"method": name, "format": FORMAT, **facts}
    return json.dumps(card, ensure_ascii=False).encode() + b"\n" + zlib.compress(model, 9)


def unpack(name: str, data: bytes, source: str) -> bytes:
    """The model in the file `data`, which messages call `source`.

    Raises:
        ModelError: it is damaged, no model, or one of another method or version.
    """
    line, _, packed = data.partition(b"\n")
    try:
        card = json.loads(line)
        method, version = card["method"], card["format"]
        model = zlib.decompress(packed)
    except (ValueError, LookupError, TypeError, RecursionError, zlib.error) as error:
        raise ModelError(f"{source} is damaged, or no model of the method {name}: {_remedy(name)}") from error
    if (method, version) != (name, FORMAT):
        raise ModelError(f"{source} is a model of the method {method}, version {version}: {_remedy(name)}")
    return model


def load_trained(name: str, module: Trainable, path: Path | None) -> Method:
    """The trained method `name` by the model in the file `path`, or by the one that ships with the package.

    Raises:
        ModelError: the file is missing, damaged, or of another method or version; or none ships.
    """
    source = str(path) if path else f"the shipped model of {name}"
    model = unpack(name, _read(name, path), source)
    try:
        return module.load(model)
    except Exception as error:  # A library's parser has its own errors; none of them is a user's business.
        raise ModelError(f"{source} is damaged: {_remedy(name)}") from error


def _read(name: str, path: Path | None) -> bytes:
    if path:
        return model_file.read(path)
    try:
        return _shipped(name).read_bytes()
    except OSError as error:
        raise ModelError(f"no model of the method {name} is in the package: {_remedy(name)}") from error


def ships(name: str) -> bool:
    """Whether a model of the method `name` is in the package."""
    return _shipped(name).exists()


def _shipped(name: str) -> Path:
    return Path(str(resources.files("vclean.classify"))) / "data" / "methods" / f"{name}.model"


def _remedy(name: str) -> str:
    return f"`vclean train CORPUS... --method {name} -o FILE` makes one, and --model FILE takes it"


def to_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A line with the names of the arrays, and the arrays in NumPy's format."""
    file = io.BytesIO()
    for values in arrays.values():
        np.save(file, values, allow_pickle=False)
    return json.dumps(list(arrays)).encode() + b"\n" + file.getvalue()


def from_bytes(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays that `to_bytes` wrote, by name.

    Raises:
        ValueError: it did not.
    """
    line, _, rest = data.partition(b"\n")
    file = io.BytesIO(rest)
    return {str(name): np.load(file, allow_pickle=False) for name in json.loads(line)}
