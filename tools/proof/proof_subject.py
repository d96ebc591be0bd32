"""Compute the results that `proof.py` records. Only this module depends on the modules and classes of vclean.

If the interface of vclean changes, only this module has to follow. The kinds of entries are independent of vclean's
names, so records of versions with different interfaces can be compared.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image
from proof_images import digest, is_animated, white_strip, without_images
from proof_records import Entry, as_error, as_json, distinct, evenly_spaced

from vclean import CleanerSettings, Page, RenderSettings, Segmenter
from vclean.classify.corpora.corpora import read_corpus
from vclean.classify.evaluation import scores
from vclean.classify.evaluation.evaluate import score_page
from vclean.classify.methods import all_method_infos, get
from vclean.cli.main import main
from vclean.input.sources import find_sources
from vclean.output import FORMATS
from vclean.output.text import to_cleaneval, to_text
from vclean.pipeline import Pipeline
from vclean.render.browser.chromium import find_chromium
from vclean.render.cache import to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.gold import GoldPage
    from vclean.classify.evaluation.scores import PageScore
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.labels import Label
    from vclean.pipeline import UnlabelledPage
    from vclean.result import Result

DEADLINE = 600
"""Time limit of each step of a page, in seconds. It is long, because load on the machine must not change a result."""
SEGMENTERS = ("vips", "learned")
SEGMENT_FORMATS = ("json", "webis")
TEMPLATE = "article\nh1\np\n"
"""Template for the methods that need one."""
UNSTABLE = ("seconds", "attempts", "source", "key", "read_key")
"""Columns of a farm that are not recorded: times, and values that depend on the folder of the run.

