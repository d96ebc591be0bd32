"""What `proof.py` asks of vclean: all that depends on its modules, classes and arguments is here.

A change of vclean's interface needs a change here alone. What comes out has names of its own, so that records of
versions with other interfaces can be compared.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image
from proof_pictures import digest, moves, strip, without_pictures
from proof_records import Entry, as_error, as_json, distinct, places

from vclean import CleanerSettings, Page, RenderSettings
from vclean.classify.corpora.corpora import read_corpus
from vclean.classify.evaluation import scores
from vclean.classify.evaluation.evaluate import score_page
from vclean.classify.methods import all_facts, get
from vclean.cli.main import main
from vclean.input.sources import find
from vclean.output.registry import FORMATS
from vclean.output.text import to_cleaneval, to_text
from vclean.pipeline import Pipeline, SegmentPipeline
from vclean.render.browser.chromium import find_chromium
from vclean.render.storage.cache import to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.corpora import GoldPage
    from vclean.classify.evaluation.scores import PageScore
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.labels import Label
    from vclean.pipeline import UnlabelledPage
    from vclean.result import Result

DEADLINE = 600
"""Seconds for each step of a page. They are many, because a busy machine must not make a difference."""
SEGMENTERS = ("vips", "learned")
SEGMENT_FORMATS = ("json", "webis")
TEMPLATE = "article\nh1\np\n"
"""What the method that works by a template is given."""
UNSTEADY = ("seconds", "attempts", "source", "key", "read_key")
"""Columns of a farm that are left out: times, and what depends on the folder of the run. Keys have an entry."""


@dataclass(frozen=True, slots=True)
class Input:
    """A page as vclean takes it; with its gold where it is of a corpus."""

    page: Page
    gold: GoldPage | None = None


def versions() -> dict[str, str]:
    """Return the versions that may make a difference, by name."""
    packages = ("vclean", "lightgbm", "lxml", "numpy", "pillow", "playwright", "resiliparse", "shapely", "trafilatura")
    return {name: metadata.version(name) for name in packages}


def browser() -> str:
    """Return what the browser says of its version; empty where there is none."""
    with suppress(Exception):
        command = [str(find_chromium().path), "--version"]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout.strip()
    return ""


def corpus_pages(path: Path, count: int = 0) -> Iterator[Input]:
    """Give pages of a corpus with their gold, evenly spaced; all of them where `count` is 0.

    Args:
        path: a Parquet file, or a web archive, of which the pages that are marked by hand are taken.
        count: how many.
    """
    corpus = read_corpus(path)
    chosen = set(places(len(corpus), count or len(corpus)))
    for at, gold in enumerate(corpus):
        if at in chosen:
            yield Input(gold.page(), gold)


def corpus_size(path: Path) -> int:
    """Return how many pages a corpus has."""
    return len(read_corpus(path))


def archive_pages(path: Path, count: int) -> Iterator[Input]:
    """Give pages of a web archive, evenly spaced; all of them where `count` is 0."""
    sources = list(find(str(path), _settings()))
    chosen = [sources[at] for at in places(len(sources), count or len(sources))]
    for name, source in zip(distinct(source.id for source in chosen), chosen, strict=True):
        page = source.read()
        yield Input(page if page.id == name else Page(content=page.content, url=page.url, id=name))


def archive_addresses(path: Path) -> list[str]:
    """Return the addresses of the pages of a web archive."""
    return [source.id for source in find(str(path), _settings())]


class Subject(ExitStack):
    """Ask for all that vclean makes of a page, with one browser and one model of each method for all pages.

    Args:
        rendered: render pages instead of parsing them only.
        explained: explain the pages of so many blocks at most.
        methods: the names of the methods to ask; all where there are none.
    """

    def __init__(self, *, rendered: bool, explained: int, methods: Sequence[str] = ()) -> None:
        super().__init__()
        self._rendered = rendered
        self._explained = explained
        self._pipeline = Pipeline(CleanerSettings(render=rendered, rendering=_settings(), explain=True))
        self._segmenters = {name: SegmentPipeline(name, _settings()) for name in SEGMENTERS if rendered}
        self._methods = dict(_methods(rendered=rendered, wanted=methods))

    def __enter__(self) -> Self:
        """Start the browser if there is to be one."""
        super().__enter__()
        self.enter_context(self._pipeline)
        return self

    def corpus(self, inputs: Iterable[Input], done: Callable[[], None]) -> Iterator[Entry]:
        """Give all entries of the pages of a corpus; call `done` after each page."""
        stored: list[tuple[str, str, bytes]] = []
        found: dict[str, list[PageScore]] = {}
        for each in inputs:
            yield from self._page(each, stored, found)
            done()
        totals = {name: scores.total(pages).to_dict() for name, pages in found.items() if pages}
        yield from (as_json(f"scores {name}", "", total) for name, total in totals.items())
        yield from _same_site(stored)

    def _page(self, given: Input, stored: list[Any], found: dict[str, list[PageScore]]) -> Iterator[Entry]:
        page = given.page
        columns: BlockColumns | None = None
        try:
            blocks = self._pipeline.read_blocks(page, screenshot=self._rendered)
        except Exception as error:
            yield as_error("page", page.id, error)
        else:
            columns = blocks.columns
            snapshot = to_bytes(columns.snapshot)
            stored.append((page.id, page.url, snapshot))
            yield Entry("snapshot", page.id, "text", digest(snapshot))
            yield from self._result(page, blocks)
            if self._rendered:
                yield from self._segments(page, snapshot, blocks.screenshot)
        for name, method in self._methods.items():
            yield from _ask(name, method, given, columns, found.setdefault(name, []))

    def _result(self, page: Page, blocks: UnlabelledPage) -> Iterator[Entry]:
        """Give what the main method says of a page, in every form."""
        told, screenshot = self._explained >= len(blocks.columns), blocks.screenshot
        try:
            result = self._pipeline.label(blocks, explain=told)
        except Exception as error:
            yield as_error("result", page.id, error)
            return
        plain = replace(result, explanation=None, positions=())
        yield from _decision(page.id, plain)
        for name in FORMATS:
            form = name if name in ("json", "html") else "text"
            yield _entry(name, page.id, form, partial(plain.to, name))
        if told:
            yield _entry("explanation", page.id, "text", result.to_explanation)
            yield _entry("explanation json", page.id, "json", result.to_json)
        if self._rendered:
            yield _picture(page, screenshot)
            yield _drawing("overlay svg", page.id, plain.overlay, "svg", screenshot)
            explored = result if told else plain
            yield _drawing("overlay html", page.id, explored.overlay, "html", screenshot)

    def _segments(self, page: Page, snapshot: bytes, picture: bytes) -> Iterator[Entry]:
        """Give the segments of a page, by every segmenter and in every form."""
        for name, segmenter in self._segmenters.items():
            kind = f"segments {name}"
            try:
                segments = segmenter.run(Page(snapshot=snapshot, url=page.url, id=page.id)).segments
            except Exception as error:
                yield as_error(kind, page.id, error)
                continue
            for form in SEGMENT_FORMATS:
                yield _entry(f"{kind} {form}", page.id, "json", partial(segments.to, form))
            yield _drawing(f"{kind} svg", page.id, segments.overlay, "svg", picture)
            yield _drawing(f"{kind} html", page.id, segments.overlay, "html", picture)


def farm_entries(inputs: Sequence[Path], *, rendered: bool, only: Sequence[str] = ()) -> Iterator[Entry]:
    """Run a farm over corpora and archives by its command line, and give its rows.

    Args:
        inputs: the files; a page is called by its file and its id.
        rendered: render the pages.
        only: addresses of the pages that are taken from archives; all where there are none.
    """
    with tempfile.TemporaryDirectory(prefix="proof-") as folder:
        wanted = Path(folder, "pages.txt")
        wanted.write_text("".join(f"{address}\n" for address in only), encoding="utf-8")
        options = [*([] if rendered else ["--no-render"]), *(["--pages", str(wanted)] if only else [])]
        out = Path(folder, "out")
        command = ["farm", *map(str, inputs), "-o", str(out), "--workers", "1", "--timeout", str(DEADLINE), *options]
        ended = subprocess.run(vclean(*command, "-q"), capture_output=True, text=True, check=False)
        if ended.returncode not in (0, 1):
            yield Entry("farm", "", "error", f"exit code {ended.returncode}: {ended.stderr.replace(folder, '')}")
            return
        yield Entry("farm", "", "text", f"exit code {ended.returncode}")
        rows = [row for part in sorted(out.glob("parts/*.parquet")) for row in pq.read_table(part).to_pylist()]
    rows.sort(key=lambda row: (str(row["source"]), str(row["id"]), str(row["key"])))
    names = distinct(f"{Path(row['source']).name.partition('.')[0]} {row['id']}" for row in rows)
    for name, row in zip(names, rows, strict=True):
        keys = {column: row[column] and row[column].hex() for column in ("key", "read_key")}
        yield as_json("farm keys", name, keys)
        yield as_json("farm", name, _bits({column: row[column] for column in row if column not in UNSTEADY}))


def vclean(*arguments: str) -> list[str]:
    """Return the command that runs vclean with the arguments."""
    return [sys.executable, "-m", "vclean", *arguments]


def _settings() -> RenderSettings:
    return RenderSettings(deadline=DEADLINE)


def _methods(*, rendered: bool, wanted: Sequence[str]) -> Iterator[tuple[str, Callable[[BlockColumns], Prediction]]]:
    """Give the methods that can be asked; one that cannot be loaded fails on every page."""
    for facts in all_facts():
        if (facts.rendered and not rendered) or (wanted and facts.name not in wanted):
            continue
        try:
            yield facts.name, _template(facts.name) if facts.templated else get(facts.name)
        except Exception as error:
            yield facts.name, partial(_fail, error)


def _template(name: str) -> Callable[[BlockColumns], Prediction]:
    with tempfile.TemporaryDirectory(prefix="proof-") as folder:
        path = Path(folder, "template.txt")
        path.write_text(TEMPLATE, encoding="utf-8")
        return get(name, path)


def _fail(error: Exception, _: BlockColumns) -> Prediction:
    raise error


def _ask(
    name: str,
    method: Callable[[BlockColumns], Prediction],
    given: Input,
    blocks: BlockColumns | None,
    found: list[PageScore],
) -> Iterator[Entry]:
    """Give what a method says of a page, and add its score; a page that fails scores as empty text."""
    text = marked = ""
    if blocks is not None:
        try:
            prediction = method(blocks)
            text, marked = (write(blocks.text, prediction.labels) for write in (to_text, to_cleaneval))
        except Exception as error:
            yield as_error(f"method {name}", given.page.id, error)
        else:
            value = {"labels": _letters(prediction.labels), "probabilities": _hexadecimal(prediction.probability)}
            yield as_json(f"method {name}", given.page.id, value)
    if given.gold is not None:
        found.append(score_page(given.gold, text, marked))


def _decision(page: str, result: Result) -> Iterator[Entry]:
    """Give labels, roles, probabilities, confidence and language; the numbers to the bit."""
    yield Entry("labels", page, "text", _letters(result.prediction.labels))
    yield as_json("roles", page, [None if role is None else str(role) for role in result.prediction.roles])
    yield as_json("probabilities", page, _hexadecimal(result.prediction.probability))
    yield Entry("confidence", page, "text", f"{float(result.confidence).hex()} {result.confidence}")
    yield Entry("language", page, "text", result.language)


def _letters(labels: Sequence[Label]) -> str:
    return "".join(map(str, labels))


def _hexadecimal(values: NDArray[np.float32]) -> list[str]:
    """Return float32 numbers with their bytes as hexadecimal digits; 0 and 1, which are many, without."""
    bare = {0: "0", 0x3F800000: "1"}
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).tolist()
    return [bare.get(each) or f"{each:08x} {value:.8g}" for each, value in zip(bits, values.tolist(), strict=True)]


def _bits(value: Any) -> Any:  # noqa: ANN401 - whatever a row of Parquet holds
    """Return the value with numbers of its own kind told to the bit, bytes as digits."""
    if isinstance(value, dict):
        return {name: _bits(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_bits(each) for each in value]
    return value.hex() if isinstance(value, bytes) else value


def _same_site(stored: Sequence[tuple[str, str, bytes]]) -> Iterator[Entry]:
    """Give the results of pages whose sites were compared, by the command line and from their snapshots."""
    if not stored:
        return
    with tempfile.TemporaryDirectory(prefix="proof-") as folder:
        path, out = Path(folder, "stored.parquet"), Path(folder, "out.jsonl")
        types = {"id": pa.string(), "url": pa.string(), "snapshot": pa.binary()}
        columns = zip(types.values(), zip(*stored, strict=True), strict=True)
        pq.write_table(pa.table([pa.array(values, kind) for kind, values in columns], names=list(types)), path)
        code = _quiet(["--same-site", "-f", "json", "-o", str(out), "--timeout", str(DEADLINE), "-q", str(path)])
        yield Entry("same site", "", "text", f"exit code {code}")
        lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    for line in lines:
        yield Entry("same site", json.loads(line)["id"], "json", line)


def _quiet(arguments: list[str]) -> int:
    """Run a command line in this process, without its messages. Return its exit code."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        before, sys.stderr = sys.stderr, nowhere
        try:
            return main(arguments)
        finally:
            sys.stderr = before


def _entry(kind: str, page: str, form: str, write: Callable[[], str]) -> Entry:
    try:
        return Entry(kind, page, form, write())
    except Exception as error:
        return as_error(kind, page, error)


def _drawing(kind: str, page: str, draw: Callable[[bytes, Any], bytes], form: str, picture: bytes) -> Entry:
    """Return a drawing over the picture of its page, or over a strip where it is a page to explore."""

    def written() -> str:
        ground = strip(picture) if form == "html" else picture
        return without_pictures(draw(ground, form).decode("utf-8", "replace"), ground)

    return _entry(kind, page, "html", written)


def _picture(page: Page, picture: bytes) -> Entry:
    """Return the size of a picture and its hash; without the hash if something in it may move."""

    def told() -> str:
        size = Image.open(io.BytesIO(picture)).size
        return f"{size}, may move" if moves(page.content) else f"{size} {digest(picture)}"

    return _entry("picture", page.id, "text", told)
