"""Tests of browsers that start before the first page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil
import pytest

from vclean.errors import BrowserError
from vclean.features.blocks import extract_blocks
from vclean.page import Page
from vclean.render.browser.renderer import Renderer
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page(content="<title>One</title><p>Rain.")


def browsers() -> set[int]:
    """Return the descendants of this process, except orphan reapers."""
    children = psutil.Process().children(recursive=True)
    return {child.pid for child in children if "python" not in child.name()}


class TestPrepare:
    def test_reads_page_in_started_browser(self) -> None:
        before = browsers()
        with Renderer() as renderer:
            renderer.prepare()
            first = renderer.render(PAGE)
            started = browsers() - before
            second = renderer.render(PAGE)
            assert started
            assert browsers() - before == started
        assert extract_blocks(first.snapshot).text == extract_blocks(second.snapshot).text == ["Rain."]
        assert not started & browsers()

    def test_prepared_for_another_page(self) -> None:
        with Renderer() as renderer:
            renderer.prepare()
            assert (renderer.render(PAGE, screenshot=True).screenshot or b"").startswith(b"\x89PNG")

    def test_leaves_nothing_without_page(self) -> None:
        before = browsers()
        with Renderer() as renderer:
            renderer.prepare()
        assert browsers() == before

    @pytest.mark.parametrize("settings", [RenderSettings(), RenderSettings(scripts="on")])
    def test_failure_is_reported_with_page(self, tmp_path: Path, settings: RenderSettings) -> None:
        broken = tmp_path / "chromium"
        broken.write_text("#!/bin/sh\nexit 1\n")
        broken.chmod(0o755)
        with Renderer(settings, chromium=broken) as renderer:
            renderer.prepare()
            with pytest.raises(BrowserError, match="does not start"):
                renderer.render(PAGE)
