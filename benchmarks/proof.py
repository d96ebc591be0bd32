"""Prove that two versions give the same results: record the results of each version on many pages, and compare them.

`python benchmarks/proof.py record OUT INPUT... [--pages N] [--render]` records evenly spaced pages of corpora and web
archives. Parts that are in OUT are not recorded again. `python benchmarks/proof.py compare A B` prints the differences;
the exit code is 1 if there are any. docs/guides/compare-versions.md lists what is recorded and what is not.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import platform
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image
from speed import evenly
from tqdm import tqdm

from vclean import CleanerSettings, Page, RenderSettings, Segmenter
from vclean.classify.methods import all_method_infos, get
from vclean.errors import VcleanError
from vclean.files import write_atomic
from vclean.imports import versions
from vclean.input.sources import find_sources
from vclean.output import FORMATS
from vclean.pipeline import Pipeline
from vclean.render.cache import to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.pipeline import UnlabelledPage

PAGES = 100
MODES = ("static", "rendered")
DEADLINE = 600
"""Time limit of each step of a page, in seconds. It is long, because load on the machine must not change a result."""
EXPLAINED = 400
"""Most blocks of a page that is explained; a block takes about two milliseconds."""
STRIP = 100
"""Height of the white image in overlays, in px; compressing the screenshot in its place takes most of the time."""
CONTEXT = 50
"""Characters shown before and after the first difference of two texts."""
VERSIONED = ("lightgbm", "lxml", "numpy", "pillow", "playwright", "resiliparse", "shapely", "trafilatura")
"""Packages beside vclean that may change results."""
FEW = 3
"""Pages of a part on which commands run."""
COMMANDS = """
--same-site -f json -o out.json all.parquet
farm all.parquet -o out --workers 1 {farm}
few.parquet -f markdown -o out
few.parquet -f json -o out.json
few.parquet -f cleaneval
few.parquet -f text --recall --comments
few.parquet --precision --review out.json --review-below 0.95
few.parquet --method bte
few.parquet --template template.txt
page.html --explain
page.html --explain -f json
diff page.html --method bte
diff page.html --method bte -o out.html
evaluate few.parquet --method vclean --method bte --json out.json --predictions out.txt
report few.parquet --method vclean --method bte -o out.html --worst 2
methods --json
cleaneval-score gold predicted --json
none.html
empty.html binary.html bare.html bad.parquet
page.html --method none
page.html --overlay out.tif
"""
"""Arguments of commands, one command a line."""
RENDERED_COMMANDS = """
few.parquet --overlay out/o.html -q
page.html --overlay out.svg
segment few.parquet
segment few.parquet -f webis --pdoc 8
segment page.html --method learned --overlay out.html
"""
UNSTABLE = ("seconds", "attempts", "source", "key", "read_key")
"""Columns of a farm that are not recorded: times, and values that depend on the folder of the run."""
_IMAGE = re.compile(r"data:image/\w+;base64,[A-Za-z0-9+/=]{40,}")
_PROGRESS = re.compile(r"\r|it/s|page/s")


class Entry(NamedTuple):
    """Recorded result: its kind, the id of the page or the arguments of the command, and the result as text."""

    kind: str
    page: str
    value: str


def record(source: Path, mode: str, count: int, methods: Sequence[str], path: Path) -> None:
    """Write the results of a corpus or web archive in one of `MODES` to the file `path`.

    Args:
        source: the corpus or web archive.
        mode: one of `MODES`.
        count: the number of pages, evenly spaced.
        methods: names of the methods to run; empty for all.
        path: the file to write.
    """
    sources = list(find_sources(str(source), RenderSettings(deadline=DEADLINE)))
    pages = [each.read() for each in evenly(sources, count)]
    # Some ids occur twice.
    pages = [replace(page, id=f"{number} {page.id}") for number, page in enumerate(pages)]
    rendered = mode == "rendered"
    entries = {*page_entries(pages, methods, rendered=rendered), *command_entries(pages, rendered=rendered)}
    lines = "".join(f"{json.dumps(entry)}\n" for entry in sorted(entries))
    write_atomic(path, gzip.compress(lines.encode(), mtime=0))


def page_entries(pages: Sequence[Page], names: Sequence[str], *, rendered: bool) -> Iterator[Entry]:
    """Yield the results of pages by the pipeline, by the segmenters if they are rendered, and by the methods."""
    rendering = RenderSettings(deadline=DEADLINE)
    segmenters = {name: Segmenter(method=name, settings=rendering) for name in ("vips", "learned") if rendered}
    methods = dict(_methods(names, rendered=rendered))
    with Pipeline(CleanerSettings(render=rendered, rendering=rendering, explain=True)) as pipeline:
        for page in pages:
            try:
                blocks = pipeline.read_blocks(page, screenshot=rendered)
            except VcleanError as error:
                yield _error("page", page.id, error)
                continue
            snapshot = to_bytes(blocks.columns.snapshot)
            yield Entry("snapshot", page.id, hashlib.sha256(snapshot).hexdigest())
            yield from _result_entries(page.id, pipeline, blocks)
            stored = Page(snapshot=snapshot, url=page.url, id=page.id)
            for name, segmenter in segmenters.items():
                yield from _segment_entries(f"segments {name}", stored, segmenter, blocks.screenshot)
            for name, method in methods.items():
                yield _entry(
                    f"method {name}", page.id, lambda label=method, columns=blocks.columns: _numbers(label(columns))
                )


def _methods(names: Sequence[str], *, rendered: bool) -> Iterator[tuple[str, Callable[[BlockColumns], Prediction]]]:
    """Yield the methods that need no other mode, no template and no library that is missing, by name."""
    for method in all_method_infos():
        if method.templated or (method.rendered and not rendered) or (names and method.name not in names):
            continue
        try:
            yield method.name, get(method.name)
        except VcleanError as error:
            print(f"{method.name} is not recorded: {error}", file=sys.stderr)


def _numbers(prediction: Prediction) -> str:
    """Return labels, probabilities, confidence and roles as text; numbers with all their bits."""
    bits = np.asarray(prediction.probability, dtype=np.float32).view(np.uint32).tolist()
    confidence = float(prediction.confidence).hex()
    return "\n".join([*prediction.labels, *map("{:08x}".format, bits), confidence, *map(str, prediction.roles)])


def _result_entries(page: str, pipeline: Pipeline, blocks: UnlabelledPage) -> Iterator[Entry]:
    """Yield the result of the pipeline for a page: its numbers, all formats, and overlays if it was rendered."""
    is_explained = len(blocks.columns) <= EXPLAINED
    try:
        result = pipeline.label(blocks, explain=is_explained)
    except VcleanError as error:
        yield _error("result", page, error)
        return
    yield Entry("prediction", page, _numbers(result.prediction))
    yield Entry("language", page, result.language)
    for name in (*FORMATS, *(["explanation"] if is_explained else [])):
        yield _entry(name, page, partial(result.to, name))
    if blocks.screenshot:
        for form in ("svg", "html"):
            yield _entry(f"overlay {form}", page, partial(_overlay, result.overlay, form, blocks.screenshot))


def _segment_entries(kind: str, page: Page, segmenter: Segmenter, screenshot: bytes) -> Iterator[Entry]:
    try:
        segments, _ = segmenter.run(page)
    except VcleanError as error:
        yield _error(kind, page.id, error)
        return
    for form in ("json", "webis"):
        yield _entry(f"{kind} {form}", page.id, partial(segments.to, form))
    for form in ("svg", "html"):
        yield _entry(f"{kind} {form}", page.id, partial(_overlay, segments.overlay, form, screenshot))


def _overlay(draw: Callable[[bytes, str], bytes], form: str, screenshot: bytes) -> str:
    """Return an overlay as text, over a white strip as wide as the screenshot."""
    width, height = Image.open(io.BytesIO(screenshot)).size
    strip = io.BytesIO()
    Image.new("1", (width, min(height, STRIP)), 1).save(strip, "PNG")
    return draw(strip.getvalue(), form).decode("utf-8", "replace")


def _entry(kind: str, page: str, write: Callable[[], str]) -> Entry:
    try:
        return Entry(kind, page, normalize(write()))
    except VcleanError as error:
        return _error(kind, page, error)


def _error(kind: str, page: str, error: Exception) -> Entry:
    return Entry(kind, page, f"{type(error).__name__}: {error}")


def normalize(text: str) -> str:
    """Return a text without embedded images; JSON with one value a line, because the order of fields does not count."""
    if text[:1] in ("{", "["):
        with suppress(ValueError):
            text = json.dumps([json.loads(line) for line in _documents(text)], sort_keys=True, indent=1)
    return _IMAGE.sub("data:image", text)


def _documents(text: str) -> list[str]:
    """Return the JSON documents in a text: one, or one per line."""
    try:
        json.loads(text)
    except ValueError:
        return text.splitlines()
    return [text]


def command_entries(pages: Sequence[Page], *, rendered: bool) -> Iterator[Entry]:
    """Yield exit code, output, messages and files of every command, each in a new folder with the pages."""
    lines = COMMANDS + (RENDERED_COMMANDS if rendered else "")
    for line in lines.format(farm="" if rendered else "--no-render").split("\n"):
        if line:
            with tempfile.TemporaryDirectory(prefix="proof-") as name:
                folder = Path(name)
                _write_inputs(folder, pages)
                is_plain = rendered and line.startswith(("few", "--same-site", "page", "diff"))
                yield from _run(line, [*line.split(), *(["--render"] if is_plain else [])], folder)


def _write_inputs(folder: Path, pages: Sequence[Page]) -> None:
    """Write the files that the commands read."""
    rows = [{"id": page.id, "url": page.url, "html": page.content, "gold_text": "It rained."} for page in pages]
    for name, chosen in (("all", rows), ("few", rows[:FEW])):
        pq.write_table(pa.Table.from_pylist(chosen), folder / f"{name}.parquet")
    bad = {"empty.html": b"", "binary.html": bytes(range(256)) * 8, "bare.html": b"<p>Hello.", "bad.parquet": b"PAR1"}
    texts = {"template.txt": b"article\nh1\np\n", "gold/a.txt": b"<p>It rained.", "predicted/a.txt": b"<p>It snowed."}
    content = pages[0].content
    html = content if isinstance(content, bytes) else content.encode()
    for name, data in {**bad, **texts, "page.html": html}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)


def _run(line: str, arguments: Sequence[str], folder: Path) -> Iterator[Entry]:
    before = set(folder.rglob("*"))
    command = [sys.executable, "-m", "vclean", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=DEADLINE, check=False)
    messages = [each for each in done.stderr.replace(str(folder), "").splitlines() if not _PROGRESS.search(each)]
    is_farm = line.startswith("farm")
    yield Entry("command code", line, str(done.returncode))
    yield Entry("command output", line, "" if is_farm else normalize(done.stdout))
    yield Entry("command messages", line, "" if is_farm else "\n".join(messages))
    if is_farm:
        yield Entry("farm", line, _farm_rows(folder))
        return
    for path in sorted(set(folder.rglob("*")) - before):
        if path.is_file():
            yield Entry(
                "command file", f"{line}: {path.relative_to(folder)}", normalize(path.read_text(encoding="utf-8"))
            )


def _farm_rows(folder: Path) -> str:
    """Return the rows of a farm as text, in the order of their ids."""
    rows = [row for path in sorted(folder.glob("out/parts/*.parquet")) for row in pq.read_table(path).to_pylist()]
    stable = [{name: value for name, value in row.items() if name not in UNSTABLE} for row in rows]
    return json.dumps(sorted(stable, key=lambda row: str(row["id"])), sort_keys=True, indent=1, default=repr)


def read(path: Path) -> dict[tuple[str, str], str]:
    """Return the entries of a file: values by kind and page."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        entries = [Entry(*json.loads(line)) for line in file]
    return {(entry.kind, entry.page): entry.value for entry in entries}


