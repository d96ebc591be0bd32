from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from vclean.errors import InputError, NotHtmlError, OutputError
from vclean.page import Page
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse
from vclean.render.storage.cache import RenderingCache
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page(content="<p>One", url="http://a.example/")


class FakeRenderer:
    """Renderer that only parses; its screenshots contain the number of pages so far."""

    def __init__(self) -> None:
        self.calls: list[bool] = []

    def render(self, page: Page, *, screenshot: bool = False) -> Rendering:
        snapshot = replace(parse(page), rendered=True)
        self.calls.append(screenshot)
        return Rendering(snapshot, b"screenshot %d" % len(self.calls) if screenshot else None)


def create_cache(renderer: FakeRenderer, folder: Path | None, *, screenshots: bool) -> RenderingCache:
    return RenderingCache(renderer, RenderSettings(), folder, screenshots=screenshots)  # type: ignore[arg-type]


class TestWithoutFolder:
    @pytest.mark.parametrize("screenshots", [True, False])
    def test_renders_every_page(self, screenshots: bool) -> None:
        renderer = FakeRenderer()
        cache = create_cache(renderer, None, screenshots=screenshots)
        assert cache(PAGE).screenshot == (b"screenshot 1" if screenshots else None)
        assert cache(PAGE).snapshot.texts == ["One"]
        assert renderer.calls == [screenshots, screenshots]


class TestWithFolder:
    def test_does_not_render_stored_page_again(self, tmp_path: Path) -> None:
        folder = tmp_path / "new" / "kept"
        first = create_cache(FakeRenderer(), folder, screenshots=True)(PAGE)
        renderer = FakeRenderer()
        second = create_cache(renderer, folder, screenshots=True)(PAGE)
        assert renderer.calls == []
        assert second.screenshot == first.screenshot == b"screenshot 1"
        assert second.snapshot.texts == ["One"]

    def test_writes_no_screenshot_by_default(self, tmp_path: Path) -> None:
        assert create_cache(FakeRenderer(), tmp_path, screenshots=False)(PAGE).screenshot is None
        assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]

    def test_renders_missing_screenshot(self, tmp_path: Path) -> None:
        create_cache(FakeRenderer(), tmp_path, screenshots=False)(PAGE)
        renderer = FakeRenderer()
        assert create_cache(renderer, tmp_path, screenshots=True)(PAGE).screenshot == b"screenshot 1"
        assert renderer.calls == [True]

    def test_renders_other_pages(self, tmp_path: Path) -> None:
        cache = create_cache(FakeRenderer(), tmp_path, screenshots=True)
        assert cache(PAGE).screenshot != cache(replace(PAGE, content="<p>Two")).screenshot

    def test_writes_nothing_for_unreadable_page(self, tmp_path: Path) -> None:
        with pytest.raises(NotHtmlError):
            create_cache(FakeRenderer(), tmp_path, screenshots=True)(replace(PAGE, content=""))
        assert list(tmp_path.iterdir()) == []

    def test_reports_folder_that_cannot_be_created(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises((OutputError, InputError), match="file"):
            create_cache(FakeRenderer(), tmp_path / "file", screenshots=True)(PAGE)
