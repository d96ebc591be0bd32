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

PLACE = {column.name: place for place, column in enumerate(COLUMNS)}
LONG = "Nobody in the town could remember a summer in which it had rained as long and as hard as in this one, ever. "
PAGE = f"""<div id=top><ul class="menu main"><li><a>Home</a><li><a>News</a></ul></div>
<article><h1>Rain</h1><p>{LONG}<p>{LONG}<p>{LONG}</article><footer><p>Imprint</footer>"""


def setting(page, **values):
    """The setting of a page's blocks; `values` by column take the place of those of all blocks."""
    view = PageContext(extract_blocks(page))
    features = matrix.extract(view.blocks)
    nothing = np.zeros(len(view), dtype=np.float32)
    x = stacking.stack_columns(features, nothing, nothing)
    for name, value in values.items():
        x[:, PLACE[name]] = value
    return BlockSurroundings(view, x)


class TestContainer:
    def test_by_tag_and_class_or_id(self) -> None:
        found = setting(snapshot(PAGE))
        assert found.container(0, 1) == "ul.menu (2 blocks)"
        assert setting(snapshot(PAGE.replace("class=", "id=list class="))).container(0, 1) == "ul#list (2 blocks)"
        assert found.container(3, 1) == "article (4 blocks)"

    def test_the_whole_page(self) -> None:
        assert setting(snapshot(PAGE)).container(0, 5) == "the whole page"


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
    def test_beside_the_main_one_or_narrow(self, offset: float, width: float, text: str) -> None:
        found = setting(laid_out(PAGE), main_column_offset=offset, main_column_width=width)
        assert found.column(0) == text

    def test_left_is_left_on_a_page_from_right_to_left(self) -> None:
        """The columns are mirrored there; what a reader is told is not."""
        page = laid_out("<p>" + "שלום עולם " * 20)
        found = setting(page, main_column_offset=0.6, main_column_width=0.3)
        assert found.column(0) == "a narrow column left of the main column"

    def test_nothing_is_known_of_a_page_that_was_not_rendered(self) -> None:
        assert setting(snapshot(PAGE)).column(0) == ""


class TestFont:
    def test_size_and_weight(self) -> None:
        found = setting(laid_out(PAGE, styles={"h1": {"font-size": "23px", "font-weight": "700"}}))
        assert [found.font(block) for block in (2, 3)] == ["23 px bold", "16 px"]

    def test_nothing_is_known_of_a_page_that_was_not_rendered(self) -> None:
        assert setting(snapshot(PAGE)).font(0) == ""


class TestAlike:
    def test_what_they_have_in_common(self) -> None:
        assert (
            setting(snapshot(PAGE)).similar_blocks(0)
            == "2 blocks with its tags and classes, with 1 word and link share 1.00 on average"
        )

    def test_none(self) -> None:
        assert setting(snapshot(PAGE)).similar_blocks(2) == "no other block has its tags and classes"


class TestMainText:
    def test_where_it_is(self) -> None:
        found = setting(snapshot(PAGE))
        told = [found.main_text(block) for block in range(7)]
        assert told[0].endswith("before the main text")
        assert told[2:6] == ["inside the main text"] * 4
        assert told[6] == "1 block after the main text"

    def test_beside_its_core(self) -> None:
        assert setting(snapshot(PAGE), holder50_inside=0).main_text(3) == "inside the main text, but outside its core"


class TestRegion:
    def test_with_its_probability(self) -> None:
        found = setting(snapshot(PAGE), nearest_header=0.934, nearest_none=0.5)
        assert found.region(0, "header") == "in a header (0.93)"
        assert found.region(0, "none") == "in no region (0.50)"


class TestSelector:
    def test_the_first_of_several_classes_and_no_empty_ones(self) -> None:
        page = snapshot('<div class=" a b "><section class="" id=" "><p>x')
        found = setting(page)
        tags = [page.tags[tag] for tag in page.tag.tolist()]
        assert [found.selector(tags.index(tag)) for tag in ("div", "section", "p")] == ["div.a", "section", "p"]
