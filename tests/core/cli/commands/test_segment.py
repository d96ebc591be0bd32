"""Tests of `vclean segment` and of `vclean.segment`, with a simulated browser."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import TracebackType

import pytest
from helpers.painted import painted
from PIL import Image

import vclean
from vclean.cli.main import main
from vclean.errors import DeadlineError, UsageError
from vclean.page import Page
from vclean.render.browser import renderer
from vclean.render.rendered_page import Rendering
from vclean.settings import RenderSettings

HTML = "<p title='0 0 900 100'>one<p title='0 300 900 100'>two<p title='0 310 900 100'>three"


class StandIn:
    """Renderer that returns the layout of `painted`."""

    def __init__(self, settings: RenderSettings, *, network: bool, **_: object) -> None:
        self.settings, self.network = settings, network

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    def render(self, page: Page, *, screenshot: bool = False) -> Rendering:
        html = page.content.decode() if isinstance(page.content, bytes) else page.content
        if "late" in html:
            raise DeadlineError("it took too long: raise --timeout")
        if "bug" in html:
            raise ZeroDivisionError("a bug")
        out = io.BytesIO()
        Image.new("RGB", (1000, 1000), "white").save(out, "PNG")
        return Rendering(painted(html), out.getvalue() if screenshot else None)


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderer, "Renderer", StandIn)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(HTML)
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """Run the command and return exit code, output and error lines."""

    def call(*arguments: object) -> tuple[int, str, list[str]]:
        code = main(["segment", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err.splitlines()

    return call


class TestOnePage:
    def test_webis(self, run, page: Path) -> None:
        assert len(json.loads(run(page, "-f", "webis")[1])["segmentations"]["vips"]) == 2

    def test_file_and_overlays(self, run, page: Path, tmp_path: Path) -> None:
        out, png, svg = tmp_path / "out.json", tmp_path / "out.png", tmp_path / "out.svg"
        assert run(page, "-o", out, "--overlay", png) == (0, "", [f"vclean: wrote the overlay to {png}"])
        assert json.loads(out.read_text())["method"] == "vips"
        with Image.open(png) as drawn:
            assert drawn.width == 1000
        run(page, "--overlay", svg)
        assert "DoC" in svg.read_text()

    def test_verbose(self, run, page: Path) -> None:
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
    def test_one_line_for_an_error(self, run, arguments: list[str], code: int, message: str) -> None:
        exit_code, out, (line,) = run(*arguments)
        assert (exit_code, out) == (code, "")
        assert message in line


class TestManyPages:
    @pytest.fixture
    def folder(self, page: Path) -> Path:
        for name in ("late", "other"):
            (page.parent / f"{name}.html").write_text(f"<p>{name}")
        return page.parent

    @pytest.mark.parametrize("name", ["json", "webis"])
    def test_one_line_per_page(self, run, folder: Path, name: str) -> None:
        code, out, errors = run(folder, "-f", name)
        assert code == 1
        assert errors == [f"vclean: {folder / 'late.html'}: it took too long: raise --timeout"]
        assert [Path(json.loads(line)["id"]).name for line in out.splitlines()] == ["other.html", "page.html"]

    @pytest.mark.parametrize("name", ["json", "webis"])
    def test_a_file_of_lines(self, run, folder: Path, tmp_path: Path, name: str) -> None:
        target = tmp_path / "all.jsonl"
        assert run(folder, "-o", target, "-f", name)[0] == 1
        keys = [set(json.loads(line)) for line in target.read_text().splitlines()]
        assert len(keys) == 2
        assert all(("segmentations" in line_keys) == (name == "webis") for line_keys in keys)

    def test_folder_of_files_and_overlays(self, run, folder: Path, tmp_path: Path) -> None:
        target = tmp_path / "out"
        target.mkdir()
        run(folder, "-o", target, "--overlay", tmp_path / "pictures" / "seen.png")
        assert len(list(target.glob("*.json"))) == 2
        assert len(list((tmp_path / "pictures").glob("seen-*.png"))) == 2


class TestSegment:
    """Tests of the Python API."""

    def test_url_and_pdoc(self) -> None:
        assert len(vclean.segment(HTML, pdoc=1).leaves) == 1

    def test_a_file(self, page: Path) -> None:
        segments = vclean.segment_file(page, pdoc=1)
        assert (segments.id, len(segments.leaves)) == (str(page), 1)

    def test_a_string_is_never_a_path(self, page: Path) -> None:
        assert vclean.segment(str(page)).id == ""

    def test_url(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(StandIn, "render", lambda _, page, screenshot: Rendering(painted(f"<p>{page.url}")))
        assert vclean.segment_url("https://example.org/").segment_text(0) == "https://example.org/"
        with pytest.raises(UsageError, match="has to begin with http"):
            vclean.segment_url("page.html")

    def test_unknown_method(self) -> None:
        with pytest.raises(UsageError, match="choose one of vips"):
            vclean.Segmenter(method="none")
