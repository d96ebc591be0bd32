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
    """Only parses; its pictures say how many pages it was given before."""

    def __init__(self) -> None:
        self.asked: list[bool] = []

    def render(self, page: Page, *, screenshot: bool = False) -> Rendering:
        snapshot = replace(parse(page), rendered=True)
        self.asked.append(screenshot)
        return Rendering(snapshot, b"picture %d" % len(self.asked) if screenshot else None)


def cache(renderer: FakeRenderer, folder: Path | None, *, pictures: bool) -> RenderingCache:
    return RenderingCache(renderer, RenderSettings(), folder, screenshots=pictures)  # type: ignore[arg-type]


class TestWithoutAFolder:
    @pytest.mark.parametrize("pictures", [True, False])
    def test_every_page_is_rendered(self, pictures: bool) -> None:
        renderer = FakeRenderer()
        see = cache(renderer, None, pictures=pictures)
        assert see(PAGE).screenshot == (b"picture 1" if pictures else None)
        assert see(PAGE).snapshot.texts == ["One"]
        assert renderer.asked == [pictures, pictures]


class TestWithAFolder:
    def test_what_is_there_is_not_rendered_again(self, tmp_path: Path) -> None:
        folder = tmp_path / "new" / "kept"
        first = cache(FakeRenderer(), folder, pictures=True)(PAGE)
        renderer = FakeRenderer()
        again = cache(renderer, folder, pictures=True)(PAGE)
        assert renderer.asked == []
        assert again.screenshot == first.screenshot == b"picture 1"
        assert again.snapshot.texts == ["One"]

    def test_no_picture_where_none_is_wanted(self, tmp_path: Path) -> None:
        assert cache(FakeRenderer(), tmp_path, pictures=False)(PAGE).screenshot is None
        assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]

    def test_a_picture_that_is_missing_is_taken(self, tmp_path: Path) -> None:
        cache(FakeRenderer(), tmp_path, pictures=False)(PAGE)
        renderer = FakeRenderer()
        assert cache(renderer, tmp_path, pictures=True)(PAGE).screenshot == b"picture 1"
        assert renderer.asked == [True]

    def test_other_pages_are_others(self, tmp_path: Path) -> None:
        see = cache(FakeRenderer(), tmp_path, pictures=True)
        assert see(PAGE).screenshot != see(replace(PAGE, content="<p>Two")).screenshot

    def test_a_page_that_cannot_be_rendered_leaves_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(NotHtmlError):
            cache(FakeRenderer(), tmp_path, pictures=True)(replace(PAGE, content=""))
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises((OutputError, InputError), match="file"):
            cache(FakeRenderer(), tmp_path / "file", pictures=True)(PAGE)
