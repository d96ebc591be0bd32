"""Tests of what is said when the browser starts without its sandbox, or not at all."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vclean.errors import BrowserError
from vclean.page import Page
from vclean.render import launch
from vclean.render.browser import Renderer
from vclean.render.launch import _reason, _sandbox
from vclean.render.sandbox import Obstacle


class TestSandbox:
    @pytest.fixture(autouse=True)
    def fresh(self) -> Iterator[None]:
        _sandbox.cache_clear()
        yield
        _sandbox.cache_clear()

    def test_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(launch, "obstacle", lambda: None)
        assert _sandbox()

    def test_off_is_said_once(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        monkeypatch.setattr(launch, "obstacle", lambda: Obstacle("there is a moat", "build a bridge"))
        with caplog.at_level(logging.WARNING, logger="vclean"):
            assert (_sandbox(), _sandbox()) == (False, False)
        assert caplog.messages == ["Chromium's sandbox is off: there is a moat (build a bridge)"]


class TestReason:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("closed\nlogs:\n[pid=1][err] harmless\n[pid=1][err] 7:FATAL:z.cc No usable sandbox!\n[pid=1][err] #0 0x",
             "7:FATAL:z.cc No usable sandbox!"),
            ("closed\n[pid=1][err] c: error while loading shared libraries: libnss3.so\n  - [pid=1] <kill>",
             "c: error while loading shared libraries: libnss3.so"),
            ("closed\n[pid=1][err] one\n[pid=1][err] two\n", "two"),
            ("Timeout 30000ms exceeded.\nCall log:\n", "Timeout 30000ms exceeded."),
            ("", "no reason given"),
        ],
    )  # fmt: skip
    def test_reason(self, text: str, reason: str) -> None:
        assert _reason(Exception(text)) == reason


@pytest.mark.skipif(sys.platform == "win32", reason="the browser is a shell script")
class TestLaunch:
    def test_a_browser_that_lacks_a_library(self, tmp_path: Path) -> None:
        """The line on the missing library reaches the user."""
        broken = tmp_path / "chromium"
        broken.write_text("#!/bin/sh\necho 'error while loading shared libraries: libnss3.so' >&2\nexit 127\n")
        broken.chmod(0o755)
        with Renderer(chromium=broken) as renderer, pytest.raises(BrowserError, match=r"does not start: .*libnss3\.so"):
            renderer.render(Page(content="<p>text"))

    @pytest.mark.browser
    def test_driver_that_does_not_start(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Slim images lack a library that Playwright's Node needs."""
        monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", "/bin/false")
        with Renderer() as renderer, pytest.raises(BrowserError, match="driver does not start: run `vclean setup`"):
            renderer.render(Page(content="<p>text"))
