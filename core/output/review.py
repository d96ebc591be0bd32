"""List pages of low confidence for review by a human, as JSON lines, lowest confidence first."""

from __future__ import annotations

import json
from math import isnan
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import UsageError
from vclean.files import check_writable, write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    from vclean.result import Result

DOUBT_RANGE: Final = (0.25, 0.75)
"""Range of probabilities in which it is doubtful whether a block is content."""


class Review:
    """List of the pages of a run with low confidence.

    Args:
        path: the file for the list.
        below: the upper limit of the confidence of listed pages, 0 to 1.

    Raises:
        OutputError: the file cannot be written; checked before the work if possible.
    """

    def __init__(self, path: Path, below: float) -> None:
        check_writable(path)
        self._path = path
        self._below = below
        self._entries: list[dict[str, Any]] = []

    def add(self, result: Result) -> None:
        """Add a page to the list if its confidence is low.

        Raises:
            UsageError: the method of the result gives no confidence.
        """
        if isnan(result.confidence):
            raise UsageError(f"--review needs a confidence, and the method {result.method} gives none: use vclean")
        if result.confidence < self._below:
            self._entries.append(review_entry(result))

    def write(self) -> None:
        """Write the list atomically, sorted by confidence; pages of equal confidence are in input order.

        Raises:
            OutputError: the file could not be written.
        """
        ranked = sorted(self._entries, key=lambda page: page["confidence"])
        write_atomic(self._path, "".join(json.dumps(page, ensure_ascii=False) + "\n" for page in ranked))


def review_entry(result: Result) -> dict[str, Any]:
    """Return the entry of a page: its name, its confidence, and counts that may explain the confidence.

    `docs/reference/output.md` describes the fields.
    """
    words = [len(text.split()) for text in result.columns.text]
    is_content = [label.is_content for label in result.prediction.labels]
    probability = result.prediction.probability
    low, high = DOUBT_RANGE
    return {
        "id": result.id,
        "url": result.columns.snapshot.url,
        "confidence": round(result.confidence, 4),
        "blocks": len(is_content),
        "blocks_kept": sum(is_content),
        "blocks_in_doubt": int(((probability > low) & (probability < high)).sum()),
        "words": sum(words),
        "words_kept": sum(count for count, content in zip(words, is_content, strict=True) if content),
    }
