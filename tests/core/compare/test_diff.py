from __future__ import annotations

import json

import pytest
from helpers.pages import laid_out, result, snapshot

from vclean.cli.main import main
from vclean.compare.diff import FIRST_ONLY, OTHERWISE, SECOND_ONLY, Comparison, label_text, summarize_pages
from vclean.errors import UsageError
from vclean.labels import Label

PAGE = "<nav>Menu</nav><h1>Rain</h1><p>It rained all day.</p><p>Share this</p>"


def compared(first, second, page=PAGE, screenshot=b""):
    snap = laid_out(page) if screenshot else snapshot(page)
    return Comparison(("one", "two"), result(snap, first, id="p.html"), result(snap, second, id="p.html"), screenshot)


class TestComparison:
    def test_kinds_of_difference(self):
        output = compared("ohpo", "oopl")
        assert [output.kind(block) for block in output.differing] == [FIRST_ONLY, SECOND_ONLY]
        assert compared("ohpo", "oppo").kind(1) == OTHERWISE
        assert output.agreement == 0.5

    def test_the_summary_counts_every_kind(self):
        assert compared("hhpo", "oopl").summary() == (
            "1 of 4 blocks alike (25.0 %), 2 kept by one alone, 1 by two alone, 0 by both with different labels; "
            "word F1 of two against one 0.667"
        )

    def test_rejects_unknown_format(self):
        with pytest.raises(UsageError, match="choose text, json or html"):
            compared("oooo", "oooo").to("pdf")


class TestText:
    def test_has_one_line_per_difference(self):
        names, more, *lines, summary = compared("ohpo", "oopp").to("text").splitlines()
        assert (names, more) == ("--- one", "+++ two")
        assert lines == [
            '- 1  h .90  o .10  /html[1]/body[1]/h1[1]  "Rain"',
            '+ 3  o .10  p .90  /html[1]/body[1]/p[2]  "Share this"',
        ]
        assert summary.startswith("2 of 4 blocks alike")

    def test_escapes_control_characters(self):
        assert "\x1b" not in compared("p", "o", page="<p>a&#27;[31mred \x1b[2J").to("text")


class TestToDict:
    def test_has_documented_fields(self):
        output = json.loads(compared("ohpo", "oopp", screenshot=b"picture").to("json"))
        assert output["id"] == "p.html"
        assert (output["blocks"], output["agreement"], output["word_f1"]) == (4, 0.5, round(8 / 11, 5))
        assert (output["first_only"], output["second_only"], output["other_label"]) == (1, 1, 0)
        assert output["first"] == {"name": "one", "method": "vclean", "versions": {}, "confidence": None}
        assert output["differences"][0] == {
            "block": 1,
            "kind": "first_only",
            "xpath": "/html[1]/body[1]/h1[1]",
            "first": {"label": "h", "probability": 0.9},
            "second": {"label": "o", "probability": 0.1},
            "box": [40.0, 40.0, 32.0, 16.0],
            "text": "Rain",
        }


class TestLabelText:
    def test_omits_unknown_probability(self):
        output = result(snapshot(PAGE), "ohpo")
        output.prediction.probability[1] = float("nan")
        assert [label_text(output.blocks[0]), label_text(output.blocks[1])] == ["o .10", Label.HEADING]


class TestSummarizePages:
    def test_averages_over_pages(self):
        line = summarize_pages([(0, 1.0, 1.0), (3, 0.5, 0.8)])
        assert line.startswith("2 pages, 1 with differences; on average 75.0 %")


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("<ul><li><a href=x>Home</a></ul><p>It rained all day in the valley, and nobody minded.</p>")
    return path


class TestCommand:
    """Tests of `vclean diff` with methods that need no model."""

    def test_exit_code_reports_differences_on_request(self, page, tmp_path):
        sides = ["--method", "text", "--method", "bte", "--exit-code"]
        assert main(["diff", str(page), *sides]) == 13
        same = tmp_path / "same.html"
        same.write_text("<p>It rained all day in the valley, and nobody minded.")
        assert main(["diff", str(same), *sides]) == 0

    def test_summarizes_several_pages(self, page, tmp_path, capsys):
        (tmp_path / "other.html").write_text("<p>Sun, and no wind at all the whole day long.")
        assert main(["diff", str(tmp_path), "--method", "text", "--method", "bte"]) == 0
        out = capsys.readouterr().out
        assert out.count("==> ") == 2
        assert out.splitlines()[-1].startswith("2 pages, 1 with differences;")

    def test_output_file_and_summary_on_standard_output(self, page, tmp_path, capsys):
        target = tmp_path / "d.json"
        assert main(["diff", str(page), "--method", "text", "--method", "bte", "-o", str(target)]) == 0
        assert json.loads(target.read_text())["first_only"] == 1
        out = capsys.readouterr().out
        assert out.count("\n") == 1
        assert "1 of 2 blocks alike" in out

    def test_one_of_several_pages_fails(self, page, tmp_path, capsys):
        (tmp_path / "empty.html").write_text("")
        assert main(["diff", str(tmp_path), "--method", "text", "--method", "bte", "--exit-code"]) == 1
        output = capsys.readouterr()
        assert "empty.html" in output.err
        assert "1 of 2 blocks alike" in output.out

    def test_writes_one_file_per_page_to_folder(self, page, tmp_path):
        (tmp_path / "other.html").write_text("<p>Sun, and no wind at all the whole day long.")
        out = tmp_path / "out"
        arguments = ["diff", str(page), str(tmp_path / "other.html"), "--method", "text", "--method", "bte"]
        assert main([*arguments, "-f", "html", "-o", str(out)]) == 0
        assert len(list(out.glob("*.html"))) == 2
        assert all(path.read_text().startswith("<!DOCTYPE html>") for path in out.glob("*.html"))

    def test_json_lines_for_several_pages(self, page, tmp_path, capsys):
        assert main(["diff", str(page), str(page), "--method", "text", "--method", "bte", "-f", "json"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [json.loads(line)["first_only"] for line in lines] == [1, 1]

    def test_html_without_rendering_is_the_list(self, page, tmp_path):
        out = tmp_path / "d.html"
        assert main(["diff", str(page), "--method", "text", "--method", "bte", "-o", str(out)]) == 0
        assert 'class="list-only"' in out.read_text()
        assert "decided by the method bte, which gives no reasons" in out.read_text()

    def test_method_with_file(self, page, tmp_path, capsys):
        rules = tmp_path / "rules.txt"
        rules.write_text("css: p\n")
        assert main(["diff", str(page), "--method", "text", "--method", f"template={rules}"]) == 0
        out = capsys.readouterr().out
        assert f"+++ template={rules}" in out
        assert "1 of 2 blocks alike" in out
