"""Test the word lists: interface words, date words, stop words, and the terms compiled from them."""

from __future__ import annotations

from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.text import terms as wordlists
from vclean.features.text.characters import EncodedTexts
from vclean.features.text.terms import URLS, Terms, stop_words_of, terms_of
from vclean.files import read_table

LANGUAGES = sorted({language for language, *_ in read_table(wordlists.__file__, "interface_words.tsv")})


def count(language, name, *texts):
    return terms_of(language).find(EncodedTexts(texts).words).count(name).tolist()


class TestVocabulary:
    def test_at_least_thirty_languages(self):
        assert len(LANGUAGES) >= 30

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_every_language_has_lists_about_as_long_as_in_english(self, language):
        lists, english = wordlists.interface_words(language), wordlists.interface_words("en")
        assert tuple(lists) == wordlists.INTERFACE_LISTS
        assert len(lists["actions"]) > 0.4 * len(english["actions"])
        assert len(lists["boilerplate"]) > 0.5 * len(english["boilerplate"])
        assert len(wordlists.date_words(language)) >= 10

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_no_term_contains_another_of_its_list(self, language):
        """Check that no text is counted twice."""
        for name, terms in wordlists.interface_words(language).items():
            every = Terms({"all": terms}).find(EncodedTexts(terms).words).count("all").tolist()
            assert [term for term, count in zip(terms, every, strict=True) if count != 1] == [], name

    @pytest.mark.parametrize(("language", "like"), [("nb", "no"), ("hr", "sr"), ("ms", "id")])
    def test_languages_that_share_a_list(self, language, like):
        assert wordlists.interface_words(language) == wordlists.interface_words(like) != {}


class TestTermsOf:
    MENUS: ClassVar = {
        "de": "Anmelden | Suche | Abonnieren",
        "fr": "Connexion | Rechercher | Partager",
        "pl": "Zaloguj | Szukaj | Udostępnij",
        "el": "Σύνδεση | Αναζήτηση | Εγγραφή",
        "tr": "Giriş | Arama | Paylaş",
        "he": "כניסה | חיפוש | שיתוף",
        "th": "เข้าสู่ระบบ | ค้นหา | แชร์",
        "ko": "로그인 | 검색 | 공유",
    }

    @pytest.mark.parametrize("language", MENUS)
    def test_a_translated_menu_has_as_many_actions(self, language):
        assert count(language, "actions", self.MENUS[language]) == [3]

    def test_addresses(self):
        assert count("", URLS, "https://example.org, www") == [2]


class TestStopWords:
    @pytest.mark.parametrize(
        ("language", "known"), [("en", True), ("th", True), ("nn", True), ("", False), ("xx", False)]
    )
    def test_known(self, language, known):
        assert (stop_words_of(language) is not None) is known


LISTS = {
    "actions": ["read more", "share", "back to the top", "登录", "อ่านต่อ"],
    "notices": ["privacy", "share", "back to"],
    "empty": [],
}


def matches(*texts, lists=LISTS):
    return Terms(lists).find(EncodedTexts(texts).words)


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
