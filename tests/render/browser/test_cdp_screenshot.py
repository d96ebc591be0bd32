from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from vclean.render.browser import cdp
from vclean.render.browser.cdp import ProtocolError, capture_screenshot

NO_FRAME = ProtocolError("Protocol error (Page.captureScreenshot): Unable to capture screenshot")


class Session:
    """Fake session with a page of 800 x 5000 px, that fails with some errors before it gives a screenshot."""

    def __init__(self, *errors: ProtocolError) -> None:
        self.errors = list(errors)
        self.params: dict[str, Any] | None = None

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        if method == "Page.getLayoutMetrics":
            view = {"pageX": 0, "pageY": 0, "clientWidth": 800, "clientHeight": 600}
            return {"cssContentSize": {"x": 0, "y": 0, "width": 800, "height": 5000}, "cssLayoutViewport": view}
        assert method == "Page.captureScreenshot"
        self.params = params
        if self.errors:
            raise self.errors.pop(0)
        return {"data": base64.b64encode(b"png").decode()}


def capture(session: Session) -> bytes:
    return asyncio.run(capture_screenshot(session, (0, 0, 10, 10)))


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cdp, "_SCREENSHOT_PAUSE", 0)


class TestCaptureScreenshot:
    @pytest.mark.parametrize(
        ("clip", "is_beyond"), [((0, 590, 800, 10), False), ((0, 591, 800, 10), True), (None, True)]
    )
    def test_lays_the_page_out_again_only_for_what_is_beyond_the_viewport(
        self, clip: tuple[int, int, int, int] | None, is_beyond: bool
    ) -> None:
        session = Session()
        asyncio.run(capture_screenshot(session, clip))
        assert session.params is not None
        assert session.params["captureBeyondViewport"] is is_beyond
        assert session.params["clip"]["height"] == (clip[3] if clip else 5000)

    def test_tries_again_until_a_frame_is_painted(self) -> None:
        session = Session(NO_FRAME, NO_FRAME)
        assert capture(session) == b"png"
        assert session.errors == []

    def test_gives_up(self) -> None:
        with pytest.raises(ProtocolError, match="Unable to capture"):
            capture(Session(*[NO_FRAME] * 9))

    def test_other_errors(self) -> None:
        session = Session(ProtocolError("Target closed"), NO_FRAME)
        with pytest.raises(ProtocolError, match="Target closed"):
            capture(session)
        assert session.errors == [NO_FRAME]
