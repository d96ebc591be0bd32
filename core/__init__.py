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
if TYPE_CHECKING:  # `as` exports a name to type checkers
    from typing import Any

    from vclean.api import (
        AsyncCleaner as AsyncCleaner,
        Cleaner as Cleaner,
        Segmenter as Segmenter,
        clean as clean,
        clean_file as clean_file,
        clean_url as clean_url,
        segment as segment,
        segment_file as segment_file,
        segment_url as segment_url,
    )
    from vclean.block import Block as Block, Blocks as Blocks
    from vclean.classify.explain.reasons import Explanation as Explanation, Reason as Reason
    from vclean.classify.prediction import Decision as Decision, Prediction as Prediction
    from vclean.errors import *  # noqa: F403 - all of its classes are exported
    from vclean.features.blocks import BlockColumns as BlockColumns
    from vclean.features.segments.segments import Segments as Segments, Separators as Separators
    from vclean.labels import (
        Box as Box,
        EmptyReason as EmptyReason,
        Kind as Kind,
        Label as Label,
        PageType as PageType,
        Role as Role,
        Visibility as Visibility,
    )
    from vclean.output.chunks import Chunk as Chunk
    from vclean.output.overlay import PageImage as PageImage
    from vclean.output.source_positions import SourcePosition as SourcePosition
    from vclean.page import Page as Page, Resource as Resource, Resources as Resources
    from vclean.records import (
        Evidence as Evidence,
        Item as Item,
        Metadata as Metadata,
        Post as Post,
        Product as Product,
        Recipe as Recipe,
    )
    from vclean.render.snapshot import Snapshot as Snapshot
    from vclean.result import Result as Result
    from vclean.settings import CleanerSettings as CleanerSettings, Policy as Policy, RenderSettings as RenderSettings


__version__ = "0.2.0"

_NAMES = {
    "api": "AsyncCleaner Cleaner Segmenter clean clean_file clean_url segment segment_file segment_url",
    "block": "Block Blocks",
    "classify.explain.reasons": "Explanation Reason",
    "classify.prediction": "Decision Prediction",
    "errors": "BrowserError BrowserMissingError DeadlineError ExtraMissingError InputError LimitError ModelError "
    "NetworkError NotHtmlError OutputError UsageError VcleanError",
    "features.blocks": "BlockColumns",
    "features.segments.segments": "Segments Separators",
    "labels": "Box EmptyReason Kind Label PageType Role Visibility",
    "output.chunks": "Chunk",
    "output.overlay": "PageImage",
    "output.source_positions": "SourcePosition",
    "page": "Page Resource Resources",
    "records": "Evidence Item Metadata Post Product Recipe",
    "render.snapshot": "Snapshot",
    "result": "Result",
    "settings": "CleanerSettings Policy RenderSettings",
}
"""Exported names by the module that defines them, which is imported on the first use of a name."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted([*_MODULES, "__version__"])  # noqa: PLE0605 - type checkers read the imports above


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name in _MODULES:
        return getattr(import_module(f"vclean.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'vclean' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
