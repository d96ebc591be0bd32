from __future__ import annotations

import string
from unicodedata import digit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.text.characters import (
    ALPHA,
    BRACKET,
    BULLET,
    CLOSER,
    COLON,
    COMMA,
    CURRENCY,
    DIGIT,
    HASH,
    LOWER,
    MARK,
    PIPE,
    PUNCT,
    QUESTION,
    QUOTE,
    SENTENCE_END,
    SLASH,
    SPACE,
    SYMBOL,
    TABLE_SIZE,
    UNCONDITIONAL_END,
    UNSPACED,
    UPPER,
    EncodedTexts,
    character_tables,
    digit_values,
    hash_words,
    mix,
)  # fmt: skip

COARSE = ALPHA | UPPER | LOWER | DIGIT | PUNCT | SPACE | SYMBOL | UNSPACED | MARK

TEXTS = st.lists(st.text(alphabet="abAB 1.,\n中ก", min_size=1, max_size=12), min_size=1, max_size=6)


def split_words(*texts):
    """The words of each text, as they stand in it."""
    words = EncodedTexts.from_texts(texts).words
    found = [[] for _ in texts]
    for start, end, owner in zip(words.start, words.end, words.owner, strict=True):
        found[owner].append("".join(map(chr, words.texts.code[start:end])))
    return found if len(texts) > 1 else found[0]


