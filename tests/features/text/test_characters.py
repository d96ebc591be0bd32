from __future__ import annotations

import re
from unicodedata import digit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.text import characters
from vclean.features.text.characters import (
    ALPHA,
    DIGIT,
    LOWER,
    MARK,
    PUNCT,
    SPACE,
    SYMBOL,
    UNSPACED,
    UPPER,
    EncodedTexts,
    count_number_patterns,
    describe,
    mix,
)

COARSE = ALPHA | UPPER | LOWER | DIGIT | PUNCT | SPACE | SYMBOL | UNSPACED | MARK

KINDS, FOLDED, DIGITS = np.array([describe(code) for code in range(0x20000)]).T

MARKS = {
    "COMMA": ",;،؛、，；､՝፣၊",
    "SENTENCE_END": ".!?…。！？؟।॥։።။۔｡",
    "UNCONDITIONAL_END": "。！？؟।॥։።။۔",
    "COLON": ":：፦៖",
    "CLOSER": ")]}”’»」』）】\"'“",
    "CURRENCY": "$€£¥₹₽₩¢₴₺฿₫৳￥",
    "PIPE": "|·•¦｜│",
    "BULLET": "•-–—*▪●→✓※",
}

TEXTS = st.lists(st.text("aBǅ 1.,\n中ก\u0e31\u0301\u200d\U0002f800", max_size=8), max_size=6)


def split_words(*texts):
    """Return the words of each text, as written."""
    words = EncodedTexts(texts).words
    words_by_text = [[] for _ in texts]
    for start, end, owner in zip(words.start, words.end, words.owner, strict=True):
        words_by_text[owner].append("".join(map(chr, words.texts.code[start:end])))
    return words_by_text if len(texts) > 1 else words_by_text[0]


def plain_words(text):
    """Return start, end and hash of each word: "w" and "u" are letters with and without spaces, "m" and "v" marks."""
    kinds, folded, _ = zip(*map(describe, map(ord, f"{text}\n")), strict=True)
    bits = [(kind & (ALPHA | DIGIT) > 0) + 2 * (kind & MARK > 0) + 4 * (kind & UNSPACED > 0) for kind in kinds]
    signs = "".join(" wmm uvv"[each] for each in bits)
    spans = [match.span() for match in re.finditer(r"[uw](?:[mv]|(?<=[wm])w)*", signs)]
    polynomials = [sum(code * 0x9E3779B97F4A7C15**power for power, code in enumerate(folded[a:b])) for a, b in spans]
    hashes = mix(np.array([value % 2**64 for value in polynomials], dtype=np.uint64)).tolist()
    return [(*span, value) for span, value in zip(spans, hashes, strict=True)]


class TestDescribe:
    @pytest.mark.parametrize(
        ("text", "bits"),
        [
            ("aßя", ALPHA | LOWER),
            ("AÉЯ", ALPHA | UPPER),
            ("აªع한ཀአ", ALPHA),
            ("中かก々ｶກកက", ALPHA | UNSPACED),
            ("5٣½५๕", DIGIT),
            (".。—", PUNCT),
            (" \n\u00a0\u200b\u200f", SPACE),
            ("€+😀", SYMBOL),
            ("\u0301", ALPHA | MARK),
            ("\u0e31", ALPHA | MARK | UNSPACED),
            ("\u200d", SPACE | MARK),
            ("՞", ALPHA | PUNCT),
        ],
    )
    def test_kinds(self, text, bits):
        assert [character for character in text if KINDS[ord(character)] & COARSE != bits] == []

    @pytest.mark.parametrize("name", MARKS)
    def test_marks_of_all_scripts(self, name):
        bits = getattr(characters, name)
        assert [mark for mark in MARKS[name] if not KINDS[ord(mark)] & bits] == []
        assert ((KINDS[KINDS & bits > 0] & (PUNCT | SYMBOL)) > 0).all()
        assert not KINDS[ord("a")] & bits

    def test_ascii_full_stop_is_conditional(self):
        assert not any(KINDS[ord(character)] & characters.UNCONDITIONAL_END for character in ".!?…")

    def test_folding(self):
        text = "aAÉΣ7٣.中Ａｶﻉ５५Яİ"
        assert "".join(chr(FOLDED[ord(character)]) for character in text) == "aaéσ00.中aカع00яi"

    def test_every_character_has_a_class(self):
        assert (KINDS > 0).all()


class TestEncodedTexts:
    def test_one_number_per_character_and_a_line_feed_after_each_text(self):
        texts = EncodedTexts(["a😀\ud800", "\U0002a6d6"])
        assert texts.start.tolist() == [0, 4]
        assert texts.code.tolist() == [ord("a"), 0x1F600, 0xD800, 10, 0x2A6D6, 10]
        assert texts.kind[-2:].tolist() == [ALPHA | UNSPACED, SPACE]  # beyond the tables are ideographs


