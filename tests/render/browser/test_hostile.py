"""Test pages that attack the renderer: each ends in time, and the next page works."""

import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.browser import group_of, processes
from helpers.waiting import assert_eventually

from vclean.errors import BrowserError, DeadlineError, LimitError
from vclean.page import Page
from vclean.render.browser import process
from vclean.render.browser.renderer import Renderer
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

DEADLINE = 1.0
"""Deadline of a hostile page in seconds."""
FILLING = 3.0
"""Deadline in seconds of a page that fills the disk; downloads that are not blocked need more than one second."""
BOUND = 30.0
"""Largest duration in seconds, even on a busy machine; without protection it would be minutes, or endless."""


@pytest.fixture(scope="module")
def plain() -> Iterator[Renderer]:
    with Renderer() as shared:
        yield shared


@pytest.fixture(scope="module")
def scripted() -> Iterator[Renderer]:
    with Renderer(RenderSettings(scripts="on", settle=0.5)) as shared:
        yield shared


@contextlib.contextmanager
def short_deadline(renderer: Renderer, deadline: float = DEADLINE) -> Iterator[None]:
    """Set a short deadline for the pages of the block; other pages have enough time on a busy machine."""
    original = renderer._settings
    renderer._settings = renderer._started_worker().renderer._settings = replace(original, deadline=deadline)
    yield
    renderer._settings = renderer._started_worker().renderer._settings = original


def assert_bounded(renderer: Renderer, html: str, *errors: type[Exception], deadline: float = DEADLINE) -> None:
    """Render a page in bounded time, to a snapshot or one of `errors`, and then another page."""
    started = time.monotonic()
    with short_deadline(renderer, deadline), contextlib.suppress(*errors):
        renderer.render(Page(content=html, url="https://example.org/"))
    seconds = time.monotonic() - started
    assert renderer.render(Page(content="<p>Next.")).snapshot.texts == ["Next."]
    assert seconds < BOUND


HEAVY = {
    "selectors": ("<style>a:has(~ b) ~ a:has(~ c) ~ a:has(~ d) ~ a:has(~ e) { color: red }</style>", "<a></a>", 20_000),
    "nested elements": ("", "<div>", 100_000),  # Chromium nests at most 512 levels; deeper elements become siblings
    "50 megabytes": ("", "<p>word</p>", 4_800_000),
    "20 megabytes of text": ("<p>", "word ", 4_000_000),
    "200,000 nodes": ("", "<b></b>", 200_000),
}
"""Pages without scripts that take long: a beginning, and a part with its number."""


@pytest.mark.slow
class TestWithoutScripts:
    @pytest.mark.parametrize("name", HEAVY)
    def test_is_bounded(self, plain: Renderer, name: str) -> None:
        beginning, part, count = HEAVY[name]
        is_refused = name == "50 megabytes"
        with pytest.raises(LimitError) if is_refused else contextlib.nullcontext():
            assert_bounded(plain, beginning + part * count, DeadlineError, *(() if is_refused else (LimitError,)))


BUSY = "setInterval(() => fetch('/x').catch(() => 0), 20);"
"""Script that keeps the network busy; otherwise the page settles too early."""

BLOB = "const u = URL.createObjectURL(new Blob([new Uint8Array(1e8)])); let i = 0;"
FRAME = "const f = document.createElement('iframe'); document.body.append(f);"

