"""Wait for what other threads and processes do."""

from __future__ import annotations

import time
from collections.abc import Callable


def assert_eventually(condition: Callable[[], object], seconds: float = 10, pause: float = 0.01) -> None:
    """Assert that a condition becomes true within `seconds`; check it every `pause` seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"the condition was not true within {seconds} s"
        time.sleep(pause)
