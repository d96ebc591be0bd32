from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.corpora import alignment
from vclean.classify.corpora.alignment import UncoveredGold


def words(text):
    return text.split()


GOLD = words("one two three four five six seven eight")


def free_gold(words=GOLD, covered=()):
    return UncoveredGold(list(words), [np.array(covered, dtype=np.int32)])


class TestMatch:
    def test_returns_the_position_of_each_word(self):
        assert free_gold().match(words("three four five six")).tolist() == [2, 3, 4, 5]

    def test_covered_gold_is_not_used_again(self):
        assert free_gold(covered=[3]).match(words("three four five")) is None

    def test_words_outside_the_gold_have_no_position(self):
        block = words("x one two three four five six seven eight")
        assert free_gold().match(block).tolist() == [-1, 0, 1, 2, 3, 4, 5, 6, 7]

    def test_too_few_ngrams(self):
        assert free_gold().match(words("one two three x y z")) is None

    @pytest.mark.parametrize("block", ["", "one", "one two"])
    def test_blocks_shorter_than_an_ngram_do_not_match(self, block):
        assert free_gold().match(block.split()) is None

    def test_matches_two_passages_in_one_block(self):
        gold = [f"w{at}" for at in range(20)]
        assert free_gold(gold).match(gold[10:] + gold[:10]).tolist() == [*range(10, 20), *range(10)]

    def test_repetitive_block_needs_repetitive_gold(self):
        """Reject a log with one line a hundred times if the gold has the line once."""
        line = words("error doing job")
        assert free_gold(line).match(line * 5) is None
        assert free_gold(line * 5).match(line * 5).tolist() == list(range(15))

    def test_the_longest_run_wins(self):
        text = words("a b c x a b c d")
        assert free_gold(text).match(words("a b c d")).tolist() == [4, 5, 6, 7]

    def test_number_of_tried_positions_is_limited(self):
        text = words("a b c x") * (alignment.MAX_STARTS + 1) + words("a b c d e f g h i j")
        positions = free_gold(text).match(words("a b c d e f g h i j")).tolist()
        assert positions == [0, 1, 2, *range(len(text) - 7, len(text))]

    @given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
    def test_positions_are_correct_and_used_once(self, gold, block):
        positions = UncoveredGold(gold, []).match(block)
        if positions is not None:
            places = positions[positions >= 0].tolist()
            assert len(set(places)) == len(places)
            assert all(gold[position] == word for word, position in zip(block, positions, strict=True) if position >= 0)


class TestMarkCovered:
    def test_marked_gold_is_covered(self):
        gold = free_gold()
        block = words("three four five")
        gold.mark_covered(gold.match(block))
        assert gold.match(block) is None

    def test_negative_positions_are_ignored(self):
        gold = free_gold()
        gold.mark_covered(np.array([-1, -1], dtype=np.int32))
        assert gold.match(words("six seven eight")).tolist() == [5, 6, 7]
