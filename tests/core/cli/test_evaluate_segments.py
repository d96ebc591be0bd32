from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from helpers.archives import record, response
from helpers.boxed import boxed
from helpers.renderers import replace_renderer
from PIL import Image

from vclean.classify.corpora import marked
from vclean.cli.main import main
from vclean.errors import DeadlineError
from vclean.render.rendered_page import Rendering
from vclean.settings import RenderSettings

HTML = """<html><body><div title="0 0 100 20" data-block=1 data-block-type=Header>Abcd</div>
<div title="0 20 100 80" data-block=1 data-block-type=Content><p title="0 20 100 30" data-block=2
data-block-type=Article>Efghijkl</p><p title="0 50 100 50" data-block=2 data-block-type=Article>Mnop</p></div></body>
</html>"""
SITES = ("http://one.example/", "http://two.example/", "http://three.example/")
SLOW = "http://slow.example/"


@pytest.fixture
def archive(tmp_path):
    """Write an archive of three sites with the same page, and one with a page that never loads."""
    path = tmp_path / "marked.warc"
    path.write_bytes(b"".join(record(url, response(HTML.encode())) for url in (*SITES, SLOW)))
    return path


@pytest.fixture
def renders(monkeypatch):
    """Replace the browser by a layout from page titles; return the rendered pages and screenshot requests."""
    asked = []

    def render(page, screenshot):
        if page.url == SLOW:
            raise DeadlineError("the page was not rendered within 30 s: raise --timeout")
        asked.append((page.url, screenshot))
        assert b"data-block" not in page.content
        snapshot = replace(boxed(page.content), url=page.url, settings=RenderSettings().to_dict())
        return Rendering(snapshot, png() if screenshot else None)

    replace_renderer(monkeypatch, render, marked)
    return asked


def png():
    image = Image.new("RGB", (100, 100), "white")
    image.paste("black", (10, 5, 40, 15))
    image.paste("red", (10, 30, 80, 60))
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def run(capsys, *arguments):
    """Run the command and return the rows of the table without its header; one page is left out."""
    assert main(["evaluate-segments", *map(str, arguments)]) == 1
    return [row.split() for row in capsys.readouterr().out.splitlines()[1:]]


@pytest.mark.usefixtures("renders")
class TestTable:
    def test_prints_line_for_each_criterion_and_method(self, archive, capsys):
        rows = run(capsys, archive)
        kinds = ("chars", "nodes", "pixels", "edges-fine", "edges-coarse")
        assert [row[:3] for row in rows] == [
            [level, kind, method] for level in "12" for kind in kinds for method in ("page", "dom", "vips")
        ]
        assert {row[3] for row in rows} == {"3"}

    def test_scores(self, archive, capsys):
        """Compute level 1: 4 and 12 of 16 characters; the page as one: P = 1/16 + 9/16, R = 1. Depth 1 is the truth.

        Level 2: 8 and 4 characters of 16 in parts: P of the page = 4/16 + 1/16. Depth 2 finds them, and the header,
        which is in no part: P = 12/16.
        """
        rows = run(capsys, archive, "--atoms", "chars", "--method", "page", "--method", "dom", "--method", "dom@1")
        assert [row[2:] for row in rows] == [
            ["page", "3", "0.625", "1.000", "0.769", "0.769", "1.0", "2.0"],
            ["dom", "3", "1.000", "1.000", "1.000", "1.000", "2.0", "2.0"],
            ["dom@1", "3", "1.000", "1.000", "1.000", "1.000", "2.0", "2.0"],
            ["page", "3", "0.312", "1.000", "0.476", "0.476", "1.0", "2.0"],
            ["dom", "3", "0.750", "1.000", "0.857", "0.857", "3.0", "2.0"],
            ["dom@1", "3", "0.417", "1.000", "0.588", "0.588", "2.0", "2.0"],
        ]

    def test_marked_elements_only(self, archive, capsys):
        options = ("--atoms", "chars", "--method", "dom", "--level", "2", "--marked-only")
        assert run(capsys, archive, *options)[0][4:8] == ["1.000"] * 4

    @pytest.mark.parametrize(
        ("listed", "code", "scored", "errors"),
        [
            (f"{SITES[0]}\n{SITES[2]}\nhttp://else.example/\n".encode(), 0, ["2"], []),
            (SLOW.encode(), 1, [], [f"{SLOW} is left out", "no marked page could be rendered: see above"]),
            (None, 3, [], ["cannot read"]),
            (b"", 3, [], ["is empty"]),
            (b"\xff\xfe", 3, [], ["UTF-8"]),
            (b"http://else.example/", 3, [], ["none of the 1"]),
        ],
    )
    def test_list_of_pages(self, *, listed, code, scored, errors, archive, tmp_path, capsys):
        if listed is not None:
            (tmp_path / "list.txt").write_bytes(listed)
        options = ["--pages", str(tmp_path / "list.txt"), "--atoms", "chars", "--level", "1", "--method", "page"]
        assert main(["evaluate-segments", str(archive), *options]) == code
        captured = capsys.readouterr()
        assert [row.split()[3] for row in captured.out.splitlines()[1:]] == scored
        lines = captured.err.splitlines()
        assert all(error in line for line, error in zip(lines, errors, strict=True))

    def test_level_that_no_page_has(self, tmp_path, capsys):
        """Print lines without a score, and log the reason."""
        path = tmp_path / "flat.warc"
        path.write_bytes(record(SITES[0], response(HTML.replace("data-block=2", "data-block=1").encode())))
        assert main(["evaluate-segments", str(path), "--atoms", "chars,nodes", "--method", "page"]) == 0
        captured = capsys.readouterr()
        assert [line.split()[3] for line in captured.out.splitlines()[1:]] == ["1", "1", "0", "0"]
        assert captured.err.splitlines() == [
            f"vclean: level 2, {kind}: no score, because no page has any of them in a marked segment"
            for kind in ("chars", "nodes")
        ]


