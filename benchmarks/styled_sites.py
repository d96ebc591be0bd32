"""Packages as web sites: where their pages are, what these refer to, and the files at the addresses."""

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
"""Indexes without text, and listings of code."""

LEAST, GREATEST = 3_000, 250_000
"""Bytes of a page: below, it is a stub or a frame; above, one page outweighs a package."""

LEAST_PICTURE = (80, 60)
"""Width and height in pixels from which on a picture is a region, not an icon."""

_HOPS = 40
_CSS_REFERENCE = re.compile(r"""url\(\s*['"]?([^'")]+)['"]?\s*\)|@import\s+['"]([^'"]+)['"]""", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_SHORTCODE = re.compile(r"\{\{[<%].*?[%>]\}\}", re.DOTALL)
_BODY_CLASS = re.compile(r'^body_class: "?(.*?)"?$', re.MULTILINE)


def select(tree: HTMLTree, selector: str) -> list[DOMNode]:
    """The elements a CSS selector names, as a list: to iterate over what resiliparse gives takes quadratic time."""
    return list(tree.document.query_selector_all(selector)[:])


def choose(paths: Sequence[Path], count: int) -> list[Path]:
    """`count` of the paths, spread evenly over all of them in their order, or all where there are fewer."""
    places = np.linspace(0, len(paths) - 1, min(count, len(paths)), dtype=int)
    return [paths[place] for place in dict.fromkeys(places.tolist())]


def candidates(root: Path, patterns: Sequence[str]) -> list[Path]:
    """The pages under `root` that match a pattern and are neither stubs nor indexes, in the order of their paths."""
    found = {path for pattern in patterns for path in root.glob(pattern) if path.is_file() and not path.is_symlink()}
    kept = (path for path in found if not SKIPPED.search(path.relative_to(root).as_posix()))
    return sorted(path for path in kept if LEAST <= path.stat().st_size <= GREATEST)


def completed(text: str, styles: Sequence[str]) -> str:
    """A page from what goes into a template: without front matter and shortcodes, with style sheets, as a document."""
    matter = _FRONT_MATTER.match(text)
    if matter is None:
        return text
    body_class = _BODY_CLASS.search(matter[1])
    links = "".join(f'<link rel="stylesheet" href="{style}">' for style in styles)
    inside = _SHORTCODE.sub("", text[matter.end() :])
    return (
        '<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'{links}</head><body class="{body_class[1] if body_class else ""}">{inside}</body></html>'
    )


def references(tree: HTMLTree) -> Iterator[str]:
    """What a page refers to and a browser would fetch to draw it, scripts left out."""
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
    """What a style sheet refers to."""
    return [match[1] or match[2] for match in _CSS_REFERENCE.finditer(text)]


@dataclass(slots=True)
class Site:
    """The unpacked packages of one source as a web site: the path of a URL is the path below `root`."""

    root: Path
    host: str
    files: dict[str, Path] = field(default_factory=dict)

    def url(self, path: Path) -> str:
        """The address of a file."""
        return f"https://{self.host}/{quote(path.relative_to(self.root).as_posix())}"

    def find(self, url: str) -> Path | None:
        """The file at an address, links followed inside the root; None where there is none."""
        parts = urlsplit(url)
        if parts.hostname != self.host:
            return None
        path = unquote(parts.path).lstrip("/")
        for start in ("", "usr/share/"):  # Debian's web server has /javascript/ for /usr/share/javascript/
            found = self._followed(start + path)
            if found is not None:
                return found
        return None

    def _followed(self, path: str) -> Path | None:
        """The file at a path below the root, where links that start with a slash start at the root."""
        here = self.root
        parts, hops = PurePosixPath(path).parts, 0
        while parts:
            here, parts = here / parts[0], parts[1:]
            if here.is_symlink() and hops < _HOPS:
                target, hops = here.readlink(), hops + 1
                here = self.root if target.is_absolute() else here.parent
                parts = (*target.relative_to(target.anchor).parts, *parts)
        return here if here.is_file() and here.resolve().is_relative_to(self.root.resolve()) else None

    def collect(self, base: str, found: Iterable[str]) -> None:
        """Add to `files` what a document at `base` refers to, and what the style sheets among it refer to."""
        for reference in filter(None, found):
            url = joined(base, reference)
            path = self.find(url)
            if path is None or url in self.files:
                continue
            self.files[url] = path
            if path.suffix == ".css":
                self.collect(url, css_references(path.read_text("utf-8", "replace")))


def joined(base: str, reference: str) -> str:
    """The absolute URL without its fragment, or the empty string for what is none."""
    try:
        return urljoin(base, reference.strip()).partition("#")[0]
    except ValueError:
        return ""


def is_picture(path: Path | None) -> bool:
    """Whether a file is a picture large enough to be a region of its own."""
    if path is None:
        return False
    try:
        with Image.open(path) as picture:
            return picture.width >= LEAST_PICTURE[0] and picture.height >= LEAST_PICTURE[1]
    except (UnidentifiedImageError, OSError):
        return False


def fetch(manager: str, packages: Iterable[str], root: Path) -> None:
    """Download packages with a manager (`apt`, `npm` or `pip`) and unpack them below `root`.

    Raises:
        InputError: a package is not to be had.
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
    """Unpack a Debian package or a tar archive; links may point outside and are followed by `Site` alone."""
    if file.suffix == ".deb":
        _run(["dpkg-deb", "-x", str(file), str(root)], root)
        return
    with tarfile.open(file) as archive:
        archive.extractall(root, filter="data")
