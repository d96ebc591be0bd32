"""What overlays are written as."""

from __future__ import annotations

from typing import Final, Literal

Kind = Literal["png", "svg", "html"]
"""A picture, or with `html` a page to explore."""

KINDS: Final[dict[str, Kind]] = {".png": "png", ".svg": "svg", ".html": "html"}
"""By the suffix of a file's name."""
