from __future__ import annotations

import pytest
from helpers.labelled import C, H, L, O, P

from vclean.labelling.store import Annotation, PageAnnotations, Status
from vclean.labels import Label, Role


@pytest.fixture
def annotations() -> PageAnnotations:
    return PageAnnotations()


class TestAnnotation:
    @pytest.mark.parametrize("annotation", [H, Annotation(Label.OTHER, Role.AD)])
    def test_round_trip(self, annotation: Annotation) -> None:
        assert Annotation.from_list(annotation.to_list()) == annotation

    @pytest.mark.parametrize("values", [["x", None], ["h", "hat"], ["h"], []])
    def test_rejects_invalid_values(self, values: list[str | None]) -> None:
        with pytest.raises(ValueError, match=r"."):
            Annotation.from_list(values)


class TestSet:
    def test_last_annotation_wins(self, annotations: PageAnnotations) -> None:
        annotations.set({"a": H})
        annotations.set({"a": P})
        assert annotations.annotation("a", O) is P

    def test_prediction_without_annotation(self, annotations: PageAnnotations) -> None:
        assert annotations.annotation("a", O) is O

    def test_change_increments_versions_of_its_blocks(self, annotations: PageAnnotations) -> None:
        annotations.set({"a": H, "b": H})
        annotations.set({"b": P})
        assert (annotations.revision, annotations.versions) == (2, {"a": 1, "b": 2})


class TestUndo:
    def test_undoes_one_change_at_a_time(self, annotations: PageAnnotations) -> None:
        annotations.set({"a": H, "b": L})
        annotations.set({"a": P})
        annotations.undo()
        assert annotations.manual == {"a": H, "b": L}
        annotations.undo()
        assert (annotations.manual, annotations.can_undo) == ({}, False)

    def test_is_a_change(self, annotations: PageAnnotations) -> None:
        """Send it to other tabs."""
        annotations.set({"a": H})
        annotations.undo()
        assert (annotations.revision, annotations.versions) == (2, {"a": 2})

    def test_nothing_to_undo(self, annotations: PageAnnotations) -> None:
        annotations.undo()
        annotations.redo()
        assert (annotations.revision, annotations.manual) == (0, {})

    def test_redoes_one_change_at_a_time(self, annotations: PageAnnotations) -> None:
        annotations.set({"a": H})
        annotations.set({"a": P})
        annotations.undo()
        annotations.undo()
        annotations.redo()
        assert annotations.manual == {"a": H}
        annotations.redo()
        assert (annotations.manual, annotations.can_redo) == ({"a": P}, False)

    def test_new_change_clears_redo(self, annotations: PageAnnotations) -> None:
        annotations.set({"a": H})
        annotations.undo()
        annotations.set({"a": C})
        annotations.redo()
        assert (annotations.manual, annotations.can_redo) == ({"a": C}, False)


class TestStatus:
    def test_done_keeps_predictions(self, annotations: PageAnnotations) -> None:
        """Keep the gold of a checked page after a change of the model."""
        annotations.finish({"a": P})
        assert (annotations.status, annotations.annotation("a", O), annotations.annotation("b", O)) == (
            Status.DONE,
            P,
            O,
        )

    def test_correction_after_done(self, annotations: PageAnnotations) -> None:
        annotations.finish({"a": P})
        annotations.set({"a": H})
        assert (annotations.status, annotations.annotation("a", O)) == (Status.DONE, H)
        annotations.undo()
        assert annotations.annotation("a", O) is P

    def test_reopened(self, annotations: PageAnnotations) -> None:
        annotations.finish({"a": P})
        annotations.reopen()
        assert (annotations.status, annotations.annotation("a", O)) == (Status.OPEN, O)

    def test_skipped(self, annotations: PageAnnotations) -> None:
        annotations.skip()
        assert (annotations.status, annotations.revision) == (Status.SKIPPED, 1)


class TestRename:
    def test_renames_annotations_and_undo(self, annotations: PageAnnotations) -> None:
        annotations.set({"a": H})
        annotations.set({"a": P})
        annotations.finish({"b": L})
        annotations.rename({"a": "x", "b": "y"})
        assert (annotations.manual, annotations.accepted, annotations.versions) == ({"x": P}, {"y": L}, {"x": 2})
        annotations.undo()
        assert annotations.manual == {"x": H}

    def test_keeps_names_without_new_name(self, annotations: PageAnnotations) -> None:
        """Keep the names, because the block may appear again."""
        annotations.set({"a": H})
        annotations.rename({"b": "y"})
        assert annotations.manual == {"a": H}
