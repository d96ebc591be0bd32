"""Navigate to pages with subresources or scripts, or on the network, each in a new tab and context.

Hidden texts that a reader can open are found by clicking the controls of a page (probe.js). `sign_of_waiting` and
`better` decide whether a page is rendered again with its scripts, and which of the two renderings counts.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag

import numpy as np

from vclean.errors import BrowserError, NetworkError
from vclean.page import join_url
from vclean.render import tree
from vclean.render.addresses import BASE_URL, host_and_port
from vclean.render.browser import walker
from vclean.render.browser.cdp import (
    MAX_SCREENSHOT_HEIGHT,
    ProtocolError,
    device_metrics,
    evaluate,
    main_frame,
)
from vclean.render.browser.interception import RequestInterceptor
from vclean.render.snapshot import HIDDEN_FOR_NOW, SITE_TAGS, Hidden

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from numpy.typing import NDArray

    from vclean.page import Resources
    from vclean.render.browser.cdp import BrowserTab, Session
    from vclean.render.browser.interception import Responder
    from vclean.render.browser.process import BrowserProcess
    from vclean.render.rendered_page import Omissions, Rendering
    from vclean.render.snapshot import Snapshot
    from vclean.settings import RenderSettings

_MAX_CLICKS: Final = 60
_MAX_TEXTS: Final = 3_000
_CLICK_MS: Final = 500
"""Virtual time for the effect of a click: transitions and delays of menus take less."""


async def texts_revealed_by_clicks(page: NavigatedPage, snapshot: Snapshot, seconds: float) -> NDArray[np.int32]:
    """Click the controls of a page, and return the hidden texts that get a place in sight, int32 (J,), ascending.

    The page may not be used afterwards. Its requests and navigations are refused.

    Args:
        page: the page, with scripts, as the walker has read it.
        snapshot: what the walker has read.
        seconds: limit of wall clock; texts that were revealed before count.
    """
    hidden = np.flatnonzero(np.isin(snapshot.text_hidden, HIDDEN_FOR_NOW) & (snapshot.text_length > 0))[:_MAX_TEXTS]
    revealed: list[int] = []
    if len(hidden):
        page.interceptor.refuses_all = True
        try:
            async with asyncio.timeout(seconds):
                await evaluate(page.session, f"({_source()}).mark(), ''")
                await page.read(f"({_source()}).start({json.dumps(hidden.tolist())})")
                await page.in_tall_viewport(lambda: page.read(_probe("check(), ''")))
                for _ in range(_MAX_CLICKS):
                    if await page.read(_probe("step() ? 'again' : ''")) != "again":
                        break
                    await page.pass_time(_CLICK_MS)
                revealed = json.loads(await page.read(_probe("check(), probe.revealed()")))
        except (BrowserError, ProtocolError, TimeoutError):
            pass  # the page has left, or is too slow
    return np.array(sorted(revealed), dtype=np.int32)


def _probe(call: str) -> str:
    return f"(() => {{ const probe = globalThis[Symbol.for('vclean.probe')]; return probe.{call} }})()"


@cache
def _source() -> str:
    return Path(__file__).with_name("probe.js").read_text(encoding="utf-8").strip()


_NET_ERROR: Final = re.compile(r"net::ERR_\w+")

_LOAD_SHARE: Final = 0.5
"""Share of the deadline that a page without scripts may use to load; after it the page is read as it is."""

_SETTLED_MS: Final = 4_000
"""Virtual time after the load of a page with scripts."""

_SCROLLED_MS: Final = 1_000
"""Virtual time for what a page does when a reader scrolls to all of its parts."""

_WAIT_SECONDS: Final = 0.5
"""Wall clock after which an expression may wait for time to pass."""

_MAX_STARVED: Final = 10_000
"""Tasks without a delay after which virtual time passes nevertheless."""

_SCROLLED: Final = """
for (const target of [window, document]) target.dispatchEvent(new Event('scroll'));
new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted(''))))
"""

_FONTS_LOADED: Final = """
scrollY; // forces layout, which starts the loading of fonts
Object.getOwnPropertyDescriptor(Document.prototype, 'fonts').get.call(document).ready.then(() => null)
"""

_NAVIGATED: Final = re.compile("Cannot find context|Inspected target navigated|Execution context was destroyed")
_ATTEMPTS: Final = 10

_ATTEMPTS_WITH_SCRIPTS: Final = 5
"""Attempts to read a page that keeps navigating, after which its scripts stop."""


class LoadedPage:
    """Loaded page in a tab."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._world: int | None = None

    async def read(self, expression: str) -> str:
        """Evaluate an expression, such as a `walker.expression`, in an isolated world without scripts of the page.

        It is the same world until the page navigates; then the expression is evaluated again.

        Raises:
            BrowserError: the page navigates faster than it can be read.
        """
        for attempt in range(_ATTEMPTS):
            try:
                if attempt == _ATTEMPTS_WITH_SCRIPTS:
                    await self._stop_scripts()
                if self._world is None:
                    frame = {"frameId": (await main_frame(self.session))["id"]}
                    self._world = (await self.session.send("Page.createIsolatedWorld", frame))["executionContextId"]
                return await self._evaluate(expression, self._world)
            except ProtocolError as error:
                self._world = None
                if not _NAVIGATED.search(str(error)):
                    raise
        raise BrowserError("the page navigates faster than it can be read: clean it with --scripts off")

    async def _stop_scripts(self) -> None:
        """Let the page navigate on: it may be the page of a caller."""

    async def _evaluate(self, expression: str, world: int) -> str:
        return await evaluate(self.session, expression, world=world)