STORMS = {
    "dialogs": "onbeforeunload = () => 'stay'; location = '/x'; setInterval(() => { alert(1); confirm(2); prompt(3);"
    "print() }, 0)",
    "navigation": "setInterval(() => { location = '/' + Math.random() }, 1)",
    "history and reload": "setInterval(() => { history.pushState(0, '', '?' + Math.random());"
    "location.hash = Math.random(); history.back(); location.reload() }, 1)",
    "prompts": "setInterval(() => { Notification.requestPermission();"
    "navigator.geolocation.getCurrentPosition(() => 0); navigator.clipboard.readText();"
    "navigator.mediaDevices.getUserMedia({ video: true });"
    "document.documentElement.requestFullscreen(); document.body.requestPointerLock(); moveTo(9, 9); close() }, 1)",
    "talk": "setInterval(() => { for (let i = 0; i < 99; i++) console.log('x'.repeat(1e4)); debugger; throw 'x' }, 1)",
    "looping frames": "for (let i = 0; i < 100; i++) { const f = document.createElement('iframe');"
    "f.srcdoc = '<script>for (;;) {}<' + '/script>'; document.body.append(f) }",
    "popups": "for (let i = 0; i < 50; i++) open('about:blank', 'w' + i)",
    "history": "for (let i = 0; i < 1e5; i++) history.pushState({ i, s: 'x'.repeat(999) }, '', '#' + i)",
    "messages": "onmessage = () => { postMessage(1, '*'); postMessage(1, '*') }; postMessage(1, '*')",
    "growing page": "setInterval(() => document.body.append(document.createElement('b')), 1)",
    "frames": "for (let i = 0; i < 10000; i++) document.body.append(document.createElement('iframe'))",
    "nested frames": "const nest = (d) => { const f = d.createElement('iframe'); d.body.append(f);"
    "nest(f.contentDocument) }; nest(document)",
    "workers": "for (let i = 0; i < 100; i++) new Worker(URL.createObjectURL(new Blob(['for (;;) {}'])))",
    "synchronous requests": "for (;;) { const x = new XMLHttpRequest(); x.open('GET', '/x', false);"
    "try { x.send() } catch {} }",
    "requests": "for (let i = 0; i < 1e4; i++) fetch('/' + i).catch(() => 0)",
    "long words": "document.title = 'x'.repeat(1e8); document.body.id = 'x'.repeat(1e8)",
}
"""Scripts that try to block the walker, or the browser, forever."""

FILLERS = {
    "local storage": "for (let i = 0; ; i++) localStorage['k' + i] = 'x'.repeat(1e5)",
    "database": "const q = indexedDB.open('d'); q.onupgradeneeded = () => q.result.createObjectStore('s');"
    "q.onsuccess = () => { let n = 0; const put = () => { const t = q.result.transaction('s', 'readwrite');"
    "t.objectStore('s').put(new Uint8Array(5e6).fill(n), n++); t.oncomplete = put }; put() }",
    "caches": "caches.open('a').then(async (c) => { for (let i = 0; ; i++)"
    " await c.put('/' + i, new Response(new Uint8Array(5e6))) })",
    "file system": "navigator.storage.getDirectory().then(async (d) => { for (let i = 0; ; i++) {"
    "const w = await (await d.getFileHandle('f' + i, { create: true })).createWritable();"
    "await w.write(new Uint8Array(1e7)); await w.close() } })",
    "blobs": "window.all = []; setInterval(() => all.push(new Blob([new Uint8Array(2e7).fill(7)])), 20)",
    "downloads": f"{BLOB} setInterval(() => {{ const a = document.createElement('a'); a.href = u; a.download = i++;"
    "a.click() }, 20)",
    "downloads in frames": f"{BLOB} setInterval(() => {{ {FRAME} f.src = u }}, 50)",
    "downloads of data": f"setInterval(() => {{ {FRAME} f.src = 'data:application/zip,' + 'x'.repeat(1e6) }}, 20)",
    "downloads in sandboxes": f"{BLOB} setInterval(() => {{ {FRAME} f.sandbox = 'allow-downloads allow-scripts';"
    "f.src = u }, 50)",
}
"""Scripts that fill the disk."""

BOMBS = {
    "wasm": "window.all = []; setInterval(() => { const m = new WebAssembly.Memory({ initial: 4096 });"
    "new Uint8Array(m.buffer).fill(1); all.push(m) }, 1)",
    "arrays": "window.all = []; for (;;) all.push(new Uint8Array(1e8).fill(7))",
    "workers": "for (let i = 0; i < 50; i++) new Worker(URL.createObjectURL(new Blob(["
    "'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(7))'])))",
}
"""Scripts that fill the memory."""


