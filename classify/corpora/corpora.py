"""Evaluation corpora: Parquet files of pages with their gold text, and groups of pages of one site."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lxml.html
import numpy as np
from lxml import etree

from vclean.errors import InputError
from vclean.imports import check_installed, of_extra
from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from tldextract import TLDExtract

    from vclean.classify.corpora.marked import MarkedArchive
    from vclean.page import Resources

REQUIRED = ("id", "html", "gold_text")
"""The columns a corpus cannot do without."""
OPTIONAL = ("url", "page_type", "gold_markup", "gold_markdown", "annotated_html", "must", "must_not")
"""The columns that are read where they are there."""

ARCHIVES = (".warc", ".warc.gz", ".wacz")
"""How the names of web archives end."""

_BATCH = 32
_TELLING = (
    (".//base", "href"),
    (".//link[@rel='canonical']", "href"),
    (".//meta[@property='og:url']", "content"),
    (".//a", "href"),
)
_ABSOLUTE_URL = re.compile(rb"https?://[^\s\"'<>]+")
_THIRD_PARTY = {
    "2mdn.net", "addthis.com", "adtech.de", "amazon.com", "blogger.com", "del.icio.us", "delicious.com",
    "digg.com", "doubleclick.net", "facebook.com", "feedburner.com", "flickr.com",
    "google-analytics.com", "google.com", "googleapis.com", "googlesyndication.com", "gravatar.com",
    "instagram.com", "linkedin.com", "macromedia.com", "pinterest.com", "reddit.com", "schema.org",
    "statcounter.com", "stumbleupon.com", "technorati.com", "twitter.com", "w3.org", "x.com",
    "youtube.com",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldPage:
    """A page with what a careful reader would keep of it.

    Attributes:
        corpus, id: the name of the corpus (its file's stem) and of the page in it.
        url: empty when unknown.
        page_type: such as "article" or "forum"; empty when unknown.
        html: the document as crawled.
        text: the gold text, empty when nothing of the page is content.
        markup: gold text with CleanEval's `<h>`, `<p>`, `<l>` before its units, or empty.
        markdown: gold text as Markdown, or empty.
        annotated: the document with L3S-GN1's marks (class `x-nc-sel1` is the headline), or empty.
        must, must_not: snippets that have to be, or must not be, in the clean text.
        resources: where its style sheets and images are, or None.
    """

    corpus: str = ""
    id: str = ""
    url: str = ""
    page_type: str = ""
    html: bytes = b""
    text: str = ""
    markup: str = ""
    markdown: str = ""
    annotated: bytes = b""
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    resources: Resources | None = None

    def page(self) -> Page:
        """The page without its gold."""
        return Page(content=self.html, url=self.url, resources=self.resources, id=self.id)


@dataclass(frozen=True, slots=True)
class Corpus:
    """A Parquet file of gold pages, read as it is iterated; `len` is its number of pages."""

    path: Path
    count: int
    columns: tuple[str, ...]

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[GoldPage]:
        """The pages in the order of the file; InputError when the file turns out to be damaged."""
        import pyarrow.parquet as pq
        from pyarrow import ArrowException

        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(_BATCH, columns=list(self.columns)):
                    for row in batch.to_pylist():
                        yield _gold_page(self.name, row)
        except (ArrowException, OSError) as error:
            raise InputError(f"{self.path} cannot be read to its end: {_first_line(error)}") from error


def read_corpus(path: str | Path) -> Corpus | MarkedArchive:
    """Open the corpus at `path`, Parquet or a web archive of marked pages; its pages are read when it is iterated.

    Raises:
        InputError: there is no such file, it is neither, a column of `REQUIRED` is missing, or no page has marks.
        ExtraMissingError: what reads corpora and groups their pages by site is not installed.
    """
    check_installed("tldextract", "tldextract", "corpora")
    path = Path(path)
    if path.name.lower().endswith(ARCHIVES):
        from vclean.classify.corpora.marked import MarkedArchive

        return MarkedArchive(path)
    with of_extra("corpora", "pyarrow"):
        import pyarrow.parquet as pq
        from pyarrow import ArrowException

    try:
        with pq.ParquetFile(path) as file:
            found, count = set(file.schema_arrow.names), file.metadata.num_rows
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist: give the path of a corpus in Parquet format") from error
    except (ArrowException, OSError) as error:
        raise InputError(f"{path} is no Parquet file that can be read: {_first_line(error)}") from error
    if missing := [name for name in REQUIRED if name not in found]:
        raise InputError(f"{path} is no corpus: add the column {', '.join(missing)}")
    return Corpus(path, count, tuple(name for name in REQUIRED + OPTIONAL if name in found))


def site(page: GoldPage) -> str:
    """The registered domain a page comes from, by the Public Suffix List; a name of its own when unknown.

    A page without a URL is placed by what it says of itself: `<base>`, canonical link, `og:url`, else the domain
    that most of its links name, else the one that occurs most in its source; advertising and social networks
    count only where there is nothing else.
    """
    return registered_domain(page.url) or _own_domain(page.html) or f"{page.corpus}/{page.id}"


def registered_domain(url: str) -> str:
    """The registrable part of the host of `url`; the whole host where it has none, such as a numeric address.

    >>> registered_domain("http://news.bbc.co.uk/2/hi")
    'bbc.co.uk'
    """
    parts = _domain_parts()(url.lower())
    labels = (parts.domain,) if parts.suffix else (parts.subdomain, parts.domain)
    return ".".join(filter(None, (*labels, parts.suffix)))


@cache
def _domain_parts() -> TLDExtract:
    """Return the splitter of host names, by the suffix list of its package: no network, the same groups everywhere."""
    with of_extra("corpora", "tldextract"):
        from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


def folds(groups: Sequence[str], k: int, seed: int = 0) -> NDArray[np.int64]:
    """The fold of every page, 0..k-1, shape (len(groups),): pages of one group share a fold.

    Groups go, largest first and else in the order of a seeded hash, to the fold with the fewest pages; the result
    depends on the multiset of groups alone. Fold all corpora in one call, so that no site is split between them.
    """
    sizes = Counter(groups)
    load = [0] * k
    fold_of = {}
    for group in sorted(sizes, key=lambda name: (-sizes[name], _stable_hash(name, seed))):
        fold_of[group] = load.index(min(load))
        load[fold_of[group]] += sizes[group]
    return np.array([fold_of[group] for group in groups], dtype=np.int64)


def _stable_hash(name: str, seed: int) -> bytes:
    return blake2b(f"{seed} {name}".encode(), digest_size=8).digest()


def _own_domain(html: bytes) -> str:
    ranked = [name for urls in _named_urls(html) for name, _ in _domains(urls).most_common()]
    return next((name for name in ranked if name not in _THIRD_PARTY), ranked[0] if ranked else "")


def _named_urls(html: bytes) -> list[list[str]]:
    """The URLs that may tell the site of a page, the most telling list first."""
    everywhere = [url.decode("latin-1") for url in _ABSOLUTE_URL.findall(html)]
    try:
        document = lxml.html.document_fromstring(html)
    except (etree.ParserError, etree.XMLSyntaxError):
        return [everywhere]
    named = [[str(element.get(name, "")) for element in document.iterfind(path)] for path, name in _TELLING]
    return [*named, everywhere]


def _domains(urls: list[str]) -> Counter[str]:
    absolute = [url.strip() for url in urls if url.strip().lower().startswith(("http://", "https://", "//"))]
    return Counter(name for name in map(registered_domain, absolute) if name)


def _gold_page(corpus: str, row: dict[str, Any]) -> GoldPage:
    return GoldPage(
        corpus=corpus,
        id=str(row["id"]),
        url=row.get("url") or "",
        page_type=row.get("page_type") or "",
        html=_bytes(row["html"]),
        text=row["gold_text"] or "",
        markup=row.get("gold_markup") or "",
        markdown=row.get("gold_markdown") or "",
        annotated=_bytes(row.get("annotated_html")),
        must=tuple(row.get("must") or ()),
        must_not=tuple(row.get("must_not") or ()),
    )


def _bytes(value: bytes | str | None) -> bytes:
    # A document stored as text is no longer in the encoding its header names: the byte order mark says so.
    return value.encode("utf-8-sig") if isinstance(value, str) else value or b""


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
