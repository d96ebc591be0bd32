from __future__ import annotations

import threading
from pathlib import Path

import pytest
from helpers.labelled import H, L, O, P

from vclean.errors import InputError, OutputError
from vclean.features.block_names import block_names
from vclean.labelling.store import Annotation, AnnotationStore, ChangeLog, PageAnnotations, Status


class StoreOnDisk:
    """Store that can be closed and opened again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.change_log = ChangeLog(path).__enter__()
        self.store = AnnotationStore(self.change_log)

    def reopen(self) -> AnnotationStore:
        self.change_log.__exit__()
        self.__init__(self.path)  # type: ignore[misc]
        return self.store

    def annotations(self, page: str = "a.html") -> PageAnnotations:
        with self.store.annotations(page) as annotations:
            return annotations


@pytest.fixture
def on_disk(tmp_path: Path):
    made = StoreOnDisk(tmp_path / "me.jsonl")
    yield made
    made.change_log.__exit__()


class TestAnnotationStore:
    def test_reopening_restores_everything(self, on_disk: StoreOnDisk) -> None:
        """Restore annotations, versions, undo and redo, and the status after a kill of the server."""
        on_disk.store.set("a.html", {"x": H, "y": L})
        on_disk.store.set("a.html", {"x": P})
        on_disk.store.set("b.html", {"z": O})
        on_disk.store.undo("a.html")
        on_disk.store.set_status("b.html", Status.DONE, {"w": P})
        before = [on_disk.annotations("a.html"), on_disk.annotations("b.html")]
        on_disk.reopen()
        assert [on_disk.annotations("a.html"), on_disk.annotations("b.html")] == before
        on_disk.store.redo("a.html")
        assert on_disk.annotations().manual == {"x": P, "y": L}

    def test_pages_are_independent(self, on_disk: StoreOnDisk) -> None:
        on_disk.store.set("a.html", {"x": H})
        on_disk.store.set("b.html", {"x": P})
        on_disk.store.undo("a.html")
        assert on_disk.annotations("b.html").manual == {"x": P}

    @pytest.mark.parametrize("action", ["undo", "redo"])
    def test_undo_without_change_logs_nothing(self, on_disk: StoreOnDisk, action: str) -> None:
        getattr(on_disk.store, action)("a.html")
        assert on_disk.path.read_bytes() == b""
        assert not on_disk.store.has_changes("a.html")

    def test_failed_write_has_no_effect(self, on_disk: StoreOnDisk, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: object) -> None:
            raise OutputError("cannot write: the disk is full")

        on_disk.store.set("a.html", {"x": H})
        monkeypatch.setattr(on_disk.change_log, "append", full)
        for change in (lambda: on_disk.store.set("a.html", {"x": P}), lambda: on_disk.store.undo("a.html")):
            with pytest.raises(OutputError):
                change()
        assert (on_disk.annotations().manual, on_disk.annotations().revision) == ({"x": H}, 1)

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
    def test_rejects_invalid_entry(self, tmp_path: Path, entry: bytes) -> None:
        path = tmp_path / "other.jsonl"
        path.write_bytes(b'{"page":"a","do":"undo"}\n' + entry + b"\n")
        with ChangeLog(path) as change_log, pytest.raises(InputError, match="line 2"):
            AnnotationStore(change_log)

    def test_accepts_changes_from_many_threads(self, on_disk: StoreOnDisk) -> None:
        def work(number: int) -> None:
            for count in range(10):
                on_disk.store.set("a.html", {f"{number} {count}": H})

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        on_disk.reopen()
        assert (len(on_disk.annotations().manual), on_disk.annotations().revision) == (40, 40)


class TestCarryOver:
    OLD = block_names(["/p[1]", "/p[2]"], ["One.", "Two."])
    MOVED = block_names(["/p[1]", "/p[2]", "/p[3]"], ["Zero.", "One.", "Two."])
    CHANGED = block_names(["/p[1]", "/p[2]"], ["One.", "2."])

    def annotated(self, on_disk: StoreOnDisk, *manual: Annotation) -> AnnotationStore:
        on_disk.store.set("a.html", dict(zip(self.OLD, manual, strict=True)))
        return on_disk.store

    def test_unchanged_page_needs_no_entry(self, on_disk: StoreOnDisk) -> None:
        before = self.annotated(on_disk, H, P) and on_disk.path.read_bytes()
        assert on_disk.store.carry_over("a.html", self.OLD) == 0
        assert on_disk.path.read_bytes() == before

    def test_annotations_follow_their_blocks(self, on_disk: StoreOnDisk) -> None:
        assert self.annotated(on_disk, H, P).carry_over("a.html", self.MOVED) == 0
        assert on_disk.annotations().manual == {self.MOVED[1]: H, self.MOVED[2]: P}

    def test_undo_follows_moved_blocks(self, on_disk: StoreOnDisk) -> None:
        """Undo changes made before the page moved: the log records the move."""
        self.annotated(on_disk, H, P).carry_over("a.html", self.MOVED)
        on_disk.store.set("a.html", {self.MOVED[1]: O})
        on_disk.store.undo("a.html")
        assert on_disk.annotations().manual == {self.MOVED[1]: H, self.MOVED[2]: P}
        assert on_disk.reopen().carry_over("a.html", self.MOVED) == 0
        assert on_disk.annotations().manual == {self.MOVED[1]: H, self.MOVED[2]: P}

    def test_counts_missing_blocks_and_restores_them(self, on_disk: StoreOnDisk) -> None:
        assert self.annotated(on_disk, H, P).carry_over("a.html", self.CHANGED) == 1
        assert on_disk.store.carry_over("a.html", self.OLD) == 0
        assert on_disk.annotations().manual == dict(zip(self.OLD, (H, P), strict=True))

    def test_accepted_predictions_follow_their_blocks(self, on_disk: StoreOnDisk) -> None:
        on_disk.store.set_status("a.html", Status.DONE, dict(zip(self.OLD, (H, P), strict=True)))
        on_disk.store.carry_over("a.html", self.MOVED)
        assert on_disk.annotations().accepted == {self.MOVED[1]: H, self.MOVED[2]: P}
