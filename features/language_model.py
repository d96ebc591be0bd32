"""The model that tells languages, as it comes with py3langid, kept unpacked in the user's cache folder.

Unpacking takes most of a second and each process 68 MB; as files that are mapped it takes twenty milliseconds, and all
processes share one copy. Where nothing can be kept, the model is unpacked as ever. The answers are the same.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.render.chromium import cache_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier

    Arrays = Mapping[str, NDArray[Any]]
    """The parts of the model by name: those of `_PARTS`."""

_PARTS: Final = ("ptc", "pc", "classes", "nextmove", "row", "output")
"""In the order in which py3langid's reader gives them."""
_LAYOUT: Final = 1
"""Of the folder; to be raised when anything in it is written otherwise."""


def load() -> LanguageIdentifier:
    """The detector, from the cache folder if it is there, else unpacked and kept for the next process."""
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

    parts = _parts(MODEL_DIR / MODEL_FILE)
    ptc, pc, nextmove, row, output = (parts[name] for name in _PARTS if name != "classes")
    # The walk over the bytes of a text reads single numbers, which a memoryview gives at a third of an array's cost.
    classes = parts["classes"].tolist()
    return LanguageIdentifier(ptc, pc, classes, nextmove.data, output.data, norm_probs=True, tk_row=row.data)


def _parts(packed: Path) -> Arrays:
    folder = _folder(packed)
    with contextlib.suppress(OSError, ValueError, EOFError):
        return _mapped(folder)
    parts = _unpacked(packed)
    with contextlib.suppress(OSError):
        _keep(parts, folder)
    return parts


def _folder(packed: Path) -> Path:
    """Where the model is kept: another place for another file, another version of it, another layout."""
    state = packed.stat()
    name = f"languages-{_LAYOUT}-{metadata.version('py3langid')}-{state.st_size}-{state.st_mtime_ns}"
    return cache_folder() / "vclean" / name


def _mapped(folder: Path) -> Arrays:
    """The parts in `folder`.

    Raises:
        OSError, ValueError, EOFError: they are not there, or damaged.
    """
    return {name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _PARTS}


def _unpacked(packed: Path) -> Arrays:
    from py3langid.modelio import load_model

    found = dict(zip(_PARTS, load_model(packed), strict=True))
    return {**{name: np.asarray(part) for name, part in found.items()}, "output": np.array(found["output"], np.int32)}


def _keep(parts: Arrays, folder: Path) -> None:
    """Write the parts so that `folder` is there with all of them or not at all; another process may be first.

    Raises:
        OSError: they cannot be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=".languages-", dir=folder.parent))
    try:
        for name, part in parts.items():
            np.save(aside / f"{name}.npy", part)
        aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
