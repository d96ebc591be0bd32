"""No page reaches this machine: a listener on the loopback interface counts no hit, and no file is read."""

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from helpers.attacks import ACTIVE, PASSIVE, Listener, batches, group_id, listening, page_groups
from playwright.async_api import Browser, async_playwright
from playwright.async_api import Error as PlaywrightError

from vclean.errors import NetworkError
from vclean.page import Page, Resource
from vclean.render.archive.folder import FolderResources
from vclean.render.browser import process
from vclean.render.browser.chromium import find_chromium
from vclean.render.browser.renderer import Renderer
from vclean.render.network import addresses
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

ORIGIN = "https://example.org/dir/page.html"
SCRIPTED = RenderSettings(scripts=True, settle=0.4, deadline=20)

UNASKED = (
    "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,LocalNetworkAccessChecksWebRTC"
)
"""Chromium's own wall before local addresses, which asks the user: not one of ours."""


class Nothing:
    def get(self, url: str) -> Resource | None:
        return None


@pytest.fixture(scope="module")
def flags_alone() -> Iterator[None]:
    """Browsers have a network, as where namespaces are not allowed: the harder case."""
    executable = find_chromium().path
    process._NEEDS_NETWORK.add(executable)
    yield
    process._NEEDS_NETWORK.discard(executable)


@pytest.fixture(scope="module")
def plain(flags_alone: None) -> Iterator[Renderer]:
    with Renderer(RenderSettings(deadline=20)) as shared:
        yield shared


@pytest.fixture(scope="module")
def scripted(flags_alone: None) -> Iterator[Renderer]:
    with Renderer(SCRIPTED) as shared:
        yield shared


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    """Late hits are counted too: those of one test fail the next, or the last look."""
    with listening() as found:
        yield found
        time.sleep(1)
        assert found.hits == []


@pytest.fixture(scope="module")
def unguarded() -> Listener:
    """All attacks, visited with a browser started as anybody starts one, from pages of the listener's own origin."""
    with listening() as found:
        asyncio.run(surf(found))
    return found


async def surf(listener: Listener) -> None:
    async with async_playwright() as playwright:
        root = os.name == "posix" and os.geteuid() == 0
        browser = await playwright.chromium.launch(
            executable_path=find_chromium().path, chromium_sandbox=not root, args=[UNASKED]
        )
        turns = asyncio.Semaphore(6)
        pages = map(listener.attack, [*page_groups(PASSIVE), *page_groups(ACTIVE)])
        await asyncio.gather(*(visit(browser, turns, listener, html) for html in pages))
        await browser.close()


async def visit(browser: Browser, turns: asyncio.Semaphore, listener: Listener, html: str) -> None:
    async with turns:
        context = await browser.new_context()
        page = await context.new_page()
        await page.route("**/page.html", lambda route: route.fulfill(body=html, content_type="text/html"))
        try:
            await page.goto(f"http://127.0.0.1:{listener.port}/page.html", wait_until="commit", timeout=3000)
            await page.wait_for_load_state("networkidle", timeout=3000)
        except PlaywrightError:
            pass  # some attacks leave the page at once
        await context.close()


@pytest.mark.slow
class TestListener:
    """What the other tests rest on: without the walls, the same pages are counted."""

    def test_counts_most_roads(self, unguarded: Listener) -> None:
        """The rest is silent in today's Chromium: gone (applets, XSLT), asks the user first, or a mere connection."""
        assert len(unguarded.reached_by(PASSIVE)) > 40
        assert len(unguarded.reached_by(ACTIVE)) > 25

    @pytest.mark.parametrize(
        "road",
        ["img", "style import", "iframe", "srcdoc", "script", "video", "link prefetch", "speculation prefetch",
         "by number", "by name", "by v6", "fetch", "xhr", "beacon", "events", "websocket", "worker", "popup",
         "location", "form", "dynamic import"],
    )  # fmt: skip
    def test_counts_a_road(self, unguarded: Listener, road: str) -> None:
        assert road in unguarded.reached_by(PASSIVE | ACTIVE)

    def test_counts_packets(self, unguarded: Listener) -> None:
        """STUN, as WebRTC sends it, is 20 bytes long without attributes (RFC 8489, 5)."""
        assert "udp 20" in unguarded.hits

    def test_counts_bare_connections(self, unguarded: Listener) -> None:
        requests = [hit for hit in unguarded.hits if "HTTP/1.1" in hit]
        assert unguarded.hits.count("connection") > len(requests) > 70


