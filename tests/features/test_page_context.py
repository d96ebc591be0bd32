from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from helpers.pages import context_of, laid_out, snapshot

from vclean.features import matrix
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import (
    PageContext,
    discard_default_layout,
    has_author_styles,
    is_right_to_left,
    mirror_right_to_left,
)

if TYPE_CHECKING:
    from vclean.render.snapshot import Snapshot


@pytest.mark.parametrize(
    ("name", "html", "expected"),
    [
        ("tokens", "<p>One two.</p><p>--</p><p>中文</p>", [2, 0, 2]),
        ("digit_words", "<p>2nd of 12 in A4</p><p>x</p>", [2, 0]),
        ("link_share", "<p>abc <a href=x>de</a></p><p><a href=x><b>link</b></a></p><p>text</p>", [2 / 6, 1, 0]),
    ],
)
def test_values_of_blocks(name, html, expected):
    assert getattr(context_of(html), name).tolist() == pytest.approx(expected)


class TestLanguage:
    def test_declared_where_the_text_is_too_short(self):
        assert context_of("<html lang=de-AT><p>12</p>").language == "de"

    TEXT = "<p>It rained all day, and the ferry could not leave the harbour before noon because of the wind in the bay."

    @pytest.mark.parametrize(
        ("html", "code"),
        [
            (f"<html lang=en-GB>{TEXT * 2}", "en"),
            (f"<html lang=de>{TEXT * 2}", "detected"),
            ("<html lang=en><p>The rain of the day.", "detected"),
            (f"<html lang=en>{TEXT.replace('<p>', '<p><a href=x>') * 2}", "detected"),
            (TEXT * 2, "detected"),
        ],
        ids=["stop words", "of another language", "few words", "links", "undeclared"],
    )
    def test_detected_without_stop_words_of_the_declared_one(self, html, code, monkeypatch):
        monkeypatch.setattr("vclean.features.text.language.detect", lambda *_: "detected")
        assert context_of(html).language == code


class TestStopWords:
    @pytest.mark.parametrize("html", ["<p>1234</p>", "<html lang=xx><p>the of</p>"])
    def test_nan_without_a_list(self, html):
        assert np.isnan(context_of(html).stop_words).all()


class TestCharMean:
    def test_weighted_by_characters(self):
        context = context_of("<p>abc<b>d</b></p><p>x</p>")
        values = np.where(context.snapshot.is_tag(("b",)), 20, 10).astype(np.float32)
        assert context.char_mean(values).tolist() == [12.5, 10]


class TestByClassPath:
    def test_elements_and_blocks_of_the_same_tags_and_classes_in_any_order(self):
        page = context_of("<p class='a b'><b>x</b></p><p class='b a'>y<b>y</b></p><p>z</p><p class='a b'>zz<b>w</b>")
        assert page.blocks_by_class_path.size.tolist() == [1, 2, 1, 2]


class TestContainer:
    def test_of_nested_elements_with_the_same_blocks_only_the_root(self):
        page = context_of("<div><section><p>One</p></section></div>")
        assert np.flatnonzero(page.is_container).tolist() == [0]


PAGE = """<!DOCTYPE html><html lang=en class=no-js><title>Ferries</title>
<body><nav><a href=/a>Home</a> <a href=/b>Contact</a></nav>
<h1>Ferries of the river</h1><p>The ferry crosses the river every hour, and it waits when the water is high.</p>
<table><tr><th>Day<th>Hours<tr><td>Monday<td>six to ten</table>
<form><label>Mail <input type=email value=x></label><select><option>a</select><button>Send</button></form>
<details><summary>More</summary><p>The crossing takes ten minutes.</p></details><ul><li>one<li>two</ul></body></html>"""


def context_from(page: Snapshot) -> PageContext:
    return PageContext(extract_blocks(page))


class TestHasAuthorStyles:
    def test_controls_have_colors_by_default(self) -> None:
        styles = {tag: {"text-transform": "none"} for tag in ("html", "body", "p", "button")}
        styles["button"]["background-color"] = "rgb(239, 239, 239)"
        assert not has_author_styles(context_from(laid_out("<p>a</p><button>b</button>", styles=styles)))


@pytest.mark.browser
class TestRendered:
    def test_unstyled_page_has_the_features_of_the_parsed_page(self, snap) -> None:
        rendered, parsed = extract_blocks(snap(PAGE)), extract_blocks(snapshot(PAGE))
        assert rendered.xpath == parsed.xpath
        assert rendered.text == parsed.text
        first, second = matrix.extract(rendered), matrix.extract(parsed)
        np.testing.assert_array_equal(first.base, second.base)

    def test_style_sheet_is_noticed(self, snap) -> None:
        styled = PAGE.replace("<body>", "<style>body{font:14px/1.5 Arial}</style><body>")
        assert has_author_styles(context_from(snap(styled)))


class TestIsRightToLeft:
    @pytest.mark.parametrize("html", ["<p>The river rose.", "<p>1234", "<p>日本語のページ", "<p>The word عربي."])
    def test_left_to_right(self, html: str) -> None:
        assert not is_right_to_left(context_from(laid_out(html)))


class TestUnrendered:
    def test_stays_the_same(self) -> None:
        page = context_of("<p>ارتفع النهر في الليل.")
        assert mirror_right_to_left(page) is page
        assert discard_default_layout(page) is page
