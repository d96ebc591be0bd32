from __future__ import annotations

import pytest
from lxml import etree

from vclean.characters import legal


class TestLegal:
    @pytest.mark.parametrize("character", ["\0", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"])
    def test_what_markup_does_not_allow_becomes_a_space(self, character):
        assert legal(f"a{character}b") == "a b"

    @pytest.mark.parametrize("character", ["\t", "\n", "\r", "é", "\ue000", "\ufffd", "𝒳", "\U0010ffff", "\x85"])
    def test_the_rest_stays(self, character):
        assert legal(character) == character

    def test_agrees_with_the_serialiser(self):
        """Every character of the basic plane that is let through can be written."""
        element = etree.Element("p")
        element.text = legal("".join(map(chr, range(0x10000))))
        assert len(element.text) == 0x10000
