from __future__ import annotations

import json

import pytest
from helpers.pages import laid_out
from helpers.trials import picture, trial
from lxml import html

from vclean.compare import report as report_page
from vclean.compare import report as sections
from vclean.compare.error_analysis import Look, kinds
from vclean.compare.report import ReportFacts, to_html
from vclean.features.blocks import extract_blocks

HOSTILE = "</script><script>alert(1)</script>"
HTML = "<p>Menu</p><p>Rain, all day long</p><p>Share</p><p>More</p>"


def report(pages, **facts):
    return html.fromstring(to_html(ReportFacts(trials=pages, **facts)))


def text(found):
    return " ".join(" ".join(found.itertext()).split())


def pages(method="one", **facts):
    return [
        trial("a", text="word", method=method, page_type="article", said="hpo", truth="h?o", confidence=0.9, **facts),
        trial(
            "b", text="", method=method, page_type="forum", words=500, said="pp", truth="op", confidence=0.4, **facts
        ),
        trial("c", method=method, page_type="forum", error="InputError: no text", **facts),
    ]


def with_look(image=b""):
    found = trial("a", said="opop", truth="oppo", confidence=0.5, url="https://a.example/")
    return found, {found.key: Look(found, extract_blocks(laid_out(HTML)), kinds(found), image)}


class TestToHtml:
    def test_every_section_has_its_link(self):
        found = report(pages(), worst=pages()[1:2])
        links = [link.get("href") for link in found.iterfind(".//nav/a")]
        assert links == [f"#{section.get('id')}" for section in found.iterfind(".//section")]
        assert [text(title) for title in found.iterfind(".//h2")][:-1] == [
            "Scores", "Kinds of pages", "Calibration", "Labels", "Worst pages", "All pages", "Failures",
        ]  # fmt: skip

    def test_sections_without_anything_are_left_out(self):
        found = report([trial("a", text="word", said="p", truth="p")])
        assert [section.get("id") for section in found.iterfind(".//section")] == ["scores", "labels", "all-pages"]

    def test_the_same_facts_give_the_same_page(self):
        assert to_html(ReportFacts(trials=pages())) == to_html(ReportFacts(trials=pages()))

    def test_ids_are_given_once(self):
        ids = [found.get("id") for found in report(pages() + pages("two")).iterfind(".//*[@id]")]
        assert len(set(ids)) == len(ids)

    def test_facts_of_the_run(self):
        assert "cross-validation 5 folds" in text(
            report(pages(), facts={"cross-validation ": "5 folds"}).find(".//header")
        )

    def test_hostile_names_are_text(self):
        found = trial(
            HOSTILE, text="word", method=HOSTILE, page_type=HOSTILE, corpus=HOSTILE, error=HOSTILE, url=HOSTILE
        )
        made = report([found], worst=[found])
        scripts = [text(script) for script in made.iterfind(".//script") if script.get("type") is None]
        assert len(scripts) == 1
        assert "alert(1)" not in scripts[0]

    def test_pages_of_a_corpus_without_any_gold(self):
        assert "1.000" in text(report([trial("a", gold="")]).find(".//section"))


class TestScores:
    def test_a_tile_for_every_method(self):
        tiles = [text(tile) for tile in report(pages() + pages("two")).iterfind(".//ul[@class='tiles']/li")]
        assert tiles[0].startswith("one 0.333 word F1; 95 %: 0.000 to 0.987")
        assert "3 pages, 1 failed" in tiles[0]
        assert tiles[1].startswith("two 0.333")

    def test_a_column_that_nothing_defines_is_left_out(self):
        heads = [text(head) for head in report(pages()).iterfind(".//section[@id='scores']/div/table/thead//th")]
        assert heads == ["corpus", "pages", "method", "word F1", "precision", "recall", "LCS F1", "micro", "CleanEval"]


class TestKindsOfPages:
    def test_a_plot_and_a_table_for_what_they_differ_in(self):
        section = report(pages()).find(".//section[@id='kinds-of-pages']")
        assert [text(caption) for caption in section.iterfind(".//caption")] == ["By page type", "By length"]
        assert len(section.findall(".//svg")) == 2

    def test_a_plot_shows_the_commonest_groups(self):
        many = [trial(str(at), page_type=f"type {at % 20}", text="word") for at in range(41)]
        section = report(many).find(".//section[@id='kinds-of-pages']")
        assert len(section.findall(".//figure//tbody/tr")) == 12
        assert len(section.findall("./div/div/table/tbody/tr")) == 20
        assert "type 0 (3)" in text(section.find(".//svg"))


