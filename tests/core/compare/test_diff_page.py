from __future__ import annotations

import json

from helpers.page_records import screenshot
from helpers.pages import laid_out, result, snapshot
from lxml import html

from vclean.compare.diff import Comparison

PAGE = "<title>Weather</title><nav>Menu</nav><h1>Rain</h1><p>It rained all day.</p><p>Share this</p>"
HOSTILE = "</script><script>alert(1)</script>"


def compared(first="ohpo", second="oopl", page=PAGE, image=b"", names=("one", "two"), **facts):
    snap = laid_out(page) if image else snapshot(page)
    return Comparison(names, result(snap, first, id="p.html", **facts), result(snap, second, id="p.html"), image)


def made(comparison):
    return html.fromstring(comparison.to("html"))


def text(page):
    return " ".join(" ".join(page.itertext()).split())


class TestToHtml:
    def test_without_screenshot_only_list_of_differences(self):
        page = made(compared())
        rows = page.findall(".//ol/li")
        assert [text(row) for row in rows] == [
            "h .90 → o .10 Rain Block 1, /html[1]/body[1]/h1[1]",
            "o .10 → l .90 Share this Block 3, /html[1]/body[1]/p[2]",
        ]
        assert [row.get("data-kind") for row in rows] == ["first", "second"]
        assert [row.find("button").get("data-block") for row in rows] == ["1", "3"]
        assert page.find(".//body").get("class") == "list-only"
        assert page.find(".//iframe") is None

    def test_with_screenshot_two_overlays(self):
        page = made(compared(image=screenshot()))
        assert [text(title) for title in page.iterfind(".//figure/h2")] == [
            "A one keeps 2 blocks",
            "B two keeps 2 blocks",
        ]
        frames = overlays(page)["pages"]
        labels = [[block["label"] for block in overlay(frame)["blocks"]] for frame in frames]
        assert ["".join(page) for page in labels] == ["ohpo", "oopl"]
        changed = [[block.get("changed") for block in overlay(frame)["blocks"]] for frame in frames]
        assert changed == [[None, "one: h .90; two: o .10", None, "one: o .10; two: l .90"]] * 2

    def test_contains_screenshot_once(self):
        written = compared(image=screenshot()).to("html")
        address = overlays(html.fromstring(written))["screenshot"]
        assert address.startswith("data:image/")
        assert written.count(address[:80]) == 1
        frames = overlays(html.fromstring(written))["pages"]
        pages = [overlay(frame)["page"] for frame in frames]
        assert [(page["screenshot"], page["width"], page["height"]) for page in pages] == [("", 800, 400)] * 2
        assert all(frame.count('"screenshot":""') == 1 for frame in frames)
        assert written == compared(image=screenshot()).to("html")

    def test_escapes_hostile_pages_and_names(self):
        page = f"<title>{HOSTILE.replace('<', '&lt;')}</title><p>{HOSTILE.replace('<', '&lt;')}"
        page = made(compared("p", "o", page, screenshot(), (HOSTILE, "two")))
        scripts = [script.text for script in page.iterfind(".//script") if script.get("type") is None]
        assert len(scripts) == 1
        assert "alert(1)" not in scripts[0]
        assert page.find(".//ol//span[@class='text']").text == HOSTILE


def overlay(frame):
    """Return the data of an overlay."""
    return json.loads(html.fromstring(frame).find(".//script[@id='data']").text)


def overlays(page):
    """Return the data of a comparison."""
    return json.loads(page.find(".//script[@id='overlays']").text)
