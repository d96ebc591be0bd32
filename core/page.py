"""`Page`: one input document, and where its sub-resources are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Resource:
    """One sub-resource or response: `body` as stored, `content_type` as served, HTTP `status`."""

    body: bytes
    content_type: str = ""
    status: int = 200


class Resources(Protocol):
    """Where a page's style sheets, images and frames come from."""

    def get(self, url: str) -> Resource | None:
        """The resource at the absolute `url`, or None when this source does not hold it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One input document.

    Attributes:
        content: the document, as bytes (decoded the way browsers do) or as text.
        url: the address it came from; relative links resolve against it. Empty when unknown.
        charset: encoding declared by the transport (HTTP header, archive record); empty when unknown.
        path: the file it was read from, if any.
        resources: its sub-resources, or None for none at all.
        live: the page is to be fetched from `url` by the browser, over the network.
        id: the name of the page in logs and in output.
        snapshot: the page as it was read before, packed (see `vclean.render.storage.cache.to_bytes`), in place of
        `content`.
    """

    content: bytes | str = b""
    url: str = ""
    charset: str = ""
    path: Path | None = None
    resources: Resources | None = None
    live: bool = False
    id: str = ""
    snapshot: bytes | None = None
