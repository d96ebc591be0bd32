"""Linear chains: the best sequence of labels, and how probable each label is at its place.

Scores are logarithms and add up: B places of K labels score (B, K), and two neighbours with their labels (K, K),
the same everywhere, or (B - 1, K, K).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def viterbi(places: NDArray[np.floating[Any]], pairs: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """int64 (B,): the labels of the sequence with the highest score, for B at least 1."""
    count, labels = places.shape
    steps = np.broadcast_to(pairs, (count - 1, labels, labels))
    best, back = places[0].astype(np.float64), np.empty((count - 1, labels), dtype=np.int64)
    for at in range(count - 1):
        scores = best[:, None] + steps[at]
        back[at] = scores.argmax(axis=0)
        best = scores.max(axis=0) + places[at + 1]
    path = [int(best.argmax())]
    for row in back[::-1]:
        path.append(int(row[path[-1]]))
    return np.array(path[::-1], dtype=np.int64)


def marginals(places: NDArray[np.floating[Any]], pairs: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """float64 (B, K): the probability of every label at every place, over all sequences; for B at least 1."""
    count, labels = places.shape
    steps = np.exp(np.broadcast_to(pairs, (count - 1, labels, labels)).astype(np.float64))
    here = np.exp(places - places.max(axis=1, keepdims=True)).astype(np.float64)
    forward, backward = here / here.sum(axis=1, keepdims=True), np.ones((count, labels))
    for at in range(1, count):
        reached = (forward[at - 1] @ steps[at - 1]) * here[at]
        forward[at] = reached / reached.sum()
    for at in range(count - 2, -1, -1):
        reached = steps[at] @ (here[at + 1] * backward[at + 1])
        backward[at] = reached / reached.sum()
    both = forward * backward
    return np.asarray(both / both.sum(axis=1, keepdims=True))