class TestWords:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("iPhone中文15", ["iPhone", "中", "文", "15"]),
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
            ("cafe\u0301 noir", ["cafe\u0301", "noir"]),
            ("a😀b", ["a", "b"]),
            ("𝒜𝒷 c", ["𝒜𝒷", "c"]),
        ],
    )
    def test_word_boundaries(self, text, expected):
        assert split_words(text) == expected

    @given(TEXTS)
    def test_equals_a_pattern(self, texts):
        words, starts = EncodedTexts(texts).words, np.cumsum([0, *(len(text) + 1 for text in texts)])
        expected = [
            (starts[owner] + start, starts[owner] + end, owner, value)
            for owner, text in enumerate(texts)
            for start, end, value in plain_words(text)
        ]
        assert list(zip(words.start, words.end, words.owner, words.hash, strict=True)) == expected
        assert words.bigram.tolist() == mix(words.hash[:-1] * np.uint64(3) + words.hash[1:]).tolist()

    def test_the_same_on_every_machine(self):
        """Check stored values: models depend on these numbers, so they must not change."""
        assert EncodedTexts(["cat"]).words.hash.tolist() == [0x53F431753B17ABD6]

    def test_a_long_page(self):
        words = EncodedTexts(["w x y " * 200_000]).words
        assert len(words) == 600_000
        assert len(np.unique(words.hash)) == 3


class TestRows:
    @given(TEXTS)
    def test_equals_counts_of_each_text(self, texts):
        encoded, words = EncodedTexts(texts), list(map(plain_words, texts))
        kinds = [[describe(ord(character))[0] for character in f"{text}\n"] for text in texts]
        first = [[kind[start] for start, _, _ in each] for kind, each in zip(kinds, words, strict=True)]
        assert encoded.kind.tolist() == [kind for each in kinds for kind in each] or not texts
        for bit in (1 << bit for bit in range(32)):
            for of, expected in (("characters", kinds), ("words", first)):
                assert encoded.count_class(bit, of=of).tolist() == [sum(kind & bit > 0 for kind in e) for e in expected]

    @given(TEXTS)
    def test_shapes_are_equal_if_the_words_are(self, texts):
        encoded, words = EncodedTexts(texts), [[value for *_, value in plain_words(each)] for each in texts]
        shapes = encoded.rows["shape"].tolist()
        pairs = set(zip(shapes, map(tuple, words), strict=True))
        assert len(pairs) == len(set(shapes)) == len(set(map(tuple, words)))


class TestDigitValues:
    def test_only_numbers_have_values(self):
        assert [code for code, value in enumerate(DIGITS) if digit(chr(code), 255) != value] == []


class TestMix:
    def test_reference_values_of_splitmix64(self):
        """Check the published first outputs for seed 0, which mixes multiples of the golden ratio."""
        state = np.array([0x9E3779B97F4A7C15, 0x3C6EF372FE94F82A], dtype=np.uint64)
        assert mix(state).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]


def values(name, *texts):
    return count_number_patterns(EncodedTexts(texts), "\n".join(texts) + "\n")[name].tolist()


class TestPrices:
    @pytest.mark.parametrize(
        "text",
        [
            "$10", "€ 20", "30 EUR", "30€", "1 290 Kč", "99 zł", "500 руб.", "R$ 49", "₹499", "50元", "3千円",
            "9,800円", "15000원", "299 บาท", "٥٠ درهم", "100 ریال", "500 रुपये", "Rs 500", "Rs. 500", "Rp 50", "kr 99",
            "99 kr", "₫50", "10万円", "¥1,280", "￥500", "CHF 20", "฿100", "20 ₴",
        ],
    )  # fmt: skip
    def test_one_price(self, text):
        assert values("prices", text) == [1]

    def test_a_sign_belongs_to_one_amount(self):
        assert values("prices", "10 € 20 €", "$10 $20", "10€20") == [2, 2, 1]


class TestPhones:
    @pytest.mark.parametrize(
        "text",
        ["+49 30 123", "+1 (555) 123-4567", "(555) 123-4567", "555-123-4567", "030 123 4567", "01 23 45 67 89",
         "03-1234-5678", "(0)+420 601 234 567", "010-1234-5678"],
    )  # fmt: skip
    def test_one_number(self, text):
        assert values("phones", text) == [1]


class TestCompute:
    @given(st.lists(st.text(alphabet="0123 .:-/$€年h+(kr\u0663", min_size=1, max_size=12), min_size=1, max_size=4))
    def test_values_do_not_depend_on_position(self, texts):
        for name in ("dates", "prices", "phones"):
            assert values(name, *texts) == [values(name, text)[0] for text in texts]