Keys are recorded as separate entries.
"""


@dataclass(frozen=True, slots=True)
class Input:
    """Page to record, with its gold if it is from a corpus."""

    page: Page
    gold: GoldPage | None = None


def browser() -> str:
    """Return the version that the browser prints; empty if there is no browser."""
    with suppress(Exception):
        command = [str(find_chromium().path), "--version"]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout.strip()
    return ""


def corpus_pages(path: Path, count: int = 0) -> Iterator[Input]:
    """Yield evenly spaced pages of a corpus with their gold.

    Args:
        path: Parquet file, or web archive with hand-marked pages.
        count: number of pages; 0 for all.
    """
    corpus = read_corpus(path)
    chosen = set(evenly_spaced(len(corpus), count or len(corpus)))
    for index, gold in enumerate(corpus):
        if index in chosen:
            yield Input(gold.to_page(), gold)


def corpus_size(path: Path) -> int:
    """Return the number of pages of a corpus."""
    return len(read_corpus(path))


def archive_pages(path: Path, count: int) -> Iterator[Input]:
    """Yield evenly spaced pages of a web archive; all pages if `count` is 0."""
    sources = list(find_sources(str(path), _settings()))
    chosen = [sources[index] for index in evenly_spaced(len(sources), count or len(sources))]
    for name, source in zip(distinct(source.id for source in chosen), chosen, strict=True):
        page = source.read()
        yield Input(page if page.id == name else Page(content=page.content, url=page.url, id=name))


def archive_addresses(path: Path) -> list[str]:
    """Return the ids (URLs) of the pages of a web archive."""
    return [source.id for source in find_sources(str(path), _settings())]


class Subject(ExitStack):
    """Version of vclean under test: computes all results of pages, with one browser and one model of each method.

    Args:
        rendered: render pages instead of only parsing them.
        explained: maximum number of blocks of a page that is explained.
        methods: names of the methods to run; empty for all.
    """

    def __init__(self, *, rendered: bool, explained: int, methods: Sequence[str] = ()) -> None:
        super().__init__()
        self._rendered = rendered
        self._explained = explained
        self._pipeline = Pipeline(CleanerSettings(render=rendered, rendering=_settings(), explain=True))
        self._segmenters = {name: Segmenter(method=name, settings=_settings()) for name in SEGMENTERS if rendered}
        self._methods = dict(_methods(rendered=rendered, requested=methods))

    def __enter__(self) -> Self:
        """Start the browser if pages are rendered."""
        super().__enter__()
        self.enter_context(self._pipeline)
        return self

    def corpus(self, inputs: Iterable[Input], done: Callable[[], None]) -> Iterator[Entry]:
        """Yield all entries of the pages of a corpus; call `done` after each page."""
        snapshots: list[tuple[str, str, bytes]] = []
        page_scores: dict[str, list[PageScore]] = {}
        for each in inputs:
            yield from self._page(each, snapshots, page_scores)
            done()
        totals = {name: scores.aggregate(pages).to_dict() for name, pages in page_scores.items() if pages}
        yield from (as_json(f"scores {name}", "", total) for name, total in totals.items())
        yield from _same_site(snapshots)

    def _page(
        self, source: Input, snapshots: list[tuple[str, str, bytes]], page_scores: dict[str, list[PageScore]]
    ) -> Iterator[Entry]:
        """Yield the entries of a page; add its snapshot to `snapshots`, and its scores by method to `page_scores`."""
        page = source.page
        columns: BlockColumns | None = None
        try:
            blocks = self._pipeline.read_blocks(page, screenshot=self._rendered)
        except Exception as error:
            yield as_error("page", page.id, error)
        else:
            columns = blocks.columns
            snapshot = to_bytes(columns.snapshot)
            snapshots.append((page.id, page.url, snapshot))
            yield Entry("snapshot", page.id, "text", digest(snapshot))
            yield from self._result(page, blocks)
            if self._rendered:
                yield from self._segments(page, snapshot, blocks.screenshot)
        for name, method in self._methods.items():
            yield from _method_entries(name, method, source, columns, page_scores.setdefault(name, []))

    def _result(self, page: Page, blocks: UnlabelledPage) -> Iterator[Entry]:
        """Yield the result of the main method for a page, in every output format."""
        explain, screenshot = self._explained >= len(blocks.columns), blocks.screenshot
        try:
            result = self._pipeline.label(blocks, explain=explain)
        except Exception as error:
            yield as_error("result", page.id, error)
            return
        plain = replace(result, explanation=None, positions=())
        yield from _prediction_entries(page.id, plain)
        for name in FORMATS:
            form = name if name in ("json", "html") else "text"
            yield _entry(name, page.id, form, partial(plain.to, name))
        if explain:
            yield _entry("explanation", page.id, "text", result.to_explanation)
            yield _entry("explanation json", page.id, "json", result.to_json)
        if self._rendered:
            yield _screenshot_entry(page, screenshot)
            yield _overlay_entry("overlay svg", page.id, plain.overlay, "svg", screenshot)
            interactive = result if explain else plain
            yield _overlay_entry("overlay html", page.id, interactive.overlay, "html", screenshot)

    def _segments(self, page: Page, snapshot: bytes, screenshot: bytes) -> Iterator[Entry]:
        """Yield the segments of a page, for every segmenter and every format."""
        for name, segmenter in self._segmenters.items():
            kind = f"segments {name}"
            try:
                segments = segmenter.segment(Page(snapshot=snapshot, url=page.url, id=page.id))
            except Exception as error:
                yield as_error(kind, page.id, error)
                continue
            for form in SEGMENT_FORMATS:
                yield _entry(f"{kind} {form}", page.id, "json", partial(segments.to, form))
            yield _overlay_entry(f"{kind} svg", page.id, segments.overlay, "svg", screenshot)
            yield _overlay_entry(f"{kind} html", page.id, segments.overlay, "html", screenshot)


def farm_entries(inputs: Sequence[Path], *, rendered: bool, only: Sequence[str] = ()) -> Iterator[Entry]:
    """Run `vclean farm` over corpora and archives, and yield its rows.

    Args:
        inputs: the files; the page of an entry is the name of the file and the id of the page.
        rendered: render the pages.
        only: ids of the pages to read from archives; empty for all.
    """
    with tempfile.TemporaryDirectory(prefix="proof-") as folder:
        page_list = Path(folder, "pages.txt")
        page_list.write_text("".join(f"{page}\n" for page in only), encoding="utf-8")
        options = [*([] if rendered else ["--no-render"]), *(["--pages", str(page_list)] if only else [])]
        out = Path(folder, "out")
        command = ["farm", *map(str, inputs), "-o", str(out), "--workers", "1", "--timeout", str(DEADLINE), *options]
        completed = subprocess.run(vclean(*command, "-q"), capture_output=True, text=True, check=False)
        code = completed.returncode
        if code not in (0, 1):
            yield Entry("farm", "", "error", f"exit code {code}: {completed.stderr.replace(folder, '')}")
            return
        yield Entry("farm", "", "text", f"exit code {code}")
        rows = [row for part in sorted(out.glob("parts/*.parquet")) for row in pq.read_table(part).to_pylist()]
    rows.sort(key=lambda row: (str(row["source"]), str(row["id"]), str(row["key"])))
    names = distinct(f"{Path(row['source']).name.partition('.')[0]} {row['id']}" for row in rows)
    for name, row in zip(names, rows, strict=True):
        keys = {column: row[column] and row[column].hex() for column in ("key", "read_key")}
        yield as_json("farm keys", name, keys)
        values = {column: row[column] for column in row if column not in UNSTABLE}
        yield as_json("farm", name, _with_hex_bytes(values))


def vclean(*arguments: str) -> list[str]:
    """Return the command that runs vclean with the arguments."""
    return [sys.executable, "-m", "vclean", *arguments]


def _settings() -> RenderSettings:
    return RenderSettings(deadline=DEADLINE)


def _methods(*, rendered: bool, requested: Sequence[str]) -> Iterator[tuple[str, Callable[[BlockColumns], Prediction]]]:
    """Yield the methods to run by name. A method that cannot be loaded fails on every page."""
    for facts in all_method_infos():
        if (facts.rendered and not rendered) or (requested and facts.name not in requested):
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


def _method_entries(
    name: str,
    method: Callable[[BlockColumns], Prediction],
    source: Input,
    blocks: BlockColumns | None,
    page_scores: list[PageScore],
) -> Iterator[Entry]:
    """Yield the prediction of a method for a page, and add its score to `page_scores`.

    If the page or the method failed, empty text is scored.
    """
    text = markup = ""
    if blocks is not None:
        try:
            prediction = method(blocks)
            text, markup = (write(blocks.text, prediction.labels) for write in (to_text, to_cleaneval))
        except Exception as error:
            yield as_error(f"method {name}", source.page.id, error)
        else:
            value = {"labels": _letters(prediction.labels), "probabilities": _hexadecimal(prediction.probability)}
            yield as_json(f"method {name}", source.page.id, value)
    if source.gold is not None:
        page_scores.append(score_page(source.gold, text, markup))


def _prediction_entries(page: str, result: Result) -> Iterator[Entry]:
    """Yield labels, roles, probabilities, confidence and language; numbers with all their bits."""
    yield Entry("labels", page, "text", _letters(result.prediction.labels))
    yield as_json("roles", page, [None if role is None else str(role) for role in result.prediction.roles])
    yield as_json("probabilities", page, _hexadecimal(result.prediction.probability))
    yield Entry("confidence", page, "text", f"{float(result.confidence).hex()} {result.confidence}")
    yield Entry("language", page, "text", result.language)


def _letters(labels: Sequence[Label]) -> str:
    return "".join(map(str, labels))


def _hexadecimal(values: NDArray[np.float32]) -> list[str]:
    """Return float32 numbers as hexadecimal bits and decimals; 0 and 1, which are frequent, as "0" and "1"."""
    short = {0: "0", 0x3F800000: "1"}
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).tolist()
    return [short.get(each) or f"{each:08x} {value:.8g}" for each, value in zip(bits, values.tolist(), strict=True)]


def _with_hex_bytes(value: Any) -> Any:  # noqa: ANN401 - any value of a Parquet row
    """Return the value with all bytes in it as hexadecimal digits."""
    if isinstance(value, dict):
        return {name: _with_hex_bytes(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_hex_bytes(each) for each in value]
    return value.hex() if isinstance(value, bytes) else value


def _same_site(snapshots: Sequence[tuple[str, str, bytes]]) -> Iterator[Entry]:
    """Yield the results of `vclean --same-site` on snapshots, given as tuples of id, URL and bytes."""
    if not snapshots:
        return
    with tempfile.TemporaryDirectory(prefix="proof-") as folder:
        path, out = Path(folder, "stored.parquet"), Path(folder, "out.jsonl")
        types = {"id": pa.string(), "url": pa.string(), "snapshot": pa.binary()}
        columns = zip(types.values(), zip(*snapshots, strict=True), strict=True)
        pq.write_table(pa.table([pa.array(values, type_) for type_, values in columns], names=list(types)), path)
        code = _run_quietly(["--same-site", "-f", "json", "-o", str(out), "--timeout", str(DEADLINE), "-q", str(path)])
        yield Entry("same site", "", "text", f"exit code {code}")
        lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    for line in lines:
        yield Entry("same site", json.loads(line)["id"], "json", line)


def _run_quietly(arguments: list[str]) -> int:
    """Run a vclean command in this process without its messages. Return its exit code."""
    with Path(os.devnull).open("w", encoding="utf-8") as null:
        before, sys.stderr = sys.stderr, null
        try:
            return main(arguments)
        finally:
            sys.stderr = before


def _entry(kind: str, page: str, form: str, write: Callable[[], str]) -> Entry:
    try:
        return Entry(kind, page, form, write())
    except Exception as error:
        return as_error(kind, page, error)


def _overlay_entry(kind: str, page: str, draw: Callable[[bytes, Any], bytes], form: str, screenshot: bytes) -> Entry:
    """Return an overlay over the screenshot of its page; an interactive overlay (HTML) over a white strip."""

    def write() -> str:
        image = white_strip(screenshot) if form == "html" else screenshot
        return without_images(draw(image, form).decode("utf-8", "replace"), image)

    return _entry(kind, page, "html", write)


def _screenshot_entry(page: Page, screenshot: bytes) -> Entry:
    """Return the size and the hash of a screenshot; without the hash if the page may contain animations."""

    def write() -> str:
        size = Image.open(io.BytesIO(screenshot)).size
        return f"{size}, may move" if is_animated(page.content) else f"{size} {digest(screenshot)}"

    return _entry("picture", page.id, "text", write)
