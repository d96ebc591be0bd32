import io

import pytest
from PIL import Image

from vclean.page import Page
from vclean.render.browser.cdp import MAX_SCREENSHOT_WIDTH
from vclean.render.browser.renderer import Renderer

pytestmark = pytest.mark.browser


def test_truncates_screenshot_of_very_wide_page(renderer: Renderer) -> None:
    # Content that overflows to the side for tens of thousands of px is not kept in memory.
    page = Page(content="<p>Text<div style='width: 60000px; height: 9000px'>wide</div>")
    rendering = renderer.render(page, screenshot=True)
    assert rendering.screenshot is not None
    with Image.open(io.BytesIO(rendering.screenshot)) as image:
        assert image.width == MAX_SCREENSHOT_WIDTH
        assert image.height >= 9000