@pytest.mark.usefixtures("renders")
class TestFiles:
    def test_pages_are_rendered_once(self, archive, tmp_path, renders, capsys):
        options = (archive, "--method", "page", "--snapshots", tmp_path / "kept")
        first = run(capsys, *options)
        assert renders == [(url, True) for url in SITES]
        renders.clear()
        assert run(capsys, *options) == first
        assert renders == []

    def test_scores_as_json(self, archive, tmp_path, capsys):
        main(["evaluate-segments", str(archive), "--atoms", "chars", "--method", "dom", "--json", f"{tmp_path}/f.json"])
        assert f"vclean: wrote the scores to {tmp_path}/f.json" in capsys.readouterr().err.splitlines()
        figures = json.loads((tmp_path / "f.json").read_text())
        assert (figures["archive"], figures["marked_only"]) == ("marked.warc", False)
        first, second = figures["lines"]
        assert (first["level"], first["f_b3"], first["truth"]) == (1, 1, 2)
        assert [page["id"] for page in second["pages"]] == list(SITES)
        assert {page["parameter"] for page in second["pages"]} == {2}

    def test_true_segments_have_perfect_score(self, archive, tmp_path, capsys):
        """Write the true segments in the Webis format, and score them as a method."""
        truth = tmp_path / "truth.jsonl"
        run(capsys, archive, "--atoms", "chars", "--method", "page", "--truth", truth)
        for level in ("1", "2"):
            rows = run(capsys, archive, "--method", f"{truth}:level-{level}", "--level", level)
            assert [row[4:8] for row in rows] == [["1.000"] * 4] * 5


def test_reports_missing_browser(archive, bare_machine, capsys):
    assert main(["evaluate-segments", str(archive)]) == 9
    assert "vclean setup" in capsys.readouterr().err


PAINTED = """<!DOCTYPE html><html><body style="margin: 0"><div data-block=1 data-block-type=Header
style="height: 100px; background: #cde">Site</div><div data-block=1 data-block-type=Content style="height: 900px">
<h1 style="margin: 0">Rain</h1>
<p>It rained all day in the valley.</p></div></body></html>"""


@pytest.mark.browser
def test_all_atoms_of_rendered_page(tmp_path, capsys):
    # The children of the body are the true segments, and of pixels the whole page has P = .1^2 + .9^2.
    archive, snapshots = tmp_path / "marked.warc", tmp_path / "kept"
    archive.write_bytes(record("http://a.example/", response(PAINTED.encode())))
    options = ["--level", "1", "--method", "page", "--method", "dom@1", "--snapshots", str(snapshots)]
    assert main(["evaluate-segments", str(archive), *options]) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines()[1:]]
    assert {row[1] for row in rows} == {"chars", "nodes", "pixels", "edges-fine", "edges-coarse"}
    assert {tuple(row[4:8]) for row in rows if row[2] == "dom@1"} == {("1.000",) * 4}
    precision = {row[1]: float(row[4]) for row in rows if row[2] == "page"}
    assert precision["pixels"] == pytest.approx(0.82)
    assert all(0 < value < 1 for value in precision.values())
    assert sorted(path.suffix for path in snapshots.iterdir()) == [".npz", ".png"]
