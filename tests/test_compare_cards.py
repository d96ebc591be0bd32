from __future__ import annotations

import pytest
from helpers import laid_out
from trials import picture, trial

from vclean.compare.cards import card, tints
from vclean.compare.worst import MISSED, RIGHT, WRONG, Look, kinds
from vclean.features.blocks import cut

PAGE = "<p>Menu</p><p>Rain, all day long</p><p>Share</p><p>More</p>"


def text(found):
    return " ".join(" ".join(found.itertext()).split())


def looked(html=PAGE, said="opop", truth="oppo", image=b"", **facts):
    found = trial("a", said=said, truth=truth, **facts)
    return found, Look(found, cut(laid_out(html)), kinds(found), image)


class TestTints:
    def test_every_kind_is_named_beside_its_colour(self):
        items = [(item.get("class"), text(item)) for item in tints()]
        assert items == [(RIGHT, "content, kept"), (MISSED, "content, missed"), (WRONG, "kept, but no content")]


class TestHead:
    def test_the_score_comes_first(self):
        made = card(trial("page-7", text="word word", gold="word"), None, None, [])
        assert text(made.find(".//h3")) == "0.667 page-7"

    def test_facts_that_are_not_known_are_left_out(self):
        made = card(trial("a", language="", corpus="news"), None, None, [])
        assert text(made.find(".//p")) == "news, 1 word of gold; precision 0.000, recall 0.000"

    def test_rivals_follow_the_scores(self):
        rivals = [trial("a", method="two", text="word"), trial("a", method="three")]
        made = card(trial("a", page_type="forum"), None, None, rivals)
        assert text(made.find(".//p")).endswith("recall 0.000, two 1.000, three 0.000")

    def test_why_it_failed(self):
        made = card(trial("a", error="DeadlineError: too long"), None, None, [])
        assert made.findtext(".//p[@class='error']") == "DeadlineError: too long"

    def test_long_names_are_cut(self):
        made = card(trial("x" * 500, url="https://example.org/" + "y" * 500), None, None, [])
        assert len(text(made.find(".//h3"))) < 110
        link = made.find(".//a")
        assert len(link.text) == 120
        assert link.get("href").endswith("y" * 500)

    def test_a_link_tells_nobody_where_it_was_followed_from(self):
        made = card(trial("a", url="https://example.org/"), None, None, [])
        assert made.find(".//a").get("rel") == "noreferrer noopener"


class TestThumbnail:
    def test_without_a_second_look_there_is_none(self):
        assert card(trial("a"), None, None, []).find(".//img") is None

    def test_without_a_picture_there_is_none(self):
        assert card(*looked(), None, []).find(".//img") is None

    def test_without_an_overlay_it_is_no_button(self):
        made = card(*looked(image=picture()), None, [])
        assert made.find(".//button") is None
        assert made.find("div/img").get("alt") == "Picture of a, its blocks tinted"

    def test_its_place_among_the_overlays(self):
        assert card(*looked(image=picture()), 3, []).find("button").get("data-overlay") == "3"


class TestErrors:
    def test_both_kinds_with_their_probabilities(self):
        lists = card(*looked(confidence=0.5), None, []).findall(".//details")
        assert [text(each) for each in lists] == [
            "content, missed : 1 block .10 Share",
            "kept, but no content : 1 block .90 More",
        ]

    def test_methods_without_probabilities_tell_none(self):
        lists = card(*looked(), None, []).findall(".//details")
        assert text(lists[0].find("ul")) == "Share"

    def test_a_page_without_errors_has_no_lists(self):
        assert card(*looked(said="oppo", truth="oppo"), None, []).findall(".//details") == []

    @pytest.mark.parametrize(("count", "more"), [(5, False), (6, True)])
    def test_five_are_quoted_and_the_rest_counted(self, count, more):
        html = "".join(f"<p>{'word ' * (count - row)}" for row in range(count))
        made = card(*looked(html, "o" * count, "p" * count), None, [])
        items = [text(item) for item in made.iterfind(".//details/ul/li")]
        assert len(items) == 5 + more
        assert (items[-1] == "and 1 more") == more

    def test_long_texts_are_cut(self):
        made = card(*looked(f"<p>{'word ' * 200}", "o", "p"), None, [])
        assert len(made.findtext(".//q")) == 160
