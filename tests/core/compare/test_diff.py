from __future__ import annotations

import json

import pytest
from helpers.page_records import screenshot
from helpers.pages import laid_out, result, snapshot
from lxml import html

from vclean.cli.main import main
from vclean.compare.diff import Comparison, label_text
from vclean.errors import UsageError
from vclean.labels import Label

PAGE = "<nav>Menu</nav><h1>Rain</h1><p>It rained all day.</p><p>Share this</p>"
HOSTILE = "</script><script>alert(1)</script>"


def compared(first, second, page=PAGE, image=b"", names=("one", "two")):
    snap = laid_out(page) if image else snapshot(page)
    return Comparison(names, result(snap, first, id="p.html"), result(snap, second, id="p.html"), image)


def test_summary_counts_every_kind():
    assert compared("hhlo", "oopp").summary() == (
        "0 of 4 blocks alike (0.0 %), 2 kept by one alone, 1 by two alone, 1 by both with different labels; "
        "word F1 of two against one 0.667"
    )


def test_rejects_unknown_format():
    with pytest.raises(UsageError, match="choose text, json or html"):
        compared("oooo", "oooo").to("pdf")


def test_text_has_one_line_per_difference():
    names, more, *lines, summary = compared("ohpo", "oopp").to("text").splitlines()
    assert (names, more) == ("--- one", "+++ two")
    assert lines == [
        '- 1  h .90  o .10  /html[1]/body[1]/h1[1]  "Rain"',
        '+ 3  o .10  p .90  /html[1]/body[1]/p[2]  "Share this"',
    ]
    assert summary.startswith("2 of 4 blocks alike")
    assert "\x1b" not in compared("p", "o", page="<p>a&#27;[31mred \x1b[2J").to("text")


def test_json_has_documented_fields():
    output = json.loads(compared("ohpo", "oopp", image=b"picture").to("json"))
    assert output["id"] == "p.html"
    assert (output["blocks"], output["agreement"], output["word_f1"]) == (4, 0.5, round(8 / 11, 5))
    assert (output["first_only"], output["second_only"], output["other_label"]) == (1, 1, 0)
    assert output["first"] == {"name": "one", "method": "vclean", "versions": {}, "confidence": None}
    assert output["differences"][0] == {
        "block": 1, "kind": "first_only", "xpath": "/html[1]/body[1]/h1[1]",
        "first": {"label": "h", "probability": 0.9}, "second": {"label": "o", "probability": 0.1},
        "box": [40.0, 40.0, 32.0, 16.0], "text": "Rain",
    }  # fmt: skip


def test_label_omits_unknown_probability():
    output = result(snapshot(PAGE), "ohpo")
    output.prediction.probability[1] = float("nan")
    assert [label_text(output.blocks[0]), label_text(output.blocks[1])] == ["o .10", Label.HEADING]


def text(page):
    return " ".join(" ".join(page.itertext()).split())


