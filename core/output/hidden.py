"""List the texts that readers do not see, for audits: for `--show-hidden`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.characters import one_line
from vclean.labels import Visibility

if TYPE_CHECKING:
    from vclean.block import Block
    from vclean.result import Result


def write_hidden(result: Result) -> str:
    """Return a line for each block that is not shown: visibility, technique, box, XPath and text, separated by tabs.

    The box is x, y, width and height in CSS px, or `-` where nothing is laid out.
    """
    blocks = result.blocks.where(visibility=(Visibility.REVEALABLE, Visibility.HIDDEN))
    return "".join("\t".join(_fields(block)) + "\n" for block in blocks)


def _fields(block: Block) -> tuple[str, ...]:
    box = ",".join(f"{side:g}" for side in block.box) if block.box else "-"
    return block.visibility.name.lower(), block.technique, box, block.xpath, one_line(block.text)
