from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.errors import LimitError, NotHtmlError
from vclean.page import Page
from vclean.render.decode import decode, encoding_of, read_document

CZECH = "<p>Příliš žluťoučký kůň úpěl ďábelské ódy. Nechť již hříšné saxofony ďáblů rozezvučí síň.</p>"
RUSSIAN = "<p>Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний.</p>"
CHINESE = "<p>天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。寒來暑往，秋收冬藏。閏餘成歲，律呂調陽。</p>"
JAPANESE = "<p>いろはにほへと ちりぬるを わかよたれそ つねならむ うゐのおくやま けふこえて</p>"


@pytest.mark.parametrize(
    ("content", "charset", "text"),
    [
        # byte order mark, transport, declaration, detection
        (b"\xef\xbb\xbf" + '<meta charset="windows-1251">ž'.encode(), "iso-8859-2", '<meta charset="windows-1251">ž'),
        (("\ufeff" + CZECH).encode("utf-16-le"), "utf-8", CZECH),
        (("\ufeff" + CZECH).encode("utf-16-be"), "utf-8", CZECH),
        (CZECH.encode("utf-16-le"), "", CZECH),
        (CZECH.encode("utf-16-be"), "", CZECH),
        (b'<meta charset="windows-1251">\xe9', "windows-1252", "é"),
        ('<meta charset="windows-1251">ж'.encode("cp1251"), "bogus", "ж"),
        ('<meta charset="windows-1252">é'.encode(), "", "Ã©"),  # as browsers do, even if it is well-formed UTF-8
        # declarations
        (f"<!-- {'licence ' * 300} --><meta charset=windows-1250>ť".encode("cp1250"), "", "ť"),
        ((" " * 5000 + "<p>ok</p><meta charset=utf-16>é").encode("cp1252"), "", "é"),
        ('<meta charset="utf-16">č'.encode(), "", "č"),
        (b'<meta charset="x-user-defined">\x93', "", "“"),
        (b'<meta charset="utf-8">' + CZECH.encode("cp1250"), "", CZECH),
        (b'<meta charset="utf-8">' + CZECH.encode() + b"\xff", "", f"{CZECH}\ufffd"),
        # malformed and unassigned bytes
        (CZECH.encode() + b"\xc3\r\n\xff", "", f"{CZECH}\ufffd\n\ufffd"),
        (CZECH.encode() + b"\xc3\r\n\xff", "utf-8", f"{CZECH}\ufffd\n\ufffd"),
        (b"<p>\x81\x93", "iso-8859-1", "<p>\x81“"),  # Encoding Standard, index windows-1252: 0x81 is U+0081
        ("\ufeff<p>a".encode("utf-16-le") + b"\x00\xd8" + "b".encode("utf-16-le"), "", "<p>a\ufffdb"),
        # line ends, NULs and escape sequences
        (b"a\r\nb\rc\nd", "", "a\nb\nc\nd"),
        (b"<p>Hel\0lo." + b" One NUL is not binary." * 9, "", "<p>Hello." + " One NUL is not binary." * 9),
        (JAPANESE.encode("iso2022_jp"), "iso-2022-jp", JAPANESE),
    ],
)
def test_decode(content: bytes, charset: str, text: str) -> None:
    decoded = decode(content, charset)
    assert decoded.endswith(text)
    assert not decoded.startswith("\ufeff")


@pytest.mark.parametrize(
    "tag",
    [
        '<meta charset="windows-1250">',
        "<meta charset=windows-1250>",
        "<META CHARSET='Windows-1250' />",
        "<meta\ncharset = windows-1250 >",
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1250">',
        "<meta content='text/html;charset=windows-1250' http-equiv=content-type>",
        '<?xml version="1.0" encoding="windows-1250"?>',
        "<!-- <meta charset=utf-8> --><meta charset=cp1250>",
        "<meta charset=nonsense><meta charset=x-cp1250>",
    ],
)
def test_all_forms_of_declarations_are_read(tag: str) -> None:
    assert decode((tag + "žluť").encode("cp1250")).endswith("žluť")


class TestEncodingOf:
    @pytest.mark.parametrize(
        ("label", "codec"),
        [
            ("iso-8859-1", "cp1252"),
            ("US-ASCII", "cp1252"),
            ("GB2312", "gb18030"),
            ("gbk", "gb18030"),
            ("Shift_JIS", "cp932"),
            ("ks_c_5601-1987", "cp949"),
            ("big5", "big5hkscs"),
            ("tis-620", "cp874"),
            (' "utf-8" ', "utf-8"),
            ("x-mac-cyrillic", "mac-cyrillic"),
            ("no-such", ""),
            ("", ""),
        ],
    )
    def test_maps_labels_by_the_encoding_standard(self, label: str, codec: str) -> None:
        assert encoding_of(label) == codec


class TestDetection:
    @pytest.mark.parametrize(
        ("text", "codec"),
        [
            (CZECH, "utf-8"),
            (CZECH, "cp1250"),
            (RUSSIAN, "cp1251"),
            (RUSSIAN, "koi8-r"),
            (CHINESE, "gb18030"),
            (CHINESE, "big5"),
            (JAPANESE, "shift_jis"),
            (JAPANESE, "euc_jp"),
            ("<p>“Quotes” and a dash – in English text, " + "which has few letters beyond ASCII. " * 20, "cp1252"),
            ("<p>It costs £5 at Renée’s. " + "All the rest of the page is plain English. " * 10, "cp1252"),
        ],
    )
    def test_detects_undeclared_encoding(self, text: str, codec: str) -> None:
        assert decode(text.encode(codec)) == text

    @given(st.binary(max_size=6))
    def test_accepts_truncated_utf_8(self, tail: bytes) -> None:
        content = CZECH.encode()
        assert decode(content[: len(content) - len(tail)]).startswith("<p>Příliš žluťoučký kůň")


