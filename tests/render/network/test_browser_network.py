"""Pages at hand whose sub-resources may come from the network."""

from collections.abc import Iterator

import pytest

from vclean.page import Page, Resource
from vclean.render.browser.renderer import Renderer
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

URL = "https://example.org/page.html"


@pytest.fixture(scope="module")
def networked() -> Iterator[Renderer]:
    """A browser whose pages may load from the loopback interface what they do not have."""
    with Renderer(RenderSettings(deadline=15), allow_hosts=frozenset(["127.0.0.1"]), network=True) as shared:
        yield shared


class Store(dict[str, Resource]):
    """Resources in memory, by URL."""


class TestNetwork:
    def test_what_is_missing_is_fetched(self, networked: Renderer, site) -> None:
        url = site.serve("/a.css", "p { font-size: 33px }", kind="text/css")
        found = networked.render(Page(content=f"<link rel=stylesheet href={url}><p>t", url=URL))
        assert 33 in found.snapshot.styles.number("font-size")
        assert (found.served, found.missed) == (1, 0)
        assert found.snapshot.url == URL

    def test_what_is_there_is_not(self, networked: Renderer, site) -> None:
        here = f"http://{site.address}/a.css"
        there = site.serve("/b.css", "b { font-size: 44px }", kind="text/css")
        html = f"<link rel=stylesheet href={here}><link rel=stylesheet href={there}><p>t<b>u</b>"
        stored = Store({here: Resource(b"p { font-size: 33px }", "text/css")})
        found = networked.render(Page(content=html, url=URL, resources=stored))
        assert {33, 44} <= set(found.snapshot.styles.number("font-size"))
        assert site.hits == ["/b.css"]
        assert (found.served, found.missed) == (2, 0)

    def test_the_page_itself_is_the_one_at_hand(self, networked: Renderer, site) -> None:
        url = site.serve("/page.html", "<p>from the server")
        html = f"<meta http-equiv=refresh content='0;url={url}'><p>at hand"
        assert networked.render(Page(content=html, url=url)).snapshot.texts == ["at hand"]
        assert site.hits == []

    def test_what_is_nowhere_is_missed(self, networked: Renderer, site) -> None:
        html = f"<link rel=stylesheet href=http://{site.address}/none.css><p>t"
        found = networked.render(Page(content=html, url=URL))
        assert (found.served, found.missed) == (0, 1)

    def test_without_it_nothing_is_asked_for(self, site) -> None:
        url = site.serve("/a.css", "p { font-size: 33px }", kind="text/css")
        html = f"<link rel=stylesheet href={url}><p>t"
        with Renderer(allow_hosts=frozenset(["127.0.0.1"])) as renderer:
            for resources in (None, Store()):
                renderer.render(Page(content=html, url=URL, resources=resources))
        assert site.hits == []

    def test_private_addresses_stay_out_of_reach(self, site) -> None:
        url = site.serve("/a.css", "p { font-size: 33px }", kind="text/css")
        with Renderer(network=True) as renderer:
            found = renderer.render(Page(content=f"<link rel=stylesheet href={url}><p>t", url=URL))
        assert (found.served, found.missed, site.hits) == (0, 1, [])


class TestCounts:
    def test_of_a_page_with_resources(self, renderer: Renderer) -> None:
        stored = Store({"https://example.org/a.css": Resource(b"p { color: red }", "text/css")})
        html = "<link rel=stylesheet href=a.css><p>t<img src=b.png><img src=c.png>"
        found = renderer.render(Page(content=html, url=URL, resources=stored))
        assert (found.served, found.missed) == (1, 2)

    def test_of_a_page_without(self, renderer: Renderer) -> None:
        found = renderer.render(Page(content="<link rel=stylesheet href=a.css><p>t", url=URL))
        assert (found.served, found.missed) == (0, 0)
