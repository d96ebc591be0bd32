"""Decode linear chains: the best sequence of labels, and the marginal probability of each label.

Scores are logarithms, which add up. The states of B positions with K labels have scores (B, K). The transitions between
two neighbors have scores (K, K), the same for all, or (B - 1, K, K).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def viterbi(states: NDArray[np.floating[Any]], transitions: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """Return the labels of the sequence with the highest score, int64 (B,), for B of at least 1."""
    count, labels = states.shape
    steps = np.broadcast_to(transitions, (count - 1, labels, labels))
    best, back = states[0].astype(np.float64), np.empty((count - 1, labels), dtype=np.int64)
    for position in range(count - 1):
        scores = best[:, None] + steps[position]
        back[position] = scores.argmax(axis=0)
        best = scores.max(axis=0) + states[position + 1]
    path = [int(best.argmax())]
    for row in back[::-1]:
        path.append(int(row[path[-1]]))
    return np.array(path[::-1], dtype=np.int64)


def marginals(states: NDArray[np.floating[Any]], transitions: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the marginal probability of each label at each position, float64 (B, K), for B of at least 1."""
    count, labels = states.shape
    steps = np.exp(np.broadcast_to(transitions, (count - 1, labels, labels)).astype(np.float64))
    state = np.exp(states - states.max(axis=1, keepdims=True)).astype(np.float64)
    forward, backward = state / state.sum(axis=1, keepdims=True), np.ones((count, labels))
    for position in range(1, count):
        message = (forward[position - 1] @ steps[position - 1]) * state[position]
        forward[position] = message / message.sum()
    for position in range(count - 2, -1, -1):
        message = steps[position] @ (state[position + 1] * backward[position + 1])
        backward[position] = message / message.sum()
    both = forward * backward
    return np.asarray(both / both.sum(axis=1, keepdims=True))