class TestCharacterTables:
    @pytest.mark.parametrize(
        ("character", "bits"),
        [
            ("a", ALPHA | LOWER),
            ("A", ALPHA | UPPER),
            ("É", ALPHA | UPPER),
            ("ß", ALPHA | LOWER),
            ("я", ALPHA | LOWER),
            ("ა", ALPHA),
            ("ª", ALPHA),
            ("Я", ALPHA | UPPER),
            ("ع", ALPHA),
            ("中", ALPHA | UNSPACED),
            ("か", ALPHA | UNSPACED),
            ("ก", ALPHA | UNSPACED),
            ("한", ALPHA),
            ("5", DIGIT),
            ("٣", DIGIT),
            ("½", DIGIT),
            (".", PUNCT),
            ("。", PUNCT),
            ("—", PUNCT),
            (" ", SPACE),
            ("\n", SPACE),
            ("\u00a0", SPACE),
            ("\u200b", SPACE),
            ("€", SYMBOL),
            ("+", SYMBOL),
            ("😀", SYMBOL),
            ("\u0301", ALPHA | MARK),
            ("\u0e31", ALPHA | MARK | UNSPACED),
            ("\u200d", SPACE | MARK),
            ("\u200f", SPACE),
            ("々", ALPHA | UNSPACED),
            ("ｶ", ALPHA | UNSPACED),
            ("ກ", ALPHA | UNSPACED),
            ("ក", ALPHA | UNSPACED),
            ("က", ALPHA | UNSPACED),
            ("ཀ", ALPHA),
            ("አ", ALPHA),
            ("५", DIGIT),
            ("๕", DIGIT),
            ("՞", ALPHA | PUNCT),
        ],
    )
    def test_kinds(self, character, bits):
        kinds, _ = character_tables()
        assert kinds[ord(character)] & COARSE == bits

    @pytest.mark.parametrize(
        ("bits", "characters"),
        [
            (COMMA, ",;،؛、，；､՝፣၊"),
            (SENTENCE_END, ".!?…。！？؟।॥։።។။۔｡"),
            (UNCONDITIONAL_END, "。！？؟।॥։።។။۔"),
            (QUESTION, "?!？！؟\u037e፧"),
            (COLON, ":：፦៖"),
            (QUOTE, "\"'“”„‟‘’«»‹›「」『』"),
            (BRACKET, "()[]{}（）【】〈〉《》"),
            (CLOSER, ")]}”’»」』）】\"'“"),
            (CURRENCY, "$€£¥₹₽₩¢₴₺฿₫৳￥"),
            (PIPE, "|·•¦｜│"),
            (SLASH, "/\\／"),
            (HASH, "#@＃＠"),
            (BULLET, "•-–—*▪●→✓・"[:-1] + "※"),
        ],
    )
    def test_marks_of_all_scripts(self, bits, characters):
        kinds, _ = character_tables()
        assert [character for character in characters if not kinds[ord(character)] & bits] == []
        assert not kinds[ord("a")] & bits

    def test_a_full_stop_of_ascii_needs_more(self):
        kinds, _ = character_tables()
        assert not any(kinds[ord(character)] & UNCONDITIONAL_END for character in ".!?…")

    def test_quotes_are_no_brackets(self):
        kinds, _ = character_tables()
        assert not ((kinds & QUOTE > 0) & (kinds & BRACKET > 0)).any()

    def test_only_punctuation_and_symbols_are_marks_of_the_text(self):
        kinds, _ = character_tables()
        marks = COMMA | SENTENCE_END | QUESTION | COLON | QUOTE | BRACKET | CURRENCY | PIPE | SLASH | HASH | BULLET
        assert ((kinds[kinds & marks > 0] & (PUNCT | SYMBOL)) > 0).all()

    @pytest.mark.parametrize(
        ("character", "folded"),
        [
            ("a", "a"),
            ("A", "a"),
            ("É", "é"),
            ("Σ", "σ"),
            ("7", "0"),
            ("٣", "0"),
            (".", "."),
            ("中", "中"),
            ("Ａ", "a"),
            ("ｶ", "カ"),
            ("ﻉ", "ع"),
            ("５", "0"),
            ("५", "0"),
            ("Я", "я"),
        ],
    )
    def test_folding(self, character, folded):
        _, fold = character_tables()
        assert chr(fold[ord(character)]) == folded

    def test_a_capital_of_two_lower_characters_folds_to_the_first(self):
        _, fold = character_tables()
        assert chr(fold[ord("İ")]) == "i"

    def test_case_is_that_of_every_single_letter(self):
        """Letters are looked at by rows; none of those passed over has case."""
        kinds, fold = character_tables()
        letters = [code for code in range(TABLE_SIZE) if chr(code).isalpha() and fold[code] == code]
        assert [chr(code) for code in letters if chr(code).lower() != chr(code)] == []
        titled = {code for code in letters if chr(code).title() != chr(code)}
        assert titled == {code for code in letters if kinds[code] & LOWER}

    def test_every_character_is_of_a_kind(self):
        kinds, fold = character_tables()
        assert len(kinds) == len(fold) == TABLE_SIZE
        assert (kinds > 0).all()


class TestTexts:
    def test_one_run_with_a_line_feed_after_each(self):
        texts = EncodedTexts.from_texts(["ab", "c"])
        assert "".join(map(chr, texts.code)) == "ab\nc\n"
        assert texts.start.tolist() == [0, 3]

    def test_astral_characters_are_one_character(self):
        texts = EncodedTexts.from_texts(["a😀𝒜", "𠀀"])
        assert texts.start.tolist() == [0, 4]
        assert texts.code.tolist() == [ord("a"), 0x1F600, 0x1D49C, 10, 0x20000, 10]

    def test_lone_surrogates_are_no_obstacle(self):
        assert EncodedTexts.from_texts(["a\ud800b"]).code.tolist() == [97, 0xD800, 98, 10]

    def test_above_the_tables_all_are_ideographs(self):
        texts = EncodedTexts.from_texts(["\U00020000\U0002a6d6"])
        assert texts.kind.tolist() == [ALPHA | UNSPACED, ALPHA | UNSPACED, SPACE]

    def test_count(self):
        texts = EncodedTexts.from_texts(["a1b2", "..", "3"])
        assert texts.count((texts.kind & DIGIT) > 0).tolist() == [2, 0, 1]

    def test_folded(self):
        folded = EncodedTexts.from_texts(["Äb 19"]).folded
        assert "".join(map(chr, folded)) == "äb 00\n"


