from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

from vclean.classify.content import stacking
from vclean.classify.content.stacking import COLUMNS
from vclean.classify.explain.surroundings import BlockSurroundings
from vclean.features import matrix
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext

INDEX = {column.name: index for index, column in enumerate(COLUMNS)}
LONG = "Nobody in the town could remember a summer in which it had rained as long and as hard as in this one, ever. "
PAGE = f"""<div id=top><ul class="menu main"><li><a>Home</a><li><a>News</a></ul></div>
<article><h1>Rain</h1><p>{LONG}<p>{LONG}<p>{LONG}</article><footer><p>Imprint</footer>"""


def surroundings_of(page, **values):
    """Return the surroundings of a page's blocks; `values` by column replace those of all blocks."""
    context = PageContext(extract_blocks(page))
    features = matrix.extract(context.blocks)
    nothing = np.zeros(len(context), dtype=np.float32)
    x = stacking.stack_columns(features, nothing, nothing)
    for name, value in values.items():
        x[:, INDEX[name]] = value
    return BlockSurroundings(context, x)


class TestContainer:
    def test_names_tag_and_class_or_id(self) -> None:
        surroundings = surroundings_of(snapshot(PAGE))
        assert surroundings.container(0, 1) == "ul.menu (2 blocks)"
        assert (
            surroundings_of(snapshot(PAGE.replace("class=", "id=list class="))).container(0, 1) == "ul#list (2 blocks)"
        )
        assert surroundings.container(3, 1) == "article (4 blocks)"

    def test_whole_page(self) -> None:
        assert surroundings_of(snapshot(PAGE)).container(0, 5) == "the whole page"


class TestColumn:
    @pytest.mark.parametrize(
        ("offset", "width", "text"),
        [
            (0, 1, ""),
            (0, 0.3, "a narrow column"),
            (-0.3, 0.3, "a narrow column left of the main column"),
            (0.6, 0.3, "a narrow column right of the main column"),
            (0.6, 0.9, "a column right of the main column"),
        ],
    )
    def test_column_beside_the_main_one_or_narrow(self, offset: float, width: float, text: str) -> None:
        surroundings = surroundings_of(laid_out(PAGE), main_column_offset=offset, main_column_width=width)
        assert surroundings.column(0) == text

    def test_column_on_a_right_to_left_page(self) -> None:
        """Check that the features are mirrored on such a page, and the phrase is not."""
        page = laid_out("<p>" + "שלום עולם " * 20)
        surroundings = surroundings_of(page, main_column_offset=0.6, main_column_width=0.3)
        assert surroundings.column(0) == "a narrow column left of the main column"

    def test_empty_without_rendering(self) -> None:
        assert surroundings_of(snapshot(PAGE)).column(0) == ""


class TestFont:
    def test_size_and_weight(self) -> None:
        surroundings = surroundings_of(laid_out(PAGE, styles={"h1": {"font-size": "23px", "font-weight": "700"}}))
        assert [surroundings.font(block) for block in (2, 3)] == ["23 px bold", "16 px"]

    def test_empty_without_rendering(self) -> None:
        assert surroundings_of(snapshot(PAGE)).font(0) == ""


class TestSimilarBlocks:
    def test_describes_similar_blocks(self) -> None:
        assert (
            surroundings_of(snapshot(PAGE)).similar_blocks(0)
            == "2 blocks with its tags and classes, with 1 word and link share 1.00 on average"
        )

    def test_no_similar_blocks(self) -> None:
        assert surroundings_of(snapshot(PAGE)).similar_blocks(2) == "no other block has its tags and classes"


class TestMainText:
    def test_position_relative_to_the_main_text(self) -> None:
        surroundings = surroundings_of(snapshot(PAGE))
        texts = [surroundings.main_text(block) for block in range(7)]
        assert texts[0].endswith("before the main text")
        assert texts[2:6] == ["inside the main text"] * 4
        assert texts[6] == "1 block after the main text"

    def test_outside_the_core(self) -> None:
        assert (
            surroundings_of(snapshot(PAGE), holder50_inside=0).main_text(3)
            == "inside the main text, but outside its core"
        )


class TestRegion:
    def test_role_with_its_probability(self) -> None:
        surroundings = surroundings_of(snapshot(PAGE), nearest_header=0.934, nearest_none=0.5)
        assert surroundings.region(0, "header") == "in a header (0.93)"
        assert surroundings.region(0, "none") == "in no region (0.50)"


class TestSelector:
    def test_uses_the_first_non_empty_class(self) -> None:
        page = snapshot('<div class=" a b "><section class="" id=" "><p>x')
        surroundings = surroundings_of(page)
        tags = [page.tags[tag] for tag in page.tag.tolist()]
        assert [surroundings.selector(tags.index(tag)) for tag in ("div", "section", "p")] == ["div.a", "section", "p"]
