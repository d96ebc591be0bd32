from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest
from helpers.page_records import error_analysis, page_record, screenshot
from helpers.pages import snapshot
from PIL import Image

from vclean.classify.corpora.gold import GoldPage
from vclean.cli.evaluate import method_and_model
from vclean.compare import report
from vclean.compare.records import MISSED, RIGHT, WRONG, analyze_errors, block_kinds, worst_pages
from vclean.compare.report import DIMENSIONS
from vclean.errors import InputError
from vclean.render.rendered_page import Rendering

HTML = "<p>Menu</p><p>Rain, all day long</p><p>Share</p><p>More</p>"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (0, "no words"), (1, "1 to 99"), (99, "1 to 99"), (100, "100 to 299"), (2999, "1,000 to 2,999"),
        (3000, "3,000 and more"),
    ],
)  # fmt: skip
def test_length_depends_on_words_of_gold(words, name):
    assert DIMENSIONS["length"](page_record("a", words=words)) == name


def test_interval_is_the_normal_approximation_in_0_to_1():
    assert report.confidence_interval([0.4, 0.6, 0.4, 0.6]) == "0.387 to 0.613"  # 1.96 * 0.1154701 / 2
    assert report.confidence_interval([0.0, 1.0]) == "0.000 to 1.000"


@pytest.mark.parametrize(
    ("name", "method", "model"),
    [
        ("vclean", "vclean", None), ("no-such-method", "no-such-method", None),
        ("my.vclean", "vclean", "my.vclean"), ("models/mine", "vclean", "models/mine"),
        ("template=rules.txt", "template", "rules.txt"), ("a=b.vclean", "vclean", "a=b.vclean"),
    ],
)  # fmt: skip
def test_names_of_methods_and_files(name, method, model):
    assert method_and_model(name) == (method, model and Path(model))


def analysis(html=HTML, predicted="opop", truth="oppo", image=b"", **facts):
    return error_analysis(page_record("a", predicted=predicted, truth=truth, **facts), html, image)


def opened(address):
    kind, _, content = address.partition(",")
    assert kind == "data:image/webp;base64"
    return Image.open(io.BytesIO(base64.b64decode(content))).convert("RGB")


def test_block_kinds():
    assert block_kinds(page_record("a", predicted="ophpo", truth="op?oh")) == ["", RIGHT, RIGHT, WRONG, MISSED]


def test_worst_pages_are_sorted_by_score_then_name():
    texts = {"c": "word", "b": "", "a": "", "d": "word and more"}
    worst = worst_pages([page_record(name, text=text) for name, text in texts.items()], 3)
    assert [page.id for page in worst] == ["a", "b", "d"]


def test_errors_are_sorted_by_number_of_words():
    analyzed = analysis(predicted="oooo", truth="pppo")
    assert analyzed.errors(MISSED) == [1, 0, 2]
    assert analyzed.errors(WRONG) == []


class TestThumbnail:
    def test_shows_densest_part_of_long_page(self):
        html = "<p>Rain</p>" + "<p>nothing</p>" * 100 + "<p>Sun</p><p>Wind</p><p>Snow</p>"
        labels = "p" + "o" * 100 + "ppp"
        image = opened(analysis(html, labels, labels, screenshot(800, 2200)).thumbnail())
        assert image.size == (320, 400)
        tinted_rows = [y for y in range(400) if min(image.getpixel((18, y))) < 235]
        assert tinted_rows
        assert min(tinted_rows) > 200

    def test_page_without_tinted_blocks(self):
        assert opened(analysis(predicted="oooo", truth="oooo", image=screenshot()).thumbnail()).size == (320, 160)


def test_overlay_marks_errors():
    page = analysis(image=screenshot(), confidence=0.8).overlay()
    assert page.count("missed: content in the gold") == 1
    assert page.count("wrongly kept: not in the gold") == 1
    assert '"probability":0.9' in page
    assert ".frame.changed" in page
    assert '"probability":null' in analysis(image=screenshot()).overlay()  # of methods without probabilities
    assert analysis().overlay() == ""


class Corpus(list):
    name = "news"


def page(name):
    return GoldPage(corpus="news", id=name, html=HTML.encode())


class TestAnalyzeErrors:
    def test_reads_only_selected_pages(self):
        read = []

        def reader(document):
            read.append(document.id)
            return Rendering(snapshot(HTML))

        selected = [page_record(name, predicted="oooo", truth="oooo") for name in "cb"]
        analyzed = analyze_errors([Corpus(page(name) for name in "abcd")], selected, reader)
        assert read == ["b", "c"]
        assert set(analyzed) == {("news", "b"), ("news", "c")}

    @pytest.mark.parametrize("labels", ["oooo", "oo", ""])
    def test_omits_pages_that_failed_are_gone_or_have_other_blocks(self, labels):
        def reader(document):
            assert labels, "failed pages are not read"
            if labels == "oooo":
                raise InputError("gone")
            return Rendering(snapshot(HTML))

        selected = [page_record("a", predicted=labels, truth=labels)]
        assert analyze_errors([Corpus([page("a")])], selected, reader) == {}
