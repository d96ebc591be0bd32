import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.visibility.colors import (
    WHITE,
    Color,
    blended,
    color_contrast,
    colors_in,
    contrast,
    filter_functions,
    filtered,
    parse_color,
)

BLACK = Color(0, 0, 0)
PARTS = st.floats(0, 255)
COLORS = st.builds(Color, PARTS, PARTS, PARTS)


class TestContrast:
    def test_values_of_wcag(self) -> None:
        pairs = [((0, 0, 0), (255, 255, 255)), ((119, 119, 119), (255, 255, 255)), ((255, 0, 0), (255, 255, 255))]
        one, other = (np.array(colors, dtype=np.float32) for colors in zip(*pairs, strict=True))
        assert contrast(one, other).tolist() == pytest.approx([21, 4.48, 4.0], abs=0.01)

    @given(COLORS, COLORS)
    def test_is_symmetric_and_at_least_one(self, one: Color, other: Color) -> None:
        assert color_contrast(one, other) == pytest.approx(color_contrast(other, one))
        assert color_contrast(one, one) == pytest.approx(1)
        assert color_contrast(one, other) >= 1

    def test_hues_of_equal_luminance_differ(self) -> None:
        assert color_contrast(Color(200, 0, 0), Color(0, 104, 0)) > 1.2


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


class TestEffects:
    def test_over(self) -> None:
        assert Color(0, 0, 0, 0.5).over(WHITE) == Color(127.5, 127.5, 127.5)

    @pytest.mark.parametrize(
        ("value", "color"),
        [
            ("invert(1)", (255, 255, 255, 1)),
            ("opacity(0)", (0, 0, 0, 0)),
            ("contrast(0)", (127.5, 127.5, 127.5, 1)),
            ("brightness(3)", (0, 0, 0, 1)),
            ("drop-shadow(rgb(0, 0, 0) 1px 1px 2px)", (0, 0, 0, 1)),
        ],
    )
    def test_filters_on_black(self, value: str, color: tuple[float, ...]) -> None:
        assert tuple(filtered(BLACK, filter_functions(value))) == pytest.approx(color)

    def test_blur_is_in_px(self) -> None:
        assert filter_functions("blur(4px) grayscale(0.5)") == (("blur", 4.0), ("grayscale", 0.5))

    @pytest.mark.parametrize(
        ("mode", "front", "result"),
        [
            ("multiply", BLACK, (0, 0, 0)),
            ("screen", BLACK, (255, 255, 255)),
            ("lighten", BLACK, (255, 255, 255)),
            ("difference", WHITE, (0, 0, 0)),
            ("normal", BLACK, (0, 0, 0)),
        ],
    )
    def test_blends_on_white(self, mode: str, front: Color, result: tuple[float, ...]) -> None:
        assert blended(front, WHITE, mode)[:3] == pytest.approx(result)
