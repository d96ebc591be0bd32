"""Styled pages whose structure is known, as one web archive: `python benchmarks/styled.py OUT.warc.gz`.

Many packages ship a rendered site: documentation, a theme's demo. What made the site also fixes what is where on it,
so that a few CSS selectors for each generator name the regions of all its pages. Packages and selectors are in
`styled.toml`, beside this file. The packages are downloaded by apt, npm and pip into a temporary folder.

The pages carry the marks of the hand-marked archive: `data-block` is the level (1 where no marked element is around)
and `data-block-type` the role. Beside OUT.warc.gz, OUT.pages.txt lists the URLs of the pages. The class names that the
selectors use are still in the pages, since the style sheets need them: features must not see them.
"""

from __future__ import annotations

import argparse
import gzip
import io
import mimetypes
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import uuid
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

import numpy as np
from fastwarc.warc import WarcRecord, WarcRecordType
from PIL import Image, UnidentifiedImageError
from resiliparse.parse.html import HTMLTree

from vclean.errors import InputError, UsageError, VcleanError
from vclean.files import Replacement, write_atomic
from vclean.render.decode import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from resiliparse.parse.html import DOMNode

TABLES = Path(__file__).with_suffix(".toml")
ROLES = (
    "Header Footer Sidebar Content Menu Logo Searchbar Title Author Comments Ad LinkList Table Image Video Article"
).split()
"""The roles of the hand-marked archive; an element that two of them name takes the first."""

SKIPPED = re.compile(r"(^|/)(genindex|py-modindex|search|_modules|_sources|_static|index-all|allclasses|help-doc)")
"""Indexes without text, and listings of code."""

LEAST, GREATEST = 3_000, 250_000
"""Bytes of a page: below, it is a stub or a frame; above, one page outweighs a package."""

LEAST_PICTURE = (80, 60)
"""Width and height in pixels from which on a picture is a region, not an icon."""

