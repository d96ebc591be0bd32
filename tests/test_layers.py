"""Check that a module imports only its layer and the layers below, and inference no training or evaluation."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BASE = {
    "characters", "errors", "files", "html_pages", "imports", "labels", "page", "runtime", "settings",
}  # fmt: skip
"""Modules of core/ in the lowest layer; the other modules of core/ are in the highest layer."""

PACKAGES = {"core": "vclean", "render": "vclean.render", "features": "vclean.features", "classify": "vclean.classify"}
"""Packages by top folder."""
ENTRY_POINTS = (
    "vclean.classify.content.model",
    "vclean.classify.regions",
    "vclean.classify.segments.model",
    "vclean.classify.explain.reasons",
)
OFFLINE = tuple(f"vclean.classify.{folder}." for folder in ("training", "evaluation", "corpora"))
"""Packages that cleaning a page does not need."""


def module_name(path: Path) -> str:
    folder, *rest = path.relative_to(ROOT).with_suffix("").parts
    return ".".join([PACKAGES[folder], *(part for part in rest if part != "__init__")])


MODULES = {module_name(path): path for folder in PACKAGES for path in sorted((ROOT / folder).rglob("*.py"))}


def parsed(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def layer(module: str) -> int:
    """Return the layer of a module: 0 for the base, 1 render, 2 features, 3 classify, 4 the rest of core."""
    first = module.removeprefix("vclean").removeprefix(".").partition(".")[0]
    if first in BASE:
        return 0
    return {"render": 1, "features": 2, "classify": 3}.get(first, 4)


def imported(tree: ast.AST) -> set[str]:
    """Return the modules of vclean that a file imports anywhere, and the members of packages that may be modules.

    `from vclean import page` counts as `vclean.page` only.
    """
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            modules.update(f"{node.module}.{alias.name}" for alias in node.names)
            modules.update({str(node.module)} - {"vclean"})
    return {name for name in modules if name.split(".")[0] == "vclean"}


def at_run_time(tree: ast.Module) -> ast.Module:
    """Remove what only type checkers import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    return tree


def reachable(entry: str) -> dict[str, str]:
    """Return the modules that `entry` imports directly or indirectly, with the first module that imports each."""
    importer, waiting = {entry: ""}, [entry]
    while waiting:
        module = waiting.pop()
        for name in sorted(imported(at_run_time(parsed(module)))):
            if name in MODULES and name not in importer:
                importer[name] = module
                waiting.append(name)
    return importer


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    assert {name for name in imported(parsed(module)) if layer(name) > layer(module)} == set()


@pytest.mark.parametrize("entry", ENTRY_POINTS)
def test_inference_imports_no_training_module(entry: str) -> None:
    importers = reachable(entry)
    assert len(importers) > 1
    assert not {name: importer for name, importer in importers.items() if name.startswith(OFFLINE)}


def test_detects_an_import_of_training() -> None:
    assert any(name.startswith(OFFLINE) for name in reachable("vclean.classify.training.train"))


def test_detects_all_forms_of_import() -> None:
    tree = ast.parse("""
import os, vclean.cli.main
from vclean import api
if TYPE_CHECKING:
    from vclean.classify import forest
def load():
    from vclean.render.browser import walker
""")
    checked = {"vclean.classify", "vclean.classify.forest"}
    run = {"vclean.cli.main", "vclean.api", "vclean.render.browser", "vclean.render.browser.walker"}
    assert imported(tree) == checked | run
    assert imported(at_run_time(tree)) == run


def test_layer() -> None:
    below = ["vclean.errors", "vclean.render.browser.walker", "vclean.features", "vclean.classify.content.model"]
    assert [layer(module) for module in [*below, "vclean.cli.main", "vclean"]] == [0, 1, 2, 3, 4, 4]


def test_package_map_is_complete() -> None:
    """Check that every folder of the map has modules; the tests above would ignore an empty folder."""
    folders = [path.relative_to(ROOT).parts[0] for path in MODULES.values()]
    assert all(folders.count(folder) > 30 for folder in PACKAGES)
