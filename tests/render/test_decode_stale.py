"""Pages in UTF-8 that declare a legacy encoding, and genuine pages of every encoding of the Encoding Standard."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest

from vclean.page import Page
from vclean.render.browser.renderer import Renderer
from vclean.render.decode import decode, encoding_of, read_document
from vclean.render.static.parse import parse

RUSSIAN = (
    "Дождь шёл весь день, и река вышла из берегов. Жители ближних домов ночевали у соседей, сообщает «Вечерняя газета»."
)
UKRAINIAN = "Дощ ішов цілий день, і річка вийшла з берегів. Її жителі ночували у сусідів, у селі Ґречному."
GREEK = "Έβρεχε όλη την ημέρα και το ποτάμι ξεχείλισε. Οι κάτοικοι κοιμήθηκαν στους γείτονές τους, λέει η εφημερίδα."
FRENCH = (
    "Il a plu toute la journée et la rivière a débordé. Les habitants ont dormi chez leurs voisins, où c’était à côté."
)
GERMAN = "Es regnete den ganzen Tag, und der Fluß trat über die Ufer. Zwölf Häuser müssen geräumt werden."
POLISH = (
    "Padało cały dzień i rzeka wystąpiła z brzegów. Mieszkańcy nocowali u sąsiadów, mówi gazeta; żółte łodzie pływały."
)
CHINESE = "雨下了一整天，河水漫过了堤岸。附近的居民在邻居家过夜，报纸说水位明天会下降。"
TAIWANESE = "雨下了一整天，河水漫過了堤岸。附近的居民在鄰居家過夜，報紙說水位明天會下降。"
JAPANESE = "一日中雨が降り、川の水があふれた。近くの住民は隣の家で夜を過ごした。新聞によると水位は明日下がる。"
KOREAN = "하루 종일 비가 내려 강물이 넘쳤다. 가까운 주민들은 이웃집에서 밤을 보냈다고 신문이 전했다."

TEXTS = {
    "ibm866": RUSSIAN.replace("«", '"').replace("»", '"'),
    "iso-8859-2": POLISH,
    "iso-8859-3": "Il-gżejjer: xita ħafna u riħ qawwi, il-ġnien u ċ-ċinema magħluqa. Ĉiuj ŝipoj restis ĵaŭde.",
    "iso-8859-4": "Visu dienu lija, un upe izgāja no krastiem. Iedzīvotāji nakšņoja pie kaimiņiem, raksta laikraksts.",
    "iso-8859-5": RUSSIAN.replace("«", '"').replace("»", '"'),
    "iso-8859-6": "هطل المطر طوال اليوم، وفاض النهر. قال السكان إنهم ناموا عند الجيران.",
    "iso-8859-7": GREEK,
    "iso-8859-8": "ירד גשם כל היום והנהר עלה על גדותיו. התושבים ישנו אצל השכנים.",
    "iso-8859-8-i": "ירד גשם כל היום והנהר עלה על גדותיו. התושבים ישנו אצל השכנים.",
    "iso-8859-10": "Það rigndi allan daginn og áin flæddi yfir bakka sína. Íbúarnir sváfu hjá nágrönnum, þó öruggir.",
    "iso-8859-13": "Visą dieną lijo, ir upė išsiliejo iš krantų. Gyventojai nakvojo pas kaimynus, rašo laikraštis.",
    "iso-8859-14": "Bhí báisteach ann an lá ar fad agus chuaigh an abhainn thar bruach. Tŷ, dŵr, ŵy.",
    "iso-8859-15": FRENCH.replace("’", "'") + " 20 €, œuf.",
    "iso-8859-16": "A plouat toată ziua și râul a ieșit din matcă. Locuitorii au dormit la vecini, în siguranță.",
    "koi8-r": RUSSIAN.replace("«", '"').replace("»", '"'),
    "koi8-u": UKRAINIAN,
    "macintosh": FRENCH,
    "windows-874": "ฝนตกทั้งวันและแม่น้ำล้นตลิ่ง ชาวบ้านไปนอนที่บ้านเพื่อนบ้าน หนังสือพิมพ์รายงาน",
    "windows-1250": POLISH.replace(";", " –"),
    "windows-1251": RUSSIAN,
    "windows-1252": FRENCH + " " + GERMAN,
    "windows-1253": GREEK.replace(",", " –"),
    "windows-1254": "Bütün gün yağmur yağdı ve ırmak taştı. İnsanlar geceyi komşularında geçirdi, gazeteye göre.",
    "windows-1255": "ירד גשם כל היום והנהר עלה על גדותיו – התושבים ישנו אצל השכנים.",
    "windows-1256": "تمام روز باران باريد و رودخانه طغيان کرد – مردم شب را نزد همسايگان گذراندند، چنين گفتند.",
    "windows-1257": "Visu dienu lija, un upe izgāja no krastiem – iedzīvotāji nakšņoja pie kaimiņiem.",
    "windows-1258": "Trơ\u0300i mưa ơ\u0309 đâu đó, sông dâng cao va\u0300 la\u0300ng bên đó đa\u0303 ngâ\u0323p.",
    "x-mac-cyrillic": RUSSIAN,
    "gbk": CHINESE,
    "gb2312": CHINESE,
    "gb18030": CHINESE,
    "big5": TAIWANESE,
    "euc-jp": JAPANESE,
    "iso-2022-jp": JAPANESE,
    "shift_jis": JAPANESE,
    "euc-kr": KOREAN,
}  # fmt: skip
"""A text in each legacy encoding, by label."""


def page(label: str, text: str) -> str:
    return f'<html><head><meta charset="{label}"><title>News</title></head><body><p>{text}</p></body></html>'


def genuine(label: str, text: str) -> bytes:
    return page(label, text).encode(encoding_of(label))


def pieces(text: str) -> list[str]:
    """Return short texts: words, pairs of words, words in capitals, and parts of texts without spaces."""
    words = [word for word in text.split() if not word.isascii()]
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    parts = [text[start : start + size] for size in (1, 2, 3, 4) for start in range(len(text) - size)]
    capitals = [f"{word.upper()}… {word.upper()}…" for word in words]
    return [*words, *pairs, *parts, *capitals]


@pytest.mark.parametrize("label", TEXTS)
class TestEveryEncoding:
    def test_stale_declaration_is_ignored(self, label: str) -> None:
        html = page(label, TEXTS[label])
        assert decode(html.encode()) == html

    def test_stale_declaration_of_a_truncated_page_is_ignored(self, label: str) -> None:
        content = page(label, TEXTS[label]).partition("</p>")[0].encode()
        expected = content.decode()
        assert all(decode(content[:-cut]).startswith(expected[:-3]) for cut in (1, 2, 3))

    def test_stale_charset_of_the_transport_is_ignored_with_much_evidence(self, label: str) -> None:
        others = "".join(TEXTS[other] for other in ("gbk", "windows-1251", "windows-1252"))
        assert decode((html := f"<p>{others}").encode(), label) == html

    def test_genuine_page_keeps_its_declaration(self, label: str) -> None:
        html = page(label, TEXTS[label])
        assert decode(genuine(label, TEXTS[label])) == html

    def test_short_genuine_pages_keep_their_declaration(self, label: str) -> None:
        codec = encoding_of(label)
        for text in pieces(TEXTS[label]):
            content = page(label, text).encode(codec, "ignore")
            assert decode(content) == content.decode(codec), text

    def test_genuine_pages_of_repeated_words_keep_their_declaration(self, label: str) -> None:
        codec, words = encoding_of(label), TEXTS[label].split()
        chosen = random.Random(label)
        for size in range(1, 9):
            content = page(label, " ".join(chosen.choices(words, k=size) * 4)).encode(codec, "ignore")
            assert decode(content) == content.decode(codec)


class TestEnough:
    @pytest.mark.parametrize(
        ("label", "text"),
        [
            ("windows-1252", "caf\xe9"),
            ("windows-1252", "\u2019 caf\xe9"),
            ("windows-1252", "\xa9 2008, \xa9 2009, \xa9 2010, \xa9 2011"),
            ("iso-8859-2", "\u0142\xf3"),
            ("gb2312", "\u2019\u2019\u2019\u2019\u2019 \u2014"),
            ("windows-1252", "ɮɮɮɮ ɒɒɒɒ ə ɓ ɔ ɕ ɖ"),
        ],
    )
    def test_few_characters_are_no_proof(self, label: str, text: str) -> None:
        content = page(label, text).encode()
        assert decode(content) != content.decode()

    @pytest.mark.parametrize(
        ("label", "text"),
        [
            ("windows-1252", "it\u2019s, isn\u2019t, wasn\u2019t"),
            ("koi8-r", "“it’s”"),
            ("windows-1252", "£5 é ©"),
            ("gb2312", "“ ” —"),
            ("iso-8859-1", "Дождь ш\u0451л"),
            ("iso-8859-1", "雨下了一整天，河水"),
        ],
    )
    def test_enough_characters_are_proof(self, label: str, text: str) -> None:
        assert decode((html := page(label, text)).encode()) == html

    @pytest.mark.parametrize("text", ["NESCAFÉ® " * 30, "NESCAFÉ®, CAFÉ’S, CAFÉ™, É°", "RÓŻA", "PÓŁKA, RÓŻA"])
    def test_capitals_before_symbols_are_no_proof(self, text: str) -> None:
        label = "windows-1250" if "Ż" in text else "windows-1252"
        assert text in decode(genuine(label, text))


TRUSTED = page("windows-1252", "£5 é © à").encode()


@pytest.mark.parametrize(
    ("content", "charset", "text"),
    [
        (page("windows-1252", f"{FRENCH} !").encode().replace(b"!", b"\xe9"), "", "journÃ©e"),
        (page("iso-8859-1", "I\x92ve, isn\x92t, \x93quoted\x94").encode(), "", "I’ve, isn’t, “quoted”"),
        (f'<?xml version="1.0" encoding="iso-8859-1"?><p>{FRENCH}'.encode(), "", FRENCH),
        # The charset of the transport needs more evidence than a declaration, and a byte order mark always decides.
        (TRUSTED, "", "£5 é © à"),
        (TRUSTED, "windows-1252", TRUSTED.decode("cp1252")),
        (page("windows-1252", f"{FRENCH} {GERMAN}").encode(), "windows-1252", FRENCH),
        (page("utf-8", "£5 é ©").encode(), "iso-8859-1", "£5 é ©"),
        (page("utf-8", FRENCH).encode("cp1252"), "windows-1252", FRENCH),
        (b"\xff\xfe" + page("gb2312", CHINESE).encode("utf-16-le"), "gbk", CHINESE),
    ],
)
def test_trust(content: bytes, charset: str, text: str) -> None:
    assert text in decode(content, charset)


@pytest.mark.browser
@pytest.mark.parametrize("label", ["gb2312", "euc-jp", "windows-1251", "iso-8859-1"])
def test_rendering_and_parsing_decode_alike(label: str, renderer: Renderer) -> None:
    text = TEXTS.get(label, FRENCH)
    stale = Page(content=page(label, text).encode())
    for snapshot in (parse(stale), renderer.render(stale).snapshot):
        assert re.sub(r"\s+", " ", "".join(snapshot.texts)).strip() == text
    assert text in read_document(stale, 10_000).text