_DATE = "2000-01-01T00:00:00Z"
_CSS_REFERENCE = re.compile(r"""url\(\s*['"]?([^'")]+)['"]?\s*\)|@import\s+['"]([^'"]+)['"]""")
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_SHORTCODE = re.compile(r"\{\{[<%].*?[%>]\}\}", re.DOTALL)
_BODY_CLASS = re.compile(r'^body_class: "?(.*?)"?$', re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A package that ships pages.

    Attributes:
        package: its name; with `manager` it says what to download.
        manager: `apt`, `npm` or `pip`.
        also: packages of the same manager that hold its style sheets.
        pages: patterns of paths in the package, from its root.
        generator: the name of the table of selectors.
        count: how many pages to take, spread evenly over all in the order of their paths.
        styles: paths of style sheets for pages that are only the inside of a template.
    """

    package: str
    pages: Sequence[str]
    generator: str
    manager: str = "apt"
    also: Sequence[str] = ()
    count: int = 4
    styles: Sequence[str] = ()

    @property
    def host(self) -> str:
        """The host of its pages: reserved names, so that none is a real one."""
        return f"{self.package.strip('@').replace('/', '-')}.example"


@dataclass(frozen=True, slots=True)
class Tables:
    """What is in `styled.toml`: the sources, and for every generator the selectors of each role."""

    sources: Sequence[Source]
    generators: Mapping[str, Mapping[str, Sequence[str]]]

    @classmethod
    def read(cls, text: str) -> Tables:
        """The tables in a TOML document.

        Raises:
            UsageError: a source names a generator that is not there, or a generator a role.
        """
        found = tomllib.loads(text)
        sources = [Source(**source) for source in found["source"]]
        generators = {name: _inherited(found["generator"], name) for name in found["generator"]}
        missing = sorted({source.generator for source in sources} - generators.keys())
        unknown = sorted(set(chain(*generators.values())) - set(ROLES))
        if missing or unknown:
            raise UsageError(f"{TABLES.name}: no such generators: {missing}; no such roles: {unknown}")
        return cls(sources, generators)


def _inherited(generators: Mapping[str, Mapping[str, Sequence[str] | str]], name: str) -> dict[str, Sequence[str]]:
    """The selectors of a generator, those of the one it is `like` among them where it has none of its own."""
    own = dict(generators[name])
    like = own.pop("like", None)
    return (_inherited(generators, str(like)) if like else {}) | {role: list(found) for role, found in own.items()}


# Marks


def mark(tree: HTMLTree, selectors: Mapping[str, Sequence[str]], is_picture: Mapping[str, bool]) -> Counter[str]:
    """Mark the elements of a page that the selectors of each role name; how many of each role there are.

    An `img` is marked as an image only where `is_picture` is true of its `src`.
    """
    found: Counter[str] = Counter()
    for role in (role for role in ROLES if selectors.get(role)):
        for node in tree.document.query_selector_all(", ".join(selectors[role])):
            if not node.hasattr("data-block-type") and (role != "Image" or _is_region(node, is_picture)):
                node["data-block-type"] = role
                found[role] += 1
    for node in tree.document.query_selector_all("[data-block-type]"):
        node["data-block"] = "2" if _has_marked_ancestor(node) else "1"
    return found


def _is_region(node: DOMNode, is_picture: Mapping[str, bool]) -> bool:
    return node.tag != "img" or is_picture.get(node.getattr("src") or "", False)


def _has_marked_ancestor(node: DOMNode) -> bool:
    above = node.parent
    while above is not None and above.tag != "#document":
        if above.hasattr("data-block-type"):
            return True
        above = above.parent
    return False


# Pages and what they refer to


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
        yield from (node.getattr(name) or "" for node in tree.document.query_selector_all(selector))
    for node in tree.document.query_selector_all("img[srcset], source[srcset]"):
        yield from (part.split()[0] for part in node["srcset"].split(",") if part.strip())
    for node in tree.document.query_selector_all("[style]"):
        yield from css_references(node["style"])
    for node in tree.document.query_selector_all("style"):
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
        parts, hops = [part for part in path.split("/") if part], 0
        while parts:
            here = here / parts.pop(0)
            if here.is_symlink() and hops < 40:
                target, hops = os.readlink(here), hops + 1
                here = self.root if target.startswith("/") else here.parent
                parts = [part for part in target.split("/") if part] + parts
        return here if here.is_file() and Path(os.path.abspath(here)).is_relative_to(self.root) else None

    def collect(self, base: str, found: Iterator[str] | list[str]) -> None:
        """Add to `files` what a document at `base` refers to, and what the style sheets among it refer to."""
        for reference in found:
            url = _joined(base, reference)
            path = self.find(url)
            if path is None or url in self.files:
                continue
            self.files[url] = path
            if path.suffix == ".css":
                self.collect(url, css_references(path.read_text("utf-8", "replace")))


def _joined(base: str, reference: str) -> str:
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


# Packages


def fetch(source: Source, root: Path) -> None:
    """Download the packages of a source and unpack them below `root`.

    Raises:
        InputError: a package is not to be had.
    """
    with tempfile.TemporaryDirectory() as folder:
        for package in (source.package, *source.also):
            _run(_download(source.manager, package), Path(folder))
        root.mkdir(parents=True)
        for file in sorted(Path(folder).iterdir()):
            _unpack(file, root)


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


# The archive


def response(url: str, body: bytes, content_type: str) -> WarcRecord:
    """A response record, dated by nothing that changes from run to run."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    record = WarcRecord()
    record.init_headers(WarcRecordType.response, record_urn=str(uuid.uuid5(uuid.NAMESPACE_URL, url)).encode())
    record.headers["WARC-Target-URI"] = url
    record.headers["WARC-Date"] = _DATE
    record.headers["Content-Type"] = "application/http; msgtype=response"
    record.set_bytes_content(head.encode() + body)
    return record


def content_type(path: Path) -> str:
    """The media type of a file by its name."""
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"


def marked(site: Site, path: Path, source: Source, selectors: Mapping[str, Sequence[str]]) -> tuple[bytes, Counter[str]]:
    """A page with its marks, in UTF-8, and how many marks of each role; what it refers to is added to the site.

    Raises:
        VcleanError: it is no HTML.
    """
    text = decode(path.read_bytes())
    own = [style.name for style in sorted(path.parent.glob("*.css"))] if source.styles else []
    tree = HTMLTree.parse(completed(text, [*source.styles, *own]))
    base, url = tree.document.query_selector("base[href]"), site.url(path)
    base_url = _joined(url, base["href"]) if base else url
    found = list(dict.fromkeys(references(tree)))
    site.collect(base_url, found)
    pictures = {name: is_picture(site.find(_joined(base_url, name))) for name in found}
    counts = mark(tree, selectors, pictures)
    return str(tree).encode(), counts


@dataclass(slots=True)
class Collection:
    """The archive on its way: the records, the URLs of the pages, the counts of the roles."""

    stream: io.BufferedIOBase | Replacement
    pages: list[str] = field(default_factory=list)
    roles: Counter[str] = field(default_factory=Counter)

    def add(self, source: Source, root: Path, selectors: Mapping[str, Sequence[str]]) -> int:
        """Add pages of a source and all they refer to; how many pages there are."""
        site, taken = Site(root, source.host), 0
        for path in choose(candidates(root, source.pages), source.count):
            body, counts = marked(site, path, source, selectors)
            if counts["Content"]:
                taken += 1
                self.roles += counts
                self.pages.append(site.url(path))
                self._write(response(site.url(path), body, "text/html; charset=utf-8"))
        for url, path in sorted(site.files.items()):
            self._write(response(url, path.read_bytes(), content_type(path)))
        return taken

    def _write(self, record: WarcRecord) -> None:
        buffer = io.BytesIO()
        record.write(buffer)
        self.stream.write(gzip.compress(buffer.getvalue(), mtime=0))


def run(options: argparse.Namespace, folder: Path) -> None:
    """Write the archive and the list of its pages, and print how many regions of each role there are.

    Raises:
        VcleanError: no package could be had, or a file could not be written.
    """
    tables = Tables.read(TABLES.read_text("utf-8"))
    with Replacement(options.out) as stream:
        collection = Collection(stream)
        for source in tables.sources:
            root = folder / source.host
            try:
                if not root.exists():
                    fetch(source, root)
                taken = collection.add(source, root, tables.generators[source.generator])
                print(f"{source.package:40}{taken:4} pages", flush=True)
            except InputError as error:
                print(f"{source.package}: {error}", file=sys.stderr)
        if not collection.pages:
            raise InputError("no package could be had: are apt-get, npm and pip there, and the network?")
    write_atomic(options.out.with_name(options.out.name.partition(".")[0] + ".pages.txt"), "\n".join(collection.pages) + "\n")
    print(f"{len(collection.pages)} pages;", ", ".join(f"{role} {n}" for role, n in collection.roles.most_common()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Collect the pages; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("out", type=Path, help="the archive to write, OUT.warc.gz")
    parser.add_argument("--packages", type=Path, help="keep the unpacked packages here, for the next run")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as folder:
            run(options, options.packages or Path(folder))
    except VcleanError as error:
        print(f"styled.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
