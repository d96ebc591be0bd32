import pytest
from helpers.pages import laid_out

from vclean.features.visibility.candidate_texts import CandidateTexts
from vclean.features.visibility.element_painting import ElementPainting
from vclean.features.visibility.painters import Painters
from vclean.features.visibility.text_contrast import Backdrop, TextContrast
from vclean.render.css_colors import WHITE, Color
from vclean.render.snapshot import Hidden

BLACK = Color(0, 0, 0)


class Page:
    """A page with a text in a `p` in a `div`."""

    def __init__(self, **styles: dict[str, str]) -> None:
        self.snapshot = laid_out("<div><p>A sentence</p></div>", styles=styles)
        self.contrast = TextContrast(Painters(ElementPainting(self.snapshot)))
        self.tags = [self.snapshot.tags[tag] for tag in self.snapshot.tag.tolist()]

    def technique(self, *behind: Color, painter: int = -1) -> int:
        ancestors = self.snapshot.ancestors(self.tags.index("p"))
        return self.contrast.technique(ancestors, None, [Backdrop(color, painter) for color in behind])


class TestReadable:
    @pytest.mark.parametrize(
        ("styles", "readable"),
        [
            ({}, True),
            ({"p": {"color": "rgb(250, 250, 250)"}}, False),
            ({"p": {"color": "rgb(250, 250, 250)"}, "div": {"background-color": "rgb(0, 0, 0)"}}, True),
            ({"p": {"color": "rgb(250, 250, 250)"}, "div": {"background-color": "rgba(0, 0, 0, 0.9)"}}, False),
            ({"p": {"opacity": "0.01"}}, False),
        ],
    )
    def test_color_before_the_nearest_background(self, styles: dict[str, dict[str, str]], *, readable: bool) -> None:
        page = Page(**styles)
        assert page.contrast.is_readable(CandidateTexts(page.snapshot)).tolist() == [readable]


class TestBackdrops:
    def test_translucent_background(self) -> None:
        page = Page(div={"background-color": "rgba(0, 0, 0, 0.5)"})
        (backdrop,) = page.contrast.backdrops([page.tags.index("div")]) or ()
        assert backdrop == Backdrop(Color(127.5, 127.5, 127.5), -1)

    def test_stops_of_a_gradient(self) -> None:
        page = Page(div={"background-image": "linear-gradient(rgb(0, 0, 0), rgb(255, 255, 255))"})
        div = page.tags.index("div")
        assert page.contrast.backdrops([div]) == [Backdrop(BLACK, div), Backdrop(WHITE, div)]

    @pytest.mark.parametrize(("image", "backdrops"), [("url(a.png)", []), ('url("data:image/png;base64,")', None)])
    def test_images(self, image: str, backdrops: list[Backdrop] | None) -> None:
        page = Page(div={"background-image": image})
        assert page.contrast.backdrops([page.tags.index("div")]) == backdrops


class TestTechnique:
    @pytest.mark.parametrize(
        ("style", "technique"),
        [
            ({}, Hidden.NO),
            ({"color": "rgb(255, 255, 255)"}, Hidden.COLOR),
            ({"color": "rgb(255, 255, 255)", "text-shadow": "rgb(0, 0, 0) 1px 1px 1px"}, Hidden.NO),
            ({"opacity": "0.01"}, Hidden.OPACITY),
            ({"filter": "blur(9px)"}, Hidden.FILTER),
            ({"filter": "blur(1px)"}, Hidden.NO),
            ({"filter": "invert(1)"}, Hidden.FILTER),
            ({"mask-image": "linear-gradient(rgba(0, 0, 0, 0), rgba(0, 0, 0, 0))"}, Hidden.MASK),
            ({"mix-blend-mode": "screen"}, Hidden.BLEND),
            ({"mix-blend-mode": "multiply"}, Hidden.NO),
        ],
    )
    def test_on_white(self, style: dict[str, str], technique: Hidden) -> None:
        assert Page(p=style).technique(WHITE) == technique

    def test_every_color_behind_counts(self) -> None:
        assert Page(p={"color": "rgb(255, 255, 255)"}).technique(WHITE, BLACK) == Hidden.NO

    def test_filter_changes_what_the_element_paints(self) -> None:
        page = Page(p={"filter": "invert(1)"})
        assert page.technique(WHITE, painter=page.tags.index("p")) == Hidden.NO
