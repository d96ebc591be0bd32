from __future__ import annotations

from pathlib import Path

import pytest
from helpers.pages import parsed

from vclean.cli.commands.diff import DiffOptions
from vclean.cli.commands.report import ReportOptions
from vclean.errors import UsageError


class TestParseDiff:
    def test_sides_are_in_command_line_order(self):
        options = parsed("diff", "page.html", "--model", "a.vclean", "--method", "bte")
        assert options.sides == ("a.vclean", "bte")

    def test_one_is_compared_with_vclean(self):
        assert parsed("diff", "page.html", "--method", "bte").sides == ("vclean", "bte")

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["--method", "vclean"],
            ["--method", "a", "--method", "a"],
            ["--method", "a", "--method", "b", "--model", "c"],
        ],
    )
    def test_rejects_other_than_two_different_sides(self, arguments):
        with pytest.raises(UsageError, match="two different methods or models"):
            parsed("diff", "page.html", *arguments)

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ([], "text"),
            (["-o", "d.html"], "html"),
            (["-o", "d.HTM"], "html"),
            (["-o", "d.jsonl"], "json"),
            (["-o", "folder"], "text"),
            (["-o", "d.html", "-f", "json"], "json"),
        ],
    )
    def test_format_follows_suffix_unless_set(self, arguments, expected):
        assert parsed("diff", "page.html", "--method", "bte", *arguments).format == expected

    def test_rejects_output_that_overwrites_page(self, tmp_path):
        page = tmp_path / "page.html"
        page.write_text("<p>Text")
        with pytest.raises(UsageError, match="is one of the pages"):
            parsed("diff", str(page), "--method", "bte", "-o", str(page))

    def test_limits_and_verbosity(self):
        options = parsed("diff", "page.html", "--method", "bte", "--js", "--timeout", "5", "-q")
        assert (options.settings.scripts, options.settings.deadline, options.verbosity) == ("on", 5, -1)

    def test_is_a_command(self):
        assert isinstance(parsed("diff", "page.html", "--method", "bte"), DiffOptions)


class TestParseReport:
    def test_defaults(self):
        options = parsed("report", "a.parquet")
        assert options.methods == ("vclean",)
        assert options.out == Path("report.html")
        assert (options.render, options.folds, options.worst) == (False, 0, 12)

    def test_methods_and_models_fill_one_list_without_repeats(self):
        arguments = ["a.parquet", "--method", "bte", "--model", "m.vclean", "--method", "bte"]
        assert parsed("report", *arguments).methods == ("bte", "m.vclean")

    @pytest.mark.parametrize("arguments", [["--folds", "2"], ["--folds", "x"], ["--worst", "-1"], ["--worst", "many"]])
    def test_numbers_are_checked(self, arguments):
        with pytest.raises(UsageError, match=f"argument {arguments[0]}"):
            parsed("report", "a.parquet", *arguments)

    def test_no_page_may_be_shown(self):
        assert parsed("report", "a.parquet", "--worst", "0").worst == 0

    def test_is_a_command(self):
        assert isinstance(parsed("report", "a.parquet"), ReportOptions)
