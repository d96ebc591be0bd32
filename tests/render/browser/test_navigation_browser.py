import io
import threading
from collections.abc import Iterator

import pytest
from PIL import Image

from vclean.errors import DeadlineError, LimitError, NetworkError, NotHtmlError
from vclean.page import Page, Resource
from vclean.render.archive.folder import FolderResources
from vclean.render.browser.cdp import MAX_SCREENSHOT_HEIGHT
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Snapshot
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

URL = "https://example.org/a/page.html"


@pytest.fixture(scope="module")
def live() -> Iterator[Renderer]:
    """A browser that may reach the loopback interface by its number."""
    with Renderer(RenderSettings(deadline=8), allow_hosts=frozenset(["127.0.0.1"])) as shared:
        yield shared


class Store(dict[str, Resource]):
    """Resources in memory; they remember what they were asked for."""

    def __init__(self, **named: Resource) -> None:
        super().__init__({f"https://example.org/a/{name.replace('_', '.')}": body for name, body in named.items()})
        self.asked: list[str] = []

    def get(self, url: str) -> Resource | None:  # type: ignore[override]
        self.asked.append(url)
        return super().get(url)


def image(width: int, height: int) -> Resource:
    data = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(data, "PNG")
    return Resource(data.getvalue(), "image/png")


def _first(snapshot: Snapshot, tag: str) -> int:
    return snapshot.tag.tolist().index(snapshot.tags.index(tag))


def size_of(snapshot: Snapshot, tag: str) -> list[float]:
    return snapshot.box[_first(snapshot, tag)][2:].tolist()


class TestResources:
    def test_style_sheet_and_image(self, renderer: Renderer) -> None:
        store = Store(a_css=Resource(b"p { font-size: 33px }", "text/css"), b_png=image(70, 40))
        page = Page(content="<link rel=stylesheet href=a.css><p>t<img src=b.png>", url=URL, resources=store)
        found = renderer.render(page).snapshot
        assert 33 in found.styles.number("font-size")
        assert size_of(found, "img") == [70, 40]
        assert found.url == URL

    def test_lazy_image_below_the_fold(self, renderer: Renderer) -> None:
        html = "<p style='height: 20000px'>t</p><img loading=lazy src=b.png>"
        page = Page(content=html, url=URL, resources=Store(b_png=image(70, 40)))
        assert size_of(renderer.render(page).snapshot, "img") == [70, 40]

    def test_font_of_another_origin(self, renderer: Renderer) -> None:
        store = Store()
        html = "<style>@font-face { font-family: f; src: url(https://cdn.example.com/f.woff2) } p { font-family: f }"
        renderer.render(Page(content=html + "</style><p>t", url=URL, resources=store))
        assert "https://cdn.example.com/f.woff2" in store.asked

    def test_the_same_url_in_two_archives(self, renderer: Renderer) -> None:
        """Nothing is cached from one page to the next."""
        for size in (11, 22):
            store = Store(a_css=Resource(b"p { font-size: %dpx }" % size, "text/css"))
            page = Page(content="<link rel=stylesheet href=a.css><p>t", url=URL, resources=store)
            assert size in renderer.render(page).snapshot.styles.number("font-size")

    def test_frames_come_from_the_resources_too(self, renderer: Renderer) -> None:
        store = Store(f_html=Resource(b"<img src=g.png>", "text/html"))
        page = Page(content="<iframe src=f.html></iframe><p>t", url=URL, resources=store)
        assert renderer.render(page).snapshot.texts == ["t"]
        # The preload scanner may ask for the image too.
        assert set(store.asked) == {"https://example.org/a/f.html", "https://example.org/a/g.png"}

    def test_refresh_does_not_lead_away(self, renderer: Renderer) -> None:
        store = Store(b_html=Resource(b"<p>elsewhere", "text/html"))
        page = Page(content="<meta http-equiv=refresh content='0;url=b.html'><p>here", url=URL, resources=store)
        assert renderer.render(page).snapshot.texts == ["here"]
        assert store.asked == []

    def test_no_scripts(self, renderer: Renderer) -> None:
        store = Store(a_js=Resource(b"document.title = 'ran'", "text/javascript"))
        page = Page(content="<title>t</title><script src=a.js></script><p>t", url=URL, resources=store)
        assert renderer.render(page).snapshot.title == "t"

    def test_folder_of_a_page_without_address(self, renderer: Renderer, tmp_path) -> None:
        (tmp_path / "page_files").mkdir()
        (tmp_path / "page_files" / "a.css").write_text("p { font-size: 33px }")
        html = "<link rel=stylesheet href=page_files/a.css><p>t<a href=b>c</a>"
        found = renderer.render(Page(content=html, resources=FolderResources(tmp_path))).snapshot
        assert 33 in found.styles.number("font-size")
        assert "b" in found.attr_value
        assert found.url == ""

    @pytest.mark.parametrize("url", ["http://[", "ftp://example.org/", "nonsense", "http://example.org:99999/"])
    def test_odd_addresses(self, renderer: Renderer, url: str) -> None:
        found = renderer.render(Page(content="<p>t<a href=b>c</a>", url=url, resources=Store())).snapshot
        assert found.texts == ["t", "c"]

    def test_fragment_does_not_scroll(self, renderer: Renderer) -> None:
        html = "<style>:target { color: red }</style><p style='height: 5000px'>t</p><h2 id=x>u</h2>"
        one, two = (
            renderer.render(Page(content=html, url=URL + end, resources=Store())).snapshot for end in ("", "#x")
        )
        assert one.box.tobytes() == two.box.tobytes()
        assert one.styles == two.styles

    def test_broken_source_is_an_empty_one(self, renderer: Renderer, caplog: pytest.LogCaptureFixture) -> None:
        class Broken:
            def get(self, url: str) -> Resource | None:
                raise OSError("disk on fire")

        page = Page(content="<link rel=stylesheet href=a.css><p>t", url=URL, resources=Broken())
        assert renderer.render(page).snapshot.texts == ["t"]
        assert "a.css could not be read" in caplog.text

    def test_hanging_source(self) -> None:
        """A source that never answers costs half the deadline; then the page is read without it."""

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
    def test_scripts_run(self, scripting: Renderer) -> None:
        html = "<p>t</p><script>document.querySelector('p').textContent = location.href</script>"
        assert scripting.render(Page(content=html, url=URL)).snapshot.texts == [URL]

    def test_late_text_is_waited_for(self, scripting: Renderer) -> None:
        html = "<p>early</p><script>setTimeout(() => document.querySelector('p').textContent = 'late', 200)</script>"
        assert scripting.render(Page(content=html, url=URL)).snapshot.texts == ["late"]

    def test_noscript_is_not_used(self, scripting: Renderer) -> None:
        found = scripting.render(Page(content="<p>t<noscript>" + "<b>word</b> " * 300 + "</noscript>")).snapshot
        assert not found.noscript
        assert found.texts == ["t"]

    def test_nothing_is_kept_for_the_next_page(self, scripting: Renderer) -> None:
        count = "<p></p><script>localStorage.n = 1 + (+localStorage.n || 0); document.cookie = 'n=1';"
        show = "document.querySelector('p').textContent = localStorage.n + document.cookie</script>"
        for _ in range(2):
            assert scripting.render(Page(content=count + show, url=URL)).snapshot.texts == ["1n=1"]

    def test_clock_zone_and_language_are_fixed(self, scripting: Renderer) -> None:
        facts = "[navigator.language, new Date(0).getHours()]"
        html = f"<p></p><script>document.querySelector('p').textContent = {facts}</script>"
        assert scripting.render(Page(content=html, url=URL)).snapshot.texts == ["en-US,0"]


