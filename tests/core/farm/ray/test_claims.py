from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from vclean.errors import InputError
from vclean.farm.inputs import Inputs
from vclean.farm.parts import PartWriter, part_paths
from vclean.farm.ray.claims import Claims
from vclean.farm.rows import failed
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
    """The claims of a run on `source` after one that did `pages` of it."""
    with PartWriter(folder) as writer:
        for each, name in pages:
            writer.put(failed(Task(Page(id=name), str(source), each), InputError("no")).record)
    return Claims(part_paths(folder), Inputs([str(source)], CleanerSettings(render=False)))


class TestTake:
    def test_what_is_done_and_what_is_not(self, tmp_path: Path, source: Path) -> None:
        done = claims(tmp_path / "out", source, [(key(1), "a"), (key(3), "c")])
        assert done.take(0, 0, [(key(1), "a"), (key(2), "b"), (key(3), "c")]) == bytes([1, 0, 1])

    def test_a_row_accounts_for_one_page_of_all_units(self, tmp_path: Path, source: Path) -> None:
        done = claims(tmp_path / "out", source, [(key(1), "a")])
        assert [done.take(unit, 0, [(key(1), "a")]) for unit in range(3)] == [b"\1", b"\0", b"\0"]

    def test_a_reader_that_asks_again_is_told_the_same(self, tmp_path: Path, source: Path) -> None:
        """As one is that starts again after its node was lost, when others have asked in between."""
        done = claims(tmp_path / "out", source, [(key(1), "a"), (key(1), "a"), (key(2), "b")])
        asked = [(5, 0, [(key(1), "a"), (key(2), "b")]), (6, 0, [(key(1), "a")]), (7, 1, [(key(1), "a")])]
        first = [done.take(*each) for each in asked]
        assert first == [b"\1\1", b"\1", b"\0"]
        assert [done.take(*each) for each in reversed(asked)] == first[::-1]

    def test_a_page_whose_file_was_renamed_is_done(self, tmp_path: Path, source: Path) -> None:
        done = claims(tmp_path / "out", tmp_path / "gone.parquet", [(key(1), "gone.parquet#0")])
        assert done.take(0, 0, [(key(1), f"{source}#0")]) == b"\1"
