"""Pages that attack the renderer: each ends in time, and the next page works."""

import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from vclean.errors import BrowserError, DeadlineError, LimitError, NetworkError
from vclean.page import Page
from vclean.render.browser import limits
from vclean.render.browser.renderer import Renderer
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

DEADLINE = 1.0
"""Seconds that a hostile page has."""
FILLING = 3.0
"""Seconds that one has which wants the disk: within one, downloads that nothing holds up do not get there."""
BOUND = 30.0
"""Seconds, on a busy machine too; without the defence it would be minutes, or for ever."""


@pytest.fixture(scope="module")
def plain() -> Iterator[Renderer]:
    with Renderer() as shared:
        yield shared


@pytest.fixture(scope="module")
def scripted() -> Iterator[Renderer]:
    with Renderer(RenderSettings(scripts=True, settle=0.5)) as shared:
        yield shared


class Nothing:
    """Resources that are all missing."""

    def get(self, url: str) -> None:
        return None


@contextlib.contextmanager
def hurried(renderer: Renderer, deadline: float = DEADLINE) -> Iterator[None]:
    """Give the pages of the block little time; those before and after have enough on a busy machine too."""
    patient = renderer._settings
    renderer._settings = renderer._started_worker().renderer._settings = replace(patient, deadline=deadline)
    yield
    renderer._settings = renderer._started_worker().renderer._settings = patient


def bounded(renderer: Renderer, html: str, *errors: type[Exception], deadline: float = DEADLINE) -> None:
    """Render in bounded time, to a snapshot (fast machines are done before the deadline) or an error; then the next."""
    started = time.monotonic()
    with hurried(renderer, deadline), contextlib.suppress(*errors):
        renderer.render(Page(content=html, url="https://example.org/"))
    took = time.monotonic() - started
    assert renderer.render(Page(content="<p>Next.")).snapshot.texts == ["Next."]
    assert took < BOUND


@pytest.mark.slow
class TestWithoutScripts:
    def test_selector_bomb(self, plain: Renderer) -> None:
        rule = "a:has(~ b) ~ a:has(~ c) ~ a:has(~ d) ~ a:has(~ e) { color: red }"
        bounded(plain, f"<style>{rule}</style>" + "<a></a>" * 20_000, DeadlineError)

    def test_100_000_nested_elements(self, plain: Renderer) -> None:
        """The parser of Chromium nests 512 levels, then goes on beside them."""
        bounded(plain, "<div>" * 100_000 + "deep", DeadlineError)

    def test_50_megabytes(self, plain: Renderer) -> None:
        with pytest.raises(LimitError):
            plain.render(Page(content="<p>word</p>" * 4_800_000))

    def test_20_megabytes_of_text(self, plain: Renderer) -> None:
        bounded(plain, "<p>" + "word " * 4_000_000, DeadlineError)

    def test_200_000_nodes(self, plain: Renderer) -> None:
        bounded(plain, "<b></b>" * 200_000, LimitError, DeadlineError)

    def test_refresh(self, plain: Renderer) -> None:
        found = plain.render(Page(content="<meta http-equiv=refresh content='0;url=about:blank'><p>Here."))
        assert found.snapshot.texts == ["Here."]
        assert plain.render(Page(content="<p>Next.")).snapshot.texts == ["Next."]


BUSY = "setInterval(() => fetch('/x').catch(() => 0), 20);"
"""Keeps the network busy, so that the page is not taken for settled before its time."""

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
"""Scripts that want the page's reader, or the browser, to be busy for ever."""

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
"""Scripts that want the disk."""

BOMBS = {
    "wasm": "window.all = []; setInterval(() => { const m = new WebAssembly.Memory({ initial: 4096 });"
    "new Uint8Array(m.buffer).fill(1); all.push(m) }, 1)",
    "arrays": "window.all = []; for (;;) all.push(new Uint8Array(1e8).fill(7))",
    "workers": "for (let i = 0; i < 50; i++) new Worker(URL.createObjectURL(new Blob(["
    "'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(7))'])))",
}
"""Scripts that want the memory."""


