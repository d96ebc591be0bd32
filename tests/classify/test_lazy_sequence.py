from __future__ import annotations

import pytest

from vclean.classify.prediction import LazySequence


class Computation:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> list[str]:
        self.count += 1
        return ["a", "b"]


def test_nothing_is_computed_for_no_block() -> None:
    values = LazySequence(0, Computation())
    assert [*values] == []
    with pytest.raises(IndexError):
        values[0]
