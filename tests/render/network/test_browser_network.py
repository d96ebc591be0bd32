"""Test pages with subresources from the network, because they are missing locally."""

from collections.abc import Iterator

import pytest

from vclean.page import Page, Resource
from vclean.render.browser.renderer import Renderer
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

URL = "https://example.org/page.html"


@pytest.fixture(scope="module")
def network_renderer() -> Iterator[Renderer]:
    """Return a renderer that fetches missing subresources from the loopback interface."""
    with Renderer(RenderSettings(deadline=15, allow_hosts=("127.0.0.1",)), network=True) as shared:
        yield shared


class TestNetwork:
    def test_fetches_missing_resources(self, network_renderer: Renderer, site) -> None:
        url = site.serve("/a.css", "p { font-size: 33px }", kind="text/css")
        html = f"<link rel=stylesheet href={url}><link rel=stylesheet href=http://{site.address}/none.css><p>t"
        rendering = network_renderer.render(Page(content=html, url=URL))
        assert 33 in rendering.snapshot.styles.number("font-size")
        assert (rendering.served, rendering.missed) == (1, 1)
        assert rendering.snapshot.url == URL

    def test_prefers_given_resources(self, network_renderer: Renderer, site) -> None:
        given_url = f"http://{site.address}/a.css"
        missing_url = site.serve("/b.css", "b { font-size: 44px }", kind="text/css")
        html = f"<link rel=stylesheet href={given_url}><link rel=stylesheet href={missing_url}><p>t<b>u</b>"
        stored = {given_url: Resource(b"p { font-size: 33px }", "text/css")}
        rendering = network_renderer.render(Page(content=html, url=URL, resources=stored))
        assert {33, 44} <= set(rendering.snapshot.styles.number("font-size"))
        assert site.hits == ["/b.css"]
        assert (rendering.served, rendering.missed) == (2, 0)

    def test_does_not_fetch_the_page(self, network_renderer: Renderer, site) -> None:
        url = site.serve("/page.html", "<p>from the server")
        html = f"<meta http-equiv=refresh content='0;url={url}'><p>at hand"
        assert network_renderer.render(Page(content=html, url=url)).snapshot.texts == ["at hand"]
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


@pytest.mark.parametrize(
    ("resources", "counts"),
    [({"https://example.org/a.css": Resource(b"p { color: red }", "text/css")}, (1, 2)), (None, (0, 0))],
)
def test_counts_resources_at_hand(renderer: Renderer, resources: dict | None, counts: tuple[int, int]) -> None:
    html = "<link rel=stylesheet href=a.css><p>t<img src=b.png><img src=c.png>"
    rendering = renderer.render(Page(content=html, url=URL, resources=resources))
    assert (rendering.served, rendering.missed) == counts