class TestLoopback:
    """The browser has a network here, and only its switches and the interception keep pages from it."""

    @pytest.mark.parametrize("roads", [*page_groups(PASSIVE), *page_groups(ACTIVE)], ids=group_id)
    def test_put_into_the_tab(self, plain: Renderer, listener: Listener, roads: tuple[str, ...]) -> None:
        page = listener.attack(roads)
        assert "Text" in plain.render(Page(content=page, url=ORIGIN)).snapshot.texts
        assert listener.hits == []

    @pytest.mark.slow
    @pytest.mark.parametrize("mode", ["plain", "scripted"])
    def test_with_resources(self, mode: str, listener: Listener, request: pytest.FixtureRequest) -> None:
        renderer: Renderer = request.getfixturevalue(mode)
        for page in listener.pages(PASSIVE):
            assert "Text" in renderer.render(Page(content=page, url=ORIGIN, resources=Nothing())).snapshot.texts
            assert listener.hits == []

    @pytest.mark.parametrize("roads", page_groups(ACTIVE), ids=group_id)
    def test_with_scripts(self, scripted: Renderer, listener: Listener, roads: tuple[str, ...]) -> None:
        scripted.render(Page(content=listener.attack(roads), url=ORIGIN))
        assert listener.hits == []

    def test_by_a_page_of_this_machine(self, scripted: Renderer, listener: Listener) -> None:
        """A page that says it came from here gets no further: there is no private network to be let into."""
        page = "".join(listener.page(road, ACTIVE[road]) for road in ("fetch", "xhr", "websocket", "beacon", "image"))
        scripted.render(Page(content=page, url=f"http://127.0.0.1:{listener.port}/"))
        assert listener.hits == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_port_is_open_without_a_namespace(scripted: Renderer, listener: Listener) -> None:
    """None of the browser's sockets listens or is bound, WebRTC's included."""
    scripted.render(Page(content=listener.page("webrtc peer", ACTIVE["webrtc peer"]), url=ORIGIN))
    group = scripted._worker.renderer._process.pid
    held = set()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # sandboxed processes show nobody their files; their network is none
            if process._group(entry) == group:
                held |= {str(file.readlink()) for file in (entry / "fd").iterdir()}
    assert held
    for table in ("tcp", "tcp6", "udp", "udp6"):
        rows = [line.split() for line in Path("/proc/net", table).read_text().splitlines()[1:]]
        assert [row for row in rows if f"socket:[{row[9]}]" in held] == []


