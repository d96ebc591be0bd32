"""The hot path: one tab that stays open, and takes one document after the other."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from vclean.render import direct
from vclean.render.devtools import Navigator, context_options, evaluate, main_frame, picture
from vclean.render.guard import Guard, Request, Response, html
from vclean.render.pipe import Connection
from vclean.render.wire import AGAIN, definition

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from vclean.render.devtools import Session
    from vclean.render.launch import Process
    from vclean.settings import RenderSettings

_BLANK_URL: Final = "http://blank.invalid/"

_POLICY: Final = (
    # Sandboxed without allow-scripts: no script, form, popup, automatic refresh or autofocus (HTML, 7.1.5).
    "sandbox allow-same-origin; "
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:"
)


class _BlankSource:
    """The blank page and nothing else."""

    async def answer(self, request: Request) -> Response | None:
        """The page with its policy, or a refusal."""
        return html("", content_security_policy=_POLICY) if request.url == _BLANK_URL else None


class Tab:
    """A tab on a blank page that carries a blocking Content-Security-Policy; documents are put into it as text.

    Nothing of a document is fetched, and none of its scripts runs.
    """

    def __init__(self, session: Session, frame: str, close: Callable[[], Awaitable[object]]) -> None:
        self._session = session
        self._close = close
        self._navigator = Navigator(session)
        self._frame = frame
        self._stale = True

    @classmethod
    async def open(cls, process: Process, settings: RenderSettings) -> Tab:
        """Open the tab."""
        session, close = await _new_tab(process, settings)
        await session.send("Page.enable")
        await Guard(session, _BlankSource()).start("Document")
        return cls(session, await main_frame(session), close)

    async def read(self, text: str, expression: str) -> str:
        """Put a document in place of the last one, and read it with a `wire.call`."""
        payload = AGAIN if self._stale else await self._put(text, expression)
        if payload == AGAIN:
            await self._navigator.go(_BLANK_URL)
            await evaluate(self._session, definition())
            payload = await self._put(text, expression)
        self._stale = not payload.endswith('"sticky":false}')
        return payload

    async def _put(self, text: str, expression: str) -> str:
        self._stale = True
        # Sent together, so that no frame is painted in between.
        put = self._session.send("Page.setDocumentContent", {"frameId": self._frame, "html": text})
        answers: tuple[object, str] = await asyncio.gather(put, evaluate(self._session, expression))
        return answers[1]

    async def picture(self) -> bytes:
        """A PNG of the document that was read last (see `devtools.picture`).

        It is the end of the tab: the size of the screen, once undone by a picture, is the window's no more.
        """
        found = await picture(self._session)
        await self._close()
        return found


async def _new_tab(process: Process, settings: RenderSettings) -> tuple[Session, Callable[[], Awaitable[object]]]:
    """A session with a tab, and what closes it."""
    if isinstance(process.browser, Connection):
        return await direct.new_tab(process, process.browser, settings, frameless=True)
    context = await process.browser.new_context(**context_options(settings), java_script_enabled=False)
    page = await context.new_page()
    # Calls to a crashed page would wait for ever.
    page.on("crash", lambda _: process.kill())
    return await context.new_cdp_session(page), context.close
