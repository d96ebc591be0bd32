from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from helpers.pages import laid_out, result, snapshot

from vclean.errors import UsageError
from vclean.labels import Box, Label, Role, Visibility

HTML = "<nav>Home</nav><h1>Rain</h1><p>It rained.</p><p>Again.</p><ul><li>a<li>b</ul><p hidden>Folded</p>"
STYLES = {
    "p": {"font-size": "13.5px", "color": "rgb(255, 0, 16)"},
    "h1": {"background-color": "rgba(0, 0, 255, 0.5)"},
}


@pytest.fixture
def blocks():
    roles = [Role.NAVIGATION, Role.TITLE, *[Role.ARTICLE] * 4, None]
    return result(laid_out(HTML, styles=STYLES), "ohpcllo", roles=roles).blocks


class TestBlock:
    def test_a_background_has_its_alpha(self, blocks):
        assert blocks[1].background == "#0000ff80"

    def test_hidden_block_has_no_box(self, blocks):
        assert (blocks[-1].visibility, blocks[-1].box) == (Visibility.HIDDEN, None)

    def test_it_is_frozen_and_slotted(self, blocks):
        with pytest.raises(dataclasses.FrozenInstanceError):
            blocks[0].text = "other"  # type: ignore[misc]
        assert not hasattr(blocks[0], "__dict__")


class TestSequence:
    def test_repr(self, blocks):
        assert repr(blocks) == "<Blocks: 7, 5 of them content>"

    def test_of_a_page_without_blocks(self):
        empty = result(snapshot("<p>"), "").blocks
        assert (len(empty), empty.text, empty.box, len(empty.columns)) == (0, "", None, 0)


class TestFilter:
    @pytest.mark.parametrize(
        ("conditions", "indices"),
        [
            ({}, [0, 1, 2, 3, 4, 5, 6]),
            ({"label": "p"}, [2]),
            ({"label": Label.HEADING}, [1]),
            ({"label": ("h", Label.PARAGRAPH)}, [1, 2]),
            ({"role": "article"}, [2, 3, 4, 5]),
            ({"role": "article", "label": "l"}, [4, 5]),
            ({"role": {Role.TITLE, Role.NAVIGATION}}, [0, 1]),
            ({"visibility": Visibility.HIDDEN}, [6]),
            ({"tag": "li"}, [4, 5]),
            ({"tag": ["h1", "nav"]}, [0, 1]),
            ({"label": ()}, []),
        ],
    )
    def test_where(self, blocks, conditions, indices):
        assert [block.index for block in blocks.where(**conditions)] == indices  # type: ignore[arg-type]

    @pytest.mark.parametrize("conditions", [{"label": "hp"}, {"role": "hero"}, {"label": ["h", "x"]}])
    def test_rejects_unknown_values(self, blocks, conditions):
        with pytest.raises(UsageError, match="choose one of "):
            blocks.where(**conditions)  # type: ignore[arg-type]


class TestMethods:
    def test_text(self, blocks):
        assert blocks.where(label=("p", "c")).text == "It rained. Again.\n"
        assert blocks.where(label=("l", "o")).text == "Home\n\na\nb\n\nFolded\n"

    def test_box(self, blocks):
        assert blocks[1:4].box == Box(x=40, y=40, width=80, height=56)
        assert blocks[6:].box is None


class TestColumns:
    def test_all_blocks(self, blocks):
        assert blocks.columns is blocks[:].columns
        assert blocks.columns.text == [block.text for block in blocks]

    def test_some_blocks(self, blocks):
        part = blocks.where(tag="p").columns
        assert part.text == ["It rained.", "Again.", "Folded"]
        assert part.box.shape == (3, 4)
        assert part.xpath == [block.xpath for block in blocks.where(tag="p")]
        assert np.unique(part.text_block).tolist() == [-1, 0, 1, 2]
        assert part.tag == ["p"] * 3
        np.testing.assert_array_equal(part.font_size, np.float32(13.5))
