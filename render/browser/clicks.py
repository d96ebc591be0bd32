"""Find the hidden texts of a page that a reader can open, by clicking its controls (probe.js)."""

from __future__ import annotations

import asyncio
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.errors import BrowserError
from vclean.render.browser.cdp import ProtocolError
from vclean.render.snapshot import HIDDEN_FOR_NOW

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.browser.navigation import NavigatedPage
    from vclean.render.snapshot import Snapshot

_MAX_CLICKS: Final = 60
_MAX_TEXTS: Final = 3_000
_CLICK_MS: Final = 500
"""Virtual time for the effect of a click: transitions and delays of menus take less."""


def before_scripts() -> str:
    """Return the script that runs before those of a page: it records listeners, and closes ways around interception."""
    return f"({_source()}).record()"


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
        page.refuse_requests()
        try:
            async with asyncio.timeout(seconds):
                await page.evaluate(f"({_source()}).mark(), ''")
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
    return files("vclean.render.browser").joinpath("probe.js").read_text(encoding="utf-8").strip()