class TestWords:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("The cat sat.", ["The", "cat", "sat"]),
            ("don't stop-gap", ["don", "t", "stop", "gap"]),
            ("x86 2nd 3.14", ["x86", "2nd", "3", "14"]),
            ("... !? €", []),
            ("中文字", ["中", "文", "字"]),
            ("iPhone中文15", ["iPhone", "中", "文", "15"]),
            ("ภาษาไทย", list("ภาษาไทย")),
            ("ที่นี่ ๑๒๓", ["ที่", "นี่", "๑๒๓"]),
            ("ພາສາລາວ", list("ພາສາລາວ")),
            ("ភាសាខ្មែរ", ["ភា", "សា", "ខ្", "មែ", "រ"]),
            ("မြန်မာစာ", ["မြ", "န်", "မာ", "စာ"]),
            ("人々は", ["人", "々", "は"]),
            ("चिट्ठियाँ, दवाइयाँ", ["चिट्ठियाँ", "दवाइयाँ"]),
            ("مَرْحَبًا بك", ["مَرْحَبًا", "بك"]),
            ("می\u200cخواهم", ["می\u200cخواهم"]),
            ("soft\u00adhyphen", ["soft\u00adhyphen"]),
            ("عدد ٢٠٢٦", ["عدد", "٢٠٢٦"]),
            ("Ինչպե՞ս ես", ["Ինչպե՞ս", "ես"]),
            ("བོད་ཡིག", ["བོད", "ཡིག"]),
            ("ሰላም፡ዓለም", ["ሰላም", "ዓለም"]),
            ("❤\ufe0f \u0301", []),
            ("السلام عليكم", ["السلام", "عليكم"]),
            ("한국어 텍스트", ["한국어", "텍스트"]),
            ("cafe\u0301 noir", ["cafe\u0301", "noir"]),
            ("a😀b", ["a", "b"]),
            ("𝒜𝒷 c", ["𝒜𝒷", "c"]),
            ("𠀀𠀁", ["𠀀", "𠀁"]),
        ],
    )
    def test_what_a_word_is(self, text, expected):
        assert split_words(text) == expected

    def test_no_word_goes_over_the_end_of_a_text(self):
        assert split_words("one two", "three", ".", "four") == [["one", "two"], ["three"], [], ["four"]]

    def test_per_text(self):
        words = EncodedTexts.from_texts(["one two", ".", "three"]).words
        assert words.per_text().tolist() == [2, 0, 1]
        assert words.per_text(np.array([1, 10, 100], dtype=np.float32)).tolist() == [11, 0, 100]

    def test_equal_words_have_equal_hashes_wherever_they_stand(self):
        hashes = EncodedTexts.from_texts(["the cat", "saw the cat", "THE Cat"]).words.hash
        assert hashes[0] == hashes[3] == hashes[5]
        assert hashes[1] == hashes[4] == hashes[6]
        assert len(np.unique(hashes)) == 3

    def test_digits_are_all_alike(self):
        hashes = EncodedTexts.from_texts(["2019 1984 42"]).words.hash
        assert hashes[0] == hashes[1] != hashes[2]

    def test_order_of_letters_counts(self):
        assert len(np.unique(EncodedTexts.from_texts(["tar rat art"]).words.hash)) == 3

    def test_bigrams_stay_inside_a_text(self):
        words = EncodedTexts.from_texts(["a b", "a b c"]).words
        assert words.bigram_owner.tolist() == [0, -1, 1, 1]
        assert words.bigram[0] == words.bigram[2]
        assert words.bigram[0] != words.bigram[3]

    def test_order_of_words_counts(self):
        words = EncodedTexts.from_texts(["a b", "b a"]).words
        assert words.bigram[0] != words.bigram[2]

    @given(TEXTS)
    def test_equals_the_loop(self, texts):
        """A word is a run of letters and digits; a character of Chinese or Thai is one by itself."""
        expected = []
        for text in texts:
            spaced = "".join(f" {c} " if c in "中ก" else c if c.isalnum() else " " for c in text)
            expected.append(spaced.split())
        found = split_words(*texts)
        assert (found if len(texts) > 1 else [found]) == expected

    @given(TEXTS)
    def test_hashes_are_those_of_the_single_words(self, texts):
        words = EncodedTexts.from_texts(texts).words
        for start, end, value in zip(words.start, words.end, words.hash, strict=True):
            word = "".join(map(chr, words.texts.code[start:end]))
            assert hash_words([word]).tolist() == [value]

    def test_a_long_page(self):
        """Beyond the tables of powers that are kept."""
        count = 200_000
        hashes = EncodedTexts.from_texts(["w x y " * count]).words.hash
        assert len(hashes) == 3 * count
        assert len(np.unique(hashes)) == 3


