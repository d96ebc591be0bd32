from __future__ import annotations

import io
import json

import pytest
from helpers.pages import laid_out, result, snapshot

from vclean.cli.main import main
from vclean.compare.diff import FIRST_ONLY, OTHERWISE, SECOND_ONLY, Comparison, told, total
from vclean.errors import UsageError
from vclean.labels import Label

PAGE = "<nav>Menu</nav><h1>Rain</h1><p>It rained all day.</p><p>Share this</p>"


def compared(first, second, page=PAGE, picture=b""):
    snap = laid_out(page) if picture else snapshot(page)
    return Comparison(("one", "two"), result(snap, first, id="p.html"), result(snap, second, id="p.html"), picture)


class TestComparison:
    def test_blocks_with_the_same_label_agree(self):
        found = compared("ohpo", "ohpo")
        assert (found.differing, found.agreement, found.word_f1) == ([], 1.0, 1.0)

    def test_how_blocks_differ(self):
        found = compared("ohpo", "oopl")
        assert [found.kind(block) for block in found.differing] == [FIRST_ONLY, SECOND_ONLY]
        assert compared("ohpo", "oppo").kind(1) == OTHERWISE
        assert found.agreement == 0.5

    def test_word_f1_is_of_the_texts(self):
        assert compared("oopo", "oopp").word_f1 == pytest.approx(8 / 10)
        assert compared("oopp", "oopo").word_f1 == pytest.approx(8 / 10)

    def test_a_page_without_blocks(self):
        found = compared("", "", page="<p></p>")
        assert found.agreement == 1
        assert found.to("text").splitlines()[2].startswith("0 of 0 blocks alike (100.0 %)")

    def test_the_summary_counts_every_kind(self):
        assert compared("hhpo", "oopl").summary() == (
            "1 of 4 blocks alike (25.0 %), 2 kept by one alone, 1 by two alone, 0 by both under other labels; "
            "word F1 of two against one 0.667"
        )

    def test_there_is_no_other_format(self):
        with pytest.raises(UsageError, match="choose text, json or html"):
            compared("oooo", "oooo").to("pdf")


class TestText:
    def test_a_line_for_every_difference_and_none_for_the_rest(self):
        names, more, *lines, summary = compared("ohpo", "oopp").to("text").splitlines()
        assert (names, more) == ("--- one", "+++ two")
        assert lines == [
            '- 1  h .90  o .10  /html[1]/body[1]/h1[1]  "Rain"',
            '+ 3  o .10  p .90  /html[1]/body[1]/p[2]  "Share this"',
        ]
        assert summary.startswith("2 of 4 blocks alike")

    def test_long_texts_are_cut(self):
        line = compared("p", "o", page=f"<p>{'word ' * 100}").to("text").splitlines()[2]
        assert line.endswith('…"')
        assert len(line) < 130

    def test_nothing_in_a_page_controls_the_terminal(self):
        assert "\x1b" not in compared("p", "o", page="<p>a&#27;[31mred \x1b[2J").to("text")


class TestToDict:
    def test_what_a_program_needs(self):
        found = json.loads(compared("ohpo", "oopp", picture=b"picture").to("json"))
        assert found["id"] == "p.html"
        assert (found["blocks"], found["agreement"], found["word_f1"]) == (4, 0.5, round(8 / 11, 5))
        assert (found["first_only"], found["second_only"], found["other_label"]) == (1, 1, 0)
        assert found["first"] == {"name": "one", "method": "vclean", "versions": {}, "confidence": None}
        assert found["differences"][0] == {
            "block": 1,
            "kind": "first_only",
            "xpath": "/html[1]/body[1]/h1[1]",
            "first": {"label": "h", "probability": 0.9},
            "second": {"label": "o", "probability": 0.1},
            "box": [40.0, 40.0, 32.0, 16.0],
            "text": "Rain",
        }

    def test_a_page_without_layout_has_no_boxes(self):
        assert compared("ohpo", "oopp").to_dict()["differences"][0]["box"] is None

    def test_it_is_one_line(self):
        assert compared("ohpo", "oopp").to("json").count("\n") == 1


class TestTold:
    def test_a_probability_that_is_not_known_is_left_out(self):
        found = result(snapshot(PAGE), "ohpo")
        found.prediction.probability[1] = float("nan")
        assert [told(found, 0), told(found, 1)] == ["o .10", Label.HEADING]


class TestTotal:
    def test_means_are_over_pages(self):
        assert total([(0, 1.0, 1.0), (3, 0.5, 0.8)]).startswith("2 pages, 1 differ; on average 75.0 %")


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("<ul><li><a href=x>Home</a></ul><p>It rained all day in the valley, and nobody minded.</p>")
    return path


