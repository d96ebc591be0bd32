from __future__ import annotations

from dataclasses import replace

import pytest

from vclean.api import clean
from vclean.cli.batch import describe_unexpected, suggest_option
from vclean.labels import Label


class TestDescribeUnexpected:
    @pytest.mark.parametrize(
        ("error", "start"),
        [(ValueError("odd\n thing"), "unexpected ValueError: odd thing;"), (MemoryError(), "unexpected MemoryError;")],
    )
    def test_one_line(self, error: Exception, start: str) -> None:
        assert describe_unexpected(error).startswith(start)


class TestSuggestOption:
    @pytest.mark.parametrize(("rendered", "expected"), [(False, "; try --render --js"), (True, "; try --js")])
    def test_only_scripts(self, rendered: bool, expected: str) -> None:
        result = clean("<body><script>1</script>", method="text")
        snapshot = replace(result.columns.snapshot, rendered=rendered)
        result = replace(result, columns=replace(result.columns, snapshot=snapshot))
        assert suggest_option(result, result.notes[-1]) == expected

    def test_only_boilerplate(self) -> None:
        result = clean("<p>one<p>two", method="text")
        result = replace(result, prediction=replace(result.prediction, labels=[Label.OTHER] * 2))
        assert suggest_option(result, result.notes[0]) == "; -f json shows them, --method text keeps them"

    def test_only_hidden_text(self) -> None:
        result = clean("<p style='display: none'>one<p hidden>two", method="text")
        assert "--hidden keep" in suggest_option(result, result.notes[0])

    @pytest.mark.parametrize("html", ["<img src=a.png>", "<frameset><frame src=a></frameset>", "<p>Text<iframe/>"])
    def test_nothing_to_try(self, html: str) -> None:
        result = clean(html, method="text")
        assert suggest_option(result, result.notes[0]) == ""

    def test_other_notes_need_no_option(self) -> None:
        result = clean("<iframe/><script>1</script>", method="text")
        assert [suggest_option(result, note) for note in result.notes] == ["", "; try --render --js"]