class TestPicture:
    @staticmethod
    def size(data: bytes | None) -> tuple[int, int]:
        assert data is not None
        with Image.open(io.BytesIO(data)) as picture:
            return picture.size

    @pytest.mark.parametrize("resources", [None, Store()])
    def test_one_pixel_per_css_pixel(self, renderer: Renderer, resources: Store | None) -> None:
        html = "<!doctype html><body style='margin: 0'><div style='height: 3000px; background: lime'>"
        found = renderer.render(Page(content=html, url=URL, resources=resources), screenshot=True)
        assert self.size(found.screenshot) == (1366, 3000)
        with Image.open(io.BytesIO(found.screenshot)) as picture:
            assert picture.convert("RGB").getpixel((700, 2990)) == (0, 255, 0)

    def test_cap(self, renderer: Renderer) -> None:
        html = "<!doctype html><body style='margin: 0'><div style='height: 40000px; background: lime'>"
        found = renderer.render(Page(content=html), screenshot=True)
        assert self.size(found.screenshot) == (1366, MAX_SCREENSHOT_HEIGHT)
        with Image.open(io.BytesIO(found.screenshot)) as picture:
            assert picture.convert("RGB").getpixel((700, MAX_SCREENSHOT_HEIGHT - 1)) == (0, 255, 0)

    def test_shows_the_layout_that_was_read(self, renderer: Renderer) -> None:
        """Lengths by the viewport's height keep their size in a picture that is taller than the viewport."""
        html = (
            "<!doctype html><body style='margin: 0'><div style='height: 100vh; background: lime'></div>"
            "<div style='height: 3000px; background: blue'>"
        )
        found = renderer.render(Page(content=html), screenshot=True)
        assert self.size(found.screenshot) == (1366, 3768)
        with Image.open(io.BytesIO(found.screenshot)) as picture:
            pixels = [picture.convert("RGB").getpixel((9, y)) for y in (760, 776)]
        assert pixels == [(0, 255, 0), (0, 0, 255)]


