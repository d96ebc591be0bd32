from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from vclean.classify.corpora import alignment
from vclean.classify.corpora.alignment import UncoveredGold, common_runs, tokenize

WORDS = st.lists(st.sampled_from("abcde"), max_size=40)


def words(text):
    return text.split()


def matched(runs):
    return sum(run.size for run in runs)


class TestTokens:
    @pytest.mark.parametrize(
        ("text", "tokens"),
        [
            ("Don't, STOP_now!", ["don", "t", "stop_now"]),
            ("你好 world カナ", ["你", "好", "world", "カ", "ナ"]),
            ("한국어 문장 Ключ", ["한국어", "문장", "ключ"]),
            (" — \n•", []),
        ],
        ids=["case and punctuation", "scripts without spaces", "other scripts", "no word"],
    )
    def test_tokens(self, text, tokens):
        assert tokenize(text) == tokens


class TestCommonRuns:
    @pytest.mark.parametrize(
        ("page", "gold", "positions"),
        [
            ("big news | sports | big news it rained | imprint", "big news it rained", [5, 6, 7, 8]),
            ("cats news dogs weather | cats dogs run home", "cats dogs run", [5, 6, 7]),
        ],
    )
    def test_a_title_matches_as_a_whole_above_its_text_not_in_a_menu(self, page, gold, positions):
        runs = common_runs(words(page), words(gold))
        assert [at for run in runs for at in range(run.page, run.page + run.size)] == positions

    @given(WORDS, WORDS)
    def test_runs_are_equal_ascending_and_as_long_as_the_longest_common_subsequence(self, page, gold):
        runs = common_runs(page, gold)
        assert matched(runs) == LCSseq.similarity(page, gold)
        page_at = gold_at = 0
        for run in runs:
            assert page[run.page : run.page + run.size] == gold[run.gold : run.gold + run.size]
            assert run.page >= page_at
            assert run.gold >= gold_at
            page_at, gold_at = run.page + run.size, run.gold + run.size


class TestLongTexts:
    """Split texts over the limit at n-grams unique in both."""

    @pytest.fixture
    def page(self):
        rng = random.Random(1)
        return [f"w{rng.randrange(3000)}" for _ in range(4000)]

    def test_pieces_between_anchors_approximate_the_exact_alignment(self, page, monkeypatch):
        gold = page[:900] + page[1500:2600] + page[3000:]
        exact = matched(common_runs(page, gold))
        monkeypatch.setattr(alignment, "MAX_CELLS", 10**6)
        assert len(page) * len(gold) > alignment.MAX_CELLS
        assert matched(common_runs(page, gold)) >= 0.99 * exact

    def test_passage_out_of_order_leaves_the_rest_aligned(self, page, monkeypatch):
        monkeypatch.setattr(alignment, "MAX_CELLS", 10**5)
        gold = page[3900:] + page[:3900]
        runs = common_runs(page, gold)
        assert matched(runs) >= 3800
        assert runs == sorted(runs, key=lambda run: (run.page, run.gold))

    def test_without_anchors_nothing_is_aligned(self, monkeypatch):
        monkeypatch.setattr(alignment, "MAX_CELLS", 100)
        assert common_runs(["x"] * 50, ["x"] * 50) == []

    @given(WORDS, WORDS)
    def test_runs_are_valid_for_any_size_limit(self, page, gold):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(alignment, "MAX_CELLS", 64)
            runs = common_runs(page, gold)
        used = [at for run in runs for at in range(run.page, run.page + run.size)]
        assert len(set(used)) == len(used)
        assert all(page[run.page : run.page + run.size] == gold[run.gold : run.gold + run.size] for run in runs)


GOLD = words("one two three four five six seven eight")


def free_gold(words=GOLD, covered=(-1,)):
    return UncoveredGold(list(words), [np.array(covered, dtype=np.int32)])


class TestMatch:
    @pytest.mark.parametrize(
        ("covered", "block", "expected"),
        [
            ([3], "three four five", None),
            ([-1], "one two three x y z", None),
            ([-1], "six seven eight", [5, 6, 7]),
        ],
        ids=["covered gold", "too few n-grams", "negative positions cover nothing"],
    )
    def test_free_gold(self, covered, block, expected):
        positions = free_gold(covered=covered).match(words(block))
        assert (None if positions is None else positions.tolist()) == expected

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
