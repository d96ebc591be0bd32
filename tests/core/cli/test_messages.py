from __future__ import annotations

import pytest

from vclean.api import clean
from vclean.cli.batch import describe_unexpected, suggest_option


class TestDescribeUnexpected:
    @pytest.mark.parametrize(
        ("error", "start"),
        [(ValueError("odd\n thing"), "unexpected ValueError: odd thing;"), (MemoryError(), "unexpected MemoryError;")],
    )
    def test_one_line(self, error: Exception, start: str) -> None:
        assert describe_unexpected(error).startswith(start)


class TestSuggestOption:
    def test_other_notes_need_no_option(self) -> None:
        result = clean("<iframe/><script>1</script>", method="text")
        assert [suggest_option(result, note) for note in result.notes] == ["", "; try --render --js"]
