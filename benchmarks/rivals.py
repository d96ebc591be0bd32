"""Wrap the systems of the leaderboard: each extracts clean text from a page as crawled.

Every system gets bytes, decodes them itself, and runs with its defaults as in its documentation. boilerpy3,
readability-lxml, ChromeRAG and Defuddle accept only text; for them, resiliparse detects the encoding and decodes the
page. Time counts from bytes to text.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from resiliparse.parse.html import HTMLTree

from vclean import imports
from vclean.classify.corpora.gold import GoldPage
from vclean.classify.methods import get
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.output.text import to_cleaneval, to_text
from vclean.render.static.parse import parse

Texts = tuple[str, str]
"""Clean text, and clean text with CleanEval markup; the second is empty if the system has no such output."""
Extract = Callable[[GoldPage], Texts]


@dataclass(frozen=True, slots=True)
class System:
    """Extractor of the leaderboard.

    Attributes:
        name: name in the tables.
        package: distribution that contains it.
        usage: settings and decoding, in a few words.
        load: returns the extractor; raises ImportError if it is not installed.
        browser: whether it runs in other processes, whose time counts too.
    """

    name: str
    package: str
    usage: str
    load: Callable[[], Extract]
    browser: bool = False


def available(systems: tuple[System, ...]) -> tuple[list[System], list[str]]:
    """Return the systems that work on this machine, and a message for each system that does not."""
    working, messages = [], []
    for system in systems:
        try:
            with silence():
                system.load()(GoldPage(html=b"<p>A page to load everything with."))
            working.append(system)
        except ImportError as error:
            npm = "npm install --prefix benchmarks defuddle linkedom"
            install = npm if system.package == "defuddle" else f"pip install {system.package}"
            messages.append(f"{system.name} was left out ({error}): {install}")
        except VcleanError as error:
            messages.append(f"{system.name} was left out ({error})")
    return working, messages


@contextmanager
def silence() -> Iterator[None]:
    """Disable logging in this block; failures of systems are counted instead."""
    logging.disable()
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def versions(systems: list[System]) -> dict[str, str]:
    """Return the versions of the packages of systems, by name."""
    packages = sorted({system.package for system in systems})
    versions = imports.versions(*(name for name in packages if name not in ("defuddle", "vclean")))
    if "defuddle" in packages:
        versions["defuddle"] = str(json.loads(DEFUDDLE.read_text())["version"])
    return {name: versions[name] for name in packages}


def _plain(html: str | HTMLTree, **options: bool) -> str:
    """Return resiliparse's text of HTML, without alternative texts of images."""
    return str(extract_plain_text(html, alt_texts=False, **options))


def _decoded(html: bytes) -> str:
    return str(bytes_to_str(html, detect_encoding(html)))


def _trafilatura() -> Extract:
    extract = import_module("trafilatura").extract
    return lambda page: (extract(page.html, url=page.url or None) or "", "")


def _readability() -> Extract:
    document = import_module("readability").Document
    # Version 0.8.4 fails on bytes: it looks for declared charsets with patterns of text.
    return lambda page: (_plain(document(_decoded(page.html), url=page.url or None).summary()), "")


def _resiliparse() -> Extract:
    parse = HTMLTree.parse_from_bytes
    return lambda page: (_plain(parse(page.html, detect_encoding(page.html)), main_content=True), "")


def _justext() -> Extract:
    package = import_module("justext")
    stop_words = package.get_stoplist("English")

    def extract(page: GoldPage) -> Texts:
        paragraphs = package.justext(page.html, stop_words)
        return "\n".join(each.text for each in paragraphs if not each.is_boilerplate), ""

    return extract


def _boilerpy(name: str) -> Extract:
    extractor = getattr(import_module("boilerpy3.extractors"), name)()
    return lambda page: (extractor.get_content(_decoded(page.html)), "")


def _rs_trafilatura() -> Extract:
    extract = import_module("rs_trafilatura").extract_bytes
    return lambda page: (extract(page.html, url=page.url or None).main_content, "")


def _chromerag() -> Extract:
    extractor = import_module("chromerag").ChromeRAG()
    render = import_module("markdown_it").MarkdownIt().enable("table").render

    def extract(page: GoldPage) -> Texts:
        markdown = extractor.extract(_decoded(page.html), url=page.url or None).markdown
        return _plain(render(_FRONT_MATTER.sub("", markdown))), ""

    return extract


_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def _defuddle() -> Extract:
    worker = DefuddleWorker()
    return lambda page: (_plain(worker.extract(_decoded(page.html), page.url)), "")


class DefuddleWorker:
    """Node with `defuddle.mjs`, which extracts one page after the other."""

    def __init__(self) -> None:
        if not shutil.which("node") or not DEFUDDLE.is_file():
            raise ImportError("Node or its package is missing")
        self._process: subprocess.Popen[str] | None = None

    def extract(self, html: str, url: str) -> str:
        """Return the HTML of the content; after an error or a time limit, the next page gets a new process."""
        process, self._process = self._process, None
        if process is None:
            command, pipe = ("node", str(Path(__file__).with_name("defuddle.mjs"))), subprocess.PIPE
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(json.dumps({"html": html, "url": url}) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
        except BaseException:
            process.kill()
            raise
        self._process = process
        if "error" in answer:
            raise ValueError(answer["error"])
        return str(answer["html"])


DEFUDDLE = Path(__file__).parent / "node_modules/defuddle/package.json"


def _vclean_method(method: str) -> Extract:
    label = get(method)

    def extract(page: GoldPage) -> Texts:
        blocks = extract_blocks(parse(page.to_page()))
        labels = label(blocks).labels
        return to_text(blocks.text, labels), to_cleaneval(blocks.text, labels)

    return extract


def _rendered() -> Extract:
    from vclean.api import Cleaner

    # The context is never exited: the browser ends with this process.
    cleaner = Cleaner(render=True).__enter__()

    def extract(page: GoldPage) -> Texts:
        result = cleaner.clean(page.to_page())
        return result.to_text(), result.to_cleaneval()

    return extract


RIVALS = (
    System("rs-trafilatura", "rs-trafilatura", "extract_bytes", _rs_trafilatura),
    System("trafilatura", "trafilatura", "extract, with the page's URL", _trafilatura),
    System("ChromeRAG", "chromerag", "extract, its Markdown without front matter turned into text", _chromerag),
    System("Defuddle", "defuddle", "Node with linkedom; its HTML turned into text by resiliparse", _defuddle,
           browser=True),
    System("readability-lxml", "readability-lxml", "summary, its HTML turned into text by resiliparse", _readability),
    System("resiliparse", "resiliparse", "detect_encoding, extract_plain_text(main_content=True)", _resiliparse),
    System("jusText", "jusText", "justext with the English stop words", _justext),
    System("boilerpy3, article", "boilerpy3", "ArticleExtractor",
           partial(_boilerpy, "ArticleExtractor")),
    System("boilerpy3, default", "boilerpy3", "DefaultExtractor",
           partial(_boilerpy, "DefaultExtractor")),
    System("BTE", "vclean", "`vclean --method bte`", partial(_vclean_method, "bte")),
    System("all text", "vclean", "`vclean --method text`", partial(_vclean_method, "text")),
)  # fmt: skip
"""Systems that vclean is compared with."""

VCLEAN = System("vclean", "vclean", "the shipped model, unrendered", partial(_vclean_method, "vclean"))
RENDERED = System("vclean, rendered", "vclean", "the shipped model, rendered; time includes Chromium", _rendered,
                  browser=True)  # fmt: skip
