"""Check that no page reaches this machine: a listener on the loopback interface counts no hit, and no file is read."""

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
from helpers.browser import group_of, processes
from playwright.async_api import Browser, async_playwright
from playwright.async_api import Error as PlaywrightError

from vclean.errors import NetworkError
from vclean.page import Page
from vclean.render import addresses
from vclean.render.archive.saved_page import FolderResources
from vclean.render.browser import process
from vclean.render.browser.chromium import find_chromium
from vclean.render.browser.renderer import Renderer
from vclean.render.isolation.sandbox import Obstacle
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

ORIGIN = "https://example.org/dir/page.html"

WITHOUT_PROMPTS = (
    "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,LocalNetworkAccessChecksWebRTC"
)
"""Protection of local addresses in Chromium, which asks the user; it is not part of vclean, and is disabled."""


@pytest.fixture(scope="module")
def without_namespace() -> Iterator[None]:
    """Start browsers with network access, as if namespaces were not allowed: the harder case."""
    executable = find_chromium().path
    process._NEEDS_NETWORK[executable] = Obstacle("a test", "")
    yield
    del process._NEEDS_NETWORK[executable]


@pytest.fixture(scope="module")
def plain(without_namespace: None) -> Iterator[Renderer]:
    with Renderer(RenderSettings(deadline=60)) as shared:
        yield shared


@pytest.fixture(scope="module")
def scripted(without_namespace: None) -> Iterator[Renderer]:
    with Renderer(RenderSettings(scripts="on", settle=0.4, deadline=20)) as shared:
        yield shared


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    """Count late hits too: they fail the next test, or the final check."""
    with listening() as running:
        yield running
        time.sleep(1)
        assert running.hits == []


CERTAIN_ATTACKS = (
    "img", "style import", "iframe", "srcdoc", "script", "video", "link prefetch", "speculation prefetch",
    "by number", "by name", "by v6", "fetch", "xhr", "beacon", "events", "websocket", "worker", "popup",
    "location", "form", "dynamic import",
)  # fmt: skip


@pytest.fixture(scope="module")
def unguarded() -> Listener:
    """Open all attacks in a browser with default flags, on pages of the origin of the listener."""
    with listening() as running:
        asyncio.run(open_attacks(running))
    return running


async def open_attacks(listener: Listener) -> None:
    async with async_playwright() as playwright:
        root = os.name == "posix" and os.geteuid() == 0
        browser = await playwright.chromium.launch(
            executable_path=find_chromium().path, chromium_sandbox=not root, args=[WITHOUT_PROMPTS]
        )
        turns = asyncio.Semaphore(6)
        pages = map(listener.attack, [*page_groups(PASSIVE), *page_groups(ACTIVE)])
        await asyncio.gather(*(open_attack(browser, turns, listener, html) for html in pages))
        # On a busy machine some attacks of a page have no time: try them again, each on a separate page.
        missing = [name for name in CERTAIN_ATTACKS if name not in listener.reached_by(PASSIVE | ACTIVE)]
        await asyncio.gather(*(open_attack(browser, turns, listener, listener.attack((name,))) for name in missing))
        await browser.close()


async def open_attack(browser: Browser, turns: asyncio.Semaphore, listener: Listener, html: str) -> None:
    async with turns:
        context = await browser.new_context()
        page = await context.new_page()
        await page.route("**/page.html", lambda route: route.fulfill(body=html, content_type="text/html"))
        try:
            await page.goto(f"http://127.0.0.1:{listener.port}/page.html", wait_until="commit", timeout=3000)
            await page.wait_for_load_state("networkidle", timeout=3000)
        except PlaywrightError:
            pass  # some attacks navigate at once
        await context.close()


@pytest.mark.slow
class TestListener:
    """Control group for the other tests: without protection, the hits of the same pages are counted."""

    def test_counts_attacks(self, unguarded: Listener) -> None:
        # Attacks that are not certain may have no effect: removed features, prompts, or bare connections.
        passive, active = unguarded.reached_by(PASSIVE), unguarded.reached_by(ACTIVE)
        assert set(CERTAIN_ATTACKS) <= passive | active
        assert len(passive) > 40
        assert len(active) > 25

    def test_counts_packets_and_bare_connections(self, unguarded: Listener) -> None:
        # A STUN packet of WebRTC without attributes has 20 bytes (RFC 8489, section 5).
        assert "udp 20" in unguarded.hits
        requests = [hit for hit in unguarded.hits if "HTTP/1.1" in hit]
        assert unguarded.hits.count("connection") > len(requests) > 70


