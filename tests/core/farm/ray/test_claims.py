from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from vclean.errors import InputError
from vclean.farm.inputs import Inputs
from vclean.farm.parts import PartWriter, part_paths
from vclean.farm.ray.stages import Claims
from vclean.farm.rows import failed_outcome
from vclean.farm.tasks import Task
from vclean.page import Page
from vclean.settings import CleanerSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def key(number: int) -> bytes:
    return number.to_bytes(16)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "pages.parquet"
    path.touch()
    return path


def claims(folder: Path, source: Path, pages: Iterable[tuple[bytes, str]]) -> Claims:
    """Return the claims of a run on `source` after a run that has done `pages` of it."""
    with PartWriter(folder) as writer:
        for each, name in pages:
            writer.write(failed_outcome(Task(Page(id=name), str(source), each), InputError("no")).record)
    return Claims(part_paths(folder), Inputs([str(source)], CleanerSettings(render=False)))


class TestClaim:
    def test_returns_finished_pages(self, tmp_path: Path, source: Path) -> None:
        done = claims(tmp_path / "out", source, [(key(1), "a"), (key(3), "c")])
        assert done.claim(0, 0, [(key(1), "a"), (key(2), "b"), (key(3), "c")]) == bytes([1, 0, 1])

    def test_assigns_each_row_to_one_page_of_all_units(self, tmp_path: Path, source: Path) -> None:
        done = claims(tmp_path / "out", source, [(key(1), "a")])
        assert [done.claim(unit, 0, [(key(1), "a")]) for unit in range(3)] == [b"\1", b"\0", b"\0"]

    def test_repeated_question_has_the_same_answer(self, tmp_path: Path, source: Path) -> None:
        """Restart a reader after its node was lost; other readers have claimed rows in between."""
        done = claims(tmp_path / "out", source, [(key(1), "a"), (key(1), "a"), (key(2), "b")])
        asked = [(5, 0, [(key(1), "a"), (key(2), "b")]), (6, 0, [(key(1), "a")]), (7, 1, [(key(1), "a")])]
        first = [done.claim(*each) for each in asked]
        assert first == [b"\1\1", b"\1", b"\0"]
        assert [done.claim(*each) for each in reversed(asked)] == first[::-1]

    def test_page_of_renamed_file_is_done(self, tmp_path: Path, source: Path) -> None:
        done = claims(tmp_path / "out", tmp_path / "gone.parquet", [(key(1), "gone.parquet#0")])
        assert done.claim(0, 0, [(key(1), f"{source}#0")]) == b"\1"