class TestClobbering:
    """Names in a page shadow properties of its document and its forms, never what the page is read with."""

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

    def test_tree_and_title(self, renderer: Renderer, clobbering: str) -> None:
        found = renderer.render(Page(content=clobbering)).snapshot
        assert found.texts == ["Before.", "Inside.", "After."]
        assert found.title == "True"
        assert len(found) == 6 + 2 * len(self.NAMES.split())

    @pytest.mark.parametrize("clobbering", ["img"], indirect=True)
    def test_with_resources(self, renderer: Renderer, clobbering: str) -> None:
        found = renderer.render(Page(content=clobbering, resources=Nothing())).snapshot
        assert found.texts == ["Before.", "Inside.", "After."]

    @pytest.mark.parametrize("clobbering", ["form"], indirect=True)
    def test_with_scripts(self, scripting: Renderer, clobbering: str) -> None:
        found = scripting.render(Page(content=clobbering)).snapshot
        assert found.texts == ["Before.", "Inside.", "After."]

    def test_noscript_and_lazy_content_in_a_form(self, renderer: Renderer) -> None:
        html = "<form><input name=childNodes><noscript><p>" + "word " * 99 + "</noscript></form>"
        lazy = "<div style='content-visibility: auto'><p style='height: 500px'></div>"
        found = renderer.render(Page(content=f"<img name=adoptedStyleSheets>{html}{lazy * 10}")).snapshot
        assert found.noscript
        assert found.height > 5000

    def test_frames_of_a_frameset(self, renderer: Renderer) -> None:
        frames = "".join(f"<frame name={name}>" for name in self.NAMES.split())
        found = renderer.render(Page(content=f"<frameset>{frames}</frameset>")).snapshot
        assert len(found) == 2 + frames.count("<frame")


def script(code: str) -> str:
    return f"<p>Here.<script>{BUSY}{code}</script>"


@pytest.mark.slow
class TestStorms:
    @pytest.mark.parametrize("name", STORMS)
    def test_next_page_works(self, scripted: Renderer, name: str) -> None:
        bounded(scripted, script(STORMS[name]), DeadlineError, LimitError, BrowserError)

    def test_redirects(self, site, scripted: Renderer) -> None:
        """Of a live page to itself, by status and by refresh."""
        site.serve("/a", status=302, location="/a")
        site.serve("/b", "<meta http-equiv=refresh content='0;url=/b'><p>Here.", refresh="0; url=/b")
        with Renderer(RenderSettings(deadline=20), allow_hosts=frozenset(["127.0.0.1"])) as live:
            with pytest.raises(NetworkError, match="redirects without end"):
                live.render(Page(url=f"http://{site.address}/a", live=True))
            found = live.render(Page(url=f"http://{site.address}/b", live=True))
        assert found.snapshot.texts == ["Here."]

    def test_attached_file(self, site) -> None:
        """A server cannot make the page a download, nor fill the disk with one."""
        header = {"content-disposition": "attachment; filename=x.zip"}
        site.serve("/zip", b"x" * 2**22, kind="application/zip", **header)
        site.serve("/", "<p>Here.<iframe src=/zip></iframe><object data=/zip></object>", **header)
        with Renderer(RenderSettings(deadline=20), allow_hosts=frozenset(["127.0.0.1"])) as live:
            found = live.render(Page(url=f"http://{site.address}/", live=True))
            assert disk(live) < MAX_DISK
        assert found.snapshot.texts == ["Here."]


MAX_DISK = 2**22
"""Bytes; the browser's profile alone takes 200 kB."""


def disk(renderer: Renderer) -> int:
    """Bytes of all files in the folders of the browser."""
    process = renderer._worker.renderer._process
    folders = [process.profile, process.folder] if process is not None else []
    files = [Path(folder, name) for top in folders for folder, _, names in os.walk(top) for name in names]
    total = 0
    for file in files:
        with contextlib.suppress(OSError):  # gone by now
            total += file.lstat().st_size
    return total


