"""Other ways to read a source."""

from __future__ import annotations

import time

import pytest

from vclean.render.static.recovery import close_unseen, find_reading, without_scripts
from vclean.settings import RenderSettings

SETTINGS = RenderSettings()


class TestFindReading:
    def test_needs_twice_the_text(self) -> None:
        source = "<video><p>It rained."
        assert find_reading(source, 5, SETTINGS) is None
        reading = find_reading(source, 4, SETTINGS)
        assert reading is not None
        assert reading.length == len("Itrained.")
        assert reading.text == "<video></video><p>It rained."

    def test_too_deep_sources_have_no_reading(self) -> None:
        assert find_reading("<div>" * 3000 + "It rained.", 0, SETTINGS) is None


class TestCloseUnseen:
    @pytest.mark.parametrize(
        ("source", "closed"),
        [
            ("<video><p>a", "<video></video><p>a"),
            ("<VIDEO><p>a<video>b</video>", "<VIDEO></VIDEO><p>a<video>b</video>"),
            ("<svg><path></svg><p>a", "<svg><path></svg><p>a"),
            ("<object/><canvas><p>a</canvas>", "<object/></object><canvas><p>a</canvas>"),
            ("<script src=a> <p>a<script>b</script>", "<script src=a></script> <p>a<script>b</script>"),
            ("<script> <!-- a --></script><p>b", "<script> <!-- a --></script><p>b"),
            ("<script type=a><p>b</script>", "<script type=a><p>b</script>"),
            ("<style>a {} <p>b", "<style>a {} </style><p>b"),
        ],
    )
    def test_closes_what_has_no_end(self, source: str, closed: str) -> None:
        assert close_unseen(source) == closed

    @pytest.mark.parametrize("part", ["<video>", "<video", "<script", "<script ", "<script><p", "<style>", "<svg/ "])
    def test_time_is_linear(self, part: str) -> None:
        start = time.process_time()
        close_unseen(part * (400_000 // len(part)))
        assert time.process_time() - start < 5


class TestWithoutScripts:
    def test_removes_scripts_and_handlers(self) -> None:
        html = without_scripts("<p onclick='x()' id=a>It<script>y()</script> rained.", SETTINGS)
        assert html == '<!DOCTYPE html>\n<html><body><p id="a">It rained.</p></body></html>'
