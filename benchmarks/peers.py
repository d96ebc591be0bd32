"""Serve one of the peers that `suite.py` compares: `python benchmarks/peers.py NAME PAGES.parquet`.

A peer is one way to read a page. Each peer runs in a separate process, so its time and memory can be measured. The
peer reads indices of pages from standard input, one per line. At the end of every stage of a page it writes a line of
JSON, and waits for an empty line while its CPU clocks are read.
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
"""Function that is called with the name of a stage at its end."""
Run = Callable[[Page], None]
"""Function that runs a peer on a page."""

_MAX_BYTES: Final = 32 * 2**20


@dataclass(frozen=True, slots=True)
class Peer:
    """Peer: a way to read a page.

    Attributes:
        name: name in the tables.
        description: what the peer does, in a few words.
        load: loads the peer; raises ImportError if it is not installed.
        rendered: whether the peer uses a browser.
    """

    name: str
    description: str
    load: Callable[[Lap], Run]
    rendered: bool = True


def _vclean(*, render: bool) -> Callable[[Lap], Run]:
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
    """Load vclean with rendering in separate steps, so that each step can be measured."""
    from speed import clean

    from vclean.classify.content.model import load
    from vclean.render.browser import tab
    from vclean.render.browser.renderer import Renderer

    trained = load()
    tab.DocumentTab = _staged_tab(lap)  # type: ignore[misc]  # the renderer has no parameter for its tab class
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
        async def _replace_document(self, text: str, expression: Callable[[], str]) -> str:
            self._stale = True
            await self._session.send("Page.setDocumentContent", {"frameId": self._frame, "html": text})
            lap("deliver")
            await evaluate(self._session, "String(document.documentElement.scrollHeight)")
            lap("layout")
            payload = await evaluate(self._session, expression())
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
    from raw_client import RawClient

    from vclean.render.decode import read_document

    client = RawClient().__enter__()

    def run(page: Page) -> None:
        client.read(read_document(page, _MAX_BYTES).text, page.url)
        lap("snapshot")

    return run


def _floor(lap: Lap) -> Run:
    from raw_client import RawClient

    from vclean.render.decode import read_document

    client = RawClient().__enter__()

    def run(page: Page) -> None:
        client.set_content(read_document(page, _MAX_BYTES).text)
        client.lay_out()
        lap("laid out")

    return run


def _browser() -> Any:  # noqa: ANN401 - Playwright's class, which is imported only where it is used
    from playwright.sync_api import sync_playwright

    from vclean.render.browser.chromium import find_chromium

    return sync_playwright().start().chromium.launch(executable_path=find_chromium().path)


def _plain(lap: Lap) -> Run:
    from playwright_baseline import EXTRACT

    browser = _browser()

    def run(page: Page) -> None:
        tab = browser.new_page()
        tab.route("**/*", lambda route: route.abort())
        tab.set_content(_text(page))
        json.loads(tab.evaluate(EXTRACT))
        lap("elements")  # before `close` ends the renderer process, whose CPU clock ends with it
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
    """Load one of the systems of the leaderboard."""
    from rivals import RIVALS

    from vclean.classify.corpora.corpora import GoldPage

    logging.disable()
    extract = next(each for each in RIVALS if each.name == name).load()

    def run(page: Page) -> None:
        extract(GoldPage(html=bytes(page.content), url=page.url))
        lap("text")

    return run


VCLEAN: Final = "vclean"
BEFORE: Final = "vclean before"
UNRENDERED_BEFORE: Final = "vclean before, unrendered"
EARLIER: Final = (BEFORE, UNRENDERED_BEFORE)
"""Peers that run in another installation of vclean."""
RAW: Final = "raw DevTools client"
FLOOR: Final = "Chromium alone"
UNRENDERED: Final = "vclean, unrendered"
STAGED: Final = "stages, rendered"
STAGED_UNRENDERED: Final = "stages, unrendered"
_LIBRARIES: Final = ("rs-trafilatura", "trafilatura", "readability-lxml", "resiliparse")

PEERS: Final = {
    peer.name: peer
    for peer in (
        Peer(VCLEAN, "renders, reads and labels, as the farm does", _vclean(render=True)),
        Peer(BEFORE, "the same with the version of `--before`", _vclean(render=True)),
        Peer(RAW, "`benchmarks/raw_client.py`: the same walker, without limits, recovery or sandbox", _raw),
        Peer(FLOOR, "sets the document and lays it out", _floor),
        Peer("DOMSnapshot", "Playwright, one tab, `set_content`, `DOMSnapshot.captureSnapshot`", _dom_snapshot),
        Peer("plain Playwright", "a new page, `route.abort`, `set_content`, `evaluate`", _plain),
        Peer(UNRENDERED, "parses and labels", _vclean(render=False), rendered=False),
        Peer(UNRENDERED_BEFORE, "the same with the version of `--before`", _vclean(render=False), rendered=False),
        *(Peer(name, "bytes to text, as on the leaderboard", partial(_rival, name), rendered=False)
          for name in _LIBRARIES),
        Peer(STAGED, "as vclean, step by step", _staged),
        Peer(STAGED_UNRENDERED, "as vclean, step by step", _staged_unrendered, rendered=False),
    )
}  # fmt: skip
"""Peers by name."""


def is_installed(name: str) -> bool:
    """Return whether the library of a peer is installed."""
    packages = {"rs-trafilatura": "rs_trafilatura", "readability-lxml": "readability"}
    try:
        import_module(packages.get(name, name) if name in _LIBRARIES else "vclean")
    except ImportError:
        return False
    return True


def read_pages(path: Path) -> list[Page]:
    """Return the pages of a Parquet file written by `farm.write_pages`."""
    rows: Iterator[dict[str, Any]] = iter(pq.read_table(path, columns=["id", "url", "html"]).to_pylist())
    return [Page(content=row["html"], url=row["url"] or "", id=row["id"]) for row in rows]


def main() -> None:
    """Serve a peer until standard input ends. For a page that fails, write a line with the error."""
    name, path = sys.argv[1:]
    pages = read_pages(Path(path))

    def send(**facts: str) -> None:
        print(json.dumps(facts), flush=True)
        sys.stdin.readline()

    run = PEERS[name].load(lambda stage: send(stage=stage))
    send(ready=name)
    for line in iter(sys.stdin.readline, ""):
        try:
            run(pages[int(line)])
        except Exception as error:  # a failed page is counted, and must not end the run
            send(error=f"{type(error).__name__}: {error}".partition("\n")[0])
        else:
            send(done="")


if __name__ == "__main__":
    main()