@pytest.mark.slow
class TestFillers:
    @pytest.mark.parametrize("name", FILLERS)
    def test_disk_stays_empty(self, scripted: Renderer, name: str) -> None:
        """What pages store is kept in memory, and gone with them."""
        scripted.render(Page(content="<p>First."))
        sizes: list[int] = []
        over = threading.Event()

        def look() -> None:
            while not over.wait(0.05):
                sizes.append(disk(scripted))

        looking = threading.Thread(target=look)
        looking.start()
        try:
            bounded(scripted, script(FILLERS[name]), DeadlineError, BrowserError, deadline=FILLING)
        finally:
            over.set()
            looking.join()
        assert max(sizes) < MAX_DISK


@pytest.mark.slow
class TestBombs:
    @pytest.mark.parametrize("name", BOMBS)
    def test_memory_is_bounded(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "_MAX_MEMORY", 400 * 2**20)
        monkeypatch.setattr(limits, "_CHECK_SECONDS", 0.05)
        with Renderer(RenderSettings(deadline=30, scripts=True, settle=20)) as renderer:
            with pytest.raises(LimitError, match="more than 400 MB of memory"):
                renderer.render(Page(content=script(BOMBS[name]), url="https://example.org/"))
            assert renderer.render(Page(content="<p>Next.")).snapshot.texts == ["Next."]


@pytest.mark.slow
class TestAfterwards:
    def test_nothing_is_left(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Of a browser that went through the worst: no process, no file."""
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with Renderer(RenderSettings(scripts=True, settle=0.5)) as renderer:
            renderer.render(Page(content="<p>First."))
            group = renderer._worker.renderer._process.pid
            for code in (STORMS["workers"], FILLERS["downloads"], FILLERS["blobs"]):
                bounded(renderer, script(code), DeadlineError, BrowserError)
        end = time.monotonic() + 10
        while (list(tmp_path.iterdir()) or alive(group)) and time.monotonic() < end:
            time.sleep(0.05)
        assert list(tmp_path.iterdir()) == []
        assert not alive(group)


def alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True


class TestWithScripts:
    def test_endless_loop(self, scripted: Renderer) -> None:
        with hurried(scripted), pytest.raises(DeadlineError):
            scripted.render(Page(content="<script>for (;;);</script>"))
        assert scripted.render(Page(content="<p>Next.")).snapshot.texts == ["Next."]

    def test_restless_page(self, scripted: Renderer) -> None:
        """A page that goes from copy to copy of itself is read in between."""
        again = "location = URL.createObjectURL(new Blob([document.documentElement.outerHTML], { type: 'text/html' }))"
        html = f"<p>Here.<script>setInterval(() => {{ {again} }}, 30)</script>"
        assert scripted.render(Page(content=html)).snapshot.texts == ["Here."]

    def test_page_without_a_root(self, scripting: Renderer) -> None:
        found = scripting.render(Page(content="<p>Here.<script>document.documentElement.remove()</script>")).snapshot
        assert len(found) == 1
        assert found.texts == []

    def test_form_for_a_root(self, scripting: Renderer) -> None:
        html = """<script>const form = document.createElement('form');
        form.innerHTML = '<input name=scrollWidth><input name=childNodes><input name=lang>Inside.';
        document.replaceChild(form, document.documentElement)</script>"""
        assert scripting.render(Page(content=html)).snapshot.texts == ["Inside."]

    def test_foreign_elements_named_like_ours(self, scripting: Renderer) -> None:
        html = """<p>Here.<script>for (const name of ['details', 'slot', 'form'])
        document.body.append(document.createElementNS('urn:x', name))</script>"""
        assert scripting.render(Page(content=html)).snapshot.tags[-3:] == ("details", "slot", "form")

    def test_tampered_builtins(self, scripting: Renderer) -> None:
        """The page's scripts cannot get at what reads the page."""
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
