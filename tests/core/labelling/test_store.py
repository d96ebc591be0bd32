from __future__ import annotations

import threading
from pathlib import Path

import pytest
from helpers.labelled import H, L, O, P

from vclean.errors import InputError, OutputError
from vclean.labelling.store import Book, Journal, Sheet, Status, Verdict, block_names


class Shelf:
    """A book that can be closed and opened again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal = Journal(path).__enter__()
        self.book = Book(self.journal)

    def reopen(self) -> Book:
        self.journal.__exit__()
        self.__init__(self.path)  # type: ignore[misc]
        return self.book

    def sheet(self, page: str = "a.html") -> Sheet:
        with self.book.sheet(page) as sheet:
            return sheet


@pytest.fixture
def shelf(tmp_path: Path):
    made = Shelf(tmp_path / "me.jsonl")
    yield made
    made.journal.__exit__()


class TestBook:
    def test_everything_is_as_it_was_when_it_is_opened_again(self, shelf: Shelf) -> None:
        """Verdicts, versions, undo and redo, status: all that a kill of the server must not lose."""
        shelf.book.set("a.html", {"x": H, "y": L})
        shelf.book.set("a.html", {"x": P})
        shelf.book.set("b.html", {"z": O})
        shelf.book.undo("a.html")
        shelf.book.mark("b.html", Status.DONE, {"w": P})
        before = [shelf.sheet("a.html"), shelf.sheet("b.html")]
        shelf.reopen()
        assert [shelf.sheet("a.html"), shelf.sheet("b.html")] == before
        shelf.book.redo("a.html")
        assert shelf.sheet().verdicts == {"x": P, "y": L}

    def test_pages_do_not_mix(self, shelf: Shelf) -> None:
        shelf.book.set("a.html", {"x": H})
        shelf.book.set("b.html", {"x": P})
        shelf.book.undo("a.html")
        assert shelf.sheet("b.html").verdicts == {"x": P}

    @pytest.mark.parametrize("action", ["undo", "redo"])
    def test_nothing_to_take_back_leaves_no_trace(self, shelf: Shelf, action: str) -> None:
        getattr(shelf.book, action)("a.html")
        assert shelf.path.read_bytes() == b""
        assert not shelf.book.has("a.html")

    def test_what_cannot_be_written_does_not_show(self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: object) -> None:
            raise OutputError("cannot write: the disk is full")

        shelf.book.set("a.html", {"x": H})
        monkeypatch.setattr(shelf.journal, "append", full)
        for change in (lambda: shelf.book.set("a.html", {"x": P}), lambda: shelf.book.undo("a.html")):
            with pytest.raises(OutputError):
                change()
        assert (shelf.sheet().verdicts, shelf.sheet().revision) == ({"x": H}, 1)

    @pytest.mark.parametrize(
        "entry",
        [
            b'{"page":"a","do":"dance"}',
            b'{"do":"set","blocks":{}}',
            b'{"page":"a","do":"set","blocks":{"x":["q",null]}}',
            b'{"page":"a","do":"set","blocks":[1]}',
            b'{"page":"a","do":"moved"}',
        ],
    )
    def test_an_entry_that_means_nothing(self, tmp_path: Path, entry: bytes) -> None:
        path = tmp_path / "other.jsonl"
        path.write_bytes(b'{"page":"a","do":"undo"}\n' + entry + b"\n")
        with Journal(path) as journal, pytest.raises(InputError, match="line 2"):
            Book(journal)

    def test_changes_from_many_threads_are_all_there(self, shelf: Shelf) -> None:
        def work(number: int) -> None:
            for count in range(10):
                shelf.book.set("a.html", {f"{number} {count}": H})

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        shelf.reopen()
        assert (len(shelf.sheet().verdicts), shelf.sheet().revision) == (40, 40)


class TestAdopt:
    OLD = block_names(["/p[1]", "/p[2]"], ["One.", "Two."])
    MOVED = block_names(["/p[1]", "/p[2]", "/p[3]"], ["Zero.", "One.", "Two."])
    CHANGED = block_names(["/p[1]", "/p[2]"], ["One.", "2."])

    def said(self, shelf: Shelf, *verdicts: Verdict) -> Book:
        shelf.book.set("a.html", dict(zip(self.OLD, verdicts, strict=True)))
        return shelf.book

    def test_the_same_page_needs_no_entry(self, shelf: Shelf) -> None:
        before = self.said(shelf, H, P) and shelf.path.read_bytes()
        assert shelf.book.adopt("a.html", self.OLD) == 0
        assert shelf.path.read_bytes() == before

    def test_verdicts_follow_their_blocks(self, shelf: Shelf) -> None:
        assert self.said(shelf, H, P).adopt("a.html", self.MOVED) == 0
        assert shelf.sheet().verdicts == {self.MOVED[1]: H, self.MOVED[2]: P}

    def test_so_does_undo_also_later(self, shelf: Shelf) -> None:
        """What is undone after the page moved was said before it did; the journal has to know that."""
        self.said(shelf, H, P).adopt("a.html", self.MOVED)
        shelf.book.set("a.html", {self.MOVED[1]: O})
        shelf.book.undo("a.html")
        assert shelf.sheet().verdicts == {self.MOVED[1]: H, self.MOVED[2]: P}
        assert shelf.reopen().adopt("a.html", self.MOVED) == 0
        assert shelf.sheet().verdicts == {self.MOVED[1]: H, self.MOVED[2]: P}

    def test_what_is_gone_is_counted_and_comes_back_with_the_page(self, shelf: Shelf) -> None:
        assert self.said(shelf, H, P).adopt("a.html", self.CHANGED) == 1
        assert shelf.book.adopt("a.html", self.OLD) == 0
        assert shelf.sheet().verdicts == dict(zip(self.OLD, (H, P), strict=True))

    def test_what_the_model_said_of_a_page_that_is_done_moves_too(self, shelf: Shelf) -> None:
        shelf.book.mark("a.html", Status.DONE, dict(zip(self.OLD, (H, P), strict=True)))
        shelf.book.adopt("a.html", self.MOVED)
        assert shelf.sheet().agreed == {self.MOVED[1]: H, self.MOVED[2]: P}
