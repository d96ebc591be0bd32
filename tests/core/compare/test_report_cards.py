from __future__ import annotations

import pytest
from helpers.pages import laid_out
from helpers.trials import picture, trial
from lxml import html

from vclean.compare.error_analysis import MISSED, RIGHT, WRONG, Look, kinds
from vclean.compare.report import ReportFacts, to_html
from vclean.features.blocks import extract_blocks

PAGE = "<p>Menu</p><p>Rain, all day long</p><p>Share</p><p>More</p>"


def text(found):
    return " ".join(" ".join(found.itertext()).split())


def report(worst, looks=(), overlays=(), rivals=()):
    facts = ReportFacts(
        trials=[*worst, *rivals],
        worst=worst,
        looks={look.trial.key: look for look in looks},
        overlays={look.trial.key: look.overlay() for look in overlays},
    )
    return html.fromstring(to_html(facts))


def card(found, look=None, rivals=()):
    """The card of a page that has no overlay."""
    return report([found], [look] if look else [], rivals=rivals).find(".//ol[@class='cards']/li")


def looked(source=PAGE, said="opop", truth="oppo", image=b"", **facts):
    found = trial("a", said=said, truth=truth, **facts)
    return found, Look(found, extract_blocks(laid_out(source)), kinds(found), image)


class TestTints:
    def test_every_kind_is_named_beside_its_colour(self):
        tints = report(*([each] for each in looked(image=picture()))).find(".//ul[@class='tints']")
        items = [(item.get("class"), text(item)) for item in tints]
        assert items == [(RIGHT, "content, kept"), (MISSED, "content, missed"), (WRONG, "kept, but no content")]


class TestHead:
    def test_the_score_comes_first(self):
        made = card(trial("page-7", text="word word", gold="word"))
        assert text(made.find(".//h3")) == "0.667 page-7"

    def test_facts_that_are_not_known_are_left_out(self):
        made = card(trial("a", language="", corpus="news"))
        assert text(made.find(".//p")) == "news, 1 word of gold; precision 0.000, recall 0.000"

    def test_rivals_follow_the_scores(self):
        rivals = [trial("a", method="two", text="word"), trial("a", method="three")]
        made = card(trial("a", page_type="forum"), rivals=rivals)
        assert text(made.find(".//p")).endswith("recall 0.000, two 1.000, three 0.000")

    def test_why_it_failed(self):
        made = card(trial("a", error="DeadlineError: too long"))
        assert made.findtext(".//p[@class='error']") == "DeadlineError: too long"

    def test_long_names_are_cut(self):
        made = card(trial("x" * 500, url="https://example.org/" + "y" * 500))
        assert len(text(made.find(".//h3"))) < 110
        link = made.find(".//a")
        assert len(link.text) == 120
        assert link.get("href").endswith("y" * 500)

    def test_a_link_tells_nobody_where_it_was_followed_from(self):
        made = card(trial("a", url="https://example.org/"))
        assert made.find(".//a").get("rel") == "noreferrer noopener"


class TestThumbnail:
    def test_without_a_second_look_there_is_none(self):
        assert card(trial("a")).find(".//img") is None

    def test_without_a_picture_there_is_none(self):
        assert card(*looked()).find(".//img") is None

    def test_without_an_overlay_it_is_no_button(self):
        made = card(*looked(image=picture()))
        assert made.find(".//button") is None
        assert made.find("div/img").get("alt") == "Picture of a, its blocks tinted"

    def test_its_place_among_the_overlays(self):
        found, look = looked(image=picture())
        other = trial("b", said="opop", truth="oppo")
        looks = [Look(other, look.blocks, look.kinds, look.picture), look]
        buttons = report([other, found], looks, looks).findall(".//ol[@class='cards']/li/button")
        assert [button.get("data-overlay") for button in buttons] == ["0", "1"]
        assert buttons[1].get("aria-label") == "Open the overlay of a"


class TestErrors:
    def test_both_kinds_with_their_probabilities(self):
        lists = card(*looked(confidence=0.5)).findall(".//details")
        assert [text(each) for each in lists] == [
            "content, missed : 1 block .10 Share",
            "kept, but no content : 1 block .90 More",
        ]

    def test_methods_without_probabilities_tell_none(self):
        lists = card(*looked()).findall(".//details")
        assert text(lists[0].find("ul")) == "Share"

    def test_a_page_without_errors_has_no_lists(self):
        assert card(*looked(said="oppo", truth="oppo")).findall(".//details") == []

    @pytest.mark.parametrize(("count", "more"), [(5, False), (6, True)])
    def test_five_are_quoted_and_the_rest_counted(self, count, more):
        source = "".join(f"<p>{'word ' * (count - row)}" for row in range(count))
        made = card(*looked(source, "o" * count, "p" * count))
        items = [text(item) for item in made.iterfind(".//details/ul/li")]
        assert len(items) == 5 + more
        assert (items[-1] == "and 1 more") == more

    def test_long_texts_are_cut(self):
        made = card(*looked(f"<p>{'word ' * 200}", "o", "p"))
        assert len(made.findtext(".//q")) == 160
