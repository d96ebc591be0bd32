from __future__ import annotations

import pytest

from vclean.render.snapshot import LITTLE_TEXT, noscript_needed


@pytest.mark.parametrize(
    ("text", "inside", "expected"),
    [
        (0, 1, True),
        (0, 0, False),
        (10, 10, False),
        (10, 11, True),
        (LITTLE_TEXT - 1, LITTLE_TEXT, True),
        (LITTLE_TEXT, 100 * LITTLE_TEXT, False),
    ],
)
def test_noscript_needed(text: int, inside: int, expected: bool) -> None:
    # Noscript is used if it has more text than the rest of the page, and the rest is little.
    assert noscript_needed(text, inside) is expected
