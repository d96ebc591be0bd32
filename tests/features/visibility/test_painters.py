"""What is painted beside elements: pseudo-elements, shadows, borders and outlines."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out

from vclean.features.visibility.element_painting import ElementPainting
from vclean.features.visibility.painted import doubtful_texts, hidden_techniques
from vclean.features.visibility.painters import Painters
from vclean.render.snapshot import AreaPlace, Hidden, Snapshot, Styles

HTML = "<div><p>A sentence</p></div>"
WHITE = "rgb(255, 255, 255)"
DARK = "rgb(10, 20, 30)"
PAGE = (0, 0, 800, 100)


def page(
    place: AreaPlace,
    style: dict[str, str],
    *,
    plain: bool = True,
    box: tuple[float, float, float, float] = PAGE,
    color: str = "rgb(0, 0, 0)",
) -> Snapshot:
    """Return the page `HTML` with an area of its `div`."""
    snapshot = laid_out(HTML, styles={"p": {"color": color}})
    names, rows = snapshot.styles.names, list(snapshot.styles.rows)
    rows.append(tuple(style.get(name, value) for name, value in zip(names, rows[0], strict=True)))
    div = [snapshot.tags[tag] for tag in snapshot.tag.tolist()].index("div")
    return replace(
        snapshot,
        styles=Styles(names=names, rows=tuple(rows)),
        area=np.array([[div, len(rows) - 1, place, plain]], dtype=np.int32),
        area_box=np.array([box], dtype=np.float32),
    )


def technique(snapshot: Snapshot) -> int:
    return int(hidden_techniques(snapshot)[[text.strip() for text in snapshot.texts].index("A sentence")])


ABSOLUTE = {"position": "absolute", "background-color": WHITE}


class TestOrder:
    @pytest.mark.parametrize("place", [AreaPlace.BEFORE, AreaPlace.AFTER])
    def test_positioned_pseudo_elements_cover_text(self, place: AreaPlace) -> None:
        assert technique(page(place, ABSOLUTE)) == Hidden.COVERED

    @pytest.mark.parametrize("place", [AreaPlace.BEFORE, AreaPlace.AFTER])
    def test_those_at_negative_levels_do_not(self, place: AreaPlace) -> None:
        below = ABSOLUTE | {"z-index": "-1"}
        assert technique(page(place, below)) == Hidden.NO
        assert technique(page(place, below, color=WHITE)) == Hidden.COLOR

    def test_white_text_on_a_dark_pseudo_element_is_shown(self) -> None:
        dark = {"position": "absolute", "background-color": DARK, "z-index": "-1"}
        assert technique(page(AreaPlace.BEFORE, dark, color=WHITE)) == Hidden.NO
        assert technique(page(AreaPlace.BEFORE, dark, color=WHITE, box=(0, 500, 800, 9))) == Hidden.COLOR

    def test_shadows_and_borders_are_below(self) -> None:
        assert technique(page(AreaPlace.BACKGROUND, {"background-color": WHITE})) == Hidden.NO
        assert technique(page(AreaPlace.BACKGROUND, {"background-color": DARK}, color=WHITE)) == Hidden.NO

    def test_outlines_are_above(self) -> None:
        assert technique(page(AreaPlace.OUTLINE, {"background-color": WHITE})) == Hidden.COVERED

    def test_translucent_pseudo_elements_cover_nothing(self) -> None:
        assert technique(page(AreaPlace.AFTER, ABSOLUTE | {"background-color": "rgba(0, 0, 0, 0.5)"})) == Hidden.NO
        assert technique(page(AreaPlace.AFTER, ABSOLUTE | {"opacity": "0.5"})) == Hidden.NO


class TestDoubts:
    def test_what_styles_do_not_tell_is_left_to_pixels(self) -> None:
        above = page(AreaPlace.AFTER, ABSOLUTE, plain=False)
        below = page(AreaPlace.BACKGROUND, {}, plain=False, color=WHITE)
        assert (technique(above), list(doubtful_texts(above).values())) == (Hidden.NO, [Hidden.COVERED])
        assert (technique(below), list(doubtful_texts(below).values())) == (Hidden.NO, [Hidden.COLOR])

    def test_plain_areas_leave_no_doubt(self) -> None:
        assert doubtful_texts(page(AreaPlace.AFTER, ABSOLUTE)) == {}

    @pytest.mark.parametrize(
        ("style", "code"),
        [
            ({"filter": 'url("#f")'}, Hidden.FILTER),
            ({"mask-image": "linear-gradient(rgb(0, 0, 0), rgba(0, 0, 0, 0))"}, Hidden.MASK),
            ({"transform": "matrix3d(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 150, 1)"}, Hidden.TRANSFORM),
            ({"-webkit-text-stroke-width": "4px"}, Hidden.COLOR),
        ],
    )
    def test_effects(self, style: dict[str, str], code: Hidden) -> None:
        assert list(doubtful_texts(laid_out(HTML, styles={"p": style})).values()) == [code]

    @pytest.mark.parametrize(("text", "count"), [("Latest", 0), ("Latest news", 1)])
    def test_a_label_is_not_worth_painting(self, text: str, count: int) -> None:
        page = laid_out(f"<p>{text}</p>", styles={"p": {"filter": 'url("#f")'}})
        assert len(doubtful_texts(page)) == count

    def test_texts_of_overlays_are_not_worth_painting(self) -> None:
        dialog = {"position": "fixed", "background-color": "rgb(9, 9, 9)"}
        page = laid_out(
            f"<div>{'Words of the article. ' * 20}</div><dialog open><p>A sentence</p></dialog>",
            styles={"p": {"filter": 'url("#f")'}, "dialog": dialog},
        )
        assert doubtful_texts(page) == {}

    def test_thin_strokes_leave_no_doubt(self) -> None:
        assert doubtful_texts(laid_out(HTML, styles={"p": {"-webkit-text-stroke-width": "1px"}})) == {}

    def test_elements_that_the_walker_could_not_read(self) -> None:
        snapshot = laid_out(HTML)
        unclear = replace(snapshot, unclear=np.array([[len(snapshot) - 1, Hidden.CLIPPED]], dtype=np.int32))
        assert list(doubtful_texts(unclear).values()) == [Hidden.CLIPPED]


def test_fixed_painters_as_large_as_the_viewport_are_everywhere() -> None:
    snapshot = laid_out("<b></b>" + 60 * "<p>A sentence</p>", styles={"b": {"position": "fixed"}})
    viewport, element = (0, 0, 800, 600), int(np.flatnonzero(snapshot.is_tag(("b",)))[0])
    snapshot.box[element] = viewport
    assert Painters(ElementPainting(snapshot)).box[element].tolist() == [0, 0, 800, snapshot.height]
    snapshot.box[element, 3] = 90
    assert Painters(ElementPainting(snapshot)).box[element].tolist() == [0, 0, 800, 90]
