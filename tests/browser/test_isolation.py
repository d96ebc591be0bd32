"""No page reaches this machine: a server on the loopback interface counts no hit."""

import time

import pytest

from vclean.page import Page, Resource
from vclean.render.browser import Renderer

pytestmark = pytest.mark.browser

PASSIVE = """<!doctype html><head>
<link rel=stylesheet href="{to}/css"><link rel=preload as=image href="{to}/preload">
<link rel=prefetch href="{to}/prefetch">
<link rel=preconnect href="{to}"><link rel=dns-prefetch href="{to}"><link rel=modulepreload href="{to}/module">
<link rel=manifest href="{to}/manifest"><link rel=icon href="{to}/icon">
<script type=speculationrules>{{"prerender":[{{"source":"list","urls":["{to}/prerender"]}}]}}</script>
<style>@import url("{to}/import"); @font-face {{ font-family: x; src: url("{to}/font") }}
body {{ background: url("{to}/background"); font-family: x }} p::before {{ content: url("{to}/content") }}</style>
<meta http-equiv=refresh content="0;url={to}/refresh"></head>
<body background="{to}/body"><p>Text
<img src="{to}/img" srcset="{to}/srcset 2x"><iframe src="{to}/iframe"></iframe><embed src="{to}/embed">
<object data="{to}/object"></object><video src="{to}/video" poster="{to}/poster" autoplay></video>
<audio src="{to}/audio" autoplay></audio><svg><image href="{to}/svg"/><use href="{to}/use#a"/></svg>
<input type=image src="{to}/input"><a href="{to}/a" ping="{to}/ping">link</a>
"""

ACTIVE = """<form id=f action="{to}/form" method=post><input name=a></form><script>
const ignore = (run) => {{ try {{ const done = run(); if (done && done.catch) done.catch(() => 0) }} catch {{}} }};
ignore(() => fetch("{to}/fetch"));
ignore(() => fetch("{to}/no-cors", {{ mode: "no-cors", method: "POST", body: "x" }}));
ignore(() => navigator.sendBeacon("{to}/beacon", "x"));
ignore(() => new WebSocket("ws://{host}/socket"));
ignore(() => new EventSource("{to}/events"));
ignore(() => new WebTransport("https://{host}/transport"));
ignore(() => {{ const x = new XMLHttpRequest(); x.open("GET", "{to}/xhr", false); x.send() }});
ignore(() => new Worker(URL.createObjectURL(new Blob(["fetch('{to}/worker').catch(() => 0)"]))));
ignore(() => new SharedWorker("data:text/javascript,fetch('{to}/shared')"));
ignore(() => navigator.serviceWorker.register("/sw.js"));
ignore(() => open("{to}/popup"));
ignore(() => {{
  const peer = new RTCPeerConnection({{ iceServers: [{{ urls: "stun:127.0.0.1:{udp}" }},
    {{ urls: "turn:{host}?transport=tcp", username: "u", credential: "c" }}] }});
  peer.createDataChannel("x");
  return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
}});
setTimeout(() => ignore(() => document.getElementById("f").submit()), 50);
setTimeout(() => ignore(() => {{ location.href = "{to}/location" }}), 100);
</script>"""


class Nothing:
    def get(self, url: str) -> Resource | None:
        return None


def page_to(site, template: str) -> str:
    return template.format(to=f"http://{site.address}", host=site.address, udp=site.udp_port)


class TestLoopback:
    def test_put_into_the_tab(self, renderer: Renderer, site) -> None:
        found = renderer.render(Page(content=page_to(site, PASSIVE + ACTIVE), url="http://example.org/"))
        time.sleep(0.5)
        assert site.hits == []
        assert "link" in found.snapshot.texts

    def test_with_resources(self, renderer: Renderer, site) -> None:
        found = renderer.render(Page(content=page_to(site, PASSIVE + ACTIVE), resources=Nothing()))
        time.sleep(0.5)
        assert site.hits == []
        assert "link" in found.snapshot.texts

    def test_with_scripts(self, scripting: Renderer, site) -> None:
        found = scripting.render(Page(content=page_to(site, PASSIVE + ACTIVE), url="https://example.org/"))
        time.sleep(0.5)
        assert site.hits == []
        assert "link" in found.snapshot.texts

    def test_live_pages_are_let_through_by_name_only(self, site) -> None:
        """The page's own host is allowed; another name of the same machine is not."""
        site.serve("/", page_to(site, PASSIVE).replace("127.0.0.1", "localhost"))
        with Renderer(allow_hosts=frozenset(["127.0.0.1"])) as renderer:
            found = renderer.render(Page(url=f"http://{site.address}/", live=True))
        assert site.hits == ["/"]
        assert found.snapshot.url == f"http://{site.address}/"


class TestFiles:
    @pytest.mark.parametrize("tag", ["<iframe src='{}'></iframe>", "<img src='{}'>", "<link rel=stylesheet href='{}'>"])
    def test_no_file_is_read(self, renderer: Renderer, tmp_path, tag: str) -> None:
        secret = tmp_path / "secret.css"
        secret.write_text("p { font-size: 77px }")
        page = Page(content=f"{tag.format(secret.as_uri())}<p>Text", url="file:///page.html", resources=Nothing())
        snapshot = renderer.render(page).snapshot
        assert 77.0 not in snapshot.styles.number("font-size")
