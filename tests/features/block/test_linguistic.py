from __future__ import annotations

import html
from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import context_of, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.block.linguistic import compute
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext


def page(*texts):
    """Return a page with one paragraph per text, in English."""
    return context_of(
        "<html lang=en><title>Ferry times</title>" + "".join(f"<p>{html.escape(text)}</p>" for text in texts)
    )


def values(name, *texts):
    return np.asarray(compute(page(*texts))[name], dtype=np.float64).tolist()


def value(name, text):
    """Return the value for a page with one paragraph."""
    return values(name, text)[0]


class TestShares:
    @pytest.mark.parametrize(
        ("name", "text", "expected"),
        [
            ("digit", "ab 1.", 1 / 4),
            ("upper", "aBC1", 2 / 3),
            ("upper", "123", 0),
            ("capitalised_words", "The Cat sat", 2 / 3),
            ("capitalised_words", "iPhone", 0),
            ("capitalised_words", "Ärger über Öl", 2 / 3),
            ("capitalised_words", "12 Cats", 1 / 2),
            ("capitalised_words", "12", 0),
            ("capitalised_words", "東京 Tokyo is", 1 / 2),
            ("upper", "東京 TOkyo", 2 / 5),
        ],
    )
    def test_white_space_does_not_count(self, name, text, expected):
        assert value(name, text) == pytest.approx(expected)


class TestCharacters:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("One. Two! Three?", 3),
            ("No end", 0),
            ("Version 3.14 of example.org", 0),
            ("Wait...", 1),
            ("一。二。", 2),
            ("“一。”他说，“二！”", 2),
            ("So?! Yes.", 2),
            ("Am 8. Oktober 2026. Dann am 12.", 2),
            ("1. Item", 0),
            ("8. 10. 2026", 0),
            ("a 2026. b", 1),
            ('He said "so." Then left.', 2),
        ],
    )
    def test_sentences(self, text, expected):
        assert value("sentences", text) == expected


class TestPatterns:
    @pytest.mark.parametrize(
        ("name", "text", "expected"),
        [
            ("dates", "On 3.11.2026 and 2026-11-03 at 12:30", 3),
            ("dates", "11/3/26", 1),
            ("dates", "2026年11月3日", 1),
            ("dates", "3.14", 0),
            ("prices", "5 kg", 0),
            ("emails", "Write to a@example.org or b@x.de", 2),
            ("emails", "@name", 0),
            ("years", "From 1984 to 2019, not 3019 or 19999", 2),
            ("years", "199", 0),
            ("years", "२०२६ ٢٠٢٦ 2026年", 3),
            ("urls", "See https://example.org", 1),
            ("copyrights", "© 2026, all rights reserved", 2),
            ("copyrights", "Copyright, Brand™", 2),
            ("actions", "Read more", 1),
            ("actions", "READ MORE | Sign in | subscribe", 3),
            ("actions", "reading more", 0),
            ("bylines", "Posted by Ann, updated", 3),
            ("boilerplate", "Privacy | Terms of use | Cookies", 3),
            ("boilerplate", "in terms which", 0),
        ],
    )
    def test_matches(self, name, text, expected):
        assert value(name, text) == expected


REPEATED = ("Read", "One", "Read", "read", "Read", "Two 12", "two 34")


class TestBlocks:
    @pytest.mark.parametrize(
        ("name", "texts", "expected"),
        [
            ("word_types", ("The cat the dog", "a b c", "--"), [0.75, 1, 0]),
            ("ends_sentence", ("a", ".", '"', "b"), [0, 1, 0, 0]),
            ("sentence_length", ("One two. Three four.", "one two three", "--"), [2, 3, 0]),
            ("actions", ("read", "more", "read more"), [0, 0, 1]),
            ("duplicates", REPEATED, [2, 0, 2, 0, 2, 0, 0]),
            ("duplicate_shape", REPEATED, [3, 0, 3, 3, 3, 1, 1]),  # letter case and the value of digits do not count
            ("duplicate_shape", ("one two", "two one", "one  two!"), [1, 0, 1]),
            ("title_covered", ("Times of the ferry", "the ferry", "other"), [1, 0.5, 0]),
        ],
    )
    def test_values_of_each_block(self, name, texts, expected):
        assert values(name, *texts) == expected


class TestCompute:
    @given(st.lists(st.text(min_size=1, max_size=20).filter(str.strip), min_size=1, max_size=6))
    def test_any_text_gives_numbers(self, texts):
        blocks = extract_blocks(snapshot("".join(f"<p>{index}</p>" for index in range(len(texts)))))
        columns = compute(PageContext(replace(blocks, text=texts)))
        assert [name for name, column in columns.items() if np.isinf(column).any()] == []
