from __future__ import annotations

from helpers.pages import snapshot

from vclean.classify.corpora.gold import GoldPage, align, gold_kinds
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.labels import KINDS, UNKNOWN

STORY = "The ferry left at noon and came back at night, as it did on every day of that long winter."


def kinds_of(html: str, page: GoldPage) -> list[str]:
    """Return the kinds of the blocks of a page by name, `?` for unknown."""
    context = PageContext(extract_blocks(snapshot(html)))
    codes = gold_kinds(context, page, align(context.blocks.text, page).is_content)
    return ["?" if code == UNKNOWN else str(KINDS[code]) for code in codes.tolist()]


class TestGoldKinds:
    def test_metadata(self) -> None:
        page = GoldPage(
            text=f"The ferry\n{STORY}", page_type="article", title="The ferry", authors=("Ann Lee",), date="2024-03-07"
        )
        html = (
            f"<p>The Ferry</p><h1>The Ferry</h1><p>By Ann Lee</p><p>7 March 2024</p><p>8 March 2024</p><p>{STORY}</p>"
        )
        assert kinds_of(html, page)[1:] == ["title", "byline", "date", "other", "body"]

    def test_author_in_a_long_block_is_no_byline(self) -> None:
        page = GoldPage(text=STORY, page_type="article", authors=("Ann Lee",))
        about = "Ann Lee " + "writes about ferries and about much else " * 5
        assert kinds_of(f"<p>{STORY}</p><p>{about}</p>", page) == ["body", "other"]

    def test_lead(self) -> None:
        lead = "A ferry that never stopped in winter is to be sold in spring."
        page = GoldPage(text=f"The ferry\n{lead}\n{STORY}", page_type="article", title="The ferry")
        assert kinds_of(f"<h1>The ferry</h1><p>{lead}</p><p>{STORY}</p>", page) == ["title", "lead", "body"]

    def test_comments_apart_from_the_article(self) -> None:
        comment = "I took this ferry once, and I never did so again after that."
        page = GoldPage(text=STORY, comments=comment)
        assert kinds_of(f"<p>{STORY}</p><p>{comment}</p><p>Legal notice</p>", page) == ["body", "comment", "other"]

    def test_marks_of_l3s(self) -> None:
        marks = {"1": "The ferry is sold", "2": STORY, "4": "More about ferries", "5": "I liked that ferry a lot"}
        html = "".join(f"<p>{text}</p>" for text in marks.values())
        annotated = "".join(f'<p><span class="x-nc-sel{code}">{text}</span></p>' for code, text in marks.items())
        page = GoldPage(text=f"The ferry is sold\n{STORY}", annotated=annotated.encode())
        assert kinds_of(html, page) == ["title", "body", "related", "comment"]

    def test_partial_gold_says_nothing_of_the_rest(self) -> None:
        page = GoldPage(text=STORY, page_type="recipe", must=(STORY,))
        assert page.is_partial
        assert kinds_of(f"<p>{STORY}</p><p>Home</p>", page) == ["?", "?"]

    def test_damaged_annotation(self) -> None:
        assert kinds_of(f"<p>{STORY}</p>", GoldPage(text=STORY, annotated=b" ")) == ["body"]
