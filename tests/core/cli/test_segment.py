"""Tests of `vclean segment` and of `vclean.segment`, with a simulated browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.page_records import screenshot as white_image
from helpers.painted import painted
from helpers.renderers import replace_renderer
from PIL import Image

import vclean
from vclean.cli.main import main
from vclean.errors import DeadlineError
from vclean.render.rendered_page import Rendering

HTML = "<p title='0 0 900 100'>one<p title='0 300 900 100'>two<p title='0 310 900 100'>three"


def render(page, screenshot):
    html = page.content.decode() if isinstance(page.content, bytes) else page.content
    if "late" in html:
        raise DeadlineError("it took too long: raise --timeout")
    return Rendering(painted(html or f"<p>{page.url}"), white_image(1000, 1000) if screenshot else None)


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    replace_renderer(monkeypatch, render)


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(HTML)
    return path


@pytest.fixture
def run(capsys):
    """Run the command and return exit code, output and error lines."""

    def call(*arguments):
        code = main(["segment", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err.splitlines()

    return call


class TestOnePage:
    def test_file_and_overlays(self, run, page, tmp_path):
        out, png, svg = tmp_path / "out.json", tmp_path / "out.png", tmp_path / "out.svg"
        assert run(page, "-o", out, "--overlay", png) == (0, "", [f"vclean: wrote the overlay to {png}"])
        assert json.loads(out.read_text())["method"] == "vips"
        with Image.open(png) as drawn:
            assert drawn.width == 1000
        run(page, "--overlay", svg)
        assert "DoC" in svg.read_text()

    def test_verbose(self, run, page):
        (line,) = run(page, "-v")[2]
        assert line.startswith(f"vclean: {page}: 2 segments, ")

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["none.html"], 3, "none.html does not exist"),
            (["none.html", "--method", "xy"], 2, "no segmentation method 'xy': choose one of "),
            (["none.html", "-o", "no/where.json"], 12, "create the folder"),
        ],
    )
    def test_one_line_for_an_error(self, run, arguments, code, message):
        exit_code, out, (line,) = run(*arguments)
        assert (exit_code, out) == (code, "")
        assert message in line


class TestManyPages:
    @pytest.fixture
    def folder(self, page):
        for name in ("late", "other"):
            (page.parent / f"{name}.html").write_text(f"<p>{name}")
        return page.parent

    @pytest.mark.parametrize("name", ["json", "webis"])
    def test_one_line_per_page(self, run, folder, tmp_path, name):
        code, out, errors = run(folder, "-f", name)
        assert code == 1
        assert errors == [f"vclean: {folder / 'late.html'}: it took too long: raise --timeout"]
        records = [json.loads(line) for line in out.splitlines()]
        assert [Path(record["id"]).name for record in records] == ["other.html", "page.html"]
        assert all(("segmentations" in record) == (name == "webis") for record in records)
        assert run(folder, "-o", tmp_path / "all.jsonl", "-f", name)[0] == 1
        assert (tmp_path / "all.jsonl").read_text() == out

    def test_folder_of_files_and_overlays(self, run, folder, tmp_path):
        target = tmp_path / "out"
        target.mkdir()
        run(folder, "-o", target, "--overlay", tmp_path / "pictures" / "seen.png")
        assert len(list(target.glob("*.json"))) == 2
        assert len(list((tmp_path / "pictures").glob("seen-*.png"))) == 2


class TestSegment:
    """Tests of the Python API."""

    def test_a_file(self, page):
        segments = vclean.segment_file(page, pdoc=1)
        assert (segments.id, len(segments.leaves)) == (str(page), 1)

    def test_a_string_is_never_a_path(self, page):
        assert vclean.segment(str(page)).id == ""

    def test_url(self):
        assert vclean.segment_url("https://example.org/").segment_text(0) == "https://example.org/"
