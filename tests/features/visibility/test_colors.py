import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.visibility.colors import (
    blended,
    color_contrast,
    contrast,
    contrast_ratio,
    filter_functions,
    filtered,
    luminance,
)
from vclean.render.css_colors import WHITE, Color

BLACK = Color(0, 0, 0)
PARTS = st.floats(0, 255)
COLORS = st.builds(Color, PARTS, PARTS, PARTS)


class TestLuminance:
    @pytest.mark.parametrize(
        ("color", "expected"),
        [
            ((0, 0, 0), 0),
            ((255, 255, 255), 1),
            ((255, 0, 0), 0.2126),
            ((0, 255, 0), 0.7152),
            ((0, 0, 255), 0.0722),
            ((118, 118, 118), 0.18116),
            ((10, 10, 10), 10 / 255 / 12.92),
        ],
    )
    def test_known_values(self, color: tuple[int, ...], expected: float) -> None:
        assert luminance(np.array([color], dtype=np.float32)) == pytest.approx([expected], abs=1e-5)

    def test_unknown(self) -> None:
        assert np.isnan(luminance(np.full((1, 3), np.nan, dtype=np.float32))).all()


class TestContrast:
    @pytest.mark.parametrize(
        ("first", "second", "expected"),
        [
            ((0, 0, 0), (255, 255, 255), 21),
            ((255, 255, 255), (0, 0, 0), 21),
            ((9, 9, 9), (9, 9, 9), 1),
            ((118, 118, 118), (255, 255, 255), 4.54),
            ((119, 119, 119), (255, 255, 255), 4.48),
            ((255, 0, 0), (255, 255, 255), 4.00),
            ((0, 0, 255), (255, 255, 255), 8.59),
            ((255, 255, 0), (0, 0, 0), 19.56),
        ],
    )
    def test_known_ratios(self, first: tuple[int, ...], second: tuple[int, ...], expected: float) -> None:
        """Check #767676, the lightest gray with a contrast of 4.5 to white."""
        one, other = (np.array([color], dtype=np.float32) for color in (first, second))
        assert contrast(one, other) == pytest.approx([expected], abs=0.005)
        assert contrast_ratio(luminance(one), luminance(other)) == contrast(one, other)

    @given(COLORS, COLORS)
    def test_is_symmetric_and_at_least_one(self, one: Color, other: Color) -> None:
        assert color_contrast(one, other) == pytest.approx(color_contrast(other, one))
        assert color_contrast(one, one) == pytest.approx(1)
        assert color_contrast(one, other) >= 1

    def test_hues_of_equal_luminance_differ(self) -> None:
        assert color_contrast(Color(200, 0, 0), Color(0, 104, 0)) > 1.2


class TestEffects:
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
