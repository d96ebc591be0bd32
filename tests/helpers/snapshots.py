"""Compare snapshots in tests."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from vclean.render.snapshot import Snapshot


def assert_same(one: Snapshot, other: Snapshot) -> None:
    """Assert that all fields except the timings are equal, in value and type."""
    for field in fields(Snapshot):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b)
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
        elif field.name != "timings":
            assert type(a) is type(b)
            assert a == pytest.approx(b, abs=0, nan_ok=True) if isinstance(a, float) else a == b
