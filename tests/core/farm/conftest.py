from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from helpers.farming import Farm, kill, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[Farm]:
    """A place to run farms in; that nothing of them is left behind is a test of its own."""
    place = Farm(tmp_path, f"{os.getpid()}-{tmp_path}", [])
    yield place
    for run in place.runs:
        if run.process.poll() is None:
            kill(run.family)
        run.process.communicate()  # or its pipes would be told of in some later test
    wait_until(lambda: not place.left())
