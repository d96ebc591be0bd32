"""From probabilities to labels: how many blocks of a page to keep, and what each of them is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import ndtr, ndtri

from vclean.labels import LABELS, Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

AGREEMENT: Final = 0.5
"""How far the doubts about a page's blocks go together."""
SCENARIOS: Final = 9
_FACTOR, _CHANCES = np.polynomial.hermite_e.hermegauss(SCENARIOS)
_CHANCES /= _CHANCES.sum()
_TINY: Final = 1e-9
_SURE: Final = 0.95
_QUARTILE: Final = 0.75

HEADING, CONTINUATION = (list(Label).index(label) for label in (Label.HEADING, Label.CONTINUATION))


def best_selection(
    probability: NDArray[np.float32], words: NDArray[np.float32], beta: float = 1.0
) -> tuple[NDArray[np.bool_], float]:
    """The blocks to keep for one `beta`, bool (B,), and the expected F: see `best_selections`."""
    keeps, expected = best_selections(probability, words, (beta,))
    return keeps[0], float(expected[0])


def best_selections(
    probability: NDArray[np.float32], words: NDArray[np.float32], betas: Sequence[float]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Keep the blocks, most probable first, that maximise the expected word F measure of the page.

    With kept words K, gold words among them T and gold words of the page G, F = (1 + beta^2) T / (K + beta^2 G). Its
    expectation is taken over pages like this one (`_scenarios`), T and G being sums of what each block promises there,
    and maximised over prefixes of the ranking (Lewis 1995; Jansche 2007).

    Args:
        probability: float32 (B,), that a block is content.
        words: float32 (B,), words per block.
        betas: K numbers, how many times as much recall counts as precision (van Rijsbergen 1979).

    Returns:
        bool (K, B), the blocks to keep, and float64 (K,), the expected F; nothing to keep has an expected F of 0.
    """
    keeps, best = np.zeros((len(betas), len(probability)), dtype=bool), np.zeros(len(betas))
    if not len(probability):
        return keeps, best
    order = np.argsort(-probability, kind="stable")
    size = words[order].astype(np.float64)[:, None]
    hits = np.cumsum(_scenarios(probability[order]) * size, axis=0)
    kept = np.cumsum(size, axis=0)
    for row, beta in enumerate(betas):
        expected = ((1 + beta**2) * hits / np.maximum(kept + beta**2 * hits[-1], _TINY)) @ _CHANCES
        last = int(np.argmax(expected))
        keeps[row, order[: last + 1]], best[row] = True, expected[last]
    return keeps, best


def _scenarios(probability: NDArray[np.float32]) -> NDArray[np.float64]:
    """float64 (B, SCENARIOS): the probabilities of a page's blocks, were its annotators strict, ..., or generous.

    The doubts about the blocks of a page are shared: either all its comments are content or none. Were every block its
    own throw of a die, forty comments at one third each would be worth keeping. One normal factor per page, of
    correlation `AGREEMENT`, shifts all its blocks (the one-factor Gaussian copula; Vasicek 1987).
    """
    doubt = ndtri(probability.astype(np.float64))[:, None]
    shifted: NDArray[np.float64] = ndtr((doubt + np.sqrt(AGREEMENT) * _FACTOR) / np.sqrt(1 - AGREEMENT))
    return shifted


def assign_labels(keep: NDArray[np.bool_], types: NDArray[np.float32]) -> list[Label]:
    """The labels of a page's B blocks.

    Args:
        keep: bool (B,), which are content.
        types: float32 (K, 4), the probabilities of h, p, l and c of those K.
    """
    labels = [Label.OTHER] * len(keep)
    for block, code in zip(np.flatnonzero(keep).tolist(), type_codes(types), strict=True):
        labels[block] = LABELS[code]
    return labels


def type_codes(probability: NDArray[np.floating[Any]]) -> list[int]:
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


def with_comments(
    probability: NDArray[np.float32], comments: NDArray[np.float32], words: NDArray[np.float32], *, wanted: bool
) -> NDArray[np.float32]:
    """The probabilities of blocks as content, once it is known whether readers' comments are.

    Unwanted, a block is content if it would be and is not among comments. Wanted, the doubt whether comments count is
    taken out of those of their blocks: the likeliest of them, the text of the comments, become sure, and what stands
    between them (names, dates, buttons) stays as much behind as it was.

    Args:
        probability: float32 (B,), where that is not known.
        comments: float32 (B,), that a block is among readers' comments.
        words: float32 (B,), words per block.
        wanted: whether comments are content.

    Returns:
        float32 (B,).
    """
    if not wanted:
        return probability * (1 - comments)
    sure = _SURE / _upper(probability, comments * words)
    lifted = np.maximum(np.minimum(probability * sure, _SURE), probability)
    return np.asarray(probability + comments * (lifted - probability), dtype=np.float32)


def _upper(values: NDArray[np.float32], weight: NDArray[np.float32]) -> float:
    """The weighted upper quartile of `values` (B,), B at least 1."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weight[order], dtype=np.float64)
    place = int(np.searchsorted(share, _QUARTILE * share[-1]))
    return max(float(values[order[min(place, len(order) - 1)]]), _TINY)
