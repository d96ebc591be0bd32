"""Check that inference imports no training, evaluation or corpora, and features/ imports nothing of classify/."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {"vclean": "core", "vclean.render": "render", "vclean.features": "features", "vclean.classify": "classify"}
ENTRY_POINTS = (
    "vclean.classify.content.model",
    "vclean.classify.regions",
    "vclean.classify.segments.model",
    "vclean.classify.segments.registry",
    "vclean.classify.explain.reasons",
)
OFFLINE = tuple(f"vclean.classify.{folder}." for folder in ("training", "evaluation", "corpora"))
"""Packages that cleaning a page does not need."""


def _modules() -> dict[str, Path]:
    paths = {}
    for package, folder in PACKAGES.items():
        for path in (ROOT / folder).rglob("*.py"):
            name = ".".join((package, *path.relative_to(ROOT / folder).with_suffix("").parts))
            paths[name.removesuffix(".__init__")] = path
    return paths


MODULES = _modules()


def imports(source: str) -> set[str]:
    """Return the modules of the project that `source` imports at run time, also inside functions."""
    return {name for name in _names(ast.parse(source)) if name in MODULES}


def _names(node: ast.AST) -> set[str]:
    names: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            names |= {name for part in child.orelse for name in _names(part)}
        elif isinstance(child, ast.Import):
            names |= {alias.name for alias in child.names}
        elif isinstance(child, ast.ImportFrom):
            names |= {str(child.module), *(f"{child.module}.{alias.name}" for alias in child.names)}
        else:
            names |= _names(child)
    return names


def reachable(entry: str) -> dict[str, str]:
    """Return the modules that `entry` imports directly or indirectly, with the first module that imports each."""
    importer, waiting = {entry: ""}, [entry]
    while waiting:
        module = waiting.pop()
        for name in sorted(imports(MODULES[module].read_text(encoding="utf-8"))):
            if name not in importer:
                importer[name] = module
                waiting.append(name)
    return importer


def test_type_checking_imports_do_not_count() -> None:
    source = """
from typing import TYPE_CHECKING
from vclean.classify import model_file
if TYPE_CHECKING:
    from vclean.classify.corpora.gold import BlockGold
def load():
    from vclean.classify.forest import Forest
"""
    assert imports(source) == {"vclean.classify", "vclean.classify.model_file", "vclean.classify.forest"}


@pytest.mark.parametrize("entry", ENTRY_POINTS)
def test_inference_imports_no_training_module(entry: str) -> None:
    importers = reachable(entry)
    assert len(importers) > 1
    offline = {name: importer for name, importer in importers.items() if name.startswith(OFFLINE)}
    assert not offline


def test_detects_an_import_of_training() -> None:
    assert any(name.startswith(OFFLINE) for name in reachable("vclean.classify.training.train"))


@pytest.mark.parametrize("module", sorted(name for name in MODULES if name.startswith("vclean.features")))
def test_features_import_no_model(module: str) -> None:
    assert not [name for name in imports(MODULES[module].read_text(encoding="utf-8")) if ".classify" in name]