def compare(before: Path, after: Path, *, replaced: Mapping[str, str], ignored: Sequence[str], shown: int) -> int:
    """Print the differences between two records. Return 1 if there are any, else 0.

    Args:
        before: the folder of a record.
        after: the folder of the other record.
        replaced: new texts by old ones, which are replaced in kinds and values of `before`.
        ignored: patterns of kinds to ignore.
        shown: number of differences to show of each kind.
    """
    names = sorted({path.name for folder in (before, after) for path in folder.glob("*.jsonl.gz")})
    both = [name for name in names if all((folder / name).exists() for folder in (before, after))]
    pages, differ = Counter[str](), Counter[str]()
    for name in both:
        old = {tuple(_replace(each, replaced) for each in key): value for key, value in read(before / name).items()}
        new = read(after / name)
        for kind, page in sorted({*old, *new}):
            if any(fnmatchcase(kind, pattern) for pattern in ignored):
                continue
            pages[kind] += 1
            difference = _difference(_replace(old.get((kind, page)), replaced), new.get((kind, page)))
            differ[kind] += bool(difference)
            if difference and differ[kind] <= shown:
                print(f"{kind}: {name}, {page}\n{difference}")
    for kind, count in sorted(pages.items()):
        print(f"{kind:30} {count:7} compared {differ[kind]:7} differ")
    missing = sorted(set(names) - set(both))
    print(
        f"{pages.total()} results compared, {differ.total()} differ; only in one record: {', '.join(missing) or 'none'}"
    )
    return int(bool(missing or differ.total() or not pages))