class NavigatedPage(LoadedPage):
    """Page in a separate tab.

    Where scripts run, the time of the page is virtual: its timers wait for `pass_time`, and then take no real time.
    """

    scrolls: Final = False

    def __init__(self, tab: BrowserTab, interceptor: RequestInterceptor, settings: RenderSettings) -> None:
        super().__init__(tab.session)
        self._tab = tab
        self.interceptor = interceptor
        self._settings = settings
        self._expired = asyncio.Event()
        self.session.on("Emulation.virtualTimeBudgetExpired", lambda _: self._expired.set())

    async def settle(self) -> None:
        """Wait for subresources and fonts, and let scripts run until all is shown that a reader scrolls to."""
        with contextlib.suppress(TimeoutError):
            if self._settings.scripts != "on":
                async with asyncio.timeout(self._settings.deadline * _LOAD_SHARE):
                    await self._tab.wait_until_loaded()
                    await self.read(_FONTS_LOADED)
            else:
                async with asyncio.timeout(self._settings.settle):
                    await self._tab.wait_until_loaded()
                    await self.pass_time(_SETTLED_MS)
                    await self.in_tall_viewport(lambda: self.read(_FONTS_LOADED))

    async def url(self) -> str:
        """Return the URL of the page, after redirects."""
        frame = await main_frame(self.session)
        return str(frame["url"] + frame.get("urlFragment", ""))

    async def pass_time(self, milliseconds: float) -> None:
        """Let virtual time pass, but not while requests are pending."""
        self._expired.clear()
        options = {"policy": "pauseIfNetworkFetchesPending", "budget": milliseconds}
        starvation = {"maxVirtualTimeTaskStarvationCount": _MAX_STARVED}
        await self.session.send("Emulation.setVirtualTimePolicy", options | starvation)
        while not self._expired.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._expired.wait(), _WAIT_SECONDS)
                return
            await main_frame(self.session)  # raises an error if the browser has ended

    async def in_tall_viewport(self, look: Callable[[], Awaitable[object]]) -> None:
        """Call `look` while the whole page is in the viewport, as if a reader had scrolled through it."""
        size = (await self.session.send("Page.getLayoutMetrics"))["cssContentSize"]
        height = min(int(size["height"]), MAX_SCREENSHOT_HEIGHT)
        await self.session.send("Emulation.setDeviceMetricsOverride", device_metrics(self._settings, height))
        try:
            await self.read(_SCROLLED)
            await self.pass_time(_SCROLLED_MS)
            await look()
        finally:
            await self.session.send("Emulation.setDeviceMetricsOverride", device_metrics(self._settings))

    async def _evaluate(self, expression: str, world: int) -> str:
        """Evaluate an expression, and let time pass while its promise waits."""
        evaluation = asyncio.ensure_future(super()._evaluate(expression, world))
        try:
            while self._settings.scripts == "on" and not (await asyncio.wait([evaluation], timeout=_WAIT_SECONDS))[0]:
                await self.pass_time(_SCROLLED_MS)
            return await evaluation
        finally:
            evaluation.cancel()

    async def omit(self, omissions: Omissions) -> None:
        """Leave parts of the page out of its painting (see `DocumentTab.omit`)."""
        await self.read(walker.expression(self._settings, omissions=omissions))

    async def _stop_scripts(self) -> None:
        await self.session.send("Emulation.setScriptExecutionDisabled", {"value": True})