class TestClobbering:
    """Names in a page shadow properties of its document and forms, but not the accessors of the walker."""

    NAMES = (
        "adoptedStyleSheets appendChild assignedNodes attributes body childNodes children createRange data defaultView"
        " documentElement firstChild fonts getAnimations getAttribute getAttributeNames getBoundingClientRect"
        " getElementsByTagName images isConnected lang length localName nextSibling nodeType open ownerDocument"
        " parentNode querySelector querySelectorAll scrollingElement scrollWidth shadowRoot style tagName textContent"
        " title"
    )  # fmt: skip

    @pytest.fixture(params=["img", "form", "embed", "object", "iframe"])
    def clobbering(self, request: pytest.FixtureRequest) -> str:
        named = "".join(f"<{request.param} name={name} id={name}></{request.param}>" for name in self.NAMES.split())
        inputs = "".join(f"<input name={name}>" for name in self.NAMES.split())
        return f"<title>True</title><p>Before.</p>{named}<form><b>Inside.</b>{inputs}</form><p id=x>After."

    def test_reads_tree_and_title(self, renderer: Renderer, clobbering: str) -> None:
        snapshot = renderer.render(Page(content=clobbering)).snapshot
        assert snapshot.texts == ["Before.", "Inside.", "After."]
        assert snapshot.title == "True"
        assert len(snapshot) == 6 + 2 * len(self.NAMES.split())

    @pytest.mark.parametrize(
        ("clobbering", "mode", "resources"),
        [("img", "renderer", {}), ("form", "scripting", None)],
        indirect=["clobbering"],
    )
    def test_reads_page_with_resources_or_scripts(
        self, clobbering: str, mode: str, resources: dict | None, request: pytest.FixtureRequest
    ) -> None:
        rendering = request.getfixturevalue(mode).render(Page(content=clobbering, resources=resources))
        assert rendering.snapshot.texts == ["Before.", "Inside.", "After."]

    def test_reads_noscript_and_lazy_content_in_a_form(self, renderer: Renderer) -> None:
        html = "<form><input name=childNodes><noscript><p>" + "word " * 99 + "</noscript></form>"
        lazy = "<div style='content-visibility: auto'><p style='height: 500px'></div>"
        snapshot = renderer.render(Page(content=f"<img name=adoptedStyleSheets>{html}{lazy * 10}")).snapshot
        assert snapshot.noscript
        assert snapshot.height > 5000

    def test_reads_frames_of_a_frameset(self, renderer: Renderer) -> None:
        frames = "".join(f"<frame name={name}>" for name in self.NAMES.split())
        snapshot = renderer.render(Page(content=f"<frameset>{frames}</frameset>")).snapshot
        assert len(snapshot) == 2 + frames.count("<frame")


def script(code: str) -> str:
    return f"<p>Here.<script>{BUSY}{code}</script>"


@pytest.mark.slow
class TestStorms:
    @pytest.mark.parametrize("name", STORMS)
    def test_renders_next_page(self, scripted: Renderer, name: str) -> None:
        assert_bounded(scripted, script(STORMS[name]), DeadlineError, LimitError, BrowserError)

    def test_reads_page_that_refreshes_without_end(self, site) -> None:
        url = site.serve("/b", "<meta http-equiv=refresh content='0;url=/b'><p>Here.", refresh="0; url=/b")
        with Renderer(RenderSettings(deadline=20, allow_hosts=("127.0.0.1",))) as live:
            assert live.render(Page(url=url, live=True)).snapshot.texts == ["Here."]

    def test_ignores_attachments(self, site) -> None:
        # A server can neither turn the page into a download, nor fill the disk with one.
        header = {"content-disposition": "attachment; filename=x.zip"}
        site.serve("/zip", b"x" * 2**22, kind="application/zip", **header)
        site.serve("/", "<p>Here.<iframe src=/zip></iframe><object data=/zip></object>", **header)
        with Renderer(RenderSettings(deadline=20, allow_hosts=("127.0.0.1",))) as live:
            rendering = live.render(Page(url=f"http://{site.address}/", live=True))
            assert disk_bytes(live) < MAX_DISK
        assert rendering.snapshot.texts == ["Here."]


MAX_DISK = 2**22
"""Bytes; the profile of the browser takes 200 kB."""


def disk_bytes(renderer: Renderer) -> int:
    """Return the total size of all files in the folder of the browser."""
    process = renderer._worker.renderer._process
    files = [Path(folder, name) for folder, _, names in os.walk(process.folder if process else "") for name in names]
    total = 0
    for file in files:
        with contextlib.suppress(OSError):  # deleted in the meantime
            total += file.lstat().st_size
    return total


