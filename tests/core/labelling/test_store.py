from __future__ import annotations

from pathlib import Path

import pytest
from helpers.labelled import H, L, O, P

from vclean.errors import InputError, OutputError
from vclean.features.block_names import block_names
from vclean.labelling.store import Annotation, AnnotationStore, ChangeLog, PageAnnotations, Status


class TestPageAnnotations:
    def test_status(self) -> None:
        """A page that is done keeps its predictions after a change of the model; corrections win."""
        annotations = PageAnnotations()
        annotations.set_status(Status.DONE, {"a": P})
        assert annotations.status is Status.DONE
        assert (annotations.annotation("a", O), annotations.annotation("b", O)) == (P, O)
        annotations.set({"a": H})
        assert (annotations.status, annotations.annotation("a", O)) == (Status.DONE, H)
        annotations.undo()
        assert annotations.annotation("a", O) is P
        annotations.set_status(Status.OPEN, {})
        assert (annotations.status, annotations.annotation("a", O)) == (Status.OPEN, O)
        annotations.set_status(Status.SKIPPED, {})
        assert annotations.status is Status.SKIPPED


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
        on_disk.store.undo_or_redo("a.html", "undo")
        on_disk.store.set_status("b.html", Status.DONE, {"w": P})
        before = [on_disk.annotations("a.html"), on_disk.annotations("b.html")]
        on_disk.reopen()
        assert [on_disk.annotations("a.html"), on_disk.annotations("b.html")] == before
        on_disk.store.undo_or_redo("a.html", "redo")
        assert on_disk.annotations().manual == {"x": P, "y": L}

    @pytest.mark.parametrize("action", ["undo", "redo"])
    def test_undo_without_change_logs_nothing(self, on_disk: StoreOnDisk, action: str) -> None:
        on_disk.store.undo_or_redo("a.html", action)
        assert on_disk.path.read_bytes() == b""
        assert on_disk.annotations().revision == 0

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


class TestCarryOver:
    OLD = block_names(["/p[1]", "/p[2]"], ["One.", "Two."])
    MOVED = block_names(["/p[1]", "/p[2]", "/p[3]"], ["Zero.", "One.", "Two."])

    def annotated(self, on_disk: StoreOnDisk, *manual: Annotation) -> AnnotationStore:
        on_disk.store.set("a.html", dict(zip(self.OLD, manual, strict=True)))
        return on_disk.store

    def test_annotations_follow_their_blocks(self, on_disk: StoreOnDisk) -> None:
        assert self.annotated(on_disk, H, P).carry_over("a.html", self.MOVED) == 0
        assert on_disk.annotations().manual == {self.MOVED[1]: H, self.MOVED[2]: P}

    def test_accepted_predictions_follow_their_blocks(self, on_disk: StoreOnDisk) -> None:
        on_disk.store.set_status("a.html", Status.DONE, dict(zip(self.OLD, (H, P), strict=True)))
        on_disk.store.carry_over("a.html", self.MOVED)
        assert on_disk.annotations().accepted == {self.MOVED[1]: H, self.MOVED[2]: P}


def entries(path: Path) -> list[dict[str, object]]:
    with ChangeLog(path) as change_log:
        return change_log.entries


class TestChangeLog:
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
