from __future__ import annotations

from vclean.features.block_names import block_names, match_blocks, text_hash


class TestTextHash:
    def test_accepts_lone_surrogates(self) -> None:
        """Accept half of a surrogate pair, which JavaScript strings may contain."""
        assert len(text_hash("\ud83d")) == 16


class TestBlockNames:
    def test_numbers_equal_blocks(self) -> None:
        names = block_names(["/p[1]", "/p[1]", "/p[2]"], ["Yes.", "Yes.", "Yes."])
        assert len(set(names)) == 3
        assert [name.split(" ", 1)[1] for name in names] == ["1 /p[1]", "2 /p[1]", "1 /p[2]"]


class TestMatchBlocks:
    def names(self, *blocks: tuple[str, str]) -> list[str]:
        return block_names([xpath for xpath, _ in blocks], [text for _, text in blocks])

    def test_unmoved_blocks_match_by_location_and_text(self) -> None:
        old = self.names(("/p[1]", "One."), ("/p[2]", "Two."))
        assert match_blocks(old, old) == dict(zip(old, old, strict=True))

    def test_changed_text_does_not_match(self) -> None:
        assert match_blocks(self.names(("/p[1]", "One.")), self.names(("/p[1]", "Uno."))) == {}
