"""Read evaluation corpora: Parquet files of pages with gold text. Group pages by site, and sites by fold."""

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

from vclean.classify.corpora.gold import GoldPage
from vclean.errors import InputError
from vclean.imports import import_optional, requires_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from tldextract import TLDExtract

    from vclean.classify.corpora.marked import MarkedArchive

REQUIRED = ("id", "html", "gold_text")
"""Columns that a corpus must have."""
OPTIONAL = (
    "url", "page_type", "gold_markup", "gold_markdown", "annotated_html", "must", "must_not",
)  # fmt: skip
"""Columns that are read if a corpus has them."""

ARCHIVES = (".warc", ".warc.gz", ".wacz")
"""File name suffixes of web archives."""

_BATCH = 32
_SITE_ELEMENTS = (
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


@dataclass(frozen=True, slots=True)
class Corpus:
    """Parquet file of gold pages, read during iteration; `len` is its number of pages.

    Attributes:
        path: the file.
        count: number of pages.
        columns: the columns that are read.
    """

    path: Path
    count: int
    columns: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the name of the file without its suffix."""
        return self.path.stem

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[GoldPage]:
        """Yield the pages in the order of the file; the second page with an id gets `(2)` behind it, and so on.

        Raises:
            InputError: the file is damaged.
        """
        import pyarrow.parquet as pq
        from pyarrow import ArrowException

        seen: Counter[str] = Counter()
        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(_BATCH, columns=list(self.columns)):
                    for row in batch.to_pylist():
                        seen[str(row["id"])] += 1
                        if seen[str(row["id"])] > 1:
                            row["id"] = f"{row['id']} ({seen[str(row['id'])]})"
                        yield _gold_page(self.name, row)
        except (ArrowException, OSError) as error:
            raise InputError(f"{self.path} cannot be read to its end: {_first_line(error)}") from error


def read_corpus(path: str | Path) -> Corpus | MarkedArchive:
    """Open the corpus at `path`: Parquet, or a web archive of marked pages. Iteration reads its pages.

    Args:
        path: the corpus.

    Raises:
        InputError: the file does not exist or is of neither format, a column of `REQUIRED` is missing, or no page has
            marks.
        ExtraMissingError: a library that reads corpora or groups their pages by site is not installed.
    """
    import_optional("tldextract", "tldextract", "corpora")
    path = Path(path)
    if path.name.lower().endswith(ARCHIVES):
        from vclean.classify.corpora.marked import MarkedArchive

        return MarkedArchive(path)
    with requires_extra("corpora", "pyarrow"):
        import pyarrow.parquet as pq
        from pyarrow import ArrowException

    try:
        with pq.ParquetFile(path) as file:
            columns, count = set(file.schema_arrow.names), file.metadata.num_rows
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist: give the path of a corpus in Parquet format") from error
    except (ArrowException, OSError) as error:
        if path.is_dir():
            raise InputError(
                f"{path} is a folder: name a Parquet file; `vclean train` takes corrected pages with --corrections"
            ) from error
        reason = _first_line(error)
        raise InputError(f"{path} is no Parquet file that can be read ({reason}): name a corpus in Parquet") from error
    if missing := [name for name in REQUIRED if name not in columns]:
        raise InputError(f"{path} is no corpus: add the column {', '.join(missing)}")
    return Corpus(path, count, tuple(name for name in REQUIRED + OPTIONAL if name in columns))


def site(page: GoldPage) -> str:
    """Return the registered domain of a page, by the Public Suffix List; a name unique to the page if unknown.

    Without a URL, the domain is taken from `<base>`, the canonical link or `og:url`; else it is the domain that most
    links have, else the most frequent one in the source. Domains of advertising and social networks are used only if
    there is no other.
    """
    return registered_domain(page.url) or _domain_from_content(page.html) or f"{page.corpus}/{page.id}"


def registered_domain(url: str) -> str:
    """Return the registrable part of the host of `url`; the whole host if it has none, such as a numeric address.

    >>> registered_domain("http://news.bbc.co.uk/2/hi")
    'bbc.co.uk'
    """
    parts = _domain_parts()(url.lower())
    labels = (parts.domain,) if parts.suffix else (parts.subdomain, parts.domain)
    return ".".join(filter(None, (*labels, parts.suffix)))


@cache
def _domain_parts() -> TLDExtract:
    """Return the host name parser with the suffix list of its package: no network, the same groups on every machine."""
    with requires_extra("corpora", "tldextract"):
        from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


def assign_folds(groups: Sequence[str], k: int, seed: int = 0) -> NDArray[np.int64]:
    """Assign a fold, 0..k-1, to each page, shape (len(groups),). Pages of one group share a fold.

    Each group goes to the fold with the fewest pages: the largest group first, equal ones in the order of a seeded
    hash. The result depends only on the multiset of groups. Fold all corpora in one call, so that no site is split.
    """
    sizes = Counter(groups)
    load = [0] * k
    fold_of = {}

    def order(group: str) -> tuple[int, bytes]:
        return -sizes[group], blake2b(f"{seed} {group}".encode(), digest_size=8).digest()

    for group in sorted(sizes, key=order):
        fold_of[group] = load.index(min(load))
        load[fold_of[group]] += sizes[group]
    return np.array([fold_of[group] for group in groups], dtype=np.int64)


def _domain_from_content(html: bytes) -> str:
    ranked: list[str] = []
    for urls in _named_urls(html):
        absolute = [url.strip() for url in urls if url.strip().lower().startswith(("http://", "https://", "//"))]
        ranked += [name for name, _ in Counter(map(registered_domain, absolute)).most_common() if name]
    return next((name for name in ranked if name not in _THIRD_PARTY), ranked[0] if ranked else "")


def _named_urls(html: bytes) -> list[list[str]]:
    """Return lists of URLs that may name the site of a page, the most reliable list first."""
    all_urls = [url.decode("latin-1") for url in _ABSOLUTE_URL.findall(html)]
    try:
        document = lxml.html.document_fromstring(html)
    except (etree.ParserError, etree.XMLSyntaxError):
        return [all_urls]
    named = [[str(element.get(name, "")) for element in document.iterfind(path)] for path, name in _SITE_ELEMENTS]
    return [*named, all_urls]


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
    # The header of a document stored as text names an encoding that no longer applies; a byte order mark overrides it.
    return value.encode("utf-8-sig") if isinstance(value, str) else value or b""


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
