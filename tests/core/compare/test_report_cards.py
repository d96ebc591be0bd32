from __future__ import annotations

import pytest
from helpers.page_records import page_record, screenshot
from helpers.pages import laid_out
from lxml import html

from vclean.compare.error_analysis import MISSED, RIGHT, WRONG, ErrorAnalysis, block_kinds
from vclean.compare.report import ReportData, to_html
from vclean.features.blocks import extract_blocks

PAGE = "<p>Menu</p><p>Rain, all day long</p><p>Share</p><p>More</p>"


def text(record):
    return " ".join(" ".join(record.itertext()).split())


def report(worst, analyses=(), overlays=(), rivals=()):
    facts = ReportData(
        records=[*worst, *rivals],
        worst=worst,
        analyses={analysis.record.key: analysis for analysis in analyses},
        overlays={analysis.record.key: analysis.overlay() for analysis in overlays},
    )
    return html.fromstring(to_html(facts))


def card(record, analysis=None, rivals=()):
    """Return the card of a page without an overlay."""
    return report([record], [analysis] if analysis else [], rivals=rivals).find(".//ol[@class='cards']/li")


def analyzed(source=PAGE, predicted="opop", truth="oppo", image=b"", **facts):
    record = page_record("a", predicted=predicted, truth=truth, **facts)
    return record, ErrorAnalysis(record, extract_blocks(laid_out(source)), block_kinds(record), image)


class TestTints:
    def test_legend_names_every_color(self):
        tints = report(*([each] for each in analyzed(image=screenshot()))).find(".//ul[@class='tints']")
        items = [(item.get("class"), text(item)) for item in tints]
        assert items == [(RIGHT, "content, kept"), (MISSED, "content, missed"), (WRONG, "kept, but not content")]


class TestHead:
    def test_score_comes_first(self):
        made = card(page_record("page-7", text="word word", gold="word"))
        assert text(made.find(".//h3")) == "0.667 page-7"

    def test_omits_unknown_facts(self):
        made = card(page_record("a", language="", corpus="news"))
        assert text(made.find(".//p")) == "news, 1 word of gold; precision 0.000, recall 0.000"

    def test_other_methods_follow_scores(self):
        rivals = [page_record("a", method="two", text="word"), page_record("a", method="three")]
        made = card(page_record("a", page_type="forum"), rivals=rivals)
        assert text(made.find(".//p")).endswith("recall 0.000, two 1.000, three 0.000")

    def test_shows_error(self):
        made = card(page_record("a", error="DeadlineError: too long"))
        assert made.findtext(".//p[@class='error']") == "DeadlineError: too long"

    def test_truncates_long_names(self):
        made = card(page_record("x" * 500, url="https://example.org/" + "y" * 500))
        assert len(text(made.find(".//h3"))) < 110
        link = made.find(".//a")
        assert len(link.text) == 120
        assert link.get("href").endswith("y" * 500)

    def test_link_sends_no_referrer(self):
        made = card(page_record("a", url="https://example.org/"))
        assert made.find(".//a").get("rel") == "noreferrer noopener"


class TestThumbnail:
    def test_none_without_analysis(self):
        assert card(page_record("a")).find(".//img") is None

    def test_none_without_screenshot(self):
        assert card(*analyzed()).find(".//img") is None

    def test_no_button_without_overlay(self):
        made = card(*analyzed(image=screenshot()))
        assert made.find(".//button") is None
        assert made.find("div/img").get("alt") == "Screenshot of a with tinted blocks"

    def test_index_among_overlays(self):
        record, analysis = analyzed(image=screenshot())
        other = page_record("b", predicted="opop", truth="oppo")
        analyses = [ErrorAnalysis(other, analysis.blocks, analysis.block_kinds, analysis.screenshot), analysis]
        buttons = report([other, record], analyses, analyses).findall(".//ol[@class='cards']/li/button")
        assert [button.get("data-overlay") for button in buttons] == ["0", "1"]
        assert buttons[1].get("aria-label") == "Open the overlay of a"


class TestErrors:
    def test_both_kinds_with_their_probabilities(self):
        lists = card(*analyzed(confidence=0.5)).findall(".//details")
        assert [text(each) for each in lists] == [
            "content, missed : 1 block .10 Share",
            "kept, but not content : 1 block .90 More",
        ]

    def test_omits_probabilities_for_methods_without_them(self):
        lists = card(*analyzed()).findall(".//details")
        assert text(lists[0].find("ul")) == "Share"

    def test_page_without_errors_has_no_lists(self):
        assert card(*analyzed(predicted="oppo", truth="oppo")).findall(".//details") == []

    @pytest.mark.parametrize(("count", "more"), [(5, False), (6, True)])
    def test_quotes_five_and_counts_rest(self, count, more):
        source = "".join(f"<p>{'word ' * (count - row)}" for row in range(count))
        made = card(*analyzed(source, "o" * count, "p" * count))
        items = [text(item) for item in made.iterfind(".//details/ul/li")]
        assert len(items) == 5 + more
        assert (items[-1] == "and 1 more") == more

    def test_truncates_long_texts(self):
        made = card(*analyzed(f"<p>{'word ' * 200}", "o", "p"))
        assert len(made.findtext(".//q")) == 160
