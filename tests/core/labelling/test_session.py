from __future__ import annotations

import json
import resource
from math import nan
from pathlib import Path

import pytest
from helpers.labelled import page, session

from vclean.errors import InputError, OutputError, UsageError
from vclean.labelling.export import read_gold
from vclean.labelling.session import AnnotationSession, Status


@pytest.fixture
def session_with_pages(tmp_path: Path):
    """Return a session with three pages by increasing confidence: 1, 2, 0."""
    pages = [page("a.html", confidence=0.9), page("b.html", confidence=0.2), page("c.html", confidence=0.5)]
    return session(tmp_path, *pages)


def labels(made: AnnotationSession) -> dict[int, str]:
    return {row: label for row, label, *_ in made.state(0, 0)["blocks"]}


class TestQueue:
    def test_lowest_confidence_first_and_pages_without_text_last(self, session_with_pages: AnnotationSession) -> None:
        session_with_pages.add(page("d.html", html="<title>Empty</title>", labels="", confidence=0.0))
        assert session_with_pages.queue() == [1, 2, 0, 3]

    def test_next_page_is_open_and_follows_current_page(self, session_with_pages: AnnotationSession) -> None:
        assert [session_with_pages.next_page(page) for page in (1, 2, 0)] == [2, 0, 1]
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
        made = session(tmp_path, page(confidence=nan))
        assert json.loads(json.dumps(made.listing(), allow_nan=False))["pages"][0]["confidence"] is None


class TestChange:
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
        again = session(tmp_path, page("a.html"))
        assert "<h>Home" in self.text(tmp_path)
        assert labels(again) == {0: "h"}


class TestAdd:
    def test_counts_annotations_of_missing_blocks(self, session_with_pages: AnnotationSession, tmp_path: Path) -> None:
        session_with_pages.change(0, [{"block": 2, "label": "l"}, {"block": 3, "label": "l"}])
        changed = page("a.html", html="<h1>Rain</h1><p>It rained.", labels="hp")
        again = session(tmp_path)
        assert again.add(changed) == 1
        assert labels(again) == {1: "l"}

    def test_other_model_does_not_change_finished_page(
        self, session_with_pages: AnnotationSession, tmp_path: Path
    ) -> None:
        session_with_pages.set_status(0, Status.DONE)
        again = session(tmp_path, page("a.html", labels="pppp"))
        assert labels(again) == {0: "o", 1: "h"}

    def test_annotations_follow_their_blocks(self, tmp_path: Path) -> None:
        """Move annotations and accepted predictions with their blocks, and revert moved annotations."""
        before = page(html="<p>One.<p>Two.", labels="pp")
        made = session(tmp_path, before)
        made.change(0, [{"block": 0, "label": "h"}])
        made.change(0, [{"block": 0, "label": "l"}])
        made.undo_or_redo(0, "undo")
        made.set_status(0, Status.DONE)
        again = session(tmp_path, page(html="<p>Zero.<p>One.<p>Two.", labels="ooo"))
        assert labels(again) == {1: "h", 2: "p"}
        again.undo_or_redo(0, "redo")
        assert labels(again) == {1: "l", 2: "p"}


class TestStatus:
    def test_finished_page_keeps_its_predictions(self, tmp_path: Path) -> None:
        """Keep predictions of a page that is done after a change of the model, until it is open; corrections win."""
        made = session(tmp_path, page(labels="pppp"))
        made.change(0, [{"block": 0, "label": "h"}])
        made.set_status(0, Status.DONE)
        made = session(tmp_path, page(labels="oooo"))
        assert labels(made) == {0: "h", 1: "p", 2: "p", 3: "p"}
        made.set_status(0, Status.SKIPPED)
        assert labels(made) == {0: "h", 1: "p", 2: "p", 3: "p"}
        made.set_status(0, Status.OPEN)
        assert labels(made) == {0: "h"}


class TestUndo:
    def test_change_after_undo_cannot_be_redone(self, session_with_pages: AnnotationSession) -> None:
        for label in "hp":
            session_with_pages.change(0, [{"block": 0, "label": label}])
        session_with_pages.undo_or_redo(0, "undo")
        assert labels(session_with_pages) == {0: "h"}
        session_with_pages.change(0, [{"block": 0, "label": "l"}])
        assert session_with_pages.state(0, 0)["redo"] is False

    @pytest.mark.parametrize("action", ["undo", "redo"])
    def test_without_change_logs_nothing(
        self, session_with_pages: AnnotationSession, tmp_path: Path, action: str
    ) -> None:
        session_with_pages.undo_or_redo(0, action)
        assert (tmp_path / "me.jsonl").read_bytes() == b""


def test_reopening_restores_everything(session_with_pages: AnnotationSession, tmp_path: Path) -> None:
    """Restore annotations, versions, undo and redo, and the status after a kill of the server."""
    session_with_pages.change(0, [{"block": 0, "label": "h"}, {"block": 1, "label": "l"}])
    session_with_pages.change(0, [{"block": 0, "label": "p"}])
    session_with_pages.undo_or_redo(0, "undo")
    session_with_pages.set_status(0, Status.DONE)
    again = session(tmp_path, page("a.html", confidence=0.9), page("b.html"), page("c.html"))
    assert again.state(0, 0) == session_with_pages.state(0, 0) | {"next": again.next_page(0)}
    again.undo_or_redo(0, "redo")
    assert labels(again)[0] == "p"


ENTRY = b'{"page":"a.html","do":"set","blocks":{"x":["h",null]}}\n'


class TestChangeLog:
    @pytest.mark.parametrize("torn", [b'{"do":', b'{"page":"a.html","do":"undo"}', b"\xff", b'"'])
    def test_drops_incomplete_last_line_with_warning(
        self, tmp_path: Path, torn: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Drop a line without its end, even if it is valid: it may be half of one. Append after it."""
        path = tmp_path / "me.jsonl"
        path.write_bytes(ENTRY + torn)
        made = session(tmp_path, page())
        assert path.read_bytes() == ENTRY
        assert "dropped" in caplog.text
        made.undo_or_redo(0, "undo")
        made = session(tmp_path, page())
        assert (labels(made), made.state(0, 0)["revision"]) == ({}, 2)

    @pytest.mark.parametrize(
        "damage",
        [
            b"rubbish",
            b"[1]",
            b"\xff\xfe",
            b"",
            b'{"page":"a","do":"dance"}',
            b'{"do":"set","blocks":{}}',
            b'{"page":"a","do":"set","blocks":{"x":["q",null]}}',
            b'{"page":"a","do":"set","blocks":[1]}',
            b'{"page":"a","do":"moved"}',
        ],
    )
    def test_reports_number_of_damaged_line(self, tmp_path: Path, damage: bytes) -> None:
        (tmp_path / "me.jsonl").write_bytes(b'{"page":"a","do":"undo"}\n' + damage + b"\n" + ENTRY)
        with pytest.raises(InputError, match=r"me\.jsonl, line 2, is damaged"):
            session(tmp_path)

    def test_partial_write_is_reverted(self, session_with_pages: AnnotationSession, tmp_path: Path) -> None:
        """Revert part of a line, which a nearly full disk may write and only the returned count shows."""
        session_with_pages.change(0, [{"block": 0, "label": "h"}])
        before = (tmp_path / "me.jsonl").read_bytes()
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 5, hard))
        try:
            with pytest.raises(OutputError, match="the disk is full"):
                session_with_pages.change(0, [{"block": 0, "label": "p"}])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert (tmp_path / "me.jsonl").read_bytes() == before
        assert labels(session_with_pages) == {0: "h"}
