import io
import threading
from collections.abc import Iterator

import pytest
from helpers.browser import png
from PIL import Image

from vclean.errors import DeadlineError, LimitError, NetworkError, NotHtmlError
from vclean.page import Page, Resource
from vclean.render.archive.saved_page import FolderResources
from vclean.render.browser.cdp import MAX_SCREENSHOT_HEIGHT, MAX_SCREENSHOT_WIDTH
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Snapshot
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

URL = "https://example.org/a/page.html"


@pytest.fixture(scope="module")
def live() -> Iterator[Renderer]:
    """Return a renderer that may reach the loopback address by its number, and fetches missing subresources."""
    settings = RenderSettings(deadline=40, max_bytes=40_000, allow_hosts=("127.0.0.1",))
    with Renderer(settings, network=True) as shared:
        yield shared


class Store(dict[str, Resource]):
    """Resources in memory that record the requested URLs."""

    def __init__(self, **named: Resource) -> None:
        super().__init__({f"https://example.org/a/{name.replace('_', '.')}": body for name, body in named.items()})
        self.requested: list[str] = []

    def get(self, url: str) -> Resource | None:  # type: ignore[override]
        self.requested.append(url)
        return super().get(url)


IMAGE = Resource(png(70, 40), "image/png")


def image_size(snapshot: Snapshot) -> list[float]:
    (image,) = snapshot.is_tag(("img",)).nonzero()[0]
    return snapshot.box[image][2:].tolist()


