"""Detect the language of a page from its text and its declared language."""

from __future__ import annotations

import contextlib
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from vclean.errors import OutputError
from vclean.files import AtomicFile, cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier


_PARTS: Final = ("ptc", "pc", "classes", "nextmove", "row", "output")
"""Names of the model's parts in the order in which py3langid reads them."""
_LAYOUT: Final = 1
"""Version of the cache folder's layout; increase it when the format of a file changes."""


def load() -> LanguageIdentifier:
    """Load the language detector from the cache folder; unpack and cache it at first use."""
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

    parts = _load_parts(MODEL_DIR / MODEL_FILE)
    ptc, pc, nextmove, row, output = (parts[name] for name in _PARTS if name != "classes")
    # Detection reads single numbers per byte of text: a third of the cost with a memoryview instead of an array.
    classes = parts["classes"].tolist()
    return LanguageIdentifier(ptc, pc, classes, nextmove.data, output.data, norm_probs=True, tk_row=row.data)


def _load_parts(packed: Path) -> dict[str, NDArray[Any]]:
    """Return the parts of the model, memory-mapped from the cache folder, or else from the packed file."""
    state = packed.stat()
    folder = cache_folder() / "vclean" / f"languages-{_LAYOUT}-{state.st_size}-{state.st_mtime_ns}"
    with contextlib.suppress(OSError, ValueError, EOFError):  # they do not exist, or are damaged
        return {name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _PARTS}
    from py3langid.modelio import load_model

    parts = {name: np.asarray(part) for name, part in zip(_PARTS, load_model(packed), strict=True)}
    parts["output"] = parts["output"].astype(np.int32)
    with contextlib.suppress(OSError, OutputError):
        folder.mkdir(parents=True, exist_ok=True)
        for name, part in parts.items():
            with AtomicFile(folder / f"{name}.npy") as file:  # another process may write it at the same time
                np.save(cast("Any", file), part)
    return parts


SAMPLE_LENGTH = 320
"""Characters of a sample: 995 of 1,000 messages of this length are recognized, and few more with longer samples."""
EXCERPT_LENGTH = 80
"""Maximum characters of one block in a sample: one long block (a list of names, a quotation) must not dominate."""
MAX_LINK_SHARE = 1 / 3
"""Link share above which a block is probably a menu entry; such blocks are used only if the others are too short."""
MIN_LENGTH = 60
"""Characters of text outside links that suffice: 98 of 100 messages of this length are recognized."""

_DECLARED_ODDS = 20.0
"""Factor for the odds of the declared language: it decides between a few words, but never against a paragraph."""
_MIN_PROBABILITY = 0.2
"""Probability below which detection is ignored: every fourth result is wrong (short messages in 55 languages)."""
_NO_LANGUAGE = "zxx"
_MACROLANGUAGES = {"yue": "zh", "wuu": "zh", "arz": "ar", "ary": "ar", "hbo": "he"}
"""Languages written like one that has a two-letter code."""


def detect(text: str, declared: str = "") -> str:
    """Return the ISO 639-1 code of the language of `text`, or an empty string if it is unknown.

    Args:
        text: the page's text; the first `SAMPLE_LENGTH` characters are used.
        declared: the declared language (`<html lang>`); used if the text is too short to decide.
    """
    declared_code = declared.partition("-")[0].partition("_")[0].lower()
    sample = " ".join(text[:SAMPLE_LENGTH].split())
    if not any(map(str.isalpha, sample)):
        return declared_code
    probability: dict[str, float] = {}
    for code, share in _identifier().rank(sample):
        language = _MACROLANGUAGES.get(code, code)
        if len(language) == 2 or language == _NO_LANGUAGE:
            probability[language] = probability.get(language, 0.0) + share
    if declared_code in probability:
        probability[declared_code] *= _DECLARED_ODDS
    best = max(probability, key=probability.__getitem__)
    is_reliable = probability[best] >= _MIN_PROBABILITY * sum(probability.values())
    return best if is_reliable and best != _NO_LANGUAGE else declared_code


_identifier: Final = cache(load)
"""Loads the language detector once; restricting its languages would copy its table."""


def sample(texts: Sequence[str], link_share: NDArray[np.float32]) -> str:
    """Return excerpts for language detection: from blocks with few links before others, from long before short ones."""
    length = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    excerpts, length_so_far = [], 0
    for index in np.lexsort((-length, link_share > MAX_LINK_SHARE)).tolist():
        if length_so_far > SAMPLE_LENGTH or (length_so_far > MIN_LENGTH and link_share[index] > MAX_LINK_SHARE):
            break
        excerpts.append(texts[index][:EXCERPT_LENGTH])
        length_so_far += len(excerpts[-1]) + 1
    return " ".join(excerpts)
