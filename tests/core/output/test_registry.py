"""Formats are registered in one module, and the writers have no circular imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.pages import result, snapshot

from vclean import output

MODULES = sorted(Path(output.__path__[0]).glob("*.py"))


def imports(path: Path) -> set[str]:
    """Return the modules of `vclean.output`, and `vclean.result`, that a module imports at its top level."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    imports = {node.module for node in body if isinstance(node, ast.ImportFrom)}
    imports |= {
        f"{node.module}.{each.name}" for node in body if isinstance(node, ast.ImportFrom) for each in node.names
    }
    return {name for name in imports if name and (name.startswith("vclean.output.") or name == "vclean.result")}


class TestWriter:
    def test_the_formats(self) -> None:
        assert output.FORMATS == ("markdown", "text", "cleaneval", "html", "json", "chunks")

    @pytest.mark.parametrize("name", output.FORMATS)
    def test_every_format_has_a_writer(self, name: str) -> None:
        assert "Rain" in output.writer(name)(result(snapshot("<p>Rain"), "p"))

    def test_writers_are_imported_on_use(self) -> None:
        code = "import sys, vclean.result; print([name for name in sys.modules if name.startswith('vclean.output')])"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert run.stdout.strip() == "['vclean.output']"


class TestImports:
    def test_no_circular_imports(self) -> None:
        left = {f"vclean.output.{path.stem}": imports(path) for path in MODULES}
        while left:
            free = [name for name, imports in left.items() if not imports & left.keys()]
            assert free, f"a circle among {sorted(left)}"
            for name in free:
                del left[name]

    @pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
    def test_writers_only_read_a_result(self, path: Path) -> None:
        assert "vclean.result" not in imports(path)
        assert "vclean.cli" not in path.read_text(encoding="utf-8")
