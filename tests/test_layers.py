"""Check that a module imports only its layer and the layers below."""

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

MODULES = sorted(path.relative_to(ROOT) for folder in PACKAGES for path in (ROOT / folder).rglob("*.py"))


def layer(module: str) -> int:
    """Return the layer of a module: 0 for the base, 1 render, 2 features, 3 classify, 4 the rest of core."""
    first = module.removeprefix("vclean").removeprefix(".").partition(".")[0]
    if first in BASE:
        return 0
    return {"render": 1, "features": 2, "classify": 3}.get(first, 4)


def module_name(path: Path) -> str:
    folder, *rest = path.with_suffix("").parts
    return ".".join([PACKAGES[folder], *(part for part in rest if part != "__init__")])


def imported(tree: ast.AST) -> set[str]:
    """Return the modules of vclean that a file imports anywhere; `from vclean import page` counts as `vclean.page`."""
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            members = [f"{node.module}.{alias.name}" for alias in node.names]
            modules.update(members if node.module == "vclean" else [str(node.module)])
    return {name for name in modules if name.split(".")[0] == "vclean"}


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_down(path: Path) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    module_layer = layer(module_name(path))
    assert {name for name in imported(tree) if layer(name) > module_layer} == set()


class TestImported:
    def test_detects_all_forms_of_import(self) -> None:
        source = (
            "import vclean.cli.main\nfrom vclean import api\nfrom vclean.render.browser.walker import f\nimport os\n"
        )
        assert imported(ast.parse(source)) == {"vclean.cli.main", "vclean.api", "vclean.render.browser.walker"}

    def test_detects_imports_inside_functions(self) -> None:
        assert imported(ast.parse("def f():\n    from vclean.cli.main import main\n")) == {"vclean.cli.main"}


class TestLayer:
    @pytest.mark.parametrize(
        ("module", "expected"),
        [
            ("vclean.errors", 0),
            ("vclean.render.browser.walker", 1),
            ("vclean.features", 2),
            ("vclean.classify.content.model", 3),
            ("vclean.cli.main", 4),
            ("vclean", 4),
        ],
    )
    def test_layer(self, module: str, expected: int) -> None:
        assert layer(module) == expected


def test_package_map_is_complete() -> None:
    """Check that every folder of the map has modules; the tests above would ignore an empty folder."""
    assert {path.parts[0] for path in MODULES} == set(PACKAGES)
    assert all(len([path for path in MODULES if path.parts[0] == folder]) > 30 for folder in PACKAGES)
