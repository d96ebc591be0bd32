"""Test that features do not assume a language: pages that differ only in language have equal columns."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import columns, snapshot

PAGE = """<title>{title}</title><header><nav><a href=a>{log_in}</a> | <a href=b>{search}</a> | <a href=c>{share}</a>
</nav></header><main><h1>{title}</h1>
<p class=by>{byline}</p><p>{story}</p><p>{price}</p></main><footer>{notice}</footer>"""

TEXTS = {
    "en": {
        "title": "The umbrella mender", "log_in": "Log in", "search": "Search", "share": "Share",
        "byline": "Author: Ann Lee, 8.10.2026", "price": "Repair: 20 €",
        "story": "On rainy days, the table at the window is his. “The umbrella is patient,” he says (and smiles).",
        "notice": "Privacy © 2026",
    },
    "cs": {
        "title": "Opravář deštníků", "log_in": "Přihlásit se", "search": "Hledat", "share": "Sdílet",
        "byline": "Autor: Anna Malá, 8. 10. 2026", "price": "Oprava: 500 Kč",
        "story": "Za deště, jako dnes, je stůl u okna jeho. „Deštník má trpělivost,“ říká (a usměje se).",
        "notice": "Osobních údajů © 2026",
    },
    "ru": {
        "title": "Мастер зонтов", "log_in": "Войти", "search": "Поиск", "share": "Поделиться",
        "byline": "Автор: Анна Ли, 08.10.2026", "price": "Ремонт: 500 руб",
        "story": "В дождь, как сегодня, стол у окна его. «Зонт терпелив», говорит он (и улыбается).",
        "notice": "Конфиденциальность © 2026",
    },
    "ar": {
        "title": "مصلح المظلات", "log_in": "تسجيل الدخول", "search": "بحث", "share": "شارك",
        "byline": "بقلم: سلمى، ٨/١٠/٢٠٢٦", "price": "الإصلاح: ٥٠ درهم",
        "story": "في المطر، كما اليوم، تكون الطاولة له. «المظلة لا تستعجل»، يقول (ويبتسم).",
        "notice": "سياسة الخصوصية © ٢٠٢٦",
    },
    "hi": {
        "title": "छाते की मरम्मत वाला", "log_in": "लॉग इन", "search": "खोजें", "share": "साझा करें",
        "byline": "लेखक: कमला, 8.10.2026", "price": "मरम्मत: ₹५००",
        "story": "बारिश में, जैसे आज, खिड़की की मेज़ उसकी है। “छाता धीरज रखता है”, वह कहता है (और हँसता है)।",
        "notice": "गोपनीयता © 2026",
    },
    "zh": {
        "title": "修伞的老人", "log_in": "登录账号", "search": "站内搜索", "share": "分享本文",
        "byline": "作者：林小禾，2026年10月8日", "price": "修理：50元",
        "story": "下雨的时候，就像今天，窗边的桌子是他的。“伞不急”，他说（笑了）。",
        "notice": "隐私 © 2026",
    },
    "ja": {
        "title": "傘を直す人", "log_in": "ログイン", "search": "検索", "share": "シェア",
        "byline": "筆者：浜田、2026年10月8日", "price": "修理：500円",
        "story": "雨の日、今日のような日、窓の席は彼のものだ。「傘は急がない」、と言う（そして笑う）。",
        "notice": "プライバシー © 2026",
    },
}  # fmt: skip
"""One page in seven languages, with equal markup and punctuation, and words as sites in that language use them."""

ALIKE = (
    "page_blocks", "sentences", "starts_capital", "starts_bullet", "ends_sentence", "ends_colon", "all_caps", "pipes",
    "dates", "prices", "emails", "actions", "boilerplate", "bylines", "copyrights", "urls", "duplicates",
)  # fmt: skip
"""Linguistic columns that are equal in all languages, because punctuation and meaning are equal."""


@pytest.mark.parametrize("language", [language for language in TEXTS if language != "en"])
class TestTranslations:
    def test_columns_of_punctuation_and_meaning(self, language):
        values, english = (columns(snapshot(PAGE.format(**TEXTS[each]))) for each in (language, "en"))
        assert [name for name in ALIKE if not np.array_equal(values[name], english[name], equal_nan=True)] == []


class TestMixedPages:
    """Chinese story on a page with menu and footer in English."""

    PAGE = (
        "<html lang=en><ul>" + "".join(f"<li><a href=x>{entry}</a>" for entry in ("Home", "Log in", "Search")) + "</ul>"
        "<p>每逢雨天，西街茶馆靠窗的那张桌子就不再招待客人。他在这里修伞已经三十一年。</p><p>关注 iPhone 版 App</p>"
        "<footer>Privacy © 2026</footer>"
    )

    def test_words_of_both_languages(self):
        values = columns(snapshot(self.PAGE))
        assert values["stop_word_count"][3] > 5  # the language of the page is that of the story
        assert np.isfinite(values["stop_words"]).all()
        assert values["actions"].tolist() == [0, 1, 1, 0, 1, 0]
        assert values["boilerplate"].tolist() == [0, 0, 0, 0, 0, 1]
        assert np.isnan(values["upper"]).tolist() == [False, False, False, True, False, False]
        assert values["capitalised_words"][0] == 1