class TestCalibration:
    def test_methods_without_probabilities_have_none(self):
        mixed = [*pages(), trial("a", method="rule", said="p", truth="p")]
        section = report(mixed).find(".//section[@id='calibration']")
        assert {text(row[0]) for row in section.iterfind(".//tbody/tr")} == {"one"}
        assert len(section.findall(".//svg")) == 3

    def test_the_errors_are_told(self):
        rows = report(pages()).iterfind(".//section[@id='calibration']/div/table/tbody/tr")
        assert [[text(cell) for cell in row][:2] for row in rows] == [
            ["one", kind] for kind in ("blocks", "words", "pages")
        ]


class TestLabels:
    def test_shares_of_what_the_gold_says(self):
        table = report(pages()).find(".//table[@class='confusion']")
        rows = {text(row[0]): [text(cell) for cell in row[1:]] for row in table.iterfind("tbody/tr")}
        assert rows["o other"] == ["·", "50.0", "·", "·", "50.0", "2"]
        assert rows["content, type untold"] == ["·", "100.0", "·", "·", "·", "1"]
        assert "l list item" not in rows

    def test_any_content_is_right_where_the_type_is_untold(self):
        table = report(pages()).find(".//table[@class='confusion']")
        last = table.findall("tbody/tr")[-1]
        assert ["right" in cell.get("class") for cell in last[1:]] == [True, True, True, True, False, False]


class TestWorstPages:
    def test_what_is_wrong_is_quoted(self):
        found, looks = with_look()
        card = text(report([found], worst=[found], looks=looks).find(".//li[@class='card']"))
        assert card.startswith("0.000 a https://a.example/ news, en, 1 word of gold")
        assert "content, missed : 1 block .10 Share" in card
        assert "kept, but no content : 1 block .90 More" in card

    def test_rivals_are_named(self):
        found, looks = with_look()
        other = trial("a", method="two", text="word")
        assert "two 1.000" in text(report([found, other], worst=[found], looks=looks).find(".//li[@class='card']"))

    def test_without_pictures_it_says_how_to_have_them(self):
        found, looks = with_look()
        assert "With --render" in text(
            report([found], worst=[found], looks=looks).find(".//section[@id='worst-pages']")
        )

    def test_a_thumbnail_opens_the_overlay(self):
        found, looks = with_look(picture())
        made = report([found], worst=[found], looks=looks, overlays={found.key: "<p>overlay</p>"})
        button = made.find(".//button[@data-overlay]")
        assert (button.get("data-overlay"), button.get("aria-label")) == ("0", "Open the overlay of a")
        assert button.find("img").get("src").startswith("data:image/webp;base64,")
        assert json.loads(made.find(".//script[@id='overlays']").text) == ["<p>overlay</p>"]

    def test_overlays_that_do_not_fit_are_left_out(self, monkeypatch):
        """The picture stays, and the report says how many have no overlay."""
        found, looks = with_look(picture())
        size = len(to_html(ReportFacts(trials=[found], worst=[found], looks=looks)))
        monkeypatch.setattr(report_page, "MAX_BYTES", size + 30_000)
        overlay = "<" * 2_000
        fits = report([found], worst=[found], looks=looks, overlays={found.key: overlay[:1_000]})
        assert fits.find(".//button[@data-overlay]") is not None
        made = report([found], worst=[found], looks=looks, overlays={found.key: overlay})
        assert made.find(".//button[@data-overlay]") is None
        assert made.find(".//div[@class='thumbnail']/img") is not None
        assert "The overlays of 1 of them are left out" in text(made.find(".//section[@id='worst-pages']"))

    @pytest.mark.parametrize(
        ("url", "link"), [("https://a.example/", True), ("javascript:alert(1)", False), ("x", False)]
    )
    def test_only_addresses_of_the_web_are_links(self, url, link):
        found = trial("a", url=url)
        assert (report([found], worst=[found]).find(".//li[@class='card']//a") is not None) == link


class TestAllPages:
    def test_the_worst_by_the_first_method_come_first(self):
        made = report([*pages(), trial("a", method="two"), trial("b", method="two", text="word")])
        rows = made.iterfind(".//table[@id='all-pages-table']/tbody/tr")
        assert [[text(cell) for cell in row] for row in rows] == [
            ["b", "news", "forum", "en", "500", "0.000", "1.000", "0.400"],
            ["c", "news", "forum", "en", "1", "0.000", "–", "–"],
            ["a", "news", "article", "en", "1", "1.000", "0.000", "0.900"],
        ]

    def test_a_long_list_is_cut(self, monkeypatch):
        monkeypatch.setattr(sections, "MAX_ROWS", 2)
        made = report(pages())
        assert len(made.findall(".//table[@id='all-pages-table']/tbody/tr")) == 2
        assert "The 2 worst of 3 pages." in text(made.find(".//section[@id='all-pages']"))


class TestFailures:
    def test_they_are_named_with_their_reason(self):
        row = report(pages()).find(".//section[@id='failures']//tbody/tr")
        assert [text(cell) for cell in row] == ["c", "news", "one", "InputError: no text"]
