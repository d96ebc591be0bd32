from __future__ import annotations

import pytest

from vclean.classify.prediction import LazySequence


class Computation:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> list[str]:
        self.count += 1
        return ["a", "b"]


def test_values_are_computed_once_and_not_before_they_are_read() -> None:
    compute = Computation()
    values = LazySequence(2, compute)
    assert (len(values), compute.count) == (2, 0)
    assert [*values] == ["a", "b"] == values[:2]
    assert (values[1], compute.count) == ("b", 1)


def test_nothing_is_computed_for_no_block() -> None:
    values = LazySequence(0, Computation())
    assert [*values] == []
    with pytest.raises(IndexError):
        values[0]
