from __future__ import annotations

import pytest

from vclean.classify.prediction import LazySequence


def test_nothing_is_computed_for_no_block() -> None:
    values = LazySequence(0, lambda: ["a"])
    assert [*values] == []
    with pytest.raises(IndexError):
        values[0]
