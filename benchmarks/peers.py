"""The ways to read a page that `suite.py` compares: `python benchmarks/peers.py NAME PAGES.parquet` serves one of them.

A peer runs in a process of its own, so that what it takes can be told from what the others take. It is given the places
of pages, one a line, over standard input, and writes a line of JSON at the end of every stage of a page; before it goes
on, it waits for an empty line, for as long as its clocks are read.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

Lap = Callable[[str], None]
"""Is told the name of a stage at its end."""
Run = Callable[[Page], None]
"""Does all that a peer does with a page."""

_MAX_BYTES: Final = 32 * 2**20


@dataclass(frozen=True, slots=True)
class Peer:
    """One way to read a page.

    Attributes:
        name: in the tables.
        what: what it does, in a few words.
        load: makes it ready; ImportError where it is not installed.
        rendered: whether it works in a browser.
    """

    name: str
    what: str
    load: Callable[[Lap], Run]
    rendered: bool = True


def _own(*, render: bool) -> Callable[[Lap], Run]:
    def load(lap: Lap) -> Run:
        from vclean.pipeline import Pipeline
        from vclean.settings import CleanerSettings

        pipeline = Pipeline(CleanerSettings(render=render)).__enter__()

        def run(page: Page) -> None:
            rendering = pipeline.reader.read(page)
            lap("snapshot")
            pipeline.label(pipeline.extract_blocks(rendering, page)).to_cleaneval()
            lap("cleaned")

        return run

    return load


def _staged(lap: Lap) -> Run:
    """What vclean does with a rendered page, in steps that it takes at once: each can be told from the others."""
    from speed import clean

    from vclean.classify.content.model import load
    from vclean.render.browser import tab
    from vclean.render.browser.renderer import Renderer

    trained = load()
    tab.DocumentTab = _staged_tab(lap)  # type: ignore[misc]  # it has no other seam, and needs none but this
    renderer = Renderer().__enter__()

    def run(page: Page) -> None:
        snapshot = renderer.render(page).snapshot
        lap("decode")
        clean(snapshot, trained, lap)

    return run


def _staged_tab(lap: Lap) -> type[Any]:
    from vclean.render.browser.cdp import evaluate
    from vclean.render.browser.tab import DocumentTab

    class StagedTab(DocumentTab):
        async def _put(self, text: str, expression: str) -> str:
            self._stale = True
            await self._session.send("Page.setDocumentContent", {"frameId": self._frame, "html": text})
            lap("deliver")
            await evaluate(self._session, "String(document.documentElement.scrollHeight)")
            lap("layout")
            payload = await evaluate(self._session, expression)
            lap("walk")
            return payload

    return StagedTab


def _staged_unrendered(lap: Lap) -> Run:
    from speed import clean

    from vclean.classify.content.model import load
    from vclean.render.static.parse import parse

    trained = load()

    def run(page: Page) -> None:
        snapshot = parse(page)
        lap("parse")
        clean(snapshot, trained, lap)

    return run


def _raw(lap: Lap) -> Run:
    from raw import RawClient

    from vclean.render.decode import page_text

    client = RawClient().__enter__()

    def run(page: Page) -> None:
        client.read(page_text(page, _MAX_BYTES), page.url)
        lap("snapshot")

    return run


def _floor(lap: Lap) -> Run:
    from raw import RawClient

    from vclean.render.decode import page_text

    client = RawClient().__enter__()

    def run(page: Page) -> None:
        client.put(page_text(page, _MAX_BYTES))
        client.lay_out()
        lap("laid out")

    return run


def _browser() -> Any:  # noqa: ANN401 - Playwright's, which is imported only where it is used
    from playwright.sync_api import sync_playwright

    from vclean.render.browser.chromium import find_chromium

    return sync_playwright().start().chromium.launch(executable_path=find_chromium().path)


def _plain(lap: Lap) -> Run:
    from plain import EXTRACT

    browser = _browser()

    def run(page: Page) -> None:
        tab = browser.new_page()
        tab.route("**/*", lambda route: route.abort())
        tab.set_content(_text(page))
        json.loads(tab.evaluate(EXTRACT))
        lap("elements")  # before its renderer ends, and with it the renderer's clock
        tab.close()

    return run


def _dom_snapshot(lap: Lap) -> Run:
    from vclean.render.snapshot import STYLES

    context = _browser().new_context(java_script_enabled=False, viewport={"width": 1366, "height": 768})
    tab = context.new_page()
    tab.route("**/*", lambda route: route.abort())
    session = context.new_cdp_session(tab)

    def run(page: Page) -> None:
        tab.set_content(_text(page))
        session.send("DOMSnapshot.captureSnapshot", {"computedStyles": list(STYLES)})
        lap("snapshot")

    return run


def _text(page: Page) -> str:
    return bytes(page.content).decode("utf-8", "replace")


def _rival(name: str, lap: Lap) -> Run:
    """One of the leaderboard's systems."""
    from rivals import RIVALS

    from vclean.classify.corpora.corpora import GoldPage

    logging.disable()
    extract = next(each for each in RIVALS if each.name == name).load()

    def run(page: Page) -> None:
        extract(GoldPage(html=bytes(page.content), url=page.url))
        lap("text")

    return run


