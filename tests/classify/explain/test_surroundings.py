from __future__ import annotations

import numpy as np
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
        assert surroundings_of(snapshot(PAGE)).container(0, 3) == "the whole page"


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


class TestSelector:
    def test_uses_the_first_non_empty_class(self) -> None:
        page = snapshot('<div class=" a b "><section class="" id=" "><p>x')
        surroundings = surroundings_of(page)
        tags = [page.tags[tag] for tag in page.tag.tolist()]
        assert [surroundings.selector(tags.index(tag)) for tag in ("div", "section", "p")] == ["div.a", "section", "p"]