class TestLoopback:
    """Attacks in a browser with network access, which only its switches and the interception block."""

    @pytest.mark.parametrize("attacks", [*page_groups(PASSIVE), *page_groups(ACTIVE)], ids=group_id)
    def test_blocks_document_in_reused_tab(self, plain: Renderer, listener: Listener, attacks: tuple[str, ...]) -> None:
        page = listener.attack(attacks)
        assert "Text" in plain.render(Page(content=page, url=ORIGIN)).snapshot.texts
        assert listener.hits == []

    @pytest.mark.slow
    @pytest.mark.parametrize("mode", ["plain", "scripted"])
    def test_blocks_page_with_resources(self, mode: str, listener: Listener, request: pytest.FixtureRequest) -> None:
        renderer: Renderer = request.getfixturevalue(mode)
        for page in listener.pages(PASSIVE):
            assert "Text" in renderer.render(Page(content=page, url=ORIGIN, resources={})).snapshot.texts
            assert listener.hits == []

    @pytest.mark.slow
    @pytest.mark.parametrize("attacks", page_groups(ACTIVE), ids=group_id)
    def test_blocks_page_with_scripts(self, scripted: Renderer, listener: Listener, attacks: tuple[str, ...]) -> None:
        scripted.render(Page(content=listener.attack(attacks), url=ORIGIN))
        assert listener.hits == []

    def test_blocks_page_with_a_local_url(self, scripted: Renderer, listener: Listener) -> None:
        # A page that claims a local URL has no more access than others.
        page = "".join(listener.page(road, ACTIVE[road]) for road in ("fetch", "xhr", "websocket", "beacon", "image"))
        scripted.render(Page(content=page, url=f"http://127.0.0.1:{listener.port}/"))
        assert listener.hits == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_opens_no_port_without_a_namespace(scripted: Renderer, listener: Listener) -> None:
    # No socket of the browser listens or is bound, WebRTC included.
    scripted.render(Page(content=listener.page("webrtc peer", ACTIVE["webrtc peer"]), url=ORIGIN))
    sockets = set()
    for entry in processes(group_of(scripted)):
        with contextlib.suppress(OSError):  # the files of sandboxed processes are hidden; they have no network
            sockets |= {str(file.readlink()) for file in (entry / "fd").iterdir()}
    assert sockets
    for table in ("tcp", "tcp6", "udp", "udp6"):
        rows = [line.split() for line in Path("/proc/net", table).read_text().splitlines()[1:]]
        assert [row for row in rows if f"socket:[{row[9]}]" in sockets] == []


@pytest.mark.slow
class TestLive:
    """Live pages, on a simulated Internet with one public address; all other addresses are local."""

    PUBLIC = "93.184.216.34"

    @pytest.fixture
    def internet(self, site, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
        """Return addresses by name, one per lookup, the last one repeatedly; `site` serves `PUBLIC`."""
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

        monkeypatch.setattr(addresses, "resolve", resolve)
        monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", route)
        return names

    def test_blocks_attacks(self, scripted: Renderer, site, listener: Listener, internet: dict[str, list[str]]) -> None:
        for number, page in enumerate([*listener.pages(PASSIVE), *listener.pages(ACTIVE, size=12)]):
            site.serve(f"/{number}", page)
            scripted.render(Page(url=f"http://public.example/{number}", live=True))
        assert len({hit for hit in site.hits if hit[1:].isdigit()}) == number + 1
        assert listener.hits == []

    @pytest.mark.usefixtures("internet")
    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "local.example"])
    def test_blocks_local_addresses(self, plain: Renderer, site, listener: Listener, host: str) -> None:
        # Addresses of the page, and redirects of the page and of its subresources.
        port = listener.port6 if host == "[::1]" else listener.port
        local = f"http://{host}:{port}/redirect"
        site.serve("/away", status=307, location=local)
        for url in (local, "http://public.example/away"):
            with pytest.raises(NetworkError, match="not a public address"):
                plain.render(Page(url=url, live=True))
        site.serve("/", "<p>Text<img src=/away><iframe src=/away></iframe><link rel=stylesheet href=/away>")
        assert plain.render(Page(url="http://public.example/", live=True)).snapshot.texts == ["Text"]
        assert listener.hits == []

    def test_blocks_dns_rebinding(
        self, scripted: Renderer, site, listener: Listener, internet: dict[str, list[str]]
    ) -> None:
        # The name is public when the page is fetched, and local afterwards.
        internet["rebind.example"] = [self.PUBLIC, "127.0.0.1"]
        site.serve("/", f"<p>Text<img src=//rebind.example:{listener.port}/img>{{}}".format(
            f"<script>fetch('http://rebind.example:{listener.port}/fetch')</script>"))  # fmt: skip
        assert scripted.render(Page(url="http://rebind.example/", live=True)).snapshot.texts[0] == "Text"
        assert internet["rebind.example"] == ["127.0.0.1"]
        assert listener.hits == []

    def test_blocks_reports(self, scripted: Renderer, site, listener: Listener, internet: dict[str, list[str]]) -> None:
        # The browser would send these itself because of response headers.
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

    def test_allows_listed_host_names_only(self, site, listener: Listener) -> None:
        # An allowed host may be local, but only under the allowed name.
        site.serve("/", f"<p>Text<img src=http://localhost:{listener.port}/img><img src=/img>")
        with Renderer(RenderSettings(allow_hosts=("127.0.0.1",))) as renderer:
            rendering = renderer.render(Page(url=f"http://{site.address}/", live=True))
        assert site.hits == ["/", "/img"]
        assert listener.hits == []
        assert rendering.snapshot.url == f"http://{site.address}/"


