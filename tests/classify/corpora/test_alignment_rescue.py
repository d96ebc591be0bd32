from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.corpora import alignment
from vclean.classify.corpora.alignment import FreeGold


def words(text):
    return text.split()


GOLD = words("one two three four five six seven eight")


def free_gold(words=GOLD, covered=()):
    return FreeGold(list(words), [np.array(covered, dtype=np.int32)])


class TestFind:
    def test_a_block_of_free_gold_has_the_place_of_every_word(self):
        assert free_gold().find(words("three four five six")).tolist() == [2, 3, 4, 5]

    def test_covered_gold_is_not_given_again(self):
        assert free_gold(covered=[3]).find(words("three four five")) is None

    def test_words_that_are_not_gold_have_no_place(self):
        block = words("x one two three four five six seven eight")
        assert free_gold().find(block).tolist() == [-1, 0, 1, 2, 3, 4, 5, 6, 7]

    def test_too_few_ngrams(self):
        assert free_gold().find(words("one two three x y z")) is None

    @pytest.mark.parametrize("block", ["", "one", "one two"])
    def test_blocks_shorter_than_an_ngram_are_not_rescued(self, block):
        assert free_gold().find(block.split()) is None

    def test_two_passages_of_the_gold_in_one_block(self):
        gold = [f"w{at}" for at in range(20)]
        assert free_gold(gold).find(gold[10:] + gold[:10]).tolist() == [*range(10, 20), *range(10)]

    def test_a_block_that_repeats_itself_needs_gold_that_does(self):
        """A log that says one line a hundred times is not gold because the gold has the line once."""
        line = words("error doing job")
        assert free_gold(line).find(line * 5) is None
        assert free_gold(line * 5).find(line * 5).tolist() == list(range(15))

    def test_the_longest_run_wins(self):
        text = words("a b c x a b c d")
        assert free_gold(text).find(words("a b c d")).tolist() == [4, 5, 6, 7]

    def test_places_looked_at_are_bounded(self):
        text = words("a b c x") * (alignment.SPOTS + 1) + words("a b c d e f g h i j")
        found = free_gold(text).find(words("a b c d e f g h i j")).tolist()
        assert found == [0, 1, 2, *range(len(text) - 7, len(text))]

    @given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
    def test_places_are_right_and_used_once(self, gold, block):
        found = FreeGold(gold, []).find(block)
        if found is not None:
            places = found[found >= 0].tolist()
            assert len(set(places)) == len(places)
            assert all(gold[place] == word for word, place in zip(block, found, strict=True) if place >= 0)


class TestTake:
    def test_taken_gold_is_covered(self):
        gold = free_gold()
        block = words("three four five")
        gold.take(gold.find(block))
        assert gold.find(block) is None

    def test_negative_positions_are_passed_over(self):
        gold = free_gold()
        gold.take(np.array([-1, -1], dtype=np.int32))
        assert gold.find(words("six seven eight")).tolist() == [5, 6, 7]
