"""Browsers that start before the first page is there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from vclean.errors import BrowserError
from vclean.features.blocks import cut
from vclean.page import Page
from vclean.render.browser import Renderer
from vclean.render.pipe import ProtocolError, refusals
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page(content="<title>One</title><p>Rain.")


def browsers() -> set[int]:
    """The processes below this one that are no watchdogs."""
    children = psutil.Process().children(recursive=True)
    return {child.pid for child in children if "python" not in child.name()}


class TestPrepare:
    def test_the_page_is_read_in_the_browser_that_was_started(self) -> None:
        before = browsers()
        with Renderer() as renderer:
            renderer.prepare()
            first = renderer.render(PAGE)
            started = browsers() - before
            second = renderer.render(PAGE)
            assert started
            assert browsers() - before == started
        assert cut(first.snapshot).text == cut(second.snapshot).text == ["Rain."]
        assert not started & browsers()

    def test_for_another_page_than_the_one_that_comes(self) -> None:
        with Renderer() as renderer:
            renderer.prepare()
            assert (renderer.render(PAGE, picture=True).picture or b"").startswith(b"\x89PNG")

    def test_nothing_is_left_where_no_page_comes(self) -> None:
        before = browsers()
        with Renderer() as renderer:
            renderer.prepare()
        assert browsers() == before

    @pytest.mark.parametrize("settings", [RenderSettings(), RenderSettings(scripts=True)])
    def test_what_fails_is_told_with_the_page(self, tmp_path: Path, settings: RenderSettings) -> None:
        broken = tmp_path / "chromium"
        broken.write_text("#!/bin/sh\nexit 1\n")
        broken.chmod(0o755)
        with Renderer(settings, chromium=broken) as renderer:
            renderer.prepare()
            with pytest.raises(BrowserError, match="does not start"):
                renderer.render(PAGE)


class TestRefusals:
    def test_of_both_ways_to_drive_a_browser(self) -> None:
        from playwright.async_api import Error

        assert refusals() == (ProtocolError, Error)

    def test_of_playwright_only_where_it_is_in_use(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delitem(sys.modules, "playwright.async_api", raising=False)
        assert refusals() == (ProtocolError,)
