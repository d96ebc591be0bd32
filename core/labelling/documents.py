"""The HTML of the labelling pages: an overlay with controls of its own, and the list of pages."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

from vclean.overlays import overlay_page
from vclean.render.overlay_html import OverlayPage, draw_html, policy

if TYPE_CHECKING:
    from vclean.result import Result


def page_document(result: Result, picture: bytes) -> str:
    """A page to be labelled; what was said of it before, the script asks the server for.

    Raises:
        OutputError: the picture cannot be read.
    """
    return _document(overlay_page(result, picture))


@cache
def frame_digest() -> str:
    """16 hexadecimal digits of what is round every page: a page made with others has to be made again."""
    return sha256(_document(OverlayPage(id="", url="", title="", width=1, height=1)).encode()).hexdigest()[:16]


def list_document() -> str:
    """The list of pages, which its script fills and keeps up to date."""
    script, style = _source("list.js"), _source("list.css")
    return Template(_source("list.html")).substitute(
        policy=policy([script], [style], same_origin=True), script=script, style=style
    )


def _document(content: OverlayPage) -> str:
    return draw_html(content, scripts=[_source("label.js")], styles=[_source("label.css")], same_origin=True)


def _source(name: str) -> str:
    return (resources.files("vclean.labelling") / name).read_text(encoding="utf-8")
