"""Hidden texts of pages that wait for their scripts, or lack a style sheet."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import decided, laid_out, snapshot

from vclean.features.visibility import text_visibility
from vclean.labels import Visibility
from vclean.render.snapshot import Snapshot

WORDS = "Words of the article on the page. " * 20
HOLE = f"<section style='opacity: 0'><p>{WORDS}</p><p>Panel</p></section>"


def visibility(page: Snapshot, text: str) -> str:
    """Return how the texts of a page with these words are seen."""
    seen = text_visibility(decided(page) if page.rendered else page).tolist()
    (code,) = {code for words, code in zip(page.texts, seen, strict=True) if words.strip() == text}
    return Visibility(code).name.lower()


class TestBeforeScripts:
    @pytest.mark.parametrize(
        ("words", "hidden_words", "expected"), [("", WORDS, "revealable"), (WORDS, "", "hidden")], ids=["most", "part"]
    )
    def test_hidden_part_of_the_main_area(self, words: str, hidden_words: str, expected: str) -> None:
        hidden = f"<div style='opacity: 0'><p>{hidden_words}</p><p>Panel</p></div>"
        assert visibility(snapshot(f"<main><h1>Title</h1><p>{words}</p>{hidden}</main>"), "Panel") == expected


class TestWithoutStyleSheet:
    @pytest.mark.parametrize(
        ("html", "text", "expected"),
        [
            *(
                (f"<b>{WORDS * 20}</b><p>{WORDS * shown}</p>", (WORDS * 20).strip(), expected)
                for shown, expected in ((1, "revealable"), (3, "hidden"), (15, "hidden"))
            ),
            (f"<b>{WORDS}</b><a href=/>{WORDS * 9}</a>", WORDS.strip(), "revealable"),  # links do not count
            (f"<article><b>{WORDS}</b></article><p>{WORDS * 2}</p>", WORDS.strip(), "hidden"),  # the whole page counts
            ("<b>Few words</b>", "Few words", "hidden"),
        ],
    )
    def test_nearly_all_text(self, html: str, text: str, expected: str) -> None:
        assert visibility(laid_out(html, styles={"b": {"color": "rgb(255, 255, 255)"}}), text) == expected


class TestRevealedOnScroll:
    @pytest.mark.parametrize(("count", "expected"), [(2, "hidden"), (3, "revealable")])
    def test_several_holes_in_the_page(self, count: int, expected: str) -> None:
        assert visibility(snapshot(f"<div><p>{10 * WORDS}</p>{count * HOLE}</div>"), "Panel") == expected

    def test_holes_without_much_text(self) -> None:
        page = snapshot(f"<div><p>{10 * WORDS}</p>" + 3 * "<p style='opacity: 0'>Panel</p>")
        assert visibility(page, "Panel") == "hidden"

    @pytest.mark.parametrize("tag", ["post-entry", "section"])
    @pytest.mark.parametrize(("count", "expected"), [(2, "hidden"), (9, "revealable")])
    def test_elements_that_a_script_makes_visible(self, tag: str, count: int, expected: str) -> None:
        entry = f"<{tag} style='visibility: hidden'><p>{WORDS}</p><p>Panel</p></{tag}>"
        page = snapshot(f"<div><p>{30 * WORDS}</p>{count * entry}</div>")
        assert visibility(page, "Panel") == expected

    def test_not_after_scripts_ran(self) -> None:
        page = replace(snapshot(f"<div><p>{10 * WORDS}</p>{3 * HOLE}</div>"), ran_scripts=True)
        assert visibility(page, "Panel") == "hidden"
        assert visibility(replace(page, missed_scripts=1), "Panel") == "revealable"


class TestRevealedByClicks:
    def test_texts_of_the_snapshot(self) -> None:
        page = snapshot("<p>Text</p><p hidden>Panel</p><p hidden>Other</p>")
        page = replace(page, ran_scripts=True, revealed=np.array([page.texts.index("Panel")], dtype=np.int32))
        assert [visibility(page, text) for text in ("Text", "Panel", "Other")] == ["shown", "revealable", "hidden"]
