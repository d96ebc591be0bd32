from __future__ import annotations

import pytest

from vclean.render.snapshot import LITTLE_TEXT, noscript_needed


@pytest.mark.parametrize(
    ("text", "controls", "inside", "expected"),
    [
        (0, 0, 1, True),
        (0, 0, 0, False),
        (10, 0, 10, False),
        (10, 0, 11, True),
        (LITTLE_TEXT - 1, 0, LITTLE_TEXT, True),
        (LITTLE_TEXT, 0, 100 * LITTLE_TEXT, False),
        (10, 5 * LITTLE_TEXT, 6 * LITTLE_TEXT, True),
        (10, 5 * LITTLE_TEXT, 5 * LITTLE_TEXT, False),
    ],
)
def test_noscript_needed(text: int, controls: int, inside: int, expected: bool) -> None:
    # Noscript is used if it has more text than the rest of the page, and the rest is little, but for menus.
    assert noscript_needed(text, controls, inside) is expected
