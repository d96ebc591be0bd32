"""Check the public names of vclean."""

from __future__ import annotations

import ast
import inspect
import sys

import pytest

import vclean
from vclean import errors

BUILTIN = {"Any", "Callable", "Collection", "Iterator", "NDArray", "Sequence"}


def is_public_method(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.returns is not None and not node.name.startswith("_")


class TestPublicNames:
    def test_public_names(self) -> None:
        assert vclean.__all__ == [
            "AsyncCleaner", "Block", "BlockColumns", "Blocks", "Box", "BrowserError", "BrowserMissingError", "Chunk",
            "Cleaner", "CleanerSettings", "DeadlineError", "Decision", "EmptyReason", "Evidence", "Explanation",
            "ExtraMissingError", "InputError", "Item", "Kind", "Label", "LimitError", "Metadata", "ModelError",
            "NetworkError", "NotHtmlError", "OutputError", "Page", "PageImage", "PageType", "Policy", "Post",
            "Prediction", "Product", "Reason", "Recipe", "RenderSettings", "Resource", "Resources", "Result", "Role",
            "Segmenter",
            "Segments", "Separators", "Snapshot", "SourcePosition", "UsageError", "VcleanError", "Visibility",
            "__version__", "clean", "clean_file", "clean_url", "segment", "segment_file", "segment_url",
        ]  # fmt: skip

    def test_every_error_is_public(self) -> None:
        kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
        assert kinds - {"ClassVar"} <= set(vclean.__all__)

    @pytest.mark.parametrize("kind", ["Block", "Blocks", "Result"])
    def test_classes_that_a_result_returns_are_public(self, kind: str) -> None:
        """Check the classes in the annotations of its attributes and methods."""
        source = ast.parse(inspect.getsource(sys.modules[getattr(vclean, kind).__module__]))
        (body,) = [node for node in ast.walk(source) if isinstance(node, ast.ClassDef) and node.name == kind]
        named = [node.annotation for node in body.body if isinstance(node, ast.AnnAssign)]
        named += [node.returns for node in body.body if is_public_method(node)]
        names = {each.id for node in named for each in ast.walk(node) if isinstance(each, ast.Name)}
        assert {name for name in names if name[0].isupper()} - BUILTIN <= set(vclean.__all__)

    @pytest.mark.parametrize("name", vclean.__all__)
    def test_every_name_exists_and_has_a_docstring(self, name: str) -> None:
        assert getattr(vclean, name).__doc__
        assert name in dir(vclean)

    def test_every_name_has_a_module(self) -> None:
        assert set(vclean._MODULES) == set(vclean.__all__) - {"__version__"}

    def test_unknown_names_raise(self) -> None:
        with pytest.raises(AttributeError, match="no attribute 'claen'"):
            vclean.claen  # noqa: B018