class TestResources:
    def test_loads_style_sheet_and_lazy_image(self, renderer: Renderer) -> None:
        store = Store(a_css=Resource(b"p { font-size: 33px }", "text/css"), b_png=IMAGE)
        html = "<link rel=stylesheet href=a.css><p style='height: 20000px'>t</p><img loading=lazy src=b.png>"
        snapshot = renderer.render(Page(content=html, url=URL, resources=store)).snapshot
        assert 33 in snapshot.styles.number("font-size")
        assert image_size(snapshot) == [70, 40]
        assert snapshot.url == URL

    def test_requests_font_of_another_origin(self, renderer: Renderer) -> None:
        store = Store()
        html = "<style>@font-face { font-family: f; src: url(https://cdn.example.com/f.woff2) } p { font-family: f }"
        renderer.render(Page(content=html + "</style><p>t", url=URL, resources=store))
        assert "https://cdn.example.com/f.woff2" in store.requested

    def test_does_not_cache_between_pages(self, renderer: Renderer) -> None:
        for size in (11, 22):
            store = Store(a_css=Resource(b"p { font-size: %dpx }" % size, "text/css"))
            page = Page(content="<link rel=stylesheet href=a.css><p>t", url=URL, resources=store)
            assert size in renderer.render(page).snapshot.styles.number("font-size")

    @pytest.mark.parametrize(
        ("resources", "counts"),
        [(Store(a_css=Resource(b"p { color: red }", "text/css")), (1, 2)), (None, (0, 0))],
    )
    def test_counts_resources_at_hand(
        self, renderer: Renderer, resources: Store | None, counts: tuple[int, int]
    ) -> None:
        html = "<link rel=stylesheet href=a.css><p>t<img src=b.png><img src=c.png>"
        rendering = renderer.render(Page(content=html, url=URL, resources=resources))
        assert (rendering.served, rendering.missed) == counts

    def test_serves_frames_from_the_resources(self, renderer: Renderer) -> None:
        store = Store(f_html=Resource(b"<img src=g.png>", "text/html"))
        page = Page(content="<iframe src=f.html></iframe><p>t", url=URL, resources=store)
        assert renderer.render(page).snapshot.texts == ["t"]
        # The preload scanner may request the image too.
        assert set(store.requested) == {"https://example.org/a/f.html", "https://example.org/a/g.png"}

    def test_ignores_refresh(self, renderer: Renderer) -> None:
        store = Store(b_html=Resource(b"<p>elsewhere", "text/html"))
        for url, resources in (("b.html", store), ("about:blank", None)):
            html = f"<meta http-equiv=refresh content='0;url={url}'><p>here"
            page = Page(content=html, url=URL, resources=resources)
            assert renderer.render(page).snapshot.texts == ["here"]
        assert store.requested == []

    def test_runs_no_scripts(self, renderer: Renderer) -> None:
        store = Store(a_js=Resource(b"document.title = 'ran'", "text/javascript"))
        text = "The mill stood by the river. " * 20
        page = Page(content=f"<title>t</title><script src=a.js></script><p>{text}", url=URL, resources=store)
        assert renderer.render(page).snapshot.title == "t"

    def test_serves_folder_of_a_page_without_url(self, renderer: Renderer, tmp_path) -> None:
        (tmp_path / "page_files").mkdir()
        (tmp_path / "page_files" / "a.css").write_text("p { font-size: 33px }")
        html = "<link rel=stylesheet href=page_files/a.css><p>t<a href=b>c</a>"
        snapshot = renderer.render(Page(content=html, resources=FolderResources(tmp_path))).snapshot
        assert 33 in snapshot.styles.number("font-size")
        assert "b" in snapshot.attr_value
        assert snapshot.url == ""

    @pytest.mark.parametrize(
        "url",
        [
            "http://[",
            "ftp://example.org/",
            "nonsense",
            "http://example.org:99999/",
            'http://e.org/"\\</script>\n\u2028',
        ],
    )
    def test_accepts_unusual_urls(self, renderer: Renderer, url: str) -> None:
        snapshot = renderer.render(Page(content="<p>t<a href=b>c</a>", url=url, resources=Store())).snapshot
        assert snapshot.texts == ["t", "c"]

    def test_fragment_does_not_scroll(self, renderer: Renderer) -> None:
        html = "<style>:target { color: red }</style><p style='height: 5000px'>t</p><h2 id=x>u</h2>"
        without_fragment, with_fragment = (
            renderer.render(Page(content=html, url=URL + end, resources={})).snapshot for end in ("", "#x")
        )
        assert without_fragment.box.tobytes() == with_fragment.box.tobytes()
        assert without_fragment.styles == with_fragment.styles

    def test_treats_failing_resources_as_missing(self, renderer: Renderer, caplog: pytest.LogCaptureFixture) -> None:
        class Broken:
            def get(self, url: str) -> Resource | None:
                raise RuntimeError("disk on fire")

        page = Page(content="<link rel=stylesheet href=a.css><p>t", url=URL, resources=Broken())
        assert renderer.render(page).snapshot.texts == ["t"]
        assert "a.css could not be read" in caplog.text

    def test_reads_page_with_resources_that_hang(self) -> None:
        # Loading takes half the deadline; then the page is read without the resource.
        class Hanging:
            def get(self, url: str) -> Resource | None:
                over.wait(60)
                return None

        over = threading.Event()
        page = Page(content="<p>t<img src=a.png>", url=URL, resources=Hanging())
        with Renderer(RenderSettings(deadline=5)) as renderer:
            assert renderer.render(page).snapshot.texts == ["t"]
        over.set()


