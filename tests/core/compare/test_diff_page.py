from __future__ import annotations

import json

from helpers.pages import laid_out, result, snapshot
from helpers.trials import picture
from lxml import html

from vclean.classify.explain.reasons import Explanation, Reason
from vclean.compare.diff import Comparison

PAGE = "<title>Weather</title><nav>Menu</nav><h1>Rain</h1><p>It rained all day.</p><p>Share this</p>"
HOSTILE = "</script><script>alert(1)</script>"


def compared(first="ohpo", second="oopl", page=PAGE, image=b"", names=("one", "two"), **facts):
    snap = laid_out(page) if image else snapshot(page)
    return Comparison(names, result(snap, first, id="p.html", **facts), result(snap, second, id="p.html"), image)


def made(comparison):
    return html.fromstring(comparison.to("html"))


def text(found):
    return " ".join(" ".join(found.itertext()).split())


class TestToHtml:
    def test_the_list_has_what_differs(self):
        rows = made(compared()).findall(".//ol/li")
        assert [text(row) for row in rows] == [
            "h .90 → o .10 Rain Block 1, /html[1]/body[1]/h1[1]",
            "o .10 → l .90 Share this Block 3, /html[1]/body[1]/p[2]",
        ]
        assert [row.get("data-kind") for row in rows] == ["first", "second"]
        assert [row.find("button").get("data-block") for row in rows] == ["1", "3"]

    def test_the_head_says_how_far_they_agree(self):
        head = text(made(compared()).find(".//header"))
        assert head == (
            "Weather https://example.org/dir/page.html Compared one → two Alike 2 of 4 blocks Agreement 50.0 % "
            "Word F1 0.727"
        )

    def test_a_switch_for_every_kind_there_is(self):
        switches = made(compared()).iterfind(".//button[@aria-pressed]")
        assert [text(switch) for switch in switches] == ["kept by one alone 1", "kept by two alone 1"]

    def test_they_may_agree(self):
        found = made(compared("ohpo", "ohpo"))
        assert text(found.find(".//aside")) == "They agree on every block"
        assert found.find(".//script[@id='overlays']") is None

    def test_without_a_picture_there_is_the_list_alone(self):
        found = made(compared())
        assert found.find(".//body").get("class") == "listed"
        assert found.find(".//iframe") is None

    def test_with_a_picture_there_are_two_overlays(self):
        found = made(compared(image=picture()))
        assert [text(title) for title in found.iterfind(".//figure/h2")] == [
            "A one keeps 2 blocks",
            "B two keeps 2 blocks",
        ]
        frames = overlays(found)["pages"]
        labels = [[block["label"] for block in overlay(frame)["blocks"]] for frame in frames]
        assert ["".join(found) for found in labels] == ["ohpo", "oopl"]
        changed = [[block.get("changed") for block in overlay(frame)["blocks"]] for frame in frames]
        assert changed == [[None, "one: h .90; two: o .10", None, "one: o .10; two: l .90"]] * 2

    def test_the_picture_is_there_once(self):
        found = made(compared(image=picture()))
        address = overlays(found)["screenshot"]
        assert address.startswith("data:image/")
        assert compared(image=picture()).to("html").count(address[:80]) == 1
        pages = [overlay(frame)["page"] for frame in overlays(found)["pages"]]
        assert [(page["screenshot"], page["width"], page["height"]) for page in pages] == [("", 800, 400)] * 2
        assert all(frame.count('"screenshot":""') == 1 for frame in overlays(found)["pages"])

    def test_reasons_stand_beside_the_block(self):
        reasons = [
            [],
            [Reason("links", "no links", 1.5), Reason("rule", "so it is", 0.0), Reason("words", "few", -2)],
            [],
            [],
        ]
        found = made(compared(explanation=Explanation(reasons)))
        assert text(found.findall(".//li/div[@class='more']")[0].find("div")) == "one + no links so it is − few"

    def test_hostile_pages_and_names_are_text(self):
        page = f"<title>{HOSTILE.replace('<', '&lt;')}</title><p>{HOSTILE.replace('<', '&lt;')}"
        found = made(compared("p", "o", page, picture(), (HOSTILE, "two")))
        scripts = [script.text for script in found.iterfind(".//script") if script.get("type") is None]
        assert len(scripts) == 1
        assert "alert(1)" not in scripts[0]
        assert found.find(".//ol//span[@class='text']").text == HOSTILE

    def test_the_same_comparison_gives_the_same_page(self):
        assert compared(image=picture()).to("html") == compared(image=picture()).to("html")


def overlay(frame):
    """The data of an overlay."""
    return json.loads(html.fromstring(frame).find(".//script[@id='data']").text)


def overlays(found):
    """The data of a comparison."""
    return json.loads(found.find(".//script[@id='overlays']").text)
