from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

from vclean.classify.content import stacking
from vclean.features import matrix
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext, is_right_to_left, mirror_right_to_left

ENGLISH = "<div><p>The river rose in the night.<p>Nobody in the valley minded.</div><ul><li>Home<li>News</ul>"
ARABIC = "<div><p>ارتفع النهر في الليل.<p>لم يهتم أحد في الوادي.</div><ul><li>الرئيسية<li>أخبار</ul>"
HEBREW = "<p>הנהר עלה בלילה ואיש בעמק לא דאג."
COLUMN = {column.name: index for index, column in enumerate(stacking.COLUMNS)}


def context_of(html: str) -> PageContext:
    return PageContext(extract_blocks(laid_out(html)))


class TestIsRightToLeft:
    @pytest.mark.parametrize("html", [ARABIC, HEBREW, "<p>עברית (Hebrew) עברית 2007"])
    def test_right_to_left(self, html: str) -> None:
        assert is_right_to_left(context_of(html))

    @pytest.mark.parametrize("html", [ENGLISH, "<p>1234", "<p>日本語のページ", "<p>A page on the word عربي."])
    def test_left_to_right(self, html: str) -> None:
        assert not is_right_to_left(context_of(html))


class TestMirrorRightToLeft:
    def test_columns_equal_those_of_the_mirror_image(self) -> None:
        """Check that an Arabic page with mirrored boxes has the visual columns of the left-to-right layout."""
        blocks = extract_blocks(laid_out(ARABIC))
        page = blocks.snapshot
        turned = replace(page, box=flip(page.box, page.width), line_box=flip(page.line_box, page.width))
        mirror = replace(blocks, snapshot=turned, box=flip(blocks.box, page.width))
        one, other = (matrix.extract(each).base[:, COLUMN["x"]] for each in (blocks, mirror))
        np.testing.assert_allclose(one, 1 - other - blocks.box[:, 2] / page.width, atol=1e-5)

    def test_returns_left_to_right_page_unchanged(self) -> None:
        page = context_of(ENGLISH)
        assert mirror_right_to_left(page) is page

    def test_returns_unrendered_page_unchanged(self) -> None:
        page = PageContext(extract_blocks(snapshot(ARABIC)))
        assert mirror_right_to_left(page) is page

    def test_boxes_are_mirrored(self) -> None:
        """Check that the distance from the right edge becomes the distance from the left edge."""
        page = context_of(ARABIC)
        mirrored = mirror_right_to_left(page)
        width = page.snapshot.width
        for before, after in (
            (page.blocks.box, mirrored.blocks.box),
            (page.snapshot.box, mirrored.snapshot.box),
            (page.snapshot.line_box, mirrored.snapshot.line_box),
        ):
            np.testing.assert_allclose(after[:, 0], width - before[:, 0] - before[:, 2], rtol=1e-5)
            np.testing.assert_array_equal(after[:, 1:], before[:, 1:])

    def test_does_not_modify_the_page(self) -> None:
        page = context_of(ARABIC)
        before = page.blocks.box.copy()
        mirror_right_to_left(page)
        np.testing.assert_array_equal(page.blocks.box, before)


def flip(box: np.ndarray, width: float) -> np.ndarray:
    turned = box.copy()
    turned[:, 0] = width - box[:, 0] - box[:, 2]
    return turned
