from __future__ import annotations

import logging
import sys
from types import TracebackType

import pytest

from vclean.runtime import LineFormatter


def formatted(
    message: str, error: tuple[type[BaseException], BaseException, TracebackType | None] | None = None
) -> str:
    return LineFormatter().format(logging.LogRecord("vclean", logging.WARNING, "", 0, "%s", (message,), error))


class TestLineFormatter:
    @pytest.mark.parametrize(
        ("message", "line"),
        [
            ("a\nb", "a b"),
            ("a\x1b[31mb\x9b", "a [31mb "),
            ("a\u202egpj.exe", "a gpj.exe"),
            ("žluť  日本 \udcff", "žluť  日本 \udcff"),
        ],
    )
    def test_one_line_without_controls(self, message: str, line: str) -> None:
        assert formatted(message) == f"vclean: {line}"

    def test_traceback_follows(self) -> None:
        try:
            raise ValueError("bad")
        except ValueError:
            text = formatted("a", sys.exc_info())  # type: ignore[arg-type]
        assert text.startswith("vclean: a\nTraceback ")
        assert text.endswith("ValueError: bad")
