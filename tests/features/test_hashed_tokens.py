from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import context_of, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.element_names import ElementNames, class_hashes, name_hashes
from vclean.features.hashed_tokens import (
    BUCKETS,
    NEAR,
    ElementTokens,
    path_names,
    path_scores,
    path_tokens,
    word_names,
    word_tokens,
)
from vclean.features.text.characters import EncodedTexts

PAGE = """<body class="home"><div id=main class="content Post-Body"><p>One <b class=x>longer text</b></p><p>Two</p>
</div><ul role=navigation><li class=item><a href=x rel=next>Three</a></ul><dl><dt>Four</dl></body>"""


def bucket(token):
    return int(name_hashes([token])[0]) % BUCKETS


def tokens_on(page):
    return ElementTokens(ElementNames(page))


def rows(ragged):
    return [ragged.values[begin:end].tolist() for begin, end in zip(ragged.start[:-1], ragged.start[1:], strict=True)]


class TestElementTokens:
    def test_other_scripts_and_lone_surrogates(self):
        page = replace(snapshot("<p class=x>x"), attr_value=["Über-ΟΔΟΣ 1\ud800x"])
        names = ("t:p", "class:über-οδος", "class:1\ud800x", "w:über", "w:οδος")
        assert sorted(tokens_on(page).of(len(page) - 1).tolist()) == sorted(map(bucket, names))

    def test_row_sums(self):
        page = snapshot(PAGE)
        tokens, weights = tokens_on(page), np.zeros(BUCKETS, dtype=np.float32)
        weights[[bucket("t:p"), bucket("w:post"), bucket("class:x")]] = 1, 10, 100
        by_element = {page.tags[page.tag[element]]: total for element, total in enumerate(tokens.sums(weights))}
        assert by_element == {**dict.fromkeys(by_element, 0), "p": 1, "div": 10, "b": 100}


class TestPathTokens:
    def test_all_path_names_and_again_the_near_ones(self):
        context = context_of("<body><div class=c><dl><dd><a><b>x")
        chain = ["t:b", "t:a", "t:li", "t:ul", "t:div", "class:c", "t:body", "t:html"]  # a list of terms is a list
        near = ["t:b", "t:a", "t:li"]
        expected = [bucket(token) for token in chain] + [bucket(token) + BUCKETS for token in near]
        assert sorted(rows(path_tokens(context, ElementTokens(context.names)))[0]) == sorted(expected)
        assert len(near) == NEAR


class TestPathScores:
    @given(st.integers(0, 2**32 - 1))
    def test_equal_path_tokens_times_weights(self, seed):
        """Check that scores apply the weights in the same way as training on `path_tokens`."""
        context = context_of(PAGE)
        tokens = ElementTokens(context.names)
        weights = np.random.default_rng(seed).normal(size=2 * BUCKETS).astype(np.float32)
        expected = [float(weights[row].astype(np.float64).sum()) for row in rows(path_tokens(context, tokens))]
        scores = path_scores(context, tokens, weights[:BUCKETS], weights[BUCKETS:])
        assert scores.dtype == np.float32
        assert scores.tolist() == pytest.approx(expected, abs=1e-4)


class TestWordTokens:
    def test_words_then_bigrams(self):
        words = EncodedTexts(["the cat sat"]).words
        hashes = np.concatenate([words.hash, words.bigram])
        assert rows(word_tokens(context_of("<p>The cat sat.</p>"))) == [[int(h) >> 40 & BUCKETS - 1 for h in hashes]]


class TestPathNames:
    def test_indices_equal_path_tokens(self):
        """Check that the index of each name is that of its weight."""
        page = context_of(PAGE)
        for block, row in enumerate(rows(path_tokens(page, ElementTokens(page.names)))):
            assert sorted(index for _, index in path_names(page, block)) == sorted(row)

    def test_readable_names(self):
        page = context_of(PAGE)
        names = dict(path_names(page, 0))
        assert {"<p>", "<b>", "x", "<div>", "main", "post-body", "post", "body", "home", "<html>"} <= set(names)


class TestWordNames:
    @pytest.mark.parametrize(
        "html", [PAGE, "<p>One, two-three ... FOUR 5<p>\u4f60\u597d<p>&mdash;<p>e\u0301te\u0301 x"]
    )
    def test_indices_equal_word_tokens(self, html):
        page = context_of(html)
        for block, row in enumerate(rows(word_tokens(page))):
            assert sorted(index for _, index in word_names(page, block)) == sorted(row)


class TestNameHashes:
    def test_the_same_on_every_machine(self):
        """Check stored values: models depend on these numbers, so they must not change."""
        assert name_hashes(["div"]).tolist() == [0x38766EAEBDC6BE09]


class TestClassHashes:
    def test_is_the_sum_of_the_names(self):
        page = snapshot("<p class='b a b' id=c>x")
        assert class_hashes(ElementNames(page))[-1:] == name_hashes(["p", "a", "b"]).sum(keepdims=True)