class TestHtml:
    def test_without_screenshot_only_list_of_differences(self):
        page = html.fromstring(compared("ohpo", "oopl").to("html"))
        rows = page.findall(".//ol/li")
        assert [text(row) for row in rows] == [
            "h .90 → o .10 Rain Block 1, /html[1]/body[1]/h1[1]",
            "o .10 → l .90 Share this Block 3, /html[1]/body[1]/p[2]",
        ]
        assert [row.get("data-kind") for row in rows] == ["first", "second"]
        assert [row.find("button").get("data-block") for row in rows] == ["1", "3"]
        assert page.find(".//main") is None

    def test_with_screenshot_frames_of_both_sides(self):
        """Write the screenshot once."""
        written = compared("ohpo", "oopl", image=screenshot()).to("html")
        page = html.fromstring(written)
        assert [text(title) for title in page.iterfind(".//main/h2")] == [
            "A one keeps 2 blocks",
            "B two keeps 2 blocks",
        ]
        frames = [page.find_class("pane")[side].find_class("frame") for side in (0, 1)]
        in_order = [sorted(each, key=lambda frame: frame.get("data-block")) for each in frames]
        assert ["".join(frame.get("data-label") for frame in each) for each in in_order] == ["ohpo", "oopl"]
        classes = ["frame", "frame changed", "frame", "frame changed"]
        assert [[frame.get("class") for frame in each] for each in in_order] == [classes] * 2
        assert in_order[0][1].get("style") == "left: 5.000%; top: 10.000%; width: 4.000%; height: 4.000%"
        assert in_order[0][1].get("title") == "h .90"
        assert written.count("url(data:image/") == 1
        assert written == compared("ohpo", "oopl", image=screenshot()).to("html")

    def test_escapes_hostile_pages_and_names(self):
        page = f"<title>{HOSTILE.replace('<', '&lt;')}</title><p>{HOSTILE.replace('<', '&lt;')}"
        page = html.fromstring(compared("p", "o", page, screenshot(), (HOSTILE, "two")).to("html"))
        scripts = [script.text for script in page.iterfind(".//script") if script.get("type") is None]
        assert len(scripts) == 1
        assert "alert(1)" not in scripts[0]
        assert page.find(".//ol//span[@class='text']").text == HOSTILE


METHODS = ["--method", "text", "--method", "bte"]


@pytest.fixture
def page(tmp_path):
    """Return the path of a page with a difference, in a folder with one that has none."""
    path = tmp_path / "pages" / "page.html"
    path.parent.mkdir()
    path.write_text("<ul><li><a href=x>Home</a></ul><p>It rained all day in the valley, and nobody minded.</p>")
    path.with_name("other.html").write_text("<p>Sun, and no wind at all the whole day long.")
    return path


class TestCommand:
    """Tests of `vclean diff` with methods that need no model."""

    def test_exit_code_reports_differences_on_request(self, page, capsys):
        """Summarize several pages."""
        assert main(["diff", str(page.with_name("other.html")), *METHODS, "--exit-code"]) == 0
        assert main(["diff", str(page), *METHODS]) == 0
        capsys.readouterr()
        assert main(["diff", str(page.parent), *METHODS, "--exit-code"]) == 13
        out = capsys.readouterr().out
        assert out.count("==> ") == 2
        assert out.splitlines()[-1].startswith("2 pages, 1 with differences; on average 75.0 %")

    def test_output_file_and_summary_on_standard_output(self, page, tmp_path, capsys):
        assert main(["diff", str(page), *METHODS, "-o", str(tmp_path / "d.json")]) == 0
        assert json.loads((tmp_path / "d.json").read_text())["first_only"] == 1
        out = capsys.readouterr().out
        assert out.count("\n") == 1
        assert "1 of 2 blocks alike" in out

    def test_one_of_several_pages_fails(self, page, capsys):
        page.with_name("empty.html").write_text("")
        assert main(["diff", str(page.parent), *METHODS, "--exit-code"]) == 1
        output = capsys.readouterr()
        assert "empty.html" in output.err
        assert "1 of 2 blocks alike" in output.out

    def test_writes_one_file_per_page_to_folder(self, page, tmp_path):
        assert main(["diff", str(page.parent), *METHODS, "-f", "html", "-o", str(tmp_path / "out")]) == 0
        texts = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
        assert sorted(texts) == ["other.html", "page.html"]
        assert all(text.startswith("<!DOCTYPE html>") for text in texts.values())
        assert "decided by the method bte, which gives no reasons" in texts["page.html"]

    def test_json_lines_for_several_pages(self, page, capsys):
        assert main(["diff", str(page.parent), *METHODS, "-f", "json"]) == 0
        assert [json.loads(line)["first_only"] for line in capsys.readouterr().out.splitlines()] == [0, 1]

    def test_method_with_file(self, page, tmp_path, capsys):
        rules = tmp_path / "rules.txt"
        rules.write_text("css: p\n")
        assert main(["diff", str(page), "--method", "text", "--method", f"template={rules}"]) == 0
        out = capsys.readouterr().out
        assert f"+++ template={rules}" in out
        assert "1 of 2 blocks alike" in out
