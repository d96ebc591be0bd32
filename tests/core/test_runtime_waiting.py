from __future__ import annotations

import pytest

from vclean.errors import LimitError
from vclean.runtime import run_within


class TestRunWithin:
    def test_the_result(self) -> None:
        assert run_within(10, lambda: 42) == 42

    def test_an_error_is_raised_as_it_is(self) -> None:
        def fail() -> None:
            raise LimitError("too much")

        with pytest.raises(LimitError, match="too much"):
            run_within(10, fail)
