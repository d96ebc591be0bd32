"""Formats are registered in one module, and their writers are imported on use."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from vclean import output

MODULES = sorted(Path(output.__path__[0]).glob("*.py"))


def test_the_formats() -> None:
    assert output.FORMATS == ("markdown", "text", "cleaneval", "html", "json", "chunks")


def test_writers_are_imported_on_use() -> None:
    code = "import sys, vclean.result; print([name for name in sys.modules if name.startswith('vclean.output')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['vclean.output']"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_writers_only_read_a_result(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert not re.search(r"^(from|import) vclean(\.result| import result)", source, re.MULTILINE)
    assert "vclean.cli" not in source
