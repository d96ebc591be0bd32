from __future__ import annotations

import pytest
from lxml import etree

from vclean.characters import format_count, one_line, replace_illegal


class TestReplaceIllegal:
    @pytest.mark.parametrize("character", ["\0", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"])
    def test_illegal_characters_become_spaces(self, character):
        assert replace_illegal(f"a{character}b") == "a b"

    @pytest.mark.parametrize("character", ["\t", "\n", "\r", "é", "\ue000", "\ufffd", "𝒳", "\U0010ffff", "\x85"])
    def test_other_characters_stay(self, character):
        assert replace_illegal(character) == character

    def test_agrees_with_the_serialiser(self):
        # Every kept character of the basic plane can be serialized.
        element = etree.Element("p")
        element.text = replace_illegal("".join(map(chr, range(0x10000))))
        assert len(element.text) == 0x10000


class TestOneLine:
    @pytest.mark.parametrize(
        ("text", "line"),
        [("a\n\tb  c ", "a b c"), ("\x1b]0;title\x07", "]0;title"), ("a\u202eb", "a b"), ("é 日本", "é 日本")],
    )
    def test_no_control_character_reaches_a_terminal(self, text, line):
        assert one_line(text) == line


class TestFormatCount:
    @pytest.mark.parametrize(
        ("number", "expected"), [(0, "0 blocks"), (1, "1 block"), (2, "2 blocks"), (1000, "1,000 blocks")]
    )
    def test_one_is_singular(self, number, expected):
        assert format_count(number, "block") == expected
