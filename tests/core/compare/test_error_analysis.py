from __future__ import annotations

import base64
import io

import pytest
from helpers.pages import laid_out, snapshot
from helpers.trials import picture, trial
from PIL import Image

from vclean.classify.corpora.corpora import GoldPage
from vclean.compare import error_analysis
from vclean.compare.error_analysis import MISSED, RIGHT, TINTS, WRONG, Look, kinds, look
from vclean.errors import InputError, OutputError
from vclean.features.blocks import extract_blocks

HTML = "<p>Menu</p><p>Rain, all day long</p><p>Share</p><p>More</p>"


def seen(html=HTML, said="opop", truth="oppo", image=b"", **facts):
    return Look(
        found := trial("a", said=said, truth=truth, **facts), extract_blocks(laid_out(html)), kinds(found), image
    )


def opened(address):
    kind, _, content = address.partition(",")
    assert kind == "data:image/webp;base64"
    return Image.open(io.BytesIO(base64.b64decode(content))).convert("RGB")


class TestKinds:
    def test_every_case(self):
        assert kinds(trial("a", said="ophpo", truth="op?oh")) == ["", RIGHT, RIGHT, WRONG, MISSED]


class TestWorst:
    def test_the_lowest_first_and_by_name_among_equals(self):
        pages = [trial("c", text="word"), trial("b"), trial("a"), trial("d", text="word and more")]
        assert [found.outcome.id for found in error_analysis.worst(pages, 3)] == ["a", "b", "d"]


class TestErrors:
    def test_those_with_most_words_first(self):
        found = seen(said="oooo", truth="pppo")
        assert found.errors(MISSED) == [1, 0, 2]
        assert found.errors(WRONG) == []


class TestThumbnail:
    def test_blocks_are_tinted_by_what_they_are(self):
        image = opened(seen(image=picture()).thumbnail())
        assert image.size == (320, 160)
        scale = 320 / 800
        expected = {1: RIGHT, 2: MISSED, 3: WRONG}
        for block, kind in expected.items():
            red, green, blue = image.getpixel((round(50 * scale), round((20 * (block + 1) + 8) * scale)))
            tint = [255 + (part - 255) * 70 / 255 for part in TINTS[kind]]
            assert [red, green, blue] == pytest.approx(tint, abs=45)
        assert image.getpixel((round(50 * scale), round(28 * scale))) == pytest.approx((255, 255, 255), abs=12)

    def test_a_long_page_shows_where_most_is(self):
        html = "<p>Rain</p>" + "<p>nothing</p>" * 100 + "<p>Sun</p><p>Wind</p><p>Snow</p>"
        found = seen(html, "p" + "o" * 100 + "ppp", "p" + "o" * 100 + "ppp", picture(800, 2200))
        image = opened(found.thumbnail())
        assert image.size == (320, 400)
        coloured = [y for y in range(400) if min(image.getpixel((18, y))) < 235]
        assert coloured
        assert min(coloured) > 200

    def test_without_a_picture_there_is_none(self):
        assert seen().thumbnail() == ""

    def test_nothing_to_tint(self):
        assert opened(seen(said="oooo", truth="oooo", image=picture()).thumbnail()).size == (320, 160)

    def test_a_damaged_picture(self):
        with pytest.raises(OutputError):
            seen(image=picture()[:40]).thumbnail()


class TestOverlay:
    def test_what_is_wrong_is_marked(self):
        page = seen(image=picture(), confidence=0.8).overlay()
        assert page.count("missed: the gold has it") == 1
        assert page.count("kept, and the gold does not have it") == 1
        assert '"probability":0.9' in page
        assert ".difference" in page

    def test_methods_without_probabilities(self):
        assert '"probability":null' in seen(image=picture()).overlay()

    def test_without_a_picture_there_is_none(self):
        assert seen().overlay() == ""


class Corpus(list):
    name = "news"


def page(name):
    return GoldPage(corpus="news", id=name, html=HTML.encode())


class TestLook:
    def test_only_the_pages_that_are_wanted_are_read(self):
        read = []

        def reader(document):
            read.append(document.id)
            return snapshot(HTML), b""

        corpus = Corpus(page(name) for name in "abcd")
        found = look([corpus], [trial("c", said="oooo", truth="oooo"), trial("b", said="oooo", truth="oooo")], reader)
        assert read == ["b", "c"]
        assert set(found) == {("news", "b"), ("news", "c")}

    def test_pages_that_failed_are_not_read_again(self):
        assert look([Corpus([page("a")])], [trial("a")], pytest.fail) == {}

    def test_a_page_that_cannot_be_read_now_is_left_out(self):
        def reader(document):
            raise InputError("gone")

        assert look([Corpus([page("a")])], [trial("a", said="oooo", truth="oooo")], reader) == {}

    def test_nor_is_one_that_has_other_blocks_now(self):
        wanted = [trial("a", said="oo", truth="oo")]
        assert look([Corpus([page("a")])], wanted, lambda _: (snapshot(HTML), b"")) == {}
