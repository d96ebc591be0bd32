from __future__ import annotations

import pytest
from helpers.labelled import C, H, L, O, P

from vclean.labelling.store import Sheet, Status, Verdict
from vclean.labels import Label, Role


@pytest.fixture
def sheet() -> Sheet:
    return Sheet()


class TestVerdict:
    @pytest.mark.parametrize("verdict", [H, Verdict(Label.OTHER, Role.AD)])
    def test_there_and_back(self, verdict: Verdict) -> None:
        assert Verdict.from_list(verdict.to_list()) == verdict

    @pytest.mark.parametrize("values", [["x", None], ["h", "hat"], ["h"], []])
    def test_what_is_none(self, values: list[str | None]) -> None:
        with pytest.raises(ValueError, match=r"."):
            Verdict.from_list(values)


class TestSet:
    def test_the_last_verdict_holds(self, sheet: Sheet) -> None:
        sheet.set({"a": H})
        sheet.set({"a": P})
        assert sheet.verdict("a", O) is P

    def test_without_one_the_model_s_holds(self, sheet: Sheet) -> None:
        assert sheet.verdict("a", O) is O

    def test_every_change_counts_the_version_of_its_blocks_up(self, sheet: Sheet) -> None:
        sheet.set({"a": H, "b": H})
        sheet.set({"b": P})
        assert (sheet.revision, sheet.versions) == (2, {"a": 1, "b": 2})


class TestUndo:
    def test_one_change_at_a_time(self, sheet: Sheet) -> None:
        sheet.set({"a": H, "b": L})
        sheet.set({"a": P})
        sheet.undo()
        assert sheet.verdicts == {"a": H, "b": L}
        sheet.undo()
        assert (sheet.verdicts, sheet.can_undo) == ({}, False)

    def test_it_is_a_change_itself(self, sheet: Sheet) -> None:
        """Another tab has to hear of it."""
        sheet.set({"a": H})
        sheet.undo()
        assert (sheet.revision, sheet.versions) == (2, {"a": 2})

    def test_where_there_is_nothing(self, sheet: Sheet) -> None:
        sheet.undo()
        sheet.redo()
        assert (sheet.revision, sheet.verdicts) == (0, {})

    def test_redo(self, sheet: Sheet) -> None:
        sheet.set({"a": H})
        sheet.set({"a": P})
        sheet.undo()
        sheet.undo()
        sheet.redo()
        assert sheet.verdicts == {"a": H}
        sheet.redo()
        assert (sheet.verdicts, sheet.can_redo) == ({"a": P}, False)

    def test_a_new_change_ends_redo(self, sheet: Sheet) -> None:
        sheet.set({"a": H})
        sheet.undo()
        sheet.set({"a": C})
        sheet.redo()
        assert (sheet.verdicts, sheet.can_redo) == ({"a": C}, False)


class TestStatus:
    def test_done_keeps_what_the_model_said(self, sheet: Sheet) -> None:
        """A later model does not change the gold of a page that was looked at."""
        sheet.finish({"a": P})
        assert (sheet.status, sheet.verdict("a", O), sheet.verdict("b", O)) == (Status.DONE, P, O)

    def test_a_correction_of_a_page_that_is_done(self, sheet: Sheet) -> None:
        sheet.finish({"a": P})
        sheet.set({"a": H})
        assert (sheet.status, sheet.verdict("a", O)) == (Status.DONE, H)
        sheet.undo()
        assert sheet.verdict("a", O) is P

    def test_reopened(self, sheet: Sheet) -> None:
        sheet.finish({"a": P})
        sheet.reopen()
        assert (sheet.status, sheet.verdict("a", O)) == (Status.OPEN, O)

    def test_skipped(self, sheet: Sheet) -> None:
        sheet.skip()
        assert (sheet.status, sheet.revision) == (Status.SKIPPED, 1)


class TestRename:
    def test_verdicts_and_their_undoing_move(self, sheet: Sheet) -> None:
        sheet.set({"a": H})
        sheet.set({"a": P})
        sheet.finish({"b": L})
        sheet.rename({"a": "x", "b": "y"})
        assert (sheet.verdicts, sheet.agreed, sheet.versions) == ({"x": P}, {"y": L}, {"x": 2})
        sheet.undo()
        assert sheet.verdicts == {"x": H}

    def test_a_block_without_a_new_name_keeps_its_own(self, sheet: Sheet) -> None:
        """It may come back."""
        sheet.set({"a": H})
        sheet.rename({"b": "y"})
        assert sheet.verdicts == {"a": H}
