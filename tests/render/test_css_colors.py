import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.render.css_colors import WHITE, Color, color_array, colors_in, parse_color

BLACK = Color(0, 0, 0)


class TestParse:
    @pytest.mark.parametrize(
        ("text", "color"),
        [
            ("rgb(1, 2, 3)", (1, 2, 3, 1)),
            ("rgba(1, 2, 3, 0.5)", (1, 2, 3, 0.5)),
            ("color(srgb 1 0 0 / 0.25)", (255, 0, 0, 0.25)),
            ("oklch(1 0 0)", (255, 255, 255, 1)),
            ("oklab(0 0 0)", (0, 0, 0, 1)),
            ("lab(100 0 0)", (255, 255, 255, 1)),
            ("rgb(none 0 0)", (0, 0, 0, 1)),
        ],
    )
    def test_spaces(self, text: str, color: tuple[float, ...]) -> None:
        parsed = parse_color(text)
        assert parsed is not None
        assert tuple(parsed) == pytest.approx(color, abs=2)

    @pytest.mark.parametrize("text", ["", "none", "red", "rgb(1, 2)", "device-cmyk(0 0 0 0)", "rgb(a, b, c)"])
    def test_unknown(self, text: str) -> None:
        assert parse_color(text) is None

    @given(st.text(max_size=60))
    def test_any_text(self, text: str) -> None:
        color = parse_color(text)
        assert color is None or len(color) == 4

    def test_colors_of_a_gradient(self) -> None:
        found = colors_in("linear-gradient(90deg, rgb(0, 0, 0) 0%, rgba(255, 255, 255, 0.5) 100%)")
        assert found == (BLACK, Color(255, 255, 255, 0.5))


def test_over_an_opaque_color() -> None:
    assert Color(0, 0, 0, 0.5).over(WHITE) == Color(127.5, 127.5, 127.5)


def test_array_of_no_color() -> None:
    assert color_array([]).shape == (0, 4)
