"""Collect styled pages with known structure in a web archive: `python benchmarks/styled.py OUT.warc.gz`.

Many packages contain a rendered site, such as documentation or the demo of a theme. A site generator uses the same
structure for all its pages, so a few CSS selectors per generator select their regions. Packages and selectors are in
`styled.toml`. The packages are downloaded by apt, npm and pip into a temporary folder.

The pages have the same marks as the hand-marked archive: `data-block` is the level (1 outside other marked elements),
and `data-block-type` is the role. OUT.pages.txt lists the URLs of the pages. The pages still contain the class names
that the selectors use, because the style sheets need them: features must not read them.
"""

from __future__ import annotations

import argparse
import gzip
import io
import mimetypes
import sys
import tempfile
import tomllib
import uuid
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from fastwarc.warc import WarcRecord, WarcRecordType
from resiliparse.parse.html import HTMLTree
from styled_sites import Site, candidates, choose, complete_document, fetch, is_large_image, join, references, select

from vclean.errors import InputError, UsageError, VcleanError
from vclean.files import AtomicFile, write_atomic
from vclean.render.decode import decode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resiliparse.parse.html import DOMNode

    Selectors = Mapping[str, Sequence[str]]
    """CSS selectors by role."""

TABLES = Path(__file__).with_suffix(".toml")
ROLES = (
    "Header", "Footer", "Sidebar", "Content", "Menu", "Logo", "Searchbar", "Title", "Author", "Comments", "Ad",
    "LinkList", "Table", "Image", "Video", "Article",
)  # fmt: skip
"""Roles of the hand-marked archive. If selectors of two roles match an element, it gets the first role."""

