"""Hidden texts of pages that wait for their scripts, or lack a style sheet."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import decided, laid_out, snapshot

from vclean.features.visibility import text_visibility
from vclean.labels import Visibility
from vclean.render.snapshot import Snapshot

WORDS = "Words of the article on the page. " * 20


def visibility(page: Snapshot, text: str) -> str:
    """Return how the texts of a page with these words are seen."""
    seen = text_visibility(decided(page) if page.rendered else page).tolist()
    (code,) = {code for words, code in zip(page.texts, seen, strict=True) if words.strip() == text}
    return Visibility(code).name.lower()


class TestBeforeScripts:
    def test_most_of_the_main_area(self) -> None:
        page = snapshot(f"<main><h1>Title</h1><div style='opacity: 0'><p>{WORDS}</p><p>Panel</p></div></main>")
        assert visibility(page, "Panel") == "revealable"

    def test_a_part_of_it(self) -> None:
        page = snapshot(f"<main><h1>Title</h1><p>{WORDS}</p><div style='opacity: 0'><p>Panel</p></div></main>")
        assert visibility(page, "Panel") == "hidden"


class TestWithoutStyleSheet:
    @pytest.mark.parametrize(("shown", "expected"), [(1, "revealable"), (3, "hidden"), (15, "hidden")])
    def test_nearly_all_text(self, shown: int, expected: str) -> None:
        style = {"b": {"color": "rgb(255, 255, 255)"}}
        page = laid_out(f"<b>{WORDS * 20}</b><p>{WORDS * shown}</p>", styles=style)
        assert visibility(page, (WORDS * 20).strip()) == expected

    def test_text_of_links_does_not_count(self) -> None:
        page = laid_out(f"<b>{WORDS}</b><a href=/>{WORDS * 9}</a>", styles={"b": {"color": "rgb(255, 255, 255)"}})
        assert visibility(page, WORDS.strip()) == "revealable"

    def test_the_whole_page_counts(self) -> None:
        html = f"<article><b>{WORDS}</b></article><p>{WORDS * 2}</p>"
        assert visibility(laid_out(html, styles={"b": {"color": "rgb(255, 255, 255)"}}), WORDS.strip()) == "hidden"

    def test_little_text(self) -> None:
        page = laid_out("<b>Few words</b>", styles={"b": {"color": "rgb(255, 255, 255)"}})
        assert visibility(page, "Few words") == "hidden"


class TestRevealedOnScroll:
    @pytest.mark.parametrize(("count", "expected"), [(2, "hidden"), (3, "revealable")])
    def test_several_holes_in_the_page(self, count: int, expected: str) -> None:
        hole = f"<section style='opacity: 0'><p>{WORDS}</p><p>Panel</p></section>"
        page = snapshot(f"<div><p>{10 * WORDS}</p>{count * hole}</div>")
        assert visibility(page, "Panel") == expected

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
        hole = f"<section style='opacity: 0'><p>{WORDS}</p><p>Panel</p></section>"
        page = replace(snapshot(f"<div><p>{10 * WORDS}</p>{3 * hole}</div>"), ran_scripts=True)
        assert visibility(page, "Panel") == "hidden"
        assert visibility(replace(page, missed_scripts=1), "Panel") == "revealable"


class TestRevealedByClicks:
    def test_texts_of_the_snapshot(self) -> None:
        page = snapshot("<p>Text</p><p hidden>Panel</p><p hidden>Other</p>")
        page = replace(page, ran_scripts=True, revealed=np.array([page.texts.index("Panel")], dtype=np.int32))
        assert [visibility(page, text) for text in ("Text", "Panel", "Other")] == ["shown", "revealable", "hidden"]
