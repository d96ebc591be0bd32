"""Render web pages and label each visual block: heading, paragraph, list item, continuation or boilerplate.

::

    import vclean

    result = vclean.clean_file("page.html", render=True)
    for block in result.blocks:
        print(block.label, block.box, block.text)
    print(result.to_markdown())

Each name is imported on its first use: `import vclean` itself loads no other module.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in `typing`: its import would double the time until the command line handles Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from vclean.api import (
        AsyncCleaner,
        Cleaner,
        Segmenter,
        clean,
        clean_file,
        clean_url,
        segment,
        segment_file,
        segment_url,
    )
    from vclean.block import Block, Blocks
    from vclean.classify.explain.reasons import Explanation, Reason
    from vclean.classify.prediction import Decision, Prediction
    from vclean.errors import (
        BrowserError,
        BrowserMissingError,
        DeadlineError,
        ExtraMissingError,
        InputError,
        LimitError,
        ModelError,
        NetworkError,
        NotHtmlError,
        OutputError,
        UsageError,
        VcleanError,
    )
    from vclean.features.blocks import BlockColumns
    from vclean.features.segments.segments import Segments, Separators
    from vclean.labels import Box, EmptyReason, Kind, Label, PageType, Role, Visibility
    from vclean.metadata import Evidence, Metadata
    from vclean.output.chunks import Chunk
    from vclean.output.overlay import PageImage
    from vclean.output.source_positions import SourcePosition
    from vclean.page import Page, Resource, Resources
    from vclean.records import Item, Post, Product, Recipe
    from vclean.render.snapshot import Snapshot
    from vclean.result import Result
    from vclean.settings import CleanerSettings, Policy, RenderSettings


__version__ = "0.2.0"

__all__ = [
    "AsyncCleaner",
    "Block",
    "BlockColumns",
    "Blocks",
    "Box",
    "BrowserError",
    "BrowserMissingError",
    "Chunk",
    "Cleaner",
    "CleanerSettings",
    "DeadlineError",
    "Decision",
    "EmptyReason",
    "Evidence",
    "Explanation",
    "ExtraMissingError",
    "InputError",
    "Item",
    "Kind",
    "Label",
    "LimitError",
    "Metadata",
    "ModelError",
    "NetworkError",
    "NotHtmlError",
    "OutputError",
    "Page",
    "PageImage",
    "PageType",
    "Policy",
    "Post",
    "Prediction",
    "Product",
    "Reason",
    "Recipe",
    "RenderSettings",
    "Resource",
    "Resources",
    "Result",
    "Role",
    "Segmenter",
    "Segments",
    "Separators",
    "Snapshot",
    "SourcePosition",
    "UsageError",
    "VcleanError",
    "Visibility",
    "__version__",
    "clean",
    "clean_file",
    "clean_url",
    "segment",
    "segment_file",
    "segment_url",
]

_NAMES = {
    "api": (
        "AsyncCleaner",
        "Cleaner",
        "Segmenter",
        "clean",
        "clean_file",
        "clean_url",
        "segment",
        "segment_file",
        "segment_url",
    ),
    "block": ("Block", "Blocks"),
    "classify.explain.reasons": ("Explanation", "Reason"),
    "classify.prediction": ("Decision", "Prediction"),
    "errors": (
        "BrowserError",
        "BrowserMissingError",
        "DeadlineError",
        "ExtraMissingError",
        "InputError",
        "LimitError",
        "ModelError",
        "NetworkError",
        "NotHtmlError",
        "OutputError",
        "UsageError",
        "VcleanError",
    ),
    "features.blocks": ("BlockColumns",),
    "features.segments.segments": ("Segments", "Separators"),
    "labels": ("Box", "EmptyReason", "Kind", "Label", "PageType", "Role", "Visibility"),
    "metadata": ("Evidence", "Metadata"),
    "output.chunks": ("Chunk",),
    "output.overlay": ("PageImage",),
    "output.source_positions": ("SourcePosition",),
    "page": ("Page", "Resource", "Resources"),
    "records": ("Item", "Post", "Product", "Recipe"),
    "render.snapshot": ("Snapshot",),
    "result": ("Result",),
    "settings": ("CleanerSettings", "Policy", "RenderSettings"),
}
"""Exported names by the module that defines them."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name in _MODULES:
        return getattr(import_module(f"vclean.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'vclean' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
