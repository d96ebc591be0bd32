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
    """Give a folder to run farms in, and check afterwards that no process is left."""
    farm_in_folder = Farm(tmp_path, f"{os.getpid()}-{tmp_path}", [])
    yield farm_in_folder
    for run in farm_in_folder.runs:
        if run.process.poll() is None:
            kill(run.family)
        run.process.communicate()  # otherwise a later test would warn about its pipes
    wait_until(lambda: not farm_in_folder.left())
