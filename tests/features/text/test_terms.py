from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.text.characters import EncodedTexts
from vclean.features.text.terms import Terms

LISTS = {
    "actions": ["read more", "share", "back to the top", "登录", "อ่านต่อ"],
    "notices": ["privacy", "share", "back to"],
    "empty": [],
}


def matches(*texts, lists=LISTS):
    return Terms.from_lists(lists).find(EncodedTexts.from_texts(texts).words)


def count(name, *texts):
    return matches(*texts).count(name).tolist()


class TestTerms:
    def test_zero_matches_any_digit(self):
        dates = {"dates": ["vor 0", "00月"]}
        assert matches("vor 7 Tagen", "vor 12 Tagen", "11月3日", lists=dates).count("dates").tolist() == [1, 0, 1]

    @given(
        st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(" ".join), max_size=6),
        st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=8).map(" ".join), min_size=1, max_size=4),
    )
    def test_equals_the_loop(self, terms, texts):
        expected = [
            sum(f" {text} "[start:].startswith(f" {term} ") for term in set(terms) for start in range(len(text)))
            for text in texts
        ]
        assert matches(*texts, lists={"x": terms}).count("x").tolist() == expected


class TestCoveredWords:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [("a b", 1), ("a b c d", 4), ("b c x a", 3), ("b c b c", 4), ("b c d", 3), ("x", 0), ("我们的", 3)],
    )
    def test_counts_every_word_once(self, text, expected):
        lists = {"stop": ["a", "b c", "c d", "b c d", "我们", "们的"]}
        assert matches(text, lists=lists).covered_words("stop").tolist() == [expected]
