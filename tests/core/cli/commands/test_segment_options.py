"""Tests of the arguments of `vclean segment`."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.pages import parsed

from vclean import api
from vclean.cli.commands.segment import FORMATS, SegmentOptions
from vclean.errors import UsageError
from vclean.features.segments import formats
from vclean.settings import DEFAULT_PDOC, RenderSettings


class TestParseSegment:
    def test_defaults(self) -> None:
        assert parsed("segment", "page.html") == SegmentOptions(
            pages=["page.html"],
            pdoc=5,
            method="vips",
            format="json",
            out=None,
            overlay=None,
            url="",
            settings=RenderSettings(),
            verbosity=0,
        )

    def test_all_options(self) -> None:
        text = (
            "a.html b.html --pdoc 9 -f webis -o out --overlay o.svg --method other --url https://example.org/ --js"
            " --width 800 --timeout 3 -v"
        )
        options = parsed("segment", *text.split())
        assert options.pages == ["a.html", "b.html"]
        assert (options.pdoc, options.format, options.method) == (9, "webis", "other")
        assert (options.out, options.overlay) == (Path("out"), Path("o.svg"))
        assert options.settings == RenderSettings(scripts="on", width=800, deadline=3)
        assert options.verbosity == 1

    def test_command_is_registered(self) -> None:
        assert isinstance(parsed("segment", "page.html"), SegmentOptions)

    @pytest.mark.parametrize("degree", ["0", "12", "-1", "x", "5.5", "²"])
    def test_degree_out_of_range(self, degree: str) -> None:
        with pytest.raises(UsageError, match=rf"--pdoc: has to be 1 to 11, not {degree} \(see vclean segment --help\)"):
            parsed("segment", "page.html", "--pdoc", degree)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "PAGE"),
            ([""], "a PAGE is empty"),
            (["p", "-f", "text"], "'text' is not one of"),
            (["p", "--overlay", "o.gif"], "has to end in .png, .svg or .html"),
            (["p", "--url", "example.org"], "--url has to start with http"),
            (["p", "-o", "x.png", "--overlay", "./x.png"], "--out and --overlay have to be different files"),
        ],
    )
    def test_rejects_invalid_values(self, arguments: list[str], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            parsed("segment", *arguments)

    def test_rejects_output_that_overwrites_page(self, tmp_path: Path) -> None:
        page = tmp_path / "page.html"
        page.touch()
        with pytest.raises(UsageError, match="is one of the pages: write to another file"):
            parsed("segment", str(page), "-o", str(page))


class TestAgreement:
    """Values that the options copy from modules that `--help` does not import."""

    def test_formats(self) -> None:
        assert FORMATS == formats.FORMATS

    @pytest.mark.parametrize("function", [api.segment, api.segment_file, api.segment_url, api.Segmenter.segment])
    def test_degree(self, function) -> None:
        assert function.__kwdefaults__["pdoc"] == DEFAULT_PDOC
