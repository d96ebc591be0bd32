from __future__ import annotations

import pytest
from helpers.pages import laid_out, snapshot

from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext, is_right_to_left, mirror_right_to_left

ENGLISH = "<div><p>The river rose in the night.<p>Nobody in the valley minded.</div><ul><li>Home<li>News</ul>"
ARABIC = "<div><p>ارتفع النهر في الليل.<p>لم يهتم أحد في الوادي.</div><ul><li>الرئيسية<li>أخبار</ul>"


def context_of(html: str) -> PageContext:
    return PageContext(extract_blocks(laid_out(html)))


class TestIsRightToLeft:
    @pytest.mark.parametrize("html", [ENGLISH, "<p>1234", "<p>日本語のページ", "<p>A page on the word عربي."])
    def test_left_to_right(self, html: str) -> None:
        assert not is_right_to_left(context_of(html))


class TestMirrorRightToLeft:
    def test_returns_unrendered_page_unchanged(self) -> None:
        page = PageContext(extract_blocks(snapshot(ARABIC)))
        assert mirror_right_to_left(page) is page
