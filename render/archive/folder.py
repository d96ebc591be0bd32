"""A saved page's own folder as the source of its style sheets, images and frames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from vclean.page import Resource

BASE_URL: Final = "http://page.invalid/"
"""The address a file without one is rendered at; `.invalid` never resolves (RFC 6761)."""

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
"""What a page is made of; nothing else in the folder is served. Written out because the system's table varies."""


@dataclass(frozen=True, slots=True)
class FolderResources:
    """The files beside and below a saved page, at the URLs its relative links resolve to.

    A file is served when its type is one that pages are made of, it is no larger than `max_bytes`, no part of its
    path is hidden (starts with a dot), and it is inside `root` after links are followed. Symbolic links and `..`
    therefore lead nowhere else.

    Attributes:
        root: the folder the page is in.
        base_url: the page's URL; the folder stands for the URL's directory.
        max_bytes: cap on one file.
    """

    root: Path
    base_url: str = BASE_URL
    max_bytes: int = 16 * 2**20

    def get(self, url: str) -> Resource | None:
        """The file for the absolute `url`, or None; query and fragment are ignored, unless the file is named so."""
        for relative in self._candidates(url):
            path = _inside(self.root, relative)
            if path is not None:
                return self._read(path)
        return None

    def _candidates(self, url: str) -> list[str]:
        """Paths below the root, percent-decoded: as it stands, and with the query as some savers name files."""
        try:
            directory, wanted = urlsplit(urljoin(self.base_url, ".")), urlsplit(url)
        except ValueError:
            return []
        if wanted[:2] != directory[:2] or not wanted.path.startswith(directory.path):
            return []
        path = unquote(wanted.path[len(directory.path) :])
        return [f"{path}?{unquote(wanted.query)}", path] if wanted.query else [path]

    def _read(self, path: Path) -> Resource | None:
        try:
            if path.stat().st_size > self.max_bytes:
                return None
            return Resource(path.read_bytes(), _type_of(path.name))
        except OSError:
            return None


def find_folder_resources(path: Path, url: str = "") -> FolderResources | None:
    """What lies beside the page at `path` and is served to it; None where there are only other pages.

    Rendering a page with resources costs several times more, so it has to be for something.

    Args:
        path: the file of the page.
        url: the address it came from; `BASE_URL` stands in for an unknown one.
    """
    try:
        changed = path.parent.stat().st_mtime_ns
    except OSError:
        return None
    return FolderResources(path.parent, url or BASE_URL) if _has_company(path.parent, changed) else None


@lru_cache(maxsize=64)
def _has_company(folder: Path, _changed: int) -> bool:
    """Whether a folder holds another folder or a file that pages refer to; remembered until it changes."""
    return any(_is_company(path) for path in folder.iterdir())


def _is_company(path: Path) -> bool:
    kind = _type_of(path.name)
    return not path.name.startswith(".") and (path.is_dir() or (kind != "" and "html" not in kind))


def _inside(root: Path, relative: str) -> Path | None:
    """The existing file `relative` names below `root`, or None for any that is not to be served."""
    parts = PurePosixPath(relative).parts
    if not parts or not _type_of(parts[-1]) or any(_is_odd(part) for part in parts):
        return None
    try:
        path = root.joinpath(*parts).resolve(strict=True)
        inside = path.is_relative_to(root.resolve()) and path.is_file()
    except (OSError, ValueError):
        return None
    return path if inside and _type_of(path.name) else None


def _is_odd(part: str) -> bool:
    """Hidden files, parents and roots, and what only Windows reads as a path: drive, stream, separator."""
    return part.startswith((".", "/")) or any(character in part for character in "\\:\0")


def _type_of(name: str) -> str:
    """The media type by the name's suffix; `a.css?v=1` is a style sheet."""
    return _TYPES.get(PurePosixPath(name.partition("?")[0]).suffix.lower(), "")