_DATE = "2000-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Package that contains pages.

    Attributes:
        package: name of the package.
        manager: package manager: `apt`, `npm` or `pip`.
        also: packages of the same manager that contain its style sheets.
        pages: glob patterns of paths, from the root of the site.
        generator: name of the table of selectors.
        below: folder of the package that is the root of the site.
        count: number of pages to take, evenly spaced in the order of their paths.
        styles: paths of style sheets, for pages that are only the content of a template.
    """

    package: str
    pages: Sequence[str]
    generator: str
    manager: str = "apt"
    also: Sequence[str] = ()
    below: str = ""
    count: int = 4
    styles: Sequence[str] = ()

    @property
    def host(self) -> str:
        """Return the host of the pages; `.example` is a reserved domain, so no host is real."""
        return f"{self.package.partition('==')[0]}.example"


@dataclass(frozen=True, slots=True)
class Tables:
    """Content of `styled.toml`: the sources, and the selectors of each role by generator."""

    sources: Sequence[Source]
    generators: Mapping[str, Selectors]

    @classmethod
    def read(cls, text: str) -> Tables:
        """Parse the tables from a TOML document.

        Raises:
            UsageError: a source has an unknown generator, or a generator has an unknown role.
        """
        tables = tomllib.loads(text)
        sources = [Source(**source) for source in tables["source"]]
        generators = {name: _inherited(tables["generator"], name) for name in tables["generator"]}
        missing = sorted({source.generator for source in sources} - generators.keys())
        unknown = sorted(set(chain(*generators.values())) - set(ROLES))
        if missing or unknown:
            raise UsageError(f"{TABLES.name}: no such generators: {missing}; no such roles: {unknown}")
        return cls(sources, generators)


def _inherited(generators: Mapping[str, Mapping[str, Sequence[str] | str]], name: str) -> dict[str, Sequence[str]]:
    """Return the selectors of a generator by role; roles without selectors inherit those of the generator `like`."""
    table = dict(generators[name])
    like = table.pop("like", None)
    selectors = {role: list(role_selectors) for role, role_selectors in table.items()}
    return (_inherited(generators, str(like)) if like else {}) | selectors


def mark(tree: HTMLTree, selectors: Selectors, large_images: Mapping[str, bool]) -> Counter[str]:
    """Mark the elements of a page that match the selectors of each role. Return the number of elements by role.

    An `img` is marked as an image only if `large_images` is true for its `src`.
    """
    counts: Counter[str] = Counter()
    for role in (role for role in ROLES if selectors.get(role)):
        for node in select(tree, ", ".join(selectors[role])):
            if not node.hasattr("data-block-type") and (role != "Image" or _is_region(node, large_images)):
                node["data-block-type"] = role
                counts[role] += 1
    for node in select(tree, "[data-block-type]"):
        node["data-block"] = "2" if _has_marked_ancestor(node) else "1"
    return counts


def _is_region(node: DOMNode, large_images: Mapping[str, bool]) -> bool:
    return node.tag != "img" or large_images.get(node.getattr("src") or "", False)


def _has_marked_ancestor(node: DOMNode) -> bool:
    ancestor = node.parent
    while ancestor is not None and ancestor.tag != "#document":
        if ancestor.hasattr("data-block-type"):
            return True
        ancestor = ancestor.parent
    return False


def response(url: str, body: bytes, content_type: str) -> WarcRecord:
    """Return a WARC response record with a constant date and a record id derived from the URL.

    Equal content then gives an equal archive.
    """
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    record = WarcRecord()
    record.init_headers(WarcRecordType.response, record_urn=str(uuid.uuid5(uuid.NAMESPACE_URL, url)).encode())
    record.headers["WARC-Target-URI"] = url
    record.headers["WARC-Date"] = _DATE
    record.headers["Content-Type"] = "application/http; msgtype=response"
    record.set_bytes_content(head.encode() + body)
    return record


def content_type(path: Path) -> str:
    """Return the media type of a file by its name."""
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"


def marked_page(site: Site, path: Path, source: Source, selectors: Selectors) -> tuple[bytes, Counter[str]]:
    """Return a page with its marks, in UTF-8, and the number of marks by role. Add its subresources to the site.

    Raises:
        VcleanError: the file is not HTML.
    """
    text = decode(path.read_bytes())
    page_styles = [style.name for style in sorted(path.parent.glob("*.css"))] if source.styles else []
    tree = HTMLTree.parse(complete_document(text, [*source.styles, *page_styles]))
    base, url = tree.document.query_selector("base[href]"), site.url(path)
    base_url = join(url, base["href"]) if base else url
    urls = list(dict.fromkeys(references(tree)))
    site.collect(base_url, urls)
    large_images = {reference: is_large_image(site.find(join(base_url, reference))) for reference in urls}
    counts = mark(tree, selectors, large_images)
    return str(tree).encode(), counts


@dataclass(slots=True)
class Collection:
    """Archive that is being written: its stream, the URLs of its pages, and the number of regions by role."""

    stream: io.BufferedIOBase | AtomicFile
    pages: list[str] = field(default_factory=list)
    roles: Counter[str] = field(default_factory=Counter)

    def add(self, source: Source, root: Path, selectors: Selectors) -> int:
        """Add pages of a source and their subresources. Return the number of pages.

        Pages without a region of the role "Content" are left out.
        """
        site, page_count = Site(root, source.host), 0
        for path in choose(candidates(root, source.pages), source.count):
            body, counts = marked_page(site, path, source, selectors)
            if counts["Content"]:
                page_count += 1
                self.roles += counts
                self.pages.append(site.url(path))
                self._write(response(site.url(path), body, "text/html; charset=utf-8"))
        for url, path in sorted(site.files.items()):
            self._write(response(url, path.read_bytes(), content_type(path)))
        return page_count

    def _write(self, record: WarcRecord) -> None:
        buffer = io.BytesIO()
        record.write(buffer)
        self.stream.write(gzip.compress(buffer.getvalue(), mtime=0))


def run(options: argparse.Namespace, folder: Path) -> None:
    """Write the archive and the list of its pages, and print the number of regions of each role.

    Raises:
        VcleanError: no package could be downloaded, or a file could not be written.
    """
    tables = Tables.read(TABLES.read_text("utf-8"))
    with AtomicFile(options.out) as stream:
        collection = Collection(stream)
        for source in tables.sources:
            root = folder / source.host
            try:
                if not root.exists():
                    fetch(source.manager, (source.package, *source.also), root)
                page_count = collection.add(source, root / source.below, tables.generators[source.generator])
                print(f"{source.package:40}{page_count:4} pages", flush=True)
            except InputError as error:
                print(f"{source.package}: {error}", file=sys.stderr)
        if not collection.pages:
            raise InputError("no package could be downloaded: check apt-get, npm, pip and the network")
    page_list = options.out.with_name(options.out.name.partition(".")[0] + ".pages.txt")
    write_atomic(page_list, "\n".join(collection.pages) + "\n")
    print(f"{len(collection.pages)} pages;", ", ".join(f"{role} {n}" for role, n in collection.roles.most_common()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Collect the pages. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("out", type=Path, help="archive to write, OUT.warc.gz")
    parser.add_argument("--packages", type=Path, help="cache of unpacked packages, for the next run")
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
