"""Pages for a human to look at: those the model is least sure of, as JSON lines, the least sure first."""

from __future__ import annotations

import json
from math import isnan
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import UsageError
from vclean.files import check_writable, write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    from vclean.result import Result

DOUBT: Final = (0.25, 0.75)
"""Probabilities between which a block could as well be content as not."""


class Review:
    """Collects the pages of a run whose confidence is low, and writes their list at its end.

    Args:
        path: the file to write.
        below: the confidence from which on a page needs no look, in 0..1.

    Raises:
        OutputError: the file cannot be written, which is found before the work where it can be.
    """

    def __init__(self, path: Path, below: float) -> None:
        check_writable(path)
        self._path = path
        self._below = below
        self._entries: list[dict[str, Any]] = []

    def look(self, result: Result) -> None:
        """Remember the page if its confidence is low.

        Raises:
            UsageError: the method that made the result gives no confidence.
        """
        if isnan(result.confidence):
            raise UsageError(f"--review needs a confidence, and the method {result.method} gives none: leave one out")
        if result.confidence < self._below:
            self._entries.append(entry(result))

    def write(self) -> None:
        """Write the list, least confidence first and equal ones in the order they came, whole or not at all.

        Raises:
            OutputError: the file could not be written.
        """
        ranked = sorted(self._entries, key=lambda page: page["confidence"])
        write_atomic(self._path, "".join(json.dumps(page, ensure_ascii=False) + "\n" for page in ranked))


def entry(result: Result) -> dict[str, Any]:
    """What a reader of the list needs: the page, its confidence, and the counts that may explain it.

    `docs/reference/output.md` describes the fields.
    """
    words = [len(text.split()) for text in result.columns.text]
    kept = [label.is_content for label in result.prediction.labels]
    probability = result.prediction.probability
    low, high = DOUBT
    return {
        "id": result.id,
        "url": result.metadata.url,
        "confidence": round(result.confidence, 4),
        "blocks": len(kept),
        "blocks_kept": sum(kept),
        "blocks_in_doubt": int(((probability > low) & (probability < high)).sum()),
        "words": sum(words),
        "words_kept": sum(count for count, chosen in zip(words, kept, strict=True) if chosen),
    }
