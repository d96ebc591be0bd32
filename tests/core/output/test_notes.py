"""Check that footnotes of the common shapes become `[^1]`, with all their texts and without links back."""

from __future__ import annotations

import pytest
from helpers.pages import result, snapshot

from vclean.features.blocks import extract_blocks


def markdown(html: str) -> str:
    page = snapshot(html)
    labels = ["h" if tag == "h2" else "p" for tag in extract_blocks(page).tag]
    return result(page, "".join(labels)).to_markdown()


BOTH = "a[^1] b[^2]\n\n[^1]: First.\n\n[^2]: Second.\n"
LINKS = "<p>a<sup><a id=r1 href=#n1>1</a></sup> b<sup><a id=r2 href=#n2>2</a></sup></p>"


class TestNotes:
    @pytest.mark.parametrize(
        "html",
        [
            f"{LINKS}<ol><li id=n1>First. <a href=#r1>↩</a><li id=n2>Second. <a href=#r2>↩</a></ol>",
            f"{LINKS}<h2>Notes</h2><p id=n1><a href=#r1>1.</a> First.</p><p id=n2><a href=#r2>2.</a> Second.</p>",
            f"{LINKS}<p><a name=n1></a>1. First.<br><br><a name=n2></a>2. Second.</p>",
            f"{LINKS}<div id=n1><sup>1</sup><p>First.</p></div><div id=n2><sup>2</sup><p>Second.</p></div>",
            "<p>a<sup>1</sup> b<sup>2</sup></p><hr><p><sup>1</sup> First.</p><p><sup>2</sup> Second.</p>",
            "<p>a<sup>1</sup> b<sup>2</sup></p><ol><li id=footnote-1>First.<li id=footnote-2>Second.</ol>",
            "<p>a<sup>1</sup> b<sup>2</sup></p><hr><p><b>1</b> First.</p><p><b>2</b> Second.</p>",
            "<p>a<a href=#_ftn1>[1]</a> b<a href=#_ftn2>[2]</a></p>"
            "<p><a href=#_ftnref1>[1]</a> First.</p><p><a href=#_ftnref2>[2]</a> Second.</p>",
        ],
    )
    def test_shapes(self, html: str) -> None:
        assert markdown(html) == BOTH

    def test_note_of_several_blocks(self) -> None:
        notes = "<div><p id=n1>1. First.</p><ul><li>x</ul><p>More.</p><p id=n2>2. Second.</p></div>"
        assert markdown(LINKS + notes) == ("a[^1] b[^2]\n\n[^1]: First.\n\n    - x\n\n    More.\n\n[^2]: Second.\n")

    @pytest.mark.parametrize(
        "html",
        [
            "<p>10 m<sup>2</sup> of land</p><p>2 houses.</p>",
            "<p><a href=#s1>1</a> <a href=#s2>2</a></p><section id=s1><h2>One</h2><p>x</section>",
            "<p>See <a href=#n1>the note</a>.</p><p id=n1>First.</p>",
        ],
    )
    def test_other_numbers_and_links_stay(self, html: str) -> None:
        assert "[^" not in markdown(html)

    @pytest.mark.parametrize("mark", ["2", "†"])
    def test_mark_in_another_note(self, mark: str) -> None:
        notes = f"<p id=n1>First<sup><a href=#n2>{mark}</a></sup> end.</p><p id=n2>Second.</p>"
        text = markdown(f"<p>a<sup><a href=#n1>1</a></sup></p>{notes}")
        assert text == "a[^1]\n\n[^1]: First[^2] end.\n\n[^2]: Second.\n"

    def test_html_has_links_to_items(self) -> None:
        page = snapshot(f"{LINKS}<ol><li id=n1>First.<li id=n2>Second.</ol>")
        html = result(page, "ppp").to_html()
        assert '<sup><a href="#fn1" class="footnote-ref">1</a></sup>' in html
        assert '<section class="footnotes"><ol>' in html
        assert '<li id="fn1">' in html
