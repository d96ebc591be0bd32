"""Serve the subresources of a saved page from its folder: style sheets, images and frames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote

from vclean.page import Resource, join_url, split_url

BASE_URL: Final = "http://page.invalid/"
"""Address of a page whose URL is unknown; `.invalid` never resolves (RFC 6761)."""

_TYPES: Final = {
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".css": "text/css",
    ".gif": "image/gif",
    ".htm": "text/html",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".otf": "font/otf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xhtml": "application/xhtml+xml",
}
"""Media types that are served, by suffix; no other file is. Listed because the table of the system varies."""


@dataclass(frozen=True, slots=True)
class FolderResources:
    """Subresources in the folder of a saved page and below it, at the URLs that its relative links resolve to.

    A file is served if its suffix is in `_TYPES`, it has at most `max_bytes`, no part of its path is hidden (starts
    with a dot), and it is inside `root` after symbolic links are resolved. Links and `..` cannot leave the folder.

    Attributes:
        root: the folder of the page.
        base_url: the URL of the page; its directory corresponds to `root`.
        max_bytes: largest size of a file.
    """

    root: Path
    base_url: str = BASE_URL
    max_bytes: int = 16 * 2**20

    def get(self, url: str) -> Resource | None:
        """Return the file for the absolute `url`, or None.

        The fragment is ignored, and the query too unless it is part of the file name.
        """
        for relative in self._candidates(url):
            path = _inside(self.root, relative)
            if path is not None:
                return self._read(path)
        return None

    def _candidates(self, url: str) -> list[str]:
        """Return the paths below `root` to try, percent-decoded; some programs save the query in the file name."""
        directory, requested = split_url(join_url(self.base_url, ".")), split_url(url)
        if requested[:2] != directory[:2] or not requested.path.startswith(directory.path):
            return []
        path = unquote(requested.path[len(directory.path) :])
        return [f"{path}?{unquote(requested.query)}", path] if requested.query else [path]

    def _read(self, path: Path) -> Resource | None:
        try:
            if path.stat().st_size > self.max_bytes:
                return None
            return Resource(path.read_bytes(), _type_of(path.name))
        except OSError:
            return None


def find_folder_resources(path: Path, url: str = "") -> FolderResources | None:
    """Return the resources in the folder of a page; None if it contains only other pages.

    Rendering a page with resources costs several times more.

    Args:
        path: the file of the page.
        url: the address of the page; empty if unknown, which means `BASE_URL`.
    """
    try:
        mtime = path.parent.stat().st_mtime_ns
    except OSError:
        return None
    return FolderResources(path.parent, url or BASE_URL) if _has_resources(path.parent, mtime) else None


@lru_cache(maxsize=64)
def _has_resources(folder: Path, _mtime: int) -> bool:
    """Return whether a folder contains a folder or a subresource; cached until the folder changes."""
    return any(_may_contain_resources(path) for path in folder.iterdir())


def _may_contain_resources(path: Path) -> bool:
    media_type = _type_of(path.name)
    return not path.name.startswith(".") and (path.is_dir() or (media_type != "" and "html" not in media_type))


def _inside(root: Path, relative: str) -> Path | None:
    """Return the existing file at `relative` below `root`; None if it must not be served."""
    parts = PurePosixPath(relative).parts
    if not parts or not _type_of(parts[-1]) or any(_is_forbidden(part) for part in parts):
        return None
    try:
        path = root.joinpath(*parts).resolve(strict=True)
        inside = path.is_relative_to(root.resolve()) and path.is_file()
    except (OSError, ValueError):
        return None
    return path if inside and _type_of(path.name) else None


def _is_forbidden(part: str) -> bool:
    """Return whether a path part is hidden, a parent or a root, or has the syntax of a Windows path or stream."""
    return part.startswith((".", "/")) or any(character in part for character in "\\:\0")


def _type_of(name: str) -> str:
    """Return the media type for the suffix of a file name, or the empty string; `a.css?v=1` is a style sheet."""
    return _TYPES.get(PurePosixPath(name.partition("?")[0]).suffix.lower(), "")