class TestLive:
    def test_page_with_its_style_sheet_and_image(self, live: Renderer, site) -> None:
        site.serve("/a.css", "p { font-size: 33px }", kind="text/css")
        site.serve("/b.png", image(70, 40).body, kind="image/png")
        url = site.serve("/page", "<link rel=stylesheet href=a.css><p>t<img src=b.png><a href=c>d</a>")
        found = live.render(Page(url=url, live=True)).snapshot
        assert 33 in found.styles.number("font-size")
        assert size_of(found, "img") == [70, 40]
        assert found.attributes("href").popitem()[1] == f"http://{site.address}/c"
        assert sorted(site.hits) == ["/a.css", "/b.png", "/page"]

    def test_redirect(self, live: Renderer, site) -> None:
        url = site.serve("/old", status=302, location="/new")
        new = site.serve("/new", "<p>t")
        found = live.render(Page(url=url, live=True)).snapshot
        assert (found.url, found.texts) == (new, ["t"])

    def test_redirect_to_a_refused_host(self, live: Renderer, site) -> None:
        url = site.serve("/old", status=302, location=f"http://localhost:{site.address.partition(':')[2]}/new")
        with pytest.raises(NetworkError, match="not a public address"):
            live.render(Page(url=url, live=True))
        assert site.hits == ["/old"]

    def test_redirect_loop(self, live: Renderer, site) -> None:
        url = site.serve("/loop", status=302, location="/loop")
        with pytest.raises(NetworkError, match="redirect"):
            live.render(Page(url=url, live=True))

    def test_loopback_is_refused(self, renderer: Renderer, site) -> None:
        url = site.serve("/page", "<p>t")
        with pytest.raises(NetworkError, match="not a public address"):
            renderer.render(Page(url=url, live=True))
        assert site.hits == []

    @pytest.mark.parametrize("url", ["", "http://", "http://example.org:99999/", "http://[/", "file:///etc/passwd"])
    def test_no_web_address(self, live: Renderer, url: str) -> None:
        with pytest.raises(NetworkError, match=r"no web address|no valid URL|only http and https"):
            live.render(Page(url=url, live=True))

    def test_error_status(self, live: Renderer, site) -> None:
        with pytest.raises(NetworkError, match="404"):
            live.render(Page(url=f"http://{site.address}/none", live=True))

    def test_no_html(self, live: Renderer, site) -> None:
        url = site.serve("/a.pdf", b"%PDF-1.7", kind="application/pdf")
        with pytest.raises(NotHtmlError, match="application/pdf"):
            live.render(Page(url=url, live=True))

    def test_unknown_host(self, live: Renderer) -> None:
        with pytest.raises(NetworkError, match=r"nowhere\.invalid"):
            live.render(Page(url="http://nowhere.invalid/", live=True))

    def test_too_large(self, site) -> None:
        url = site.serve("/page", "<p>" + "t" * 5000)
        with (
            Renderer(RenderSettings(max_bytes=1000), allow_hosts=frozenset(["127.0.0.1"])) as renderer,
            pytest.raises(LimitError),
        ):
            renderer.render(Page(url=url, live=True))

    def test_undeclared_utf_8(self, live: Renderer, site) -> None:
        url = site.serve("/page", "<p>Žluťoučký kůň úpěl ďábelské ódy")
        assert live.render(Page(url=url, live=True)).snapshot.texts == ["Žluťoučký kůň úpěl ďábelské ódy"]

    def test_cookies_of_a_redirect_last_for_the_page(self, live: Renderer, site) -> None:
        url = site.serve("/old", status=302, location="/new", **{"set-cookie": "a=1"})
        site.serve("/new", "<p>t")
        live.render(Page(url=url, live=True))
        assert site.cookies == ["", "a=1"]

    def test_endless_answer(self, site) -> None:
        """A page that never arrives ends at the deadline."""
        url = site.serve("/slow", "<p>t", delay=5)
        with (
            Renderer(RenderSettings(deadline=1), allow_hosts=frozenset(["127.0.0.1"])) as renderer,
            pytest.raises(DeadlineError),
        ):
            renderer.render(Page(url=url, live=True))

    def test_answer_without_a_page(self, live: Renderer, site) -> None:
        url = site.serve("/none", status=204)
        with pytest.raises(NotHtmlError, match="empty"):
            live.render(Page(url=url, live=True))

    def test_redirect_to_a_file(self, live: Renderer, site) -> None:
        url = site.serve("/old", status=302, location="file:///etc/passwd")
        with pytest.raises(NetworkError, match="ERR_UNSAFE_REDIRECT"):
            live.render(Page(url=url, live=True))