class TestLive:
    """Live pages, from an Internet of one public address; everything else is this machine."""

    PUBLIC = "93.184.216.34"

    @pytest.fixture
    def internet(self, site, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
        """Addresses by name, one per look-up, the last for ever; `PUBLIC` is served by `site`."""
        names = {"public.example": [self.PUBLIC]}
        port = int(site.address.rpartition(":")[2])
        handle = httpx.AsyncHTTPTransport.handle_async_request

        def resolve(host: str, _port: int) -> list[str]:
            answers = names.get(host, ["127.0.0.1"])
            return [answers.pop(0) if len(answers) > 1 else answers[0]]

        async def route(transport: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
            if request.url.host == self.PUBLIC:
                request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=port)
            return await handle(transport, request)

        monkeypatch.setattr(addresses, "_resolve", resolve)
        monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", route)
        return names

    @pytest.mark.slow
    def test_roads(self, scripted: Renderer, site, listener: Listener, internet: dict[str, list[str]]) -> None:
        for number, page in enumerate([*listener.pages(PASSIVE), *listener.pages(ACTIVE, size=12)]):
            site.serve(f"/{number}", page)
            scripted.render(Page(url=f"http://public.example/{number}", live=True))
        assert len({hit for hit in site.hits if hit[1:].isdigit()}) == number + 1
        assert listener.hits == []

    @pytest.mark.usefixtures("internet")
    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "local.example"])
    def test_redirects(self, plain: Renderer, site, listener: Listener, host: str) -> None:
        """Of the page itself, and of what it loads."""
        port = listener.port6 if host == "[::1]" else listener.port
        site.serve("/away", status=307, location=f"http://{host}:{port}/redirect")
        with pytest.raises(NetworkError, match="not a public address"):
            plain.render(Page(url="http://public.example/away", live=True))
        site.serve("/", "<p>Text<img src=/away><iframe src=/away></iframe><link rel=stylesheet href=/away>")
        assert plain.render(Page(url="http://public.example/", live=True)).snapshot.texts == ["Text"]
        assert listener.hits == []

    def test_name_of_this_machine(self, plain: Renderer, listener: Listener, internet: dict[str, list[str]]) -> None:
        with pytest.raises(NetworkError, match=r"local\.example is at 127\.0\.0\.1"):
            plain.render(Page(url=f"http://local.example:{listener.port}/", live=True))
        assert listener.hits == []

    def test_rebinding(self, scripted: Renderer, site, listener: Listener, internet: dict[str, list[str]]) -> None:
        """A name that is public when the page is fetched, and this machine afterwards."""
        internet["rebind.example"] = [self.PUBLIC, "127.0.0.1"]
        site.serve("/", f"<p>Text<img src=//rebind.example:{listener.port}/img>{{}}".format(
            f"<script>fetch('http://rebind.example:{listener.port}/fetch')</script>"))  # fmt: skip
        assert scripted.render(Page(url="http://rebind.example/", live=True)).snapshot.texts[0] == "Text"
        assert internet["rebind.example"] == ["127.0.0.1"]
        assert listener.hits == []

    def test_reports(self, scripted: Renderer, site, listener: Listener, internet: dict[str, list[str]]) -> None:
        """The browser itself would send these, for headers of the page."""
        to = f"http://127.0.0.1:{listener.port}"
        headers = {
            "content-security-policy": f"img-src 'none'; report-uri {to}/csp; report-to x",
            "reporting-endpoints": f'x="{to}/report", default="{to}/default"',
            "report-to": f'{{"group":"x","max_age":9,"endpoints":[{{"url":"{to}/old"}}]}}',
            "nel": '{"report_to":"x","max_age":9,"success_fraction":1}',
            "link": f"<{to}/preload>; rel=preload; as=image, <{to}>; rel=preconnect",
            "refresh": f"0; url={to}/refresh",
            "source-map": f"{to}/map",
        }
        site.serve("/", "<p>Text<img src=/x>", **headers)
        scripted.render(Page(url="http://public.example/", live=True))
        assert listener.hits == []

    def test_let_through_by_name_only(self, site, listener: Listener) -> None:
        """A host that is allowed may be this machine; another name of it may not."""
        site.serve("/", f"<p>Text<img src=http://localhost:{listener.port}/img><img src=/img>")
        with Renderer(allow_hosts=frozenset(["127.0.0.1"])) as renderer:
            found = renderer.render(Page(url=f"http://{site.address}/", live=True))
        assert site.hits == ["/", "/img"]
        assert listener.hits == []
        assert found.snapshot.url == f"http://{site.address}/"