class TestText:
    @pytest.mark.parametrize("content", ["\xa0é", "é" * 3 + "\r\n", "漢字 \U0001f600"])
    def test_decodes_utf_8_with_and_without_declaration(self, content: str) -> None:
        texts = {decode(content.encode(), charset) for charset in ("", "utf-8", "UTF8", "bogus")}
        assert texts == {content.replace("\r\n", "\n")}

    @given(st.binary(max_size=300), st.sampled_from(["", "utf-8", "gbk", "utf-16", "x-user-defined", "?"]))
    def test_returns_clean_text_or_raises_for_any_bytes(self, content: bytes, charset: str) -> None:
        text = "refused"
        with suppress(NotHtmlError):
            text = decode(content, charset)
        assert text.encode().decode() == text
        assert "\r" not in text
        assert "\0" not in text


class TestRefusal:
    @pytest.mark.parametrize(
        ("content", "name"),
        [
            *((empty, "empty|binary") for empty in (b"", b" \n\t\r\n ", b"\xef\xbb\xbf", b"\xff\xfe \x00", b"\0\0")),
            (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "PDF"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "PNG"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", "JPEG"),
            (b"GIF89a\x01\0", "GIF"),
            (b"PK\x03\x04\x14\0", "zip"),
            (b"\x1f\x8b\x08\0\0\0\0\0", "gzip"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "office"),
            (b"{\\rtf1\\ansi", "RTF"),
            (bytes(range(256)) * 4, "binary"),
            (b"<p>" + b"\0" * 500, "binary"),
        ],
    )
    def test_names_detected_format(self, content: bytes, name: str) -> None:
        with pytest.raises(NotHtmlError, match=name):
            decode(content)


class TestReadDocument:
    def test_uses_charset_of_the_page(self) -> None:
        assert read_document(Page(content="<p>ž".encode("cp1250"), charset="windows-1250"), 100).text == "<p>ž"

    @pytest.mark.parametrize(
        ("html", "expected"), [("<p>a<script>", True), ("<p>a<SCRIPT src=x>", True), ("<p>a", False)]
    )
    def test_has_scripts(self, html: str, expected: bool) -> None:
        assert read_document(Page(content=html), 100).scripted == expected

    def test_normalizes_text(self) -> None:
        assert read_document(Page(content="<p>a\r\nb\0\ud800c"), 100).text == "<p>a\nb\ufffdc"

    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<title>Weather\n<p>Rain", "<title>Weather</title>\n<p>Rain"),
            ("<title>\n Weather\n<p>Rain", "<title>\n Weather</title>\n<p>Rain"),
            ("<title>Weather</titl<p>Rain", "<title>Weather</title></titl<p>Rain"),
            ("<TITLE id=x>Weather</titlevalue><p>Rain", "<TITLE id=x>Weather</title></titlevalue><p>Rain"),
            ("<p>Rain<title>", "<p>Rain<title></title>"),
            *[(html, html) for html in ("<title>a\nb</title><p>c", "<title>a</TITLE >", "<titles>c", "<title")],
        ],
    )
    def test_closes_unclosed_title(self, html: str, expected: str) -> None:
        assert read_document(Page(content=html), 100).text == expected
        assert read_document(Page(content=html.encode()), 100).text == expected

    @pytest.mark.parametrize("content", ["", " \n", b"", b"\n"])
    def test_rejects_empty_content(self, content: str | bytes) -> None:
        with pytest.raises(NotHtmlError, match="empty"):
            read_document(Page(content=content), 100)

    @pytest.mark.parametrize("content", ["a" * 101, b"a" * 101])
    def test_rejects_content_over_the_limit(self, content: str | bytes) -> None:
        with pytest.raises(LimitError, match="101 bytes, over the limit of 100"):
            read_document(Page(content=content), 100)


class TestOtherText:
    """JSON, feeds and plain text are refused, unless they are forced."""

    @pytest.mark.parametrize(
        ("content", "kind"),
        [
            (b'{"html": "<p>It rained."}', "JSON"),
            (b'\n[1, "a < b"]\n', "JSON"),
            (b'<?xml version="1.0"?>\n<!-- x --><rss version="2.0"><channel/></rss>', "an RSS feed"),
            (b'<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel/></rdf:RDF>', "an RSS feed"),
            (b'\xef\xbb\xbf<feed xmlns="http://www.w3.org/2005/Atom"></feed>', "an Atom feed"),
            (b"It rained all day. 2 < 3.", "plain text"),
        ],
    )
    def test_is_named(self, content: bytes, kind: str) -> None:
        page = Page(content=content)
        with pytest.raises(NotHtmlError, match=f"this is {kind}, not HTML: --force-html"):
            read_document(page, 1000)
        assert read_document(page, 1000, force_html=True).text

    @pytest.mark.parametrize(
        "content",
        [
            b"<p>It rained.",
            b"<!DOCTYPE html><rss-button>Feed</rss-button>",
            b'{"a": 1} is JSON<br>',
            b"[Home] <a href=x>",
            b"<html><body><feed>x</feed>",
            b"Fish &amp; chips",
            "A string is HTML by its type.",
        ],
    )
    def test_html_is_read(self, content: bytes | str) -> None:
        assert read_document(Page(content=content), 1000).text

    def test_many_declarations_take_linear_time(self) -> None:
        assert read_document(Page(content=b"<?a?>" * 100_000 + b"<p>x"), 10**6).text