class TestCommand:
    """`vclean diff`, by methods that need no model."""

    def test_what_differs_is_printed(self, page, capsys):
        assert main(["diff", str(page), "--method", "text", "--method", "bte"]) == 0
        out = capsys.readouterr().out.splitlines()
        assert out[:2] == ["--- text", "+++ bte"]
        assert out[2].startswith("- 0  l 1.00  o .00")
        assert "1 of 2 blocks alike" in out[-1]

    def test_the_exit_code_tells_only_where_it_is_asked_to(self, page, tmp_path):
        sides = ["--method", "text", "--method", "bte", "--exit-code"]
        assert main(["diff", str(page), *sides]) == 13
        same = tmp_path / "same.html"
        same.write_text("<p>It rained all day in the valley, and nobody minded.")
        assert main(["diff", str(same), *sides]) == 0

    def test_several_pages_are_summed_up(self, page, tmp_path, capsys):
        (tmp_path / "other.html").write_text("<p>Sun, and no wind at all the whole day long.")
        assert main(["diff", str(tmp_path), "--method", "text", "--method", "bte"]) == 0
        out = capsys.readouterr().out
        assert out.count("==> ") == 2
        assert out.splitlines()[-1].startswith("2 pages, 1 differ")

    def test_files_take_the_comparison_and_standard_output_a_line(self, page, tmp_path, capsys):
        target = tmp_path / "d.json"
        assert main(["diff", str(page), "--method", "text", "--method", "bte", "-o", str(target)]) == 0
        assert json.loads(target.read_text())["first_only"] == 1
        out = capsys.readouterr().out
        assert out.count("\n") == 1
        assert "1 of 2 blocks alike" in out

    @pytest.mark.parametrize(
        ("side", "code", "said"), [("nonsense", 2, "no method 'nonsense'"), ("gone.vclean", 10, "gone.vclean")]
    )
    def test_what_is_not_there(self, page, capsys, side, code, said):
        assert main(["diff", str(page), "--method", "text", "--method", side]) == code
        assert said in capsys.readouterr().err

    def test_a_page_that_is_not_there(self, capsys):
        assert main(["diff", "gone.html", "--method", "text", "--method", "bte"]) == 3
        assert "gone.html" in capsys.readouterr().err

    def test_a_model_file_is_a_side(self, page, tmp_path, capsys):
        """The shipped model under another name says the same as the shipped model."""
        from importlib import resources

        copy = tmp_path / "copy.vclean"
        copy.write_bytes((resources.files("vclean.classify") / "data" / "default.vclean").read_bytes())
        assert main(["diff", str(page), "--model", str(copy), "--exit-code"]) == 0
        assert f"+++ {copy}" in capsys.readouterr().out

    def test_a_page_that_fails_among_several(self, page, tmp_path, capsys):
        (tmp_path / "empty.html").write_text("")
        assert main(["diff", str(tmp_path), "--method", "text", "--method", "bte", "--exit-code"]) == 1
        found = capsys.readouterr()
        assert "empty.html" in found.err
        assert "1 of 2 blocks alike" in found.out

    def test_a_folder_takes_a_file_for_each_page(self, page, tmp_path):
        (tmp_path / "other.html").write_text("<p>Sun, and no wind at all the whole day long.")
        out = tmp_path / "out"
        given = ["diff", str(page), str(tmp_path / "other.html"), "--method", "text", "--method", "bte"]
        assert main([*given, "-f", "html", "-o", str(out)]) == 0
        assert len(list(out.glob("*.html"))) == 2
        assert all(path.read_text().startswith("<!DOCTYPE html>") for path in out.glob("*.html"))

    def test_lines_of_json_for_several_pages(self, page, tmp_path, capsys):
        assert main(["diff", str(page), str(page), "--method", "text", "--method", "bte", "-f", "json"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [json.loads(line)["first_only"] for line in lines] == [1, 1]

    def test_the_page_may_come_by_standard_input(self, page, capsys, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(page.read_bytes())))
        assert (
            main(["diff", "-", "--method", "text", "--method", "bte", "-f", "json", "--url", "http://a.example/"]) == 0
        )
        assert json.loads(capsys.readouterr().out)["url"] == "http://a.example/"

    def test_the_html_is_the_list_where_nothing_is_rendered(self, page, tmp_path):
        out = tmp_path / "d.html"
        assert main(["diff", str(page), "--method", "text", "--method", "bte", "-o", str(out)]) == 0
        assert 'class="listed"' in out.read_text()
        assert "decided by the method bte, which gives no reasons" in out.read_text()

    def test_a_file_that_cannot_be_written_is_found_first(self, page, tmp_path, capsys):
        out = tmp_path / "none" / "d.html"
        assert main(["diff", str(page), "--method", "text", "--method", "bte", "-o", str(out)]) == 12
        assert "create the folder first" in capsys.readouterr().err

    def test_a_method_with_a_file_of_its_own(self, page, tmp_path, capsys):
        rules = tmp_path / "rules.txt"
        rules.write_text("css: p\n")
        assert main(["diff", str(page), "--method", "text", "--method", f"template={rules}"]) == 0
        out = capsys.readouterr().out
        assert f"+++ template={rules}" in out
        assert "1 of 2 blocks alike" in out