SECRET = "p { font-size: 77px }"
OUTSIDE = [
    "file://{outside}", "../secret.css", "%2e%2e/secret.css", "%2e%2e%2fsecret.css", "..%2fsecret.css",
    "..\\secret.css", "..%5csecret.css", "%252e%252e/secret.css", "./%2e./secret.css", "inner/../../secret.css",
    "{outside}", "/{outside}", "//{outside}", "link.css", "linked/secret.css", ".hidden.css", "secret.css%00.css",
    "file:{outside}", "FILE:///{outside}", "file://localhost{outside}", "view-source:file://{outside}",
    "filesystem:file://{outside}", "jar:file://{outside}", "\\\\localhost{outside}", "https://example.org/secret.css",
]  # fmt: skip
"""URL templates of a style sheet outside the folder of the page."""

READERS = {
    "link": "<link rel=stylesheet href='{}'>",
    "import": "<style>@import url('{}');</style>",
    "iframe": "<iframe src='{}'></iframe>",
    "object": "<object data='{}'></object>",
}


class TestFiles:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """Create the folder of a page at `dir/`, a secret next to it, and links to the secret."""
        inside = tmp_path / "inside"
        (inside / "inner").mkdir(parents=True)
        (tmp_path / "secret.css").write_text(SECRET)
        (inside / ".hidden.css").write_text(SECRET)
        (inside / "inside.css").write_text("p { font-size: 55px }")
        (inside / "link.css").symlink_to(tmp_path / "secret.css")
        (inside / "linked").symlink_to(tmp_path)
        return inside

    def sizes(self, renderer: Renderer, folder: Path, html: str, url: str = ORIGIN) -> set[float]:
        snapshot = renderer.render(Page(content=html, url=url, resources=FolderResources(folder, url))).snapshot
        return set(snapshot.styles.number("font-size"))

    @pytest.mark.parametrize("reader", ["link", "import"])
    def test_reads_files_next_to_the_page(self, plain: Renderer, folder: Path, reader: str) -> None:
        assert 55.0 in self.sizes(plain, folder, READERS[reader].format("inside.css") + "<p>Text")

    @pytest.mark.parametrize("templates", batches(OUTSIDE, 6), ids=" ".join)
    def test_reads_no_files_outside(self, plain: Renderer, folder: Path, templates: tuple[str, ...]) -> None:
        links = [template.format(outside=folder.parent / "secret.css") for template in templates]
        html = "".join(reader.format(link) for link in links for reader in READERS.values())
        assert 77.0 not in self.sizes(plain, folder, html + "<p>Text")

    def test_reads_no_files_for_a_file_url(self, plain: Renderer, folder: Path) -> None:
        secret = (folder.parent / "secret.css").as_uri()
        html = "".join(reader.format(secret) for reader in READERS.values())
        rendering = plain.render(Page(content=html + "<p>Text", url=(folder / "page.html").as_uri(), resources={}))
        assert 77.0 not in rendering.snapshot.styles.number("font-size")

    def test_reads_no_files_for_scripts(self, scripted: Renderer, folder: Path) -> None:
        # Scripts use every call that returns the content of a URL, and insert it into the page.
        urls = [template.format(outside=folder.parent / "secret.css").replace("\\", "\\\\") for template in OUTSIDE]
        reading = """<p>Text<script>const show = (text) => { if (/77px/.test(text)) document.body.append(text) };
        for (const url of %r) {
          try { fetch(url).then((answer) => answer.text()).then(show).catch(() => 0) } catch {}
          try { const x = new XMLHttpRequest(); x.open('GET', url, false); x.send(); show(x.responseText) } catch {}
          try { const f = document.createElement('iframe'); f.src = url; document.body.append(f);
                f.onload = () => { try { show(f.contentDocument.documentElement.textContent) } catch {} } } catch {}
        }</script>"""
        resources = FolderResources(folder, ORIGIN)
        rendering = scripted.render(Page(content=reading % urls, url=ORIGIN, resources=resources))
        assert [text for text in rendering.snapshot.texts if "77px" in text] == []