SECRET = "p { font-size: 77px }"
OUTSIDE = [
    "file://{outside}", "../secret.css", "%2e%2e/secret.css", "%2e%2e%2fsecret.css", "..%2fsecret.css",
    "..\\secret.css", "..%5csecret.css", "%252e%252e/secret.css", "./%2e./secret.css", "inner/../../secret.css",
    "{outside}", "/{outside}", "//{outside}", "link.css", "linked/secret.css", ".hidden.css", "secret.css%00.css",
    "file:{outside}", "FILE:///{outside}", "file://localhost{outside}", "view-source:file://{outside}",
    "filesystem:file://{outside}", "jar:file://{outside}", "\\\\localhost{outside}", "https://example.org/secret.css",
]  # fmt: skip
"""Ways to name a style sheet outside of the page's folder."""

READERS = {
    "link": "<link rel=stylesheet href='{}'>",
    "import": "<style>@import url('{}');</style>",
    "iframe": "<iframe src='{}'></iframe>",
    "object": "<object data='{}'></object>",
}


class TestFiles:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """The folder of a page at `dir/`, with a secret beside it and links to that inside."""
        inside = tmp_path / "inside"
        (inside / "inner").mkdir(parents=True)
        (tmp_path / "secret.css").write_text(SECRET)
        (inside / ".hidden.css").write_text(SECRET)
        (inside / "inside.css").write_text("p { font-size: 55px }")
        (inside / "link.css").symlink_to(tmp_path / "secret.css")
        (inside / "linked").symlink_to(tmp_path)
        return inside

    def sizes(self, renderer: Renderer, folder: Path, html: str, url: str = ORIGIN) -> set[float]:
        found = renderer.render(Page(content=html, url=url, resources=FolderResources(folder, url))).snapshot
        return set(found.styles.number("font-size"))

    @pytest.mark.parametrize("reader", ["link", "import"])
    def test_files_beside_the_page_are_read(self, plain: Renderer, folder: Path, reader: str) -> None:
        assert 55.0 in self.sizes(plain, folder, READERS[reader].format("inside.css") + "<p>Text")

    @pytest.mark.parametrize("ways", batches(OUTSIDE, 6), ids=" ".join)
    def test_none_outside(self, plain: Renderer, folder: Path, ways: tuple[str, ...]) -> None:
        wanted = [way.format(outside=folder.parent / "secret.css") for way in ways]
        html = "".join(reader.format(way) for way in wanted for reader in READERS.values())
        assert 77.0 not in self.sizes(plain, folder, html + "<p>Text")

    def test_none_by_a_page_of_the_file_scheme(self, plain: Renderer, folder: Path) -> None:
        secret = (folder.parent / "secret.css").as_uri()
        html = "".join(reader.format(secret) for reader in READERS.values())
        found = plain.render(Page(content=html + "<p>Text", url=(folder / "page.html").as_uri(), resources=Nothing()))
        assert 77.0 not in found.snapshot.styles.number("font-size")

    def test_none_by_scripts(self, scripted: Renderer, folder: Path) -> None:
        """By every call that gives a page the content of an address; what was read would be the page's text."""
        ways = [way.format(outside=folder.parent / "secret.css").replace("\\", "\\\\") for way in OUTSIDE]
        reading = """<p>Text<script>const show = (text) => { if (/77px/.test(text)) document.body.append(text) };
        for (const way of %r) {
          try { fetch(way).then((answer) => answer.text()).then(show).catch(() => 0) } catch {}
          try { const x = new XMLHttpRequest(); x.open('GET', way, false); x.send(); show(x.responseText) } catch {}
          try { const f = document.createElement('iframe'); f.src = way; document.body.append(f);
                f.onload = () => { try { show(f.contentDocument.documentElement.textContent) } catch {} } } catch {}
        }</script>"""
        resources = FolderResources(folder, ORIGIN)
        found = scripted.render(Page(content=reading % ways, url=ORIGIN, resources=resources))
        assert [text for text in found.snapshot.texts if "77px" in text] == []