@asynccontextmanager
async def navigate(
    process: BrowserProcess, url: str, responder: Responder, settings: RenderSettings
) -> AsyncIterator[NavigatedPage]:
    """Navigate a new tab to `url` and wait until the page has settled; the tab closes at the end of the block.

    Args:
        process: the browser.
        url: the URL of the page; if it is not http or https, `BASE_URL` is used.
        responder: answers all requests; the first is for the page.
        settings: whether scripts run, and how long to wait.

    Raises:
        VcleanError: an error that `responder` raised for the page itself.
        NetworkError: the browser cannot load the page.
    """
    address = navigation_url(url)
    tab = await process.driver.open_tab(settings, on_crash=process.kill, paint=True)
    try:
        interceptor = RequestInterceptor(tab.session, responder)
        await interceptor.start()
        if settings.scripts == "on":
            # It records listeners, and closes ways around the interception.
            source = f"({_source()}).record()"
            await tab.session.send("Page.addScriptToEvaluateOnNewDocument", {"source": source})
        page = NavigatedPage(tab, interceptor, settings)
        try:
            await tab.navigate(address)
        except ProtocolError as error:
            if interceptor.failure is not None:
                raise interceptor.failure from None
            reason = _NET_ERROR.search(str(error))
            if reason is None:
                raise
            message = f"{address} could not be loaded ({reason.group()}): open it in a browser to see why"
            raise NetworkError(message) from None
        await page.settle()
        yield page
    finally:
        await tab.close()


def navigation_url(url: str) -> str:
    """Return the URL to navigate to: `url` without its fragment, which would scroll, or `BASE_URL` for another scheme.

    >>> navigation_url("https://example.org/a#b"), navigation_url("file:///etc/passwd"), navigation_url("http://[")
    ('https://example.org/a', 'http://page.invalid/', 'http://page.invalid/')
    """
    try:
        host_and_port(url)
    except NetworkError:
        return BASE_URL
    return urldefrag(url).url