class TestScripts:
    def test_no_connections_between_peers(self, scripting: Renderer) -> None:
        script = """
            const frame = document.body.appendChild(document.createElement('iframe'));
            for (const each of [self, frame.contentWindow]) {
                document.body.append(`<${typeof each.RTCPeerConnection} ${'webkitRTCPeerConnection' in each}>`);
            }
        """
        rendering = scripting.render(Page(content=f"<body>Text<script>{script}</script>", url=URL))
        text = "".join(rendering.snapshot.texts)
        assert text.count("<undefined false>") == 2

    @pytest.mark.parametrize(
        ("script", "text"),
        [
            ("text.data = location.href", URL),
            ("setTimeout(() => text.data = 'late', 200)", "late"),
            ("text.data = [navigator.language, new Date(0).getHours()]", "en-US,0"),
        ],
    )
    def test_runs_scripts(self, scripting: Renderer, script: str, text: str) -> None:
        html = f"<p>early</p><script>const text = document.querySelector('p').firstChild; {script}</script>"
        assert scripting.render(Page(content=html, url=URL)).snapshot.texts == [text]

    def test_ignores_noscript(self, scripting: Renderer) -> None:
        snapshot = scripting.render(Page(content="<p>t<noscript>" + "<b>word</b> " * 300 + "</noscript>")).snapshot
        assert not snapshot.noscript
        assert snapshot.texts == ["t"]

    def test_clears_storage_between_pages(self, scripting: Renderer) -> None:
        count = "<p></p><script>localStorage.n = 1 + (+localStorage.n || 0); document.cookie = 'n=1';"
        show = "document.querySelector('p').textContent = localStorage.n + document.cookie</script>"
        for _ in range(2):
            assert scripting.render(Page(content=count + show, url=URL)).snapshot.texts == ["1n=1"]


class TestScreenshot:
    @pytest.mark.parametrize("resources", [None, {}])
    @pytest.mark.parametrize(
        ("size", "expected"),
        [
            ((1366, 3000), (1366, 3768)),
            # Content that overflows to the side for tens of thousands of px is not kept in memory.
            ((1366, 40_000), (1366, MAX_SCREENSHOT_HEIGHT)),
            ((60_000, 3000), (MAX_SCREENSHOT_WIDTH, 3768)),
        ],
    )
    def test_shows_the_layout_of_the_snapshot(
        self, renderer: Renderer, resources: dict | None, size: tuple[int, int], expected: tuple[int, int]
    ) -> None:
        # Lengths relative to the viewport height do not change in a screenshot that is higher than the viewport.
        html = "<!doctype html><body style='margin: 0'><div style='height: 100vh; background: lime'></div>"
        html += "<div style='width: {}px; height: {}px; background: blue'>".format(*size)
        rendering = renderer.render(Page(content=html, url=URL, resources=resources), screenshot=True)
        with Image.open(io.BytesIO(rendering.screenshot)) as image:
            assert image.size == expected
            pixels = [image.convert("RGB").getpixel((700, y)) for y in (760, 776, expected[1] - 1)]
        assert pixels == [(0, 255, 0), (0, 0, 255), (0, 0, 255)]


class TestLive:
    def test_loads_page_with_style_sheet_and_image(self, live: Renderer, site) -> None:
        # It follows a redirect, and keeps its cookies.
        old = site.serve("/old", status=302, location="/page", **{"set-cookie": "a=1"})
        site.serve("/a.css", "p { font-size: 33px }", kind="text/css")
        site.serve("/b.png", IMAGE.body, kind="image/png")
        url = site.serve("/page", "<link rel=stylesheet href=a.css><p>Žluťoučký<img src=b.png><a href=c>d</a>")
        snapshot = live.render(Page(url=old, live=True)).snapshot
        assert (snapshot.url, snapshot.texts) == (url, ["Žluťoučký", "d"])
        assert 33 in snapshot.styles.number("font-size")
        assert image_size(snapshot) == [70, 40]
        assert snapshot.attributes("href").popitem()[1] == f"http://{site.address}/c"
        assert sorted(site.hits) == ["/a.css", "/b.png", "/old", "/page"]
        assert site.cookies == ["", "a=1", "a=1", "a=1"]

    @pytest.mark.parametrize(
        ("answer", "error", "message"),
        [
            ({"status": 302, "location": "http://localhost:{port}/new"}, NetworkError, "not a public address"),
            ({"status": 302, "location": "/page"}, NetworkError, "redirect"),
            ({"status": 302, "location": "file:///etc/passwd"}, NetworkError, "ERR_UNSAFE_REDIRECT"),
            ({"status": 404}, NetworkError, "404"),
            ({"status": 204}, NotHtmlError, "empty"),
            ({"kind": "application/pdf", "body": b"%PDF-1.7"}, NotHtmlError, "application/pdf"),
            ({"body": "<p>" + "t" * 50_000}, LimitError, "--max-bytes"),
        ],
    )
    def test_reports_other_responses(
        self, answer: dict, error: type[Exception], message: str, live: Renderer, site
    ) -> None:
        if "location" in answer:
            answer = answer | {"location": answer["location"].format(port=site.address.partition(":")[2])}
        site.serve("/page", **answer)
        with pytest.raises(error, match=message):
            live.render(Page(url=f"http://{site.address}/page", live=True))
        assert "/new" not in site.hits

    @pytest.mark.parametrize(
        ("url", "message"),
        [
            ("http://{address}/page", "not a public address"),
            ("", "only http and https"),
            ("http://", "no web address"),
            ("http://example.org:99999/", "no valid URL"),
            ("http://[/", "no valid URL"),
            ("file:///etc/passwd", "only http and https"),
            ("http://nowhere.invalid/", r"nowhere\.invalid"),
        ],
    )
    def test_rejects_other_urls(self, renderer: Renderer, site, url: str, message: str) -> None:
        with pytest.raises(NetworkError, match=message):
            renderer.render(Page(url=url.format(address=site.address), live=True))
        assert site.hits == []

    def test_stops_slow_response_at_deadline(self, site) -> None:
        url = site.serve("/slow", "<p>t", delay=5)
        with (
            Renderer(RenderSettings(deadline=1, allow_hosts=("127.0.0.1",))) as renderer,
            pytest.raises(DeadlineError),
        ):
            renderer.render(Page(url=url, live=True))


