from __future__ import annotations

import pytest

from vclean.labelling.store import block_names, refound, text_hash


class TestTextHash:
    def test_white_space_does_not_count(self) -> None:
        assert text_hash(" It\n rained. ") == text_hash("It rained.")

    def test_words_do(self) -> None:
        assert text_hash("It rained.") != text_hash("It snowed.")

    def test_half_a_character_is_no_error(self) -> None:
        """JavaScript's strings may have half of a pair of surrogates."""
        assert len(text_hash("\ud83d")) == 16


class TestBlockNames:
    def test_equal_blocks_are_numbered(self) -> None:
        names = block_names(["/p[1]", "/p[1]", "/p[2]"], ["Yes.", "Yes.", "Yes."])
        assert len(set(names)) == 3
        assert [name.split(" ", 1)[1] for name in names] == ["1 /p[1]", "2 /p[1]", "1 /p[2]"]


class TestRefound:
    def names(self, *blocks: tuple[str, str]) -> list[str]:
        return block_names([xpath for xpath, _ in blocks], [text for _, text in blocks])

    def test_what_did_not_move_is_found_by_place_and_text(self) -> None:
        old = self.names(("/p[1]", "One."), ("/p[2]", "Two."))
        assert refound(old, old) == dict(zip(old, old, strict=True))

    def test_what_moved_is_found_by_its_text(self) -> None:
        old = self.names(("/p[1]", "One."), ("/p[2]", "Two."))
        new = self.names(("/p[1]", "Zero."), ("/p[2]", "One."), ("/p[3]", "Two."))
        assert refound(old, new) == {old[0]: new[1], old[1]: new[2]}

    def test_what_changed_its_text_is_gone(self) -> None:
        assert refound(self.names(("/p[1]", "One.")), self.names(("/p[1]", "Uno."))) == {}

    def test_equal_texts_keep_their_order(self) -> None:
        old = self.names(("/li[1]", "more"), ("/li[2]", "more"))
        new = self.names(("/li[5]", "more"), ("/li[6]", "more"))
        assert refound(old, new) == {old[0]: new[0], old[1]: new[1]}

    @pytest.mark.parametrize("count", [1, 3])
    def test_where_their_number_differs_none_is_guessed(self, count: int) -> None:
        old = self.names(("/li[1]", "more"), ("/li[2]", "more"))
        new = self.names(*[(f"/li[{row}]", "more") for row in range(5, 5 + count)])
        assert refound(old, new) == {}

    def test_one_that_stayed_is_not_claimed_by_one_that_moved(self) -> None:
        old = self.names(("/li[1]", "more"), ("/li[2]", "more"))
        new = self.names(("/li[1]", "more"), ("/li[9]", "more"))
        assert refound(old, new) == {old[0]: new[0], old[1]: new[1]}
