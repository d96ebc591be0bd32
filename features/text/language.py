"""The page's language, by what stands in its text and what the page says of itself."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.render.browser.chromium import cache_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier

    Arrays = Mapping[str, NDArray[Any]]
    "The parts of the model by name: those of `_PARTS`."
    from collections.abc import Sequence


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


SAMPLE = 320
"""Characters that are looked at: of messages of this length 995 in 1,000 are recognised, of longer ones hardly more."""
PIECE = 80
"""Characters of one block in a sample: one long block (a list of names, a quotation) must not speak for the page."""
LINKED = 1 / 3
"""Link share from which on a block is likely an entry of a menu, which speaks only where the others say too little."""
ENOUGH = 60
"""Characters that tell a language: of messages of this length 98 in 100 are recognised."""

_TRUST = 20.0
"""Odds that the page's own word adds: it decides on a few words, and never against a paragraph."""
_SURE = 0.2
"""Probability from which a verdict counts: below, every fourth is wrong (short messages in 55 languages)."""
_NO_LANGUAGE = "zxx"
_MACROLANGUAGES = {"yue": "zh", "wuu": "zh", "arz": "ar", "ary": "ar", "hbo": "he"}
"""Languages that are written like one that has a code of two letters."""


def detect(text: str, declared: str = "") -> str:
    """ISO 639-1 code of the language of `text`, or an empty string when there is no telling.

    Args:
        text: the page's text; the first `SAMPLE` characters count.
        declared: what the page says of itself (`<html lang>`); decides where the text says little.
    """
    stated = declared.partition("-")[0].partition("_")[0].lower()
    sample = " ".join(text[:SAMPLE].split())
    if not any(map(str.isalpha, sample)):
        return stated
    probability: dict[str, float] = {}
    for code, share in _identifier().rank(sample):
        language = _MACROLANGUAGES.get(code, code)
        if len(language) == 2 or language == _NO_LANGUAGE:
            probability[language] = probability.get(language, 0.0) + share
    if stated in probability:
        probability[stated] *= _TRUST
    best = max(probability, key=probability.__getitem__)
    sure = probability[best] >= _SURE * sum(probability.values())
    return best if sure and best != _NO_LANGUAGE else stated


@cache
def _identifier() -> LanguageIdentifier:
    """The detector; a choice of languages would copy its table."""
    return load()


def sample(texts: Sequence[str], link_share: NDArray[np.float32]) -> str:
    """Pieces of the texts that tell a page's language best: those without links first, the long ones among them."""
    length = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    pieces, size = [], 0
    for index in np.lexsort((-length, link_share > LINKED)).tolist():
        if size > SAMPLE or (size > ENOUGH and link_share[index] > LINKED):
            break
        pieces.append(texts[index][:PIECE])
        size += len(pieces[-1]) + 1
    return " ".join(pieces)
