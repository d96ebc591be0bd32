from __future__ import annotations

from pathlib import Path

import pytest
from helpers.pages import snapshot

import vclean
from vclean.classify.content.postprocess import place_headline, place_subject
from vclean.classify.explain.reasons import Rule
from vclean.classify.prediction import Headline
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.labels import Label
from vclean.page import Page
from vclean.settings import Policy

TEXT = "It rained for many days in the whole valley, and the farmers lost most of the hay that they had cut. "
BODY = f"<p>{TEXT}<p>{TEXT}{TEXT}"
URL = "https://example.org/a/b.html"


def placed(
    html: str, labels: str, *, title: str = "", url: str = URL, policy: Policy | None = None
) -> tuple[str, Headline | None]:
    """Return the labels as a string, and the headline."""
    context = PageContext(extract_blocks(snapshot(f"<title>{title}</title>{html}", url)))
    after, headline = place_headline(context, [Label(letter) for letter in labels], policy or Policy())
    return "".join(after), headline


class TestKeep:
    @pytest.mark.parametrize(
        ("html", "before", "after", "source"),
        [
            (f"<h1>Rain in May</h1>{BODY}", "opp", "hpp", "rule"),
            (f"<h1>Rain in May</h1>{BODY}", "hpp", "hpp", "model"),
            (f"<h1>Rain in May</h1><h2>RAIN in “May”</h2><p>Rain in May</p>{BODY}<ul><li>Rain in May</ul>", "ohpppl",
             "hooppl", "rule"),
            (f"<h1>Rain in May</h1>{BODY}<h2>Rain in May 2</h2>", "opph", "hpph", "rule"),
        ],
    )  # fmt: skip
    def test_headline_is_kept_once(self, html: str, before: str, after: str, source: str) -> None:
        assert placed(html, before) == (after, Headline("Rain in May", 0, source))

    @pytest.mark.parametrize(("hidden", "labels"), [("revealable", "hpp"), ("drop", "opp")])
    def test_headline_that_readers_can_open(self, hidden, labels: str) -> None:
        html = f"<div style='display: none'><h1>Rain in May</h1></div>{BODY}<p><a href=#x>Open</a>"
        context = PageContext(extract_blocks(snapshot(f"<title>Rain in May</title>{html}", URL)))
        context.blocks.visibility[0] = 1
        after, headline = place_headline(context, [Label(letter) for letter in "oppo"], Policy(hidden=hidden))
        assert "".join(after)[:3] == labels
        assert headline is not None


class TestTitle:
    @pytest.mark.parametrize(("title", "policy"), [("Example", Policy()), ("Rain in May", Policy(title=False))])
    def test_the_name_of_the_site_and_unwanted_titles_are_not_added(self, title: str, policy: Policy) -> None:
        assert placed(BODY, "pp", title=title, policy=policy) == ("pp", None)


class TestDrop:
    def test_headline_and_its_repetitions_go(self) -> None:
        html = f"<h1>Rain in May</h1>{BODY}<h2>Rain in May</h2>"
        dropped = Headline("Rain in May", 0, "dropped")
        assert placed(html, "hpph", policy=Policy(title=False)) == ("oppo", dropped)


class TestOutput:
    PAGE = f"<title>Rain in May - The Daily</title>{{}}{BODY}{BODY}"
    OUT = Policy(title=False)

    @pytest.mark.parametrize("heading", ["<h1>Rain in May</h1>", ""])
    def test_headline_is_there_once_in_every_format(self, heading: str) -> None:
        result = vclean.clean(self.PAGE.format(heading))
        assert result.to_text().startswith("Rain in May\n\n")
        assert result.to_cleaneval().startswith("<h>Rain in May\n")
        assert result.to_markdown().startswith("# Rain in May\n\n")
        assert "<body>\n<h1>Rain in May</h1>\n" in result.to_html()
        for name in ("text", "cleaneval", "markdown"):
            assert result.to(name).count("Rain in May") == 1
        if not heading:
            assert result.to_dict()["headline"] == {"text": "Rain in May", "block": None, "source": "title"}

    @pytest.mark.parametrize("heading", ["<h1>Rain in May</h1>", ""])
    def test_headline_is_left_out(self, heading: str) -> None:
        result = vclean.clean(self.PAGE.format(heading), policy=self.OUT)
        assert "Rain in May" not in result.to_text() + result.to_markdown()
        assert "<h1>" not in result.to_html()

    def test_explanation(self) -> None:
        page = Page(content=self.PAGE.format("<h1>Rain in May</h1>"), url=URL)
        block = vclean.clean(page, policy=self.OUT, explain=True).blocks[0]
        assert [reason.text for reason in block.reasons if reason.rule == Rule.HEADLINE] == [
            "left out because it is the headline"
        ]


PRODUCT = Path(__file__).parents[3] / "fixtures" / "product" / "page.html"
SHOP = """<title>Fennel 2</title><script type="application/ld+json">{"@type": "Product", "name": "Fennel 2",
"sku": "L-204", "offers": {"price": "64.90"}}</script><nav><a href=/>Home</a> <a href=/s>Lamps</a></nav>
<h1>Fennel 2</h1>
<form><div class=price>64,90 €</div><a href=/rates>or 5,41 € a month</a><input type=submit></form>
<p>The lamp lights the road for sixty metres, and leaves the eyes of those who come towards you alone.</p>
<p>Everything in it can be taken out and replaced: the lens, the board, the cable, and even the switch.</p>
<ul class=menu><li>Number: L-204</li></ul><footer>© Lantern</footer>"""


class TestPlaceSubject:
    def test_keeps_price_and_number(self) -> None:
        result = vclean.clean(SHOP)
        labels = {block.text: block.label for block in result.blocks}
        assert (labels["64,90 €"], labels["Number: L-204"]) == (Label.PARAGRAPH, Label.LIST_ITEM)
        assert not labels["or 5,41 € a month"].is_content

    def test_corpora_decide_otherwise(self) -> None:
        result = vclean.clean_file(PRODUCT, policy=vclean.Policy(convention="wcxb"))
        assert result.prediction.subject_blocks == frozenset()

    def test_a_page_without_content_stays_empty(self) -> None:
        context = vclean.clean(SHOP).prediction.context
        assert context is not None
        labels = [Label.OTHER] * len(context)
        assert place_subject(context, labels, vclean.Policy()) == (labels, None, frozenset())

    @pytest.mark.parametrize("method", ["text", "bte"])
    def test_other_methods_have_no_rule(self, method: str) -> None:
        result = vclean.clean_file(PRODUCT, method=method)
        assert result.prediction.subject is None
        assert result.product is not None
        assert result.product.price == "64.90"
        assert result.product.price_text == "€64.90"
