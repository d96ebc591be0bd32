import io

import pytest
from PIL import Image

from vclean.page import Page
from vclean.render.browser import Renderer
from vclean.render.devtools import MAX_PICTURE_WIDTH

pytestmark = pytest.mark.browser


def test_a_very_wide_page_has_a_picture_that_can_be_opened(renderer: Renderer) -> None:
    """What overflows to the side for tens of thousands of px is cut, not kept in memory."""
    page = Page(content="<p>Text<div style='width: 60000px; height: 9000px'>wide</div>")
    found = renderer.render(page, picture=True)
    assert found.picture is not None
    with Image.open(io.BytesIO(found.picture)) as picture:
        assert picture.width == MAX_PICTURE_WIDTH
        assert picture.height >= 9000
