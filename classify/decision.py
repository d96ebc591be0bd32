"""From probabilities to labels: how many blocks of a page to keep, and what each of them is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.labels import Label

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEADING, CONTINUATION = (list(Label).index(label) for label in (Label.HEADING, Label.CONTINUATION))


def best_cut(probability: NDArray[np.float32], words: NDArray[np.float32]) -> tuple[NDArray[np.bool_], float]:
    """Keep the blocks, most probable first, that maximise the expected word F1 of the page.

    With kept words K, expected gold words among them T and expected gold words of the page G, F1 = 2 T / (K + G):
    the plug-in estimate of the expectation, maximised over prefixes of the ranking (Lewis 1995; Jansche 2007).

    Args:
        probability: float32 (B,), that a block is content.
        words: float32 (B,), words per block.

    Returns:
        bool (B,), the blocks to keep, and the expected F1; nothing to keep has an expected F1 of 0.
    """
    if not len(probability):
        return np.zeros(0, dtype=bool), 0.0
    order = np.argsort(-probability, kind="stable")
    hits = np.cumsum((probability * words)[order], dtype=np.float64)
    kept = np.cumsum(words[order], dtype=np.float64)
    expected = 2 * hits / np.maximum(kept + hits[-1], 1e-9)
    best = int(np.argmax(expected))
    keep = np.zeros(len(probability), dtype=bool)
    keep[order[: best + 1]] = True
    return keep, float(expected[best])


def type_codes(probability: NDArray[np.float64]) -> list[int]:
    """The codes of the kept blocks of a page, in document order: the most probable type that can stand there.

    Nothing continues a heading, and the first block continues nothing.

    Args:
        probability: (K, 4), of h, p, l and c, in the order of `Label`.
    """
    best = probability.argmax(axis=1).tolist()
    other = probability[:, :CONTINUATION].argmax(axis=1).tolist()
    codes: list[int] = []
    for first_choice, second_choice in zip(best, other, strict=True):
        barred = first_choice == CONTINUATION and (not codes or codes[-1] == HEADING)
        codes.append(second_choice if barred else first_choice)
    return codes
