"""Record the commands of vclean on a few pages: their output, messages, exit codes and files."""

from __future__ import annotations

import json
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from proof_images import without_images
from proof_records import Entry
from proof_subject import vclean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

LIMIT = 900
"""Time limit of one command, in seconds."""
BAD = {"empty.html": b"", "binary.html": bytes(range(256)) * 8, "bare.html": b"<p>Hello.", "bad.parquet": b"PAR1"}
"""Files that make commands fail, and one minimal page that works."""

_DOCUMENTS = ("<!doc", "<!-- ", "<html", "<svg ")
_BOTH = {
    "markdown to a folder": "pages.parquet -f markdown -o out",
    "json to a file": "pages.parquet -f json -o out.json",
    "one page": "one/page.html -f json",
    "explain": "one/page.html --explain",
    "precision, review": "pages.parquet --precision --review out.json --review-below 0.95",
    "diff html": "diff one/page.html --method bte -o out.html",
    "evaluate": "evaluate pages.parquet --method vclean --method bte --json out.json --predictions out.txt",
    "report": "report pages.parquet --method vclean --method bte -o out.html --worst 2",
}
_STATIC = {
    "cleaneval": "pages.parquet",
    "text": "pages.parquet -f text",
    "html": "pages.parquet -f html",
    "explain json": "one/page.html --explain -f json",
    "recall, comments": "pages.parquet --recall --comments out",
    "method": "pages.parquet --method bte",
    "template": "pages.parquet --template template.txt",
    "diff": "diff one/page.html --method bte",
    "methods": "methods",
    "methods json": "methods --json",
    "cleaneval-score": "cleaneval-score gold predicted --json",
    "an error": "none.html",
    "some errors": "empty.html binary.html bare.html bad.parquet",
    "a wrong method": "one/page.html --method none",
    "an overlay without a browser": "one/page.html --overlay out.tif",
}
_RENDERED = {
    "overlay svg": "one/page.html --render --overlay out.svg",
    "overlay html": "one/page.html --overlay out.html",
    "overlays": "pages.parquet --overlay out/o.html -q",
    "segment": "segment pages.parquet",
    "segment webis": "segment pages.parquet -f webis --pdoc 8",
    "segment learned": "segment one/page.html --method learned --overlay out.html",
}
_NO_RENDER = ("methods", "cleaneval-score", "segment", "none.html", "empty.html")


def command_entries(
    pages: Sequence[Mapping[str, str | bytes]], *, rendered: bool, done: Callable[[], None]
) -> Iterator[Entry]:
    """Run every command, and yield the entries of its results.

    Args:
        pages: rows of a corpus, with the columns id, url, html and gold_text.
        rendered: render the pages.
        done: called after each command.
    """
    for name, line in _commands(rendered=rendered).items():
        with tempfile.TemporaryDirectory(prefix="proof-") as folder:
            _prepare(Path(folder), pages)
            render = ["--render"] if rendered and "--render" not in line and not line.startswith(_NO_RENDER) else []
            yield from _run(name, [*line.split(), *render], Path(folder))
        done()


def command_count(*, rendered: bool) -> int:
    """Return the number of commands."""
    return len(_commands(rendered=rendered))


def _commands(*, rendered: bool) -> dict[str, str]:
    return {**_BOTH, **(_RENDERED if rendered else _STATIC)}


def _run(name: str, arguments: Sequence[str], folder: Path) -> Iterator[Entry]:
    before = set(_files(folder))
    command = vclean(*arguments)
    completed = subprocess.run(command, cwd=folder, capture_output=True, timeout=LIMIT, check=False)
    messages = "".join(
        f"{line}\n" for line in completed.stderr.decode().splitlines() if "\r" not in line and "it/s" not in line
    )
    yield Entry("command code", name, "text", str(completed.returncode))
    yield Entry("command messages", name, "text", messages)
    yield _output_entry("command output", name, completed.stdout.decode())
    for path in sorted(set(_files(folder)) - before):
        text = without_images(path.read_text(encoding="utf-8"))
        yield _output_entry("command file", f"{name}: {path.relative_to(folder)}", text)


def _output_entry(kind: str, page: str, text: str) -> Entry:
    """Return an entry for an output; its form is HTML, JSON (JSON lines become an array), or text."""
    if text.lstrip()[:5].lower() in _DOCUMENTS:
        return Entry(kind, page, "html", text)
    if text[:1] in ("{", "["):
        for value in (text, f"[{','.join(text.splitlines())}]"):
            with suppress(ValueError):
                json.loads(value)
                return Entry(kind, page, "json", value)
    return Entry(kind, page, "text", text)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _prepare(folder: Path, pages: Sequence[Mapping[str, str | bytes]]) -> None:
    """Write all files that the commands read."""
    columns = {name: [page[name] for page in pages] for name in ("id", "url", "html", "gold_text")}
    pq.write_table(pa.table(columns), folder / "pages.parquet")
    for name in ("one", "gold", "predicted"):
        (folder / name).mkdir()
    html, gold = pages[0]["html"], str(pages[0]["gold_text"])
    (folder / "one" / "page.html").write_bytes(html if isinstance(html, bytes) else html.encode())
    (folder / "gold" / "a.txt").write_text("<p>" + gold, encoding="utf-8")
    (folder / "predicted" / "a.txt").write_text("<p>" + gold[len(gold) // 3 :], encoding="utf-8")
    (folder / "template.txt").write_text("article\nh1\np\n", encoding="utf-8")
    for name, content in BAD.items():
        (folder / name).write_bytes(content)
