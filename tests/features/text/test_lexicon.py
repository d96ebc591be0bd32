"""Test the word lists: interface words, date words, stop words, and the terms compiled from them."""

from __future__ import annotations

from typing import ClassVar

import pytest

from vclean.features.text import terms as wordlists
from vclean.features.text.characters import EncodedTexts
from vclean.features.text.terms import URLS, Terms, has_interface_words, stop_words_of, terms_of

LANGUAGES = sorted(wordlists._interface_table())


def count(language, name, *texts):
    return terms_of(language).find(EncodedTexts.from_texts(texts).words).count(name).tolist()


class TestVocabulary:
    def test_at_least_thirty_languages(self):
        assert len(LANGUAGES) >= 30

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_every_language_has_every_list(self, language):
        assert tuple(wordlists.interface_words(language)) == wordlists.INTERFACE_LISTS

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_lists_are_about_as_long_as_in_english(self, language):
        terms_by_list, english = wordlists.interface_words(language), wordlists.interface_words("en")
        assert len(terms_by_list["actions"]) > 0.4 * len(english["actions"])
        assert len(terms_by_list["boilerplate"]) > 0.5 * len(english["boilerplate"])

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_no_term_contains_another_of_its_list(self, language):
        """Check that no text is counted twice."""
        for name, terms in wordlists.interface_words(language).items():
            every = Terms.from_lists({"all": terms}).find(EncodedTexts.from_texts(terms).words).count("all").tolist()
            assert [term for term, count in zip(terms, every, strict=True) if count != 1] == [], name

    @pytest.mark.parametrize(("language", "like"), [("nb", "no"), ("hr", "sr"), ("ms", "id")])
    def test_languages_that_share_a_list(self, language, like):
        assert wordlists.interface_words(language) == wordlists.interface_words(like) != {}

    def test_known(self):
        assert has_interface_words("cs")


class TestMonths:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_every_language_of_the_vocabulary_has_months(self, language):
        assert len(wordlists.date_words(language)) >= 10

    def test_no_list(self):
        assert wordlists.date_words("xx") == []


class TestTermsOf:
    MENUS: ClassVar = {
        "en": "Log in | Search | Subscribe",
        "de": "Anmelden | Suche | Abonnieren",
        "fr": "Connexion | Rechercher | Partager",
        "cs": "Přihlásit | Hledat | Sdílet",
        "pl": "Zaloguj | Szukaj | Udostępnij",
        "ru": "Войти | Поиск | Поделиться",
        "el": "Σύνδεση | Αναζήτηση | Εγγραφή",
        "tr": "Giriş | Arama | Paylaş",
        "ar": "دخول | بحث | مشاركة",
        "he": "כניסה | חיפוש | שיתוף",
        "hi": "लॉगिन | खोजें | डाउनलोड",
        "th": "เข้าสู่ระบบ | ค้นหา | แชร์",
        "zh": "登录 | 搜索 | 分享",
        "ja": "ログイン | 検索 | シェア",
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
