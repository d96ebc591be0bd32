import io

import pytest
from PIL import Image

from vclean.page import Page
from vclean.render.browser.cdp import MAX_SCREENSHOT_WIDTH
from vclean.render.browser.renderer import Renderer

pytestmark = pytest.mark.browser


def test_a_very_wide_page_has_a_picture_that_can_be_opened(renderer: Renderer) -> None:
    """What overflows to the side for tens of thousands of px is cut, not kept in memory."""
    page = Page(content="<p>Text<div style='width: 60000px; height: 9000px'>wide</div>")
    found = renderer.render(page, screenshot=True)
    assert found.screenshot is not None
    with Image.open(io.BytesIO(found.screenshot)) as picture:
        assert picture.width == MAX_SCREENSHOT_WIDTH
        assert picture.height >= 9000
