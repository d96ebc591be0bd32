from __future__ import annotations

import json
from math import nan
from pathlib import Path

import pytest
from helpers.labelled import desk, page

from vclean.errors import InputError, UsageError
from vclean.labelling.export import Shelf
from vclean.labelling.session import Desk
from vclean.labelling.store import Book, Journal, Status


@pytest.fixture
def place(tmp_path: Path):
    """A desk with three pages: 1 is the least sure, then 2, then 0."""
    pages = [page("a.html", confidence=0.9), page("b.html", confidence=0.2), page("c.html", confidence=0.5)]
    made, journal = desk(tmp_path, *pages)
    yield made
    journal.__exit__()


def labels(place: Desk, number: int = 0, since: int = 0) -> dict[int, str]:
    return {row: label for row, label, *_ in place.state(number, since)["blocks"]}


class TestQueue:
    def test_the_least_sure_first(self, place: Desk) -> None:
        assert place.queue() == [1, 2, 0]

    def test_pages_without_confidence_last(self, place: Desk) -> None:
        place.add(page("d.html", confidence=nan))
        assert place.queue() == [1, 2, 0, 3]

    def test_pages_without_text_last(self, place: Desk) -> None:
        """There is nothing to label on them, however unsure the model is."""
        place.add(page("d.html", html="<title>Empty</title>", labels="", confidence=0.0))
        assert place.queue() == [1, 2, 0, 3]

    def test_failures_are_listed(self, tmp_path: Path) -> None:
        failures: list[str] = []
        with Journal(tmp_path / "me.jsonl") as journal:
            made = Desk("me", Book(journal), Shelf(tmp_path, "me"), failures)
            failures.append("a.html took too long")
            assert made.listing()["failed"] == ["a.html took too long"]

    def test_the_next_one_is_behind_the_one_in_hand(self, place: Desk) -> None:
        assert [place.next_page(), place.next_page(1), place.next_page(2), place.next_page(0)] == [1, 2, 0, 1]

    def test_only_open_pages(self, place: Desk) -> None:
        place.mark(2, Status.DONE)
        place.mark(0, Status.SKIPPED)
        assert place.next_page(1) == 1
        place.mark(1, Status.DONE)
        assert place.next_page(1) is None

    def test_progress(self, place: Desk) -> None:
        place.mark(2, Status.DONE)
        place.mark(0, Status.SKIPPED)
        assert place.progress() == {"ready": False, "total": 3, "open": 1, "done": 1, "skipped": 1}

    def test_listing(self, place: Desk) -> None:
        place.change(1, [{"block": 0, "label": "h"}, {"block": 1, "label": "p"}])
        place.mark(1, Status.DONE)
        first = place.listing()["pages"][0]
        assert first == {
            "number": 1,
            "id": "b.html",
            "title": "News",
            "confidence": 0.2,
            "blocks": 4,
            "corrected": 2,
            "status": "done",
        }

    def test_a_listing_without_confidence_is_json(self, tmp_path: Path) -> None:
        made, journal = desk(tmp_path, page(confidence=nan))
        journal.__exit__()
        assert json.loads(json.dumps(made.listing(), allow_nan=False))["pages"][0]["confidence"] is None