OWN: Final = "vclean"
BEFORE: Final = "vclean before"
UNRENDERED_BEFORE: Final = "vclean before, unrendered"
EARLIER: Final = (BEFORE, UNRENDERED_BEFORE)
"""Those of another installation than this one."""
RAW: Final = "raw DevTools client"
FLOOR: Final = "Chromium alone"
UNRENDERED: Final = "vclean, unrendered"
STAGED: Final = "stages, rendered"
STAGED_UNRENDERED: Final = "stages, unrendered"
_LIBRARIES: Final = ("rs-trafilatura", "trafilatura", "readability-lxml", "resiliparse")

PEERS: Final = {
    peer.name: peer
    for peer in (
        Peer(OWN, "renders, reads and labels, as the farm does", _own(render=True)),
        Peer(BEFORE, "the same by the version of `--before`", _own(render=True)),
        Peer(RAW, "`benchmarks/raw.py`: the same reading with nothing round it", _raw),
        Peer(FLOOR, "puts the document in and has it laid out", _floor),
        Peer("DOMSnapshot", "Playwright, one tab, `set_content`, `DOMSnapshot.captureSnapshot`", _dom_snapshot),
        Peer("plain Playwright", "a new page, `route.abort`, `set_content`, `evaluate`", _plain),
        Peer(UNRENDERED, "parses and labels", _own(render=False), rendered=False),
        Peer(UNRENDERED_BEFORE, "the same by the version of `--before`", _own(render=False), rendered=False),
        *(Peer(name, "bytes to text, as on the leaderboard", partial(_rival, name), rendered=False)
          for name in _LIBRARIES),
        Peer(STAGED, "as vclean, step by step", _staged),
        Peer(STAGED_UNRENDERED, "as vclean, step by step", _staged_unrendered, rendered=False),
    )
}  # fmt: skip
"""By name."""


def is_installed(name: str) -> bool:
    """Whether a peer's library is there."""
    packages = {"rs-trafilatura": "rs_trafilatura", "readability-lxml": "readability"}
    try:
        import_module(packages.get(name, name) if name in _LIBRARIES else "vclean")
    except ImportError:
        return False
    return True


def read_pages(path: Path) -> list[Page]:
    """The pages of a Parquet file that `farm.write_pages` wrote."""
    rows: Iterator[dict[str, Any]] = iter(pq.read_table(path, columns=["id", "url", "html"]).to_pylist())
    return [Page(content=row["html"], url=row["url"] or "", id=row["id"]) for row in rows]


def main() -> None:
    """Serve a peer until standard input ends; a page that fails is a line with an error."""
    name, path = sys.argv[1:]
    pages = read_pages(Path(path))

    def say(**facts: str) -> None:
        print(json.dumps(facts), flush=True)
        sys.stdin.readline()

    run = PEERS[name].load(lambda stage: say(stage=stage))
    say(ready=name)
    for line in iter(sys.stdin.readline, ""):
        try:
            run(pages[int(line)])
        except Exception as error:  # one page must not end a run of hundreds; it is counted
            say(error=f"{type(error).__name__}: {error}".partition("\n")[0])
        else:
            say(done="")


if __name__ == "__main__":
    main()