@pytest.mark.slow
class TestFillers:
    @pytest.mark.parametrize("name", FILLERS)
    def test_disk_stays_empty(self, scripted: Renderer, name: str) -> None:
        # Data that pages store is in memory, and is deleted with the page.
        scripted.render(Page(content="<p>First."))
        sizes: list[int] = []
        over = threading.Event()

        def measure() -> None:
            while not over.wait(0.05):
                sizes.append(disk_bytes(scripted))

        measuring = threading.Thread(target=measure)
        measuring.start()
        try:
            assert_bounded(scripted, script(FILLERS[name]), DeadlineError, BrowserError, deadline=FILLING)
        finally:
            over.set()
            measuring.join()
        assert max(sizes) < MAX_DISK


@pytest.mark.slow
class TestBombs:
    @pytest.mark.parametrize("name", BOMBS)
    def test_bounds_memory(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(process, "_MAX_MEMORY", 400 * 2**20)
        monkeypatch.setattr(process, "_CHECK_SECONDS", 0.05)
        with Renderer(RenderSettings(deadline=30, scripts="on", settle=20)) as renderer:
            with pytest.raises(LimitError, match="more than 400 MB of memory"):
                renderer.render(Page(content=script(BOMBS[name]), url="https://example.org/"))
            assert renderer.render(Page(content="<p>Next.")).snapshot.texts == ["Next."]


@pytest.mark.slow
class TestCleanup:
    def test_leaves_no_process_and_no_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        # The browser has rendered several hostile pages.
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with Renderer(RenderSettings(scripts="on", settle=0.5)) as renderer:
            renderer.render(Page(content="<p>First."))
            group = group_of(renderer)
            for code in (STORMS["workers"], FILLERS["downloads"], FILLERS["blobs"]):
                assert_bounded(renderer, script(code), DeadlineError, BrowserError)
        assert_eventually(lambda: not list(tmp_path.iterdir()) and not processes(group))


class TestWithScripts:
    def test_stops_endless_loop(self, scripted: Renderer) -> None:
        with short_deadline(scripted), pytest.raises(DeadlineError):
            scripted.render(Page(content="<script>for (;;);</script>"))
        assert scripted.render(Page(content="<p>Next.")).snapshot.texts == ["Next."]

    def test_reads_page_that_keeps_navigating(self, scripted: Renderer) -> None:
        # The page navigates to copies of itself and is read in between.
        navigate = (
            "location = URL.createObjectURL(new Blob([document.documentElement.outerHTML], { type: 'text/html' }))"
        )
        html = f"<p>Here.<script>setInterval(() => {{ {navigate} }}, 30)</script>"
        assert scripted.render(Page(content=html)).snapshot.texts == ["Here."]

    def test_reads_page_without_a_root(self, scripting: Renderer) -> None:
        snapshot = scripting.render(Page(content="<p>Here.<script>document.documentElement.remove()</script>")).snapshot
        assert len(snapshot) == 1
        assert snapshot.texts == []

    def test_reads_page_with_a_form_as_root(self, scripting: Renderer) -> None:
        html = """<script>const form = document.createElement('form');
        form.innerHTML = '<input name=scrollWidth><input name=childNodes><input name=lang>Inside.';
        document.replaceChild(form, document.documentElement)</script>"""
        assert scripting.render(Page(content=html)).snapshot.texts == ["Inside."]

    def test_reads_foreign_elements_with_html_names(self, scripting: Renderer) -> None:
        html = """<p>Here.<script>for (const name of ['details', 'slot', 'form'])
        document.body.append(document.createElementNS('urn:x', name))</script>"""
        assert scripting.render(Page(content=html)).snapshot.tags[-3:] == ("details", "slot", "form")

    def test_ignores_modified_builtins(self, scripting: Renderer) -> None:
        # Scripts of the page cannot modify the functions that read it.
        html = """<p>True.</p><script>JSON.stringify = () => '{}'; Element.prototype.getBoundingClientRect = null;
        window.getComputedStyle = null; Array.prototype.push = () => { throw 1 }; document.title = '\\ud800';
        for (const name of ['Map', 'Set', 'Symbol', 'CSSStyleSheet', 'Int32Array', 'btoa']) window[name] = null;
        Object.defineProperty(Node.prototype, 'childNodes', { get: () => [] });
        Object.prototype.get = () => 'lie'; Function.prototype.call = Function.prototype.bind = () => 'lie';
        document.getAnimations = document.createRange = null;</script>"""
        snapshot = scripting.render(Page(content=html)).snapshot
        assert snapshot.texts == ["True."]
        assert snapshot.box[-1][2] > 1000
        assert snapshot.title == "\ufffd"