_SCRIPT: Final = re.compile(r"<script\b([^>]*)>(.*?)</script\b", re.IGNORECASE | re.DOTALL)
_TYPE: Final = re.compile(r"""\btype\s*=\s*["']?([\w/+.-]+)""", re.IGNORECASE)
_SOURCE: Final = re.compile(r"""\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_HANDLER: Final = re.compile(r"""\son(?:click|change|mouseover|toggle)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_MOST_OF_SCRIPT: Final = 100_000
"""Characters of a script that are read."""
_SHOWS: Final = re.compile(
    r"addEventListener|on(?:click|change|toggle)|\.(?:click|on|show\w*|toggle|slide\w+|fade\w+|style|hidden)\b|classList"
    r"|customElements|IntersectionObserver|removeAttribute"
)
"""Means of a script by which it may show an element."""
_RUNS: Final = re.compile("javascript|ecmascript|module", re.IGNORECASE)
"""Types of scripts that run."""
_MUCH_HIDDEN: Final = 200
"""Characters of hidden text that are reason enough to run scripts of which some are missing."""
_MUCH: Final = 0.05
"""The same as a share of the text in sight."""
_WITHOUT_SCRIPTS: Final = "no-js"
"""Class of the root element that scripts replace."""
_LEAST_HIDDEN: Final = 20
"""Characters of hidden text that may wait for a script."""
_MOST: Final = 0.5
"""Share of the text in sight; a page with less waits for its scripts."""
_LEAST_TEXT: Final = 400
"""Characters of a page of which most are hidden."""
_KEPT: Final = 0.9
"""Share of the text of a page that is left, hidden or not, if its scripts ran as they should."""


def sign_of_waiting(snapshot: Snapshot, source: str, resources: Resources | None, *, network: bool) -> str:
    """Return why a page seems to wait for its scripts, in words; empty if it does not, or they are not at hand.

    They are not if none of its external scripts is there: those in its source rarely work without them. Of 41 such
    pages with hidden text, a rendering with scripts changed the text of six, by 4 to 46 words.

    Args:
        snapshot: the page, rendered without scripts.
        source: its document.
        resources: the subresources of the page.
        network: whether others are loaded from the network.
    """
    scripts, found, missing = _scripts_at_hand(source, snapshot.url, resources)
    if missing and not (found or network):
        return ""
    has_others = missing > 0 and network
    hidden, shown = _waiting_texts(snapshot)
    if hidden:
        scripts += filter(None, map("".join, _HANDLER.findall(source)))
    total = int(snapshot.text_length.sum())
    if total < _LEAST_TEXT and (has_others or total < sum(map(len, scripts))):
        return "the page has little text before its scripts run"
    if (scripts or has_others) and hidden + shown >= _LEAST_TEXT and shown < _MOST * (hidden + shown):
        return "most text is hidden before scripts run"
    if (scripts or has_others) and missing and hidden >= max(_MUCH_HIDDEN, _MUCH * shown):
        return "much text is hidden before scripts run"
    showing = [script for script in (script[:_MOST_OF_SCRIPT] for script in scripts) if _SHOWS.search(script)]
    if showing and not missing and (hidden or not found):
        return "all its scripts are at hand"
    enhanced = {tag for tag in snapshot.tags if "-" in tag}
    enhanced.update({_WITHOUT_SCRIPTS} & set(snapshot.attributes("class").get(0, "").split()))
    return "a script enhances the page" if any(name in script for script in showing for name in enhanced) else ""


def _waiting_texts(snapshot: Snapshot) -> tuple[int, int]:
    """Return the characters of the texts outside menus that may wait for a script, and of those in sight."""
    of_site = tree.inside(snapshot.is_tag((*SITE_TAGS, "form")), snapshot.end)
    length = snapshot.text_length * ~of_site[snapshot.text_parent]
    waiting = np.isin(snapshot.text_hidden, HIDDEN_FOR_NOW) & (length >= _LEAST_HIDDEN)
    waiting[snapshot.revealed] = False
    return int(length[waiting].sum()), int(length[snapshot.text_hidden == Hidden.NO].sum())


def _scripts_at_hand(source: str, url: str, resources: Resources | None) -> tuple[list[str], int, int]:
    """Return the scripts in a page and its resources, and the number of external ones that are there, and are not."""
    scripts: list[str] = []
    found = missing = 0
    for attributes, text in _SCRIPT.findall(source):
        kind, address = _TYPE.search(attributes), _SOURCE.search(attributes)
        if kind and not _RUNS.search(kind[1]):
            continue
        if address is None:
            scripts.append(text)
            continue
        name = next(filter(None, address.groups()), "")
        resource = resources.get(join_url(url, name)) if resources is not None else None
        if resource is None:
            missing += 1
        else:
            found += 1
            scripts.append(resource.body.decode("utf-8", "replace"))
    return list(filter(None, scripts)), found, missing


def noted(rendering: Rendering, note: str) -> Rendering:
    """Return a rendering with a note."""
    snapshot = rendering.snapshot
    return replace(rendering, snapshot=replace(snapshot, notes=(*snapshot.notes, note)))


def better(rendering: Rendering, again: Rendering, sign: str) -> Rendering:
    """Return the rendering with scripts if it has nearly as much text, of which enough is in sight; else the other.

    Args:
        rendering: without scripts.
        again: with scripts.
        sign: why the page was rendered again, for the note.
    """
    first, second = rendering.snapshot, again.snapshot
    hidden, shown = _waiting_texts(second)
    is_whole = second.text_length.sum() >= _KEPT * first.text_length.sum()
    if is_whole and shown >= _MOST * max(hidden, _waiting_texts(first)[1]):
        snapshot = replace(second, notes=first.notes, scripted=first.scripted)
        return noted(replace(again, snapshot=snapshot), f"{sign}; rendered with them")
    return rendering
