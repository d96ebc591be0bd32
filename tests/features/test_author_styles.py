from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

from vclean.features import matrix
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext, discard_default_layout, has_author_styles

if TYPE_CHECKING:
    from vclean.render.snapshot import Snapshot

PAGE = """<!DOCTYPE html><html lang=en class=no-js><title>Ferries</title>
<body><nav><a href=/a>Home</a> <a href=/b>Contact</a></nav>
<h1>Ferries of the river</h1><p>The ferry crosses the river every hour, and it waits when the water is high.</p>
<table><tr><th>Day<th>Hours<tr><td>Monday<td>six to ten</table>
<form><label>Mail <input type=email value=x></label><select><option>a</select><button>Send</button></form>
<details><summary>More</summary><p>The crossing takes ten minutes.</p></details><ul><li>one<li>two</ul></body></html>"""


def context_of(page: Snapshot) -> PageContext:
    return PageContext(extract_blocks(page))


def restyled(tag: str, **styles: str) -> PageContext:
    """Return a page of one paragraph and one list item, four words and one word, with computed styles of one tag."""
    values = {name.replace("_", "-"): value for name, value in styles.items()}
    default = {name: {"text-transform": "none"} for name in ("html", "body", "p", "ul", "li", "button")}
    default[tag] |= values
    return context_of(laid_out("<p>a b c d</p><ul><li>e</ul><button>f</button>", styles=default))


class TestHasAuthorStyles:
    @pytest.mark.parametrize(
        "styles",
        [
            {"float": "left"},
            {"position": "absolute"},
            {"display": "flex"},
            {"line_height": "20px"},
            {"color": "rgb(51, 51, 51)"},
            {"background_color": "rgb(240, 240, 255)"},
            {"background_image": 'url("a.png")'},
        ],
        ids=lambda styles: next(iter(styles)),
    )
    def test_styles_of_most_words(self, styles: dict[str, str]) -> None:
        assert has_author_styles(restyled("p", **styles))
        assert has_author_styles(restyled("body", **styles))

    @pytest.mark.parametrize(
        "styles",
        [{"color": "rgb(0, 0, 238)"}, {"font_size": "32px"}, {"font_weight": "700"}, {"display": "list-item"},
         {"background_color": "rgb(255, 255, 255)"}, {"float": "none"}],
        ids=lambda styles: next(iter(styles)),
    )  # fmt: skip
    def test_defaults_of_browsers(self, styles: dict[str, str]) -> None:
        assert not has_author_styles(restyled("body", **styles))

    def test_styles_of_few_words(self) -> None:
        assert not has_author_styles(restyled("li", float="left"))

    def test_controls_have_colors_by_default(self) -> None:
        assert not has_author_styles(restyled("button", background_color="rgb(239, 239, 239)"))

    def test_page_without_words(self) -> None:
        assert not has_author_styles(context_of(laid_out("<p>--</p>", styles={"p": {"text-transform": "none"}})))


class TestDiscardDefaultLayout:
    def test_unstyled_page_is_as_unrendered(self) -> None:
        context = discard_default_layout(restyled("body"))
        assert not context.snapshot.rendered
        assert np.isnan(context.snapshot.box).all()
        assert np.isnan(context.blocks.box).all()

    def test_styled_page_is_the_same(self) -> None:
        context = restyled("p", float="left")
        assert discard_default_layout(context) is context

    def test_unrendered_page_is_the_same(self) -> None:
        context = context_of(snapshot("<p>a"))
        assert discard_default_layout(context) is context


@pytest.mark.browser
class TestRendered:
    def test_unstyled_page_has_the_features_of_the_parsed_page(self, snap) -> None:
        rendered, parsed = extract_blocks(snap(PAGE)), extract_blocks(snapshot(PAGE))
        assert rendered.xpath == parsed.xpath
        assert rendered.text == parsed.text
        first, second = matrix.extract(rendered), matrix.extract(parsed)
        np.testing.assert_array_equal(first.base, second.base)

    def test_style_sheet_is_noticed(self, snap) -> None:
        styled = PAGE.replace("<body>", "<style>body{font:14px/1.5 Arial}</style><body>")
        assert has_author_styles(context_of(snap(styled)))