class TestNetwork:
    """Pages with subresources from the network, because they are missing locally."""

    def test_fetches_missing_resources(self, live: Renderer, site) -> None:
        url = site.serve("/a.css", "p { font-size: 33px }", kind="text/css")
        html = f"<link rel=stylesheet href={url}><link rel=stylesheet href=http://{site.address}/none.css><p>t"
        rendering = live.render(Page(content=html, url=URL))
        assert 33 in rendering.snapshot.styles.number("font-size")
        assert (rendering.served, rendering.missed) == (1, 1)
        assert rendering.snapshot.url == URL

    def test_prefers_given_resources(self, live: Renderer, site) -> None:
        given_url = f"http://{site.address}/a.css"
        missing_url = site.serve("/b.css", "b { font-size: 44px }", kind="text/css")
        html = f"<link rel=stylesheet href={given_url}><link rel=stylesheet href={missing_url}><p>t<b>u</b>"
        stored = {given_url: Resource(b"p { font-size: 33px }", "text/css")}
        rendering = live.render(Page(content=html, url=URL, resources=stored))
        assert {33, 44} <= set(rendering.snapshot.styles.number("font-size"))
        assert site.hits == ["/b.css"]
        assert (rendering.served, rendering.missed) == (2, 0)

    def test_does_not_fetch_the_page(self, live: Renderer, site) -> None:
        url = site.serve("/page.html", "<p>from the server")
        html = f"<meta http-equiv=refresh content='0;url={url}'><p>at hand"
        assert live.render(Page(content=html, url=url)).snapshot.texts == ["at hand"]
        assert site.hits == []

    def test_fetches_nothing_by_default(self, site) -> None:
        url = site.serve("/a.css", "p { font-size: 33px }", kind="text/css")
        html = f"<link rel=stylesheet href={url}><p>t"
        with Renderer(RenderSettings(allow_hosts=("127.0.0.1",))) as renderer:
            for resources in (None, {}):
                renderer.render(Page(content=html, url=URL, resources=resources))
        assert site.hits == []

    def test_refuses_private_addresses(self, site) -> None:
        url = site.serve("/a.css", "p { font-size: 33px }", kind="text/css")
        with Renderer(network=True) as renderer:
            rendering = renderer.render(Page(content=f"<link rel=stylesheet href={url}><p>t", url=URL))
        assert (rendering.served, rendering.missed, site.hits) == (0, 1, [])