class TestHas:
    def test_characters_of_a_class_per_text(self):
        assert EncodedTexts.from_texts(["a, b، c、", "x", ",,"]).count_class(COMMA).tolist() == [3, 0, 2]

    def test_any_of_several_classes(self):
        assert EncodedTexts.from_texts(["aB1"]).count_class(UPPER | DIGIT).tolist() == [2]


class TestDigitValues:
    @pytest.mark.parametrize(("character", "value"), [("7", 7), ("٣", 3), ("५", 5), ("๙", 9), ("a", 255), ("½", 255)])
    def test_value(self, character, value):
        assert digit_values()[ord(character)] == value
        assert EncodedTexts.from_texts([character]).digit.tolist() == [value, 255]

    def test_only_numbers_have_one(self):
        values = digit_values()
        assert [code for code in range(TABLE_SIZE) if digit(chr(code), 255) != values[code]] == []


class TestHashWords:
    def test_ascending_and_distinct(self):
        found = hash_words(["the", "a", "The", "of"])
        assert len(found) == 3
        assert (np.diff(found.astype(object)) > 0).all()

    def test_no_words(self):
        assert len(hash_words([])) == 0

    def test_the_same_on_every_machine(self):
        """Models keep these numbers: they never change."""
        assert hash_words(["cat"]).tolist() == [0x53F431753B17ABD6]


class TestMix:
    def test_reference_values_of_splitmix64(self):
        """The generator with seed 0 mixes multiples of the golden ratio: its published first outputs."""
        state = np.array([0x9E3779B97F4A7C15, 0x3C6EF372FE94F82A], dtype=np.uint64)
        assert mix(state).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]

    def test_different_values_stay_different(self):
        assert len(np.unique(mix(np.arange(10_000, dtype=np.uint64)))) == 10_000


def test_ascii_punctuation_is_punctuation_or_symbol():
    kind = EncodedTexts.from_texts([string.punctuation]).kind[:-1]
    assert ((kind & (PUNCT | SYMBOL)) > 0).all()


class TestOtherTextsOfThePage:
    @given(st.lists(st.text("aB1 .\u0301\u200d-", max_size=8), min_size=1, max_size=4))
    @pytest.mark.parametrize("other", ["\u4e2d", "\U0002f800"])
    def test_change_nothing(self, other, texts):
        """What is read with fewer steps where there are no letters of unspaced scripts is read alike."""
        alone, beside = EncodedTexts.from_texts(texts).words, EncodedTexts.from_texts([*texts, other]).words
        assert (len(beside), beside.owner[-1]) == (len(alone) + 1, len(texts))
        assert alone.start.tolist() == beside.start[:-1].tolist()
        assert alone.end.tolist() == beside.end[:-1].tolist()
        assert alone.hash.tolist() == beside.hash[:-1].tolist()