class TestChange:
    def test_a_label_leaves_the_role(self, place: Desk) -> None:
        place.change(0, [{"block": 0, "label": "p"}])
        assert place.state(0, 0)["blocks"] == [[0, "p", "navigation", True, 1]]

    def test_a_role_leaves_the_label(self, place: Desk) -> None:
        place.change(0, [{"block": 0, "role": "ad"}, {"block": 1, "role": None}])
        assert place.state(0, 0)["blocks"] == [[0, "o", "ad", True, 1], [1, "h", None, True, 1]]

    def test_only_what_is_new_is_told(self, place: Desk) -> None:
        place.change(0, [{"block": 0, "label": "p"}])
        place.change(0, [{"block": 2, "label": "l"}])
        assert (labels(place, since=0), labels(place, since=1), labels(place, since=2)) == (
            {0: "p", 2: "l"},
            {2: "l"},
            {},
        )

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
            [{"label": "p"}],
            ["p"],
            [{"block": 0, "label": "p"}, {"block": 9, "label": "p"}],
        ],
        ids=repr,
    )
    def test_what_is_no_verdict_changes_nothing(self, place: Desk, blocks: list[dict[str, object]]) -> None:
        with pytest.raises(UsageError):
            place.change(0, blocks)
        assert place.state(0, 0)["revision"] == 0

    def test_no_block_is_no_change(self, place: Desk) -> None:
        place.change(0, [])
        assert place.state(0, 0)["revision"] == 0

    def test_no_such_page(self, place: Desk) -> None:
        for call in (lambda: place.change(3, []), lambda: place.state(-1, 0), lambda: place.move(9, "undo")):
            with pytest.raises(InputError, match="there is no page"):
                call()

    def test_undo_tells_what_the_model_says(self, place: Desk) -> None:
        place.change(0, [{"block": 0, "label": "p"}])
        place.move(0, "undo")
        state = place.state(0, 1)
        assert state["blocks"] == [[0, "o", "navigation", False, 2]]
        assert (state["undo"], state["redo"]) == (False, True)
        place.move(0, "redo")
        assert labels(place) == {0: "p"}

    def test_the_last_write_wins(self, place: Desk) -> None:
        for label in "hpl":
            place.change(0, [{"block": 0, "label": label}])
        assert place.state(0, 0)["blocks"] == [[0, "l", "navigation", True, 3]]


class TestGold:
    """Every change is on the shelf when it is answered."""

    def gold(self, folder: Path) -> dict[str, object]:
        (path,) = (folder / "gold" / "me").glob("a-*.gold.jsonl")
        facts: dict[str, object] = json.loads(path.read_text())
        return facts

    def text(self, folder: Path) -> str:
        (path,) = (folder / "gold" / "me").glob("a-*.txt")
        return path.read_text()

    def test_after_every_step(self, place: Desk, tmp_path: Path) -> None:
        place.change(0, [{"block": 0, "label": "h"}])
        assert self.text(tmp_path) == "<h>Home\n<h>Rain\n<p>It rained.\n<p>It rained again.\n"
        place.move(0, "undo")
        assert self.text(tmp_path) == "<h>Rain\n<p>It rained.\n<p>It rained again.\n"
        place.move(0, "redo")
        place.mark(0, Status.DONE)
        assert self.gold(tmp_path)["status"] == "done"

    def test_pages_that_nobody_touched_have_none(self, place: Desk, tmp_path: Path) -> None:
        place.change(0, [{"block": 0, "label": "h"}])
        assert len(list((tmp_path / "gold" / "me").iterdir())) == 2

    def test_gold_that_was_lost_comes_back_from_the_journal(self, place: Desk, tmp_path: Path) -> None:
        """Killed between the journal and the gold: the next start writes what is missing."""
        place.change(0, [{"block": 0, "label": "h"}])
        for path in (tmp_path / "gold" / "me").iterdir():
            path.unlink()
        again, journal = desk(tmp_path, page("a.html"))
        journal.__exit__()
        assert "<h>Home" in self.text(tmp_path)
        assert labels(again) == {0: "h"}


class TestAdd:
    def test_verdicts_on_blocks_that_are_gone_are_counted(self, place: Desk, tmp_path: Path) -> None:
        place.change(0, [{"block": 2, "label": "l"}, {"block": 3, "label": "l"}])
        changed = page("a.html", html="<h1>Rain</h1><p>It rained.", labels="hp")
        _, journal = again = desk(tmp_path)
        assert again[0].add(changed) == 1
        assert labels(again[0]) == {1: "l"}
        journal.__exit__()

    def test_another_model_does_not_change_a_page_that_is_done(self, place: Desk, tmp_path: Path) -> None:
        place.mark(0, Status.DONE)
        again, journal = desk(tmp_path, page("a.html", labels="pppp"))
        assert labels(again) == {0: "o", 1: "h"}
        journal.__exit__()

    def test_two_annotators_do_not_see_each_other(self, place: Desk, tmp_path: Path) -> None:
        place.change(0, [{"block": 0, "label": "h"}])
        other, journal = desk(tmp_path, page("a.html"), annotator="ben")
        assert labels(other) == {}
        journal.__exit__()
