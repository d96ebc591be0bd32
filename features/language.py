"""The page's language, and its stop words."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import stop_words
from resiliparse.parse.lang import detect_fast

from vclean.features.text import hash_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLE = 6000
"""Characters of text that are looked at: detection is stable from a few hundred on."""

_SCRIPTS = ((0x3040, 0x30FF, "ja"), (0xAC00, 0xD7AF, "ko"), (0x4E00, 0x9FFF, "zh"), (0x0E00, 0x0E7F, "th"),
            (0x0900, 0x097F, "hi"), (0x0600, 0x06FF, "ar"), (0x0590, 0x05FF, "he"), (0x0370, 0x03FF, "el"))  # fmt: skip
"""Scripts that by themselves tell the language when the detector has no verdict, the most telling first."""

_SCRIPT_SHARE = 0.15


def detect(text: str, declared: str = "") -> str:
    """ISO 639-1 code of the language of `text`, or an empty string when there is no telling.

    Args:
        text: the page's text; the first `SAMPLE` characters count.
        declared: what the page says of itself (`<html lang>`), believed when the text gives no verdict.
    """
    sample = text[:SAMPLE]
    if any(map(str.isalpha, sample)):  # without letters the detector says English
        found, _ = detect_fast(sample)
        if found != "unknown":
            return str(found)
    return _by_script(sample) or declared.partition("-")[0].lower()


def _by_script(sample: str) -> str:
    for low, high, language in _SCRIPTS:
        if sum(low <= ord(character) <= high for character in sample) > _SCRIPT_SHARE * max(len(sample), 1):
            return language
    return ""


@cache
def stop_word_hashes(language: str) -> NDArray[np.uint64]:
    """uint64, ascending: hashes (`vclean.features.text`) of the language's stop words; empty where there is no list."""
    if language not in stop_words.LANGUAGE_MAPPING:
        return np.zeros(0, dtype=np.uint64)
    return hash_words([word for word in stop_words.get_stop_words(language) if word.isalpha()])