def _replace(text: str | None, replaced: Mapping[str, str]) -> str | None:
    for old, new in replaced.items():
        text = text and text.replace(old, new)
    return text


def _difference(a: str | None, b: str | None) -> str:
    """Return line and context of the first difference between two texts, or an empty string."""
    if a is None or b is None:
        return f"  is only in {'B' if a is None else 'A'}"
    if a == b:
        return ""
    index = next((index for index, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    start, end = max(index - CONTEXT, 0), index + CONTEXT
    return f"  at line {a.count(chr(10), 0, index) + 1}\n  A: {a[start:end]!r}\n  B: {b[start:end]!r}"


def parse_args(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the command-line options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("record", help="record the results of this version").add_argument
    add("out", type=Path, metavar="OUT", help="folder of the record")
    add("inputs", type=Path, nargs="+", metavar="INPUT", help="corpora (Parquet) and web archives (WARC)")
    add("--pages", type=int, default=PAGES, metavar="N", help="pages of each input, evenly spaced (%(default)d)")
    add("--render", action="store_true", help="record the pages rendered, too")
    add("--method", action="append", default=[], metavar="NAME", help="record this method; may be repeated (all)")
    add("--jobs", type=int, default=2, metavar="N", help="number of processes (%(default)d)")
    add = commands.add_parser("compare", help="print the differences between two records").add_argument
    add("before", type=Path, metavar="A", help="folder of a record")
    add("after", type=Path, metavar="B", help="folder of another record")
    add("--replace", nargs=2, action="append", default=[], metavar=("OLD", "NEW"), help="replace a text in A")
    add("--ignore", nargs="+", default=[], metavar="KIND", help="ignore these kinds, such as 'overlay *'")
    add("--shown", type=int, default=3, metavar="N", help="differences to show of each kind (%(default)d)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return the exit code."""
    options = parse_args(arguments)
    if options.command == "compare":
        old, new = (json.loads((folder / "versions.json").read_text()) for folder in (options.before, options.after))
        for name in sorted({*old, *new}):
            if old.get(name) != new.get(name):
                print(f"{name} is {old.get(name, 'none')} in A and {new.get(name, 'none')} in B", file=sys.stderr)
        replaced = dict(options.replace)
        return compare(options.before, options.after, replaced=replaced, ignored=options.ignore, shown=options.shown)
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {**versions(*VERSIONED), "python": platform.python_version()}
    write_atomic(options.out / "versions.json", json.dumps(facts).encode())
    modes = MODES if options.render else MODES[:1]
    with ProcessPoolExecutor(options.jobs) as pool:
        tasks = []
        for mode, source in product(modes, options.inputs):
            path = options.out / f"{source.name.partition('.')[0]}-{mode}.jsonl.gz"
            if not path.exists():
                tasks.append(pool.submit(record, source, mode, options.pages, options.method, path))
        for task in tqdm(as_completed(tasks), total=len(tasks), unit="part", disable=None):
            task.result()
    return 0


if __name__ == "__main__":
    sys.exit(main())
