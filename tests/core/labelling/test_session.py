from __future__ import annotations

import json
from math import nan
from pathlib import Path

import pytest
from helpers.labelled import page, session

from vclean.errors import UsageError
from vclean.labelling.export import read_gold
from vclean.labelling.session import AnnotationSession
from vclean.labelling.store import Status


@pytest.fixture
def session_with_pages(tmp_path: Path):
    """Return a session with three pages by increasing confidence: 1, 2, 0."""
    pages = [page("a.html", confidence=0.9), page("b.html", confidence=0.2), page("c.html", confidence=0.5)]
    with session(tmp_path, *pages) as made:
        yield made


def labels(made: AnnotationSession) -> dict[int, str]:
    return {row: label for row, label, *_ in made.state(0, 0)["blocks"]}


class TestQueue:
    def test_lowest_confidence_first_and_pages_without_text_last(self, session_with_pages: AnnotationSession) -> None:
        session_with_pages.add(page("d.html", html="<title>Empty</title>", labels="", confidence=0.0))
        assert session_with_pages.queue() == [1, 2, 0, 3]

    def test_next_page_is_open_and_follows_current_page(self, session_with_pages: AnnotationSession) -> None:
        assert [session_with_pages.next_page(page) for page in (None, 1, 2, 0)] == [1, 2, 0, 1]
        session_with_pages.set_status(2, Status.DONE)
        session_with_pages.set_status(0, Status.SKIPPED)
        assert session_with_pages.next_page(1) == 1
        session_with_pages.set_status(1, Status.DONE)
        assert session_with_pages.next_page(1) is None

    def test_lists_pages_in_order(self, session_with_pages: AnnotationSession) -> None:
        session_with_pages.change(1, [{"block": 0, "label": "h"}, {"block": 1, "label": "p"}])
        session_with_pages.set_status(1, Status.DONE)
        facts = {"id": "b.html", "title": "News", "confidence": 0.2, "blocks": 4, "corrected": 2, "status": "done"}
        assert session_with_pages.listing()["pages"][0] == {"number": 1} | facts

    def test_listing_without_confidence_is_serializable(self, tmp_path: Path) -> None:
        with session(tmp_path, page(confidence=nan)) as made:
            assert json.loads(json.dumps(made.listing(), allow_nan=False))["pages"][0]["confidence"] is None


class TestChange:
    def test_role_does_not_change_label(self, session_with_pages: AnnotationSession) -> None:
        session_with_pages.change(0, [{"block": 0, "role": "ad"}, {"block": 1, "role": None}])
        assert session_with_pages.state(0, 0)["blocks"] == [
            [0, "o", "ad", None, True, 1],
            [1, "h", None, None, True, 1],
        ]

    @pytest.mark.parametrize(
        "blocks",
        [
            [{"block": 4, "label": "p"}],
            [{"block": -1, "label": "p"}],
            [{"block": True, "label": "p"}],
            [{"block": "0", "label": "p"}],
            [{"block": 0}],
            [{"block": 0, "label": "q"}],
            [{"block": 0, "label": None}],
            [{"block": 0, "role": "king"}],
            [{"block": 0, "part": "price"}],
            [{"block": 0, "part": "head"}],
            [{"label": "p"}],
            ["p"],
            [{"block": 0, "label": "p"}, {"block": 9, "label": "p"}],
        ],
        ids=repr,
    )
    def test_invalid_change_has_no_effect(
        self, session_with_pages: AnnotationSession, blocks: list[dict[str, object]]
    ) -> None:
        with pytest.raises(UsageError):
            session_with_pages.change(0, blocks)
        assert session_with_pages.state(0, 0)["revision"] == 0


class TestGold:
    """Tests that the gold of every change is written before its answer."""

    def text(self, folder: Path) -> str:
        (path,) = (folder / "gold" / "me").glob("a-*.txt")
        return path.read_text()

    def test_written_after_every_change(self, session_with_pages: AnnotationSession, tmp_path: Path) -> None:
        session_with_pages.change(0, [{"block": 0, "label": "h"}])
        assert self.text(tmp_path) == "<h>Home\n<h>Rain\n<p>It rained.\n<p>It rained again.\n"
        session_with_pages.undo_or_redo(0, "undo")
        assert self.text(tmp_path) == "<h>Rain\n<p>It rained.\n<p>It rained again.\n"
        session_with_pages.undo_or_redo(0, "redo")
        session_with_pages.set_status(0, Status.DONE)
        assert [page.status for page in read_gold(tmp_path) if page.id == "a.html"] == [Status.DONE]

    def test_missing_gold_is_restored_from_change_log(
        self, session_with_pages: AnnotationSession, tmp_path: Path
    ) -> None:
        """Write missing gold at the next start after a kill between log and gold."""
        session_with_pages.change(0, [{"block": 0, "label": "h"}])
        for path in (tmp_path / "gold" / "me").iterdir():
            path.unlink()
        with session(tmp_path, page("a.html")) as again:
            assert "<h>Home" in self.text(tmp_path)
            assert labels(again) == {0: "h"}


class TestAdd:
    def test_counts_annotations_of_missing_blocks(self, session_with_pages: AnnotationSession, tmp_path: Path) -> None:
        session_with_pages.change(0, [{"block": 2, "label": "l"}, {"block": 3, "label": "l"}])
        changed = page("a.html", html="<h1>Rain</h1><p>It rained.", labels="hp")
        with session(tmp_path) as again:
            assert again.add(changed) == 1
            assert labels(again) == {1: "l"}

    def test_other_model_does_not_change_finished_page(
        self, session_with_pages: AnnotationSession, tmp_path: Path
    ) -> None:
        session_with_pages.set_status(0, Status.DONE)
        with session(tmp_path, page("a.html", labels="pppp")) as again:
            assert labels(again) == {0: "o", 1: "h"}
