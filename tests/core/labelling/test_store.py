from __future__ import annotations

from pathlib import Path

import pytest
from helpers.labelled import H, L, O, P

from vclean.errors import InputError, OutputError
from vclean.features.blocks import block_names
from vclean.labelling.store import AnnotationStore, PageAnnotations, Status


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
        annotations.set_status(Status.SKIPPED, {})
        assert (annotations.status, annotations.annotation("a", O)) == (Status.SKIPPED, P)
        annotations.set_status(Status.OPEN, {})
        assert (annotations.status, annotations.annotation("a", O)) == (Status.OPEN, O)

    def test_undo_and_redo_of_renamed_blocks(self) -> None:
        annotations = PageAnnotations()
        annotations.set({"a": H})
        annotations.set({"a": P})
        annotations.undo()
        annotations.rename({"a": "b"})
        assert annotations.manual == {"b": H}
        annotations.redo()
        assert annotations.manual == {"b": P}
        annotations.undo()
        annotations.undo()
        assert annotations.manual == {}
        annotations.set({"b": L})
        assert not annotations.can_redo


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "me.jsonl"


@pytest.fixture
def store(path: Path):
    with AnnotationStore(path) as made:
        yield made


def annotations(store: AnnotationStore, page: str = "a.html") -> PageAnnotations:
    with store.annotations(page) as annotations:
        return annotations


class TestAnnotationStore:
    def test_reopening_restores_everything(self, path: Path, store: AnnotationStore) -> None:
        """Restore annotations, versions, undo and redo, and the status after a kill of the server."""
        store.record("a.html", "set", blocks={"x": H, "y": L})
        store.record("a.html", "set", blocks={"x": P})
        store.record("b.html", "set", blocks={"z": O})
        store.record("a.html", "undo")
        store.record("b.html", Status.DONE, blocks={"w": P})
        with AnnotationStore(path) as again:
            for page in ("a.html", "b.html"):
                assert annotations(again, page) == annotations(store, page)
            again.record("a.html", "redo")
            assert annotations(again).manual == {"x": P, "y": L}

    @pytest.mark.parametrize("action", ["undo", "redo"])
    def test_undo_without_change_logs_nothing(self, path: Path, store: AnnotationStore, action: str) -> None:
        store.record("a.html", action)
        assert path.read_bytes() == b""
        assert annotations(store).revision == 0


class TestCarryOver:
    OLD = block_names(["/p[1]", "/p[2]"], ["One.", "Two."])
    MOVED = block_names(["/p[1]", "/p[2]", "/p[3]"], ["Zero.", "One.", "Two."])

    @pytest.mark.parametrize(("action", "field"), [("set", "manual"), (Status.DONE, "accepted")])
    def test_annotations_follow_their_blocks(self, store: AnnotationStore, action: str, field: str) -> None:
        store.record("a.html", action, blocks=dict(zip(self.OLD, (H, P), strict=True)))
        assert store.carry_over("a.html", self.MOVED) == 0
        assert getattr(annotations(store), field) == {self.MOVED[1]: H, self.MOVED[2]: P}


ENTRY = b'{"page":"a.html","do":"set","blocks":{"x":["h",null]}}\n'


class TestChangeLog:
    @pytest.mark.parametrize("torn", [b'{"do":', b'{"page":"a.html","do":"undo"}', b"\xff", b'"'])
    def test_drops_incomplete_last_line_with_warning(
        self, path: Path, torn: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Drop a line without its end, even if it is valid: it may be half of one. Append after it."""
        path.write_bytes(ENTRY + torn)
        with AnnotationStore(path) as store:
            assert path.read_bytes() == ENTRY
            assert "dropped" in caplog.text
            store.record("a.html", "undo")
        with AnnotationStore(path) as store:
            assert (annotations(store).manual, annotations(store).revision) == ({}, 2)

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
    def test_reports_number_of_damaged_line(self, path: Path, damage: bytes) -> None:
        path.write_bytes(b'{"page":"a","do":"undo"}\n' + damage + b"\n" + ENTRY)
        with pytest.raises(InputError, match=r"me\.jsonl, line 2, is damaged"), AnnotationStore(path):
            pass

    def test_partial_write_is_reverted(self, path: Path, store: AnnotationStore) -> None:
        """Revert part of a line, which a nearly full disk may write and only the returned count shows."""
        store.record("a.html", "set", blocks={"x": H})
        before, real = path.read_bytes(), store._file

        class Short:
            def __getattr__(self, name: str) -> object:
                return getattr(real, name)

            def write(self, line: bytes) -> int:
                return real.write(line[:5])

        store._file = Short()  # type: ignore[assignment]
        with pytest.raises(OutputError, match="the disk is full"):
            store.record("a.html", "set", blocks={"x": P})
        store._file = real
        assert path.read_bytes() == before
        assert annotations(store).manual == {"x": H}
