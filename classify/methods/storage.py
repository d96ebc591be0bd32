"""Store trained methods in files: one line with the method and its metadata, then the compressed model."""

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
"""Version of the file format."""


def pack(name: str, model: bytes, card_fields: Mapping[str, Any]) -> bytes:
    """Return the file of a model of the method `name`; `card_fields` describe its training data."""
    card = {"method": name, "format": FORMAT, **card_fields}
    return json.dumps(card, ensure_ascii=False).encode() + b"\n" + zlib.compress(model, 9)


def unpack(name: str, data: bytes, source: str) -> bytes:
    """Return the model in the file `data`; error messages call the file `source`.

    Raises:
        ModelError: the file is damaged, not a model, or of another method or version.
    """
    line, _, packed = data.partition(b"\n")
    try:
        card = json.loads(line)
        method, version = card["method"], card["format"]
        model = zlib.decompress(packed)
    except (ValueError, LookupError, TypeError, RecursionError, zlib.error) as error:
        raise ModelError(f"{source} is damaged, or not a model of the method {name}: {_remedy(name)}") from error
    if (method, version) != (name, FORMAT):
        raise ModelError(f"{source} is a model of the method {method}, version {version}: {_remedy(name)}")
    return model


def load_trained(name: str, module: Trainable, path: Path | None) -> Method:
    """Return the trained method `name` by the model in the file `path`, or by the shipped model.

    Raises:
        ModelError: the file is missing, damaged, or of another method or version; or no model is shipped.
    """
    source = str(path) if path else f"the shipped model of {name}"
    model = unpack(name, _read(name, path), source)
    try:
        return module.load(model)
    except Exception as error:  # each library's parser has its own exceptions; users see one error for all
        raise ModelError(f"{source} is damaged: {_remedy(name)}") from error


def _read(name: str, path: Path | None) -> bytes:
    if path:
        return model_file.read(path)
    try:
        return _shipped(name).read_bytes()
    except OSError as error:
        raise ModelError(f"no model of the method {name} is in the package: {_remedy(name)}") from error


def is_shipped(name: str) -> bool:
    """Return whether the package contains a model of the method `name`."""
    return _shipped(name).exists()


def _shipped(name: str) -> Path:
    return Path(str(resources.files("vclean.classify"))) / "data" / "methods" / f"{name}.model"


def _remedy(name: str) -> str:
    return f"create one with `vclean train CORPUS... --method {name} -o FILE`, and use it with --model FILE"


def to_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Serialize arrays: a line with their names, then the arrays in NumPy's format."""
    file = io.BytesIO()
    for values in arrays.values():
        np.save(file, values, allow_pickle=False)
    return json.dumps(list(arrays)).encode() + b"\n" + file.getvalue()


def from_bytes(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays that `to_bytes` serialized, by name.

    Raises:
        ValueError: `data` has another format.
    """
    line, _, rest = data.partition(b"\n")
    file = io.BytesIO(rest)
    return {str(name): np.load(file, allow_pickle=False) for name in json.loads(line)}
