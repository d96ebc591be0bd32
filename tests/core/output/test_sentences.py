"""Sentences end at their marks, not at initials or before lowercase letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.output.chunks import count_words, split_sentences, split_words


class TestSplitSentences:
    @pytest.mark.parametrize(
        ("text", "sentences"),
        [
            ("It rained. It stopped.", ["It rained.", "It stopped."]),
            ("“Why?” he asked. “Rain!” Nobody spoke.", ["“Why?” he asked.", "“Rain!”", "Nobody spoke."]),
            ("By J. K. Orrin, 3.5 km e.g. uphill.", ["By J. K. Orrin, 3.5 km e.g. uphill."]),
            ("雨が降った。止んだ？「はい。」そう。", ["雨が降った。", "止んだ？", "「はい。」", "そう。"]),
            ("first line\nsecond line", ["first line", "second line"]),
            ("यह है। वह है।", ["यह है।", "वह है।"]),
            ("", []),
        ],
    )
    def test_marks(self, text: str, sentences: list[str]) -> None:
        assert split_sentences(text) == sentences

    @given(st.text(alphabet="aB1 .!?\n。”'"))
    def test_no_character_is_lost(self, text: str) -> None:
        assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())

    def test_long_text_takes_linear_time(self) -> None:
        assert len(split_sentences("." * 200_000)) == 1


class TestCountWords:
    def test_scripts_with_and_without_spaces(self) -> None:
        assert count_words(["two words", "雨が", "", "!"]) == [2, 2, 0, 0]

    def test_no_texts(self) -> None:
        assert count_words([]) == []


class TestSplitWords:
    def test_limit(self) -> None:
        assert split_words("a b, c (d) e", 2) == ["a b,", "c (d)", "e"]

    def test_text_below_the_limit(self) -> None:
        assert split_words("a b", 2) == ["a b"]

    def test_text_without_words(self) -> None:
        assert split_words("...", 2) == ["..."]

    @given(st.text(alphabet="aあ ,."), st.integers(1, 5))
    def test_parts_are_within_the_limit(self, text: str, limit: int) -> None:
        parts = split_words(text, limit)
        assert all(words <= limit for words in count_words(parts))
        assert "".join("".join(parts).split()) == "".join(text.split())
