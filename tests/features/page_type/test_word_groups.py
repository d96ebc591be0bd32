from __future__ import annotations

import pytest

from vclean.features.facts.word_groups import groups_of, name_bit, text_terms, words_of


class TestGroupsOf:
    def test_text_terms_have_a_list_for_each_group(self) -> None:
        assert text_terms().names == groups_of("text")

    def test_words_have_the_same_groups(self) -> None:
        assert tuple(words_of("path")) == groups_of("path")


class TestNameBit:
    @pytest.mark.parametrize(
        ("word", "group"),
        [("postbit", "forum"), ("threads", "forum"), ("sku", "product"), ("basket", "cart"), ("xyz", None)],
    )
    def test_is_the_group_of_a_word_or_its_longest_stem(self, word: str, group: str | None) -> None:
        assert name_bit(word) == (1 << groups_of("name").index(group) if group else 0)
