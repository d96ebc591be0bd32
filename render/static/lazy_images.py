"""Find the addresses of images that a script would load later, and of those in `<noscript>`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lxml import etree

LAZY: Final = "data-src"
"""Attribute of a snapshot with the address of an image that is loaded later."""
_FILE: Final = re.compile(r"(?:(?:https?:)?/)?/[^\s,]*\.(?:avif|gif|jpe?g|png|webp)(?:[?#][^\s,]*)?", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"(?:https?:)?//[^\s,]+", re.IGNORECASE)
_NAME: Final = re.compile(r"src|image|img|orig|lazy|load|full|photo", re.IGNORECASE)
"""Name of an attribute with an address that may be that of an image without a suffix."""
_SET: Final = re.compile(r"\S+\s+\d+(?:\.\d+)?[wx](?:\s*,|\s*$)")


def find_lazy_images(root: etree._Element) -> None:
    """Copy the address of each image that has only a placeholder from another attribute to `LAZY`, in place.

    An image in `<noscript>` is that beside it.
    """
    for image in list(root.iter("img")):
        if _is_missing(image):
            for name in map(str, image.attrib):
                address = image.get(name, "").strip()
                if name.startswith("data-") and image.get(LAZY) is None and _is_address(name, address):
                    image.set(LAZY, address)
                elif name.startswith("data-") and image.get("data-srcset") is None and _SET.match(address):
                    image.set("data-srcset", address)
    for noscript in list(root.iter("noscript")):
        images = list(noscript.iter("img"))
        if len(images) == 1 and not "".join(map(str, noscript.itertext())).strip():
            _give_address(noscript, images[0])


def _is_address(name: str, value: str) -> bool:
    return bool(_FILE.fullmatch(value) or (_NAME.search(name) and _ADDRESS.fullmatch(value)))


def _is_missing(image: etree._Element) -> bool:
    source = image.get("src", "").strip()
    return not source or source.lower().startswith(("data:", "about:")) or "placeholder" in source.lower()


def _give_address(noscript: etree._Element, image: etree._Element) -> None:
    """Give the image beside a `<noscript>` the address in it, unless it has one."""
    for beside in (noscript.getprevious(), noscript.getnext()):
        twin = None if beside is None else next(beside.iter("img"), None)
        if twin is not None and _is_missing(twin):
            for name in ("src", LAZY, "srcset", "data-srcset"):
                if image.get(name):
                    twin.set(f"data-{name.removeprefix('data-')}", image.get(name, ""))
            return
