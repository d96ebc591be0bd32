from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from helpers.labelled import C, H, L, O, P

from vclean.errors import InputError, OutputError
from vclean.features.block_names import block_names
from vclean.labelling.store import Annotation, AnnotationStore, ChangeLog, PageAnnotations, Status


class TestPageAnnotations:
    @pytest.mark.parametrize(
        ("steps", "manual", "revision", "versions"),
        [
            ([], {}, 0, {}),
            ([{"a": H}, {"a": P}], {"a": P}, 2, {"a": 2}),
            ([{"a": H, "b": H}, {"b": P}], {"a": H, "b": P}, 2, {"a": 1, "b": 2}),
            ([{"a": H, "b": L}, {"a": P}, "undo"], {"a": H, "b": L}, 3, {"a": 3, "b": 1}),
            ([{"a": H}, {"a": P}, "undo", "undo"], {}, 4, {"a": 4}),
            (["undo", "redo"], {}, 0, {}),
            ([{"a": H}, {"a": P}, "undo", "undo", "redo"], {"a": H}, 5, {"a": 5}),
            ([{"a": H}, {"a": P}, "undo", "undo", "redo", "redo"], {"a": P}, 6, {"a": 6}),
            ([{"a": H}, "undo", {"a": C}, "redo"], {"a": C}, 3, {"a": 3}),  # a new change clears redo
        ],
    )
    def test_set_undo_redo(self, steps: list, manual: dict, revision: int, versions: dict) -> None:
        """Every change, also undo, is a revision, which other tabs receive."""
        annotations = PageAnnotations()
        for step in steps:
            getattr(annotations, step)() if isinstance(step, str) else annotations.set(step)
        assert (annotations.manual, annotations.revision, annotations.versions) == (manual, revision, versions)
        assert annotations.can_undo == bool(manual)

    def test_status(self) -> None:
        """A page that is done keeps its predictions after a change of the model; corrections win."""
        annotations = PageAnnotations()
        annotations.finish({"a": P})
        assert annotations.status is Status.DONE
        assert (annotations.annotation("a", O), annotations.annotation("b", O)) == (P, O)
        annotations.set({"a": H})
        assert (annotations.status, annotations.annotation("a", O)) == (Status.DONE, H)
        annotations.undo()
        assert annotations.annotation("a", O) is P
        annotations.reopen()
        assert (annotations.status, annotations.annotation("a", O)) == (Status.OPEN, O)
        annotations.skip()
        assert annotations.status is Status.SKIPPED

    def test_rename(self) -> None:
        annotations = PageAnnotations()
        annotations.set({"a": H, "z": H})
        annotations.set({"a": P})
        annotations.finish({"b": L})
        annotations.rename({"a": "x", "b": "y"})
        assert (annotations.manual, annotations.accepted) == ({"x": P, "z": H}, {"y": L})
        assert annotations.versions == {"x": 2, "z": 1}
        annotations.undo()
        assert annotations.manual == {"x": H, "z": H}

    @pytest.mark.parametrize("values", [["h", None], ["o", "ad"], ["h", None, "title"]])
    def test_annotation_round_trip(self, values: list[str | None]) -> None:
        assert Annotation.from_list(values).to_list()[: len(values)] == values

    @pytest.mark.parametrize("values", [["x", None], ["h", "hat"], ["h"], []])
    def test_invalid_annotation(self, values: list[str | None]) -> None:
        with pytest.raises(ValueError, match=r"."):
            Annotation.from_list(values)


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


def entries(path: Path) -> list[dict[str, object]]:
    with ChangeLog(path) as change_log:
        return change_log.entries


class TestChangeLog:
    def test_entries_persist(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        with ChangeLog(path) as change_log:
            change_log.append({"page": "a", "do": "set"})
            change_log.append({"page": "ä", "do": "undo"})
        assert entries(path) == [{"page": "a", "do": "set"}, {"page": "ä", "do": "undo"}]

    def test_append_flushes_to_disk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        synced: list[bytes] = []
        path = tmp_path / "me.jsonl"
        monkeypatch.setattr(os, "fsync", lambda _: synced.append(path.read_bytes()))
        with ChangeLog(path) as change_log:
            change_log.append({"do": "set"})
            assert synced == [b'{"do":"set"}\n']

    def test_appends_to_existing_entries(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        for number in range(3):
            with ChangeLog(path) as change_log:
                change_log.append({"number": number})
        assert entries(path) == [{"number": 0}, {"number": 1}, {"number": 2}]

    @pytest.mark.parametrize("torn", [b'{"do":', b'{"do":"set"}', b"\xff", b'"'])
    def test_drops_incomplete_last_line_with_warning(
        self, tmp_path: Path, torn: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Drop a line without its end, even if it is valid: it may be half of one."""
        path = tmp_path / "me.jsonl"
        path.write_bytes(b'{"number":1}\n' + torn)
        assert entries(path) == [{"number": 1}]
        assert "dropped" in caplog.text
        assert path.read_bytes() == b'{"number":1}\n'

    def test_appends_after_incomplete_line(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        path.write_bytes(b'{"number":1}\n{"num')
        with ChangeLog(path) as change_log:
            change_log.append({"number": 2})
        assert entries(path) == [{"number": 1}, {"number": 2}]

    @pytest.mark.parametrize("damage", [b"rubbish", b"[1]", b"\xff\xfe", b""])
    def test_reports_number_of_damaged_line(self, tmp_path: Path, damage: bytes) -> None:
        path = tmp_path / "me.jsonl"
        path.write_bytes(b'{"number":1}\n' + damage + b'\n{"number":2}\n')
        with pytest.raises(InputError, match=r"me\.jsonl, line 2, is damaged"):
            entries(path)

    def test_full_disk_does_not_change_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "me.jsonl"

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        with ChangeLog(path) as change_log:
            change_log.append({"number": 1})
            monkeypatch.setattr(os, "fsync", full)
            with pytest.raises(OutputError, match="the disk is full"):
                change_log.append({"number": 2})
            monkeypatch.undo()
            change_log.append({"number": 3})
        assert entries(path) == [{"number": 1}, {"number": 3}]

    def test_partial_write_is_reverted(self, tmp_path: Path) -> None:
        """Revert part of a line, which a nearly full disk may write and only the returned count shows."""
        path = tmp_path / "me.jsonl"
        with ChangeLog(path) as change_log:
            change_log.append({"number": 1})
            real = change_log._file

            class Short:
                def __getattr__(self, name: str) -> object:
                    return getattr(real, name)

                def write(self, line: bytes) -> int:
                    return real.write(line[:5])

            change_log._file = Short()  # type: ignore[assignment]
            with pytest.raises(OutputError, match="the disk is full"):
                change_log.append({"number": 2})
            change_log._file = real
        assert entries(path) == [{"number": 1}]

    def test_missing_folder(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="folder does not exist"):
            entries(tmp_path / "no" / "me.jsonl")

    def test_strings_with_line_separators(self, tmp_path: Path) -> None:
        path = tmp_path / "me.jsonl"
        with ChangeLog(path) as change_log:
            change_log.append({"page": "a\u2028b\x85c\x1cd"})
        assert entries(path) == [{"page": "a\u2028b\x85c\x1cd"}]
