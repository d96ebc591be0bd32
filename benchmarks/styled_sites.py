"""Read unpacked packages as web sites: find pages, their references, and the files at URLs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

import numpy as np
from PIL import Image, UnidentifiedImageError

from vclean.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from resiliparse.parse.html import DOMNode, HTMLTree

SKIPPED = re.compile(r"(^|/)(genindex|py-modindex|search|_modules|_sources|_static|[Cc]hange[Ll]og)|-members\.html")
"""Paths of pages to skip: indexes without text, and listings of code."""

MIN_BYTES, MAX_BYTES = 3_000, 250_000
"""Limits of the size of a page. A smaller page is a stub or a frame; a larger one outweighs all others of a package."""

MIN_IMAGE_SIZE = (80, 60)
"""Minimum width and height of an image that is a region, in pixels; smaller images are icons."""

_MAX_LINKS = 40
_CSS_REFERENCE = re.compile(r"""url\(\s*['"]?([^'")]+)['"]?\s*\)|@import\s+['"]([^'"]+)['"]""", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_SHORTCODE = re.compile(r"\{\{[<%].*?[%>]\}\}", re.DOTALL)
_BODY_CLASS = re.compile(r'^body_class: "?(.*?)"?$', re.MULTILINE)


def select(tree: HTMLTree, selector: str) -> list[DOMNode]:
    """Return the elements that match a CSS selector, as a list: iterating over resiliparse's result is quadratic."""
    return list(tree.document.query_selector_all(selector)[:])


def choose(paths: Sequence[Path], count: int) -> list[Path]:
    """Return `count` evenly spaced paths, in order; all paths if there are fewer."""
    indices = np.linspace(0, len(paths) - 1, min(count, len(paths)), dtype=int)
    return [paths[index] for index in dict.fromkeys(indices.tolist())]


def candidates(root: Path, patterns: Sequence[str]) -> list[Path]:
    """Return the pages below `root` that match a pattern, sorted by path; without stubs, indexes and symbolic links."""
    paths = {path for pattern in patterns for path in root.glob(pattern) if path.is_file() and not path.is_symlink()}
    pages = (path for path in paths if not SKIPPED.search(path.relative_to(root).as_posix()))
    return sorted(path for path in pages if MIN_BYTES <= path.stat().st_size <= MAX_BYTES)


def complete_document(text: str, styles: Sequence[str]) -> str:
    """Return the content of a template as a complete document with style sheets, without front matter and shortcodes.

    A text without front matter is returned unchanged.
    """
    matter = _FRONT_MATTER.match(text)
    if matter is None:
        return text
    body_class = _BODY_CLASS.search(matter[1])
    links = "".join(f'<link rel="stylesheet" href="{style}">' for style in styles)
    content = _SHORTCODE.sub("", text[matter.end() :])
    return (
        '<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'{links}</head><body class="{body_class[1] if body_class else ""}">{content}</body></html>'
    )


def references(tree: HTMLTree) -> Iterator[str]:
    """Yield the URLs of the subresources that a browser fetches to paint a page, without scripts."""
    for selector, name in (
        ("link[rel~=stylesheet i]", "href"),
        ("img, input[type=image], source, embed, iframe", "src"),
        ("object", "data"),
        ("video", "poster"),
        ("body, table, td, th, tr", "background"),
    ):
        yield from filter(None, (node.getattr(name) for node in select(tree, selector)))
    for node in select(tree, "img[srcset], source[srcset]"):
        yield from (part.split()[0] for part in node["srcset"].split(",") if part.strip())
    for node in select(tree, "[style]"):
        yield from css_references(node["style"])
    for node in select(tree, "style"):
        yield from css_references(node.text)


def css_references(text: str) -> list[str]:
    """Return the URLs in a style sheet."""
    return [match[1] or match[2] for match in _CSS_REFERENCE.finditer(text)]


@dataclass(slots=True)
class Site:
    """Unpacked packages of one source as a web site. The path of a URL is the path below `root`.

    Attributes:
        root: folder of the packages.
        host: host of the URLs.
        files: subresources that were collected, by URL.
    """

    root: Path
    host: str
    files: dict[str, Path] = field(default_factory=dict)

    def url(self, path: Path) -> str:
        """Return the URL of a file."""
        return f"https://{self.host}/{quote(path.relative_to(self.root).as_posix())}"

    def find(self, url: str) -> Path | None:
        """Return the file at a URL, or None. Symbolic links are followed inside the root."""
        parts = urlsplit(url)
        if parts.hostname != self.host:
            return None
        path = unquote(parts.path).lstrip("/")
        for start in ("", "usr/share/"):  # Debian's web server maps /javascript/ to /usr/share/javascript/
            file = self._resolve(start + path)
            if file is not None:
                return file
        return None

    def _resolve(self, path: str) -> Path | None:
        """Return the file at a path below the root, or None. Absolute symbolic links start at the root."""
        current = self.root
        parts, link_count = PurePosixPath(path).parts, 0
        while parts:
            current, parts = current / parts[0], parts[1:]
            if current.is_symlink() and link_count < _MAX_LINKS:
                target, link_count = current.readlink(), link_count + 1
                current = self.root if target.is_absolute() else current.parent
                parts = (*target.relative_to(target.anchor).parts, *parts)
        return current if current.is_file() and current.resolve().is_relative_to(self.root.resolve()) else None

    def collect(self, base: str, urls: Iterable[str]) -> None:
        """Add the files of relative `urls` in a document at `base` to `files`, and those of its style sheets."""
        for reference in filter(None, urls):
            url = join(base, reference)
            path = self.find(url)
            if path is None or url in self.files:
                continue
            self.files[url] = path
            if path.suffix == ".css":
                self.collect(url, css_references(path.read_text("utf-8", "replace")))


def join(base: str, reference: str) -> str:
    """Return the absolute URL of a reference without its fragment; empty if the reference is invalid."""
    try:
        return urljoin(base, reference.strip()).partition("#")[0]
    except ValueError:
        return ""


def is_large_image(path: Path | None) -> bool:
    """Return whether a file is an image that is large enough to be a region."""
    if path is None:
        return False
    try:
        with Image.open(path) as image:
            return image.width >= MIN_IMAGE_SIZE[0] and image.height >= MIN_IMAGE_SIZE[1]
    except (UnidentifiedImageError, OSError):
        return False


def fetch(manager: str, packages: Iterable[str], root: Path) -> None:
    """Download packages with a manager (`apt`, `npm` or `pip`) and unpack them below `root`.

    Raises:
        InputError: a package cannot be downloaded.
    """
    with tempfile.TemporaryDirectory() as folder:
        for package in packages:
            _run(_download(manager, package), Path(folder))
        aside = root.with_suffix(".part")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        for file in sorted(Path(folder).iterdir()):
            _unpack(file, aside)
        aside.rename(root)


def _download(manager: str, package: str) -> list[str]:
    return {
        "apt": ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", package],
        "npm": ["npm", "pack", "--silent", package],
        "pip": [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", package],
    }[manager]


def _run(command: Sequence[str], folder: Path) -> bytes:
    try:
        return subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout
    except OSError as error:
        raise InputError(f"{command[0]} cannot be run ({error.strerror}): install it") from error
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(f"{' '.join(command)} failed: {lines[-1] if lines else error.returncode}") from error


def _unpack(file: Path, root: Path) -> None:
    """Unpack a Debian package or a tar archive. Links may point outside `root`; only `Site` follows them."""
    if file.suffix == ".deb":
        _run(["dpkg-deb", "-x", str(file), str(root)], root)
        return
    with tarfile.open(file) as archive:
        archive.extractall(root, filter="data")
