"""Manage the output folder of a run: its lock, settings, parts, log and summary.

Texts are also written as WET: `conversion` records of a WARC file (ISO 28500), as Common Crawl publishes them.
"""

from __future__ import annotations

import base64
import gzip
import json
import logging
import platform
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, Final
from urllib.parse import quote
from uuid import NAMESPACE_OID, uuid5

import numpy as np
import pyarrow.compute as pc

from vclean import __version__
from vclean.errors import NotHtmlError, UsageError
from vclean.farm.parts import (
    WET,
    PartWriter,
    ResumeLog,
    drop_failures,
    part_paths,
    read_parts,
    remove_leftovers,
    wet_name,
)
from vclean.farm.rows import FAILED, LOG_COLUMNS, STAGES, VERSION, log_entry, settings_digest, settings_to_dict
from vclean.files import AtomicFile, folder_lock, make_folder, output_errors, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from vclean.farm.rows import RunSettings, TaskOutcome
    from vclean.farm.stats import Stats
    from vclean.settings import CleanerSettings

_URL_CHARACTERS: Final = "%/:=&?~#+!$,;'@()*[]"
"""Characters of a URL that stay as they are; others, such as line breaks, would end a header."""


def write_wet(parts: Iterable[Path]) -> None:
    """Write the texts of parts to the folder `wet` beside that of the parts; pages without text have no record.

    Args:
        parts: committed parts. A part that has its file already is skipped.

    Raises:
        InputError: a part cannot be read.
        OutputError: a file cannot be written.
    """
    for part in parts:
        path = make_folder(part.parents[1] / WET) / wet_name(part.name)
        if path.exists():
            continue
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        with AtomicFile(path) as file:
            file.write(_info(path.name, now))
            batches = read_parts([part], ("id", "url", "record_id", "record_date", "text"), 64)
            for number, row in enumerate(chain.from_iterable(batch.to_pylist() for batch in batches)):
                if row["text"]:
                    file.write(_conversion(row, _record_id(path.name, number), now))


def _info(name: str, now: str) -> bytes:
    body = f"Software-Info: vclean {__version__}\r\nformat: WARC File Format 1.0\r\n".encode()
    headers = {
        "WARC-Type": "warcinfo",
        "WARC-Date": now,
        "WARC-Filename": name,
        "WARC-Record-ID": _record_id(name, -1),
        "Content-Type": "application/warc-fields",
    }
    return _record(headers, body)


def _conversion(row: Mapping[str, Any], record_id: str, now: str) -> bytes:
    body = row["text"].encode()
    headers = {
        "WARC-Type": "conversion",
        "WARC-Target-URI": quote(row["url"] or f"file:///{row['id'].lstrip('/')}", safe=_URL_CHARACTERS),
        "WARC-Date": row["record_date"] or now,
        "WARC-Record-ID": record_id,
        **({"WARC-Refers-To": row["record_id"]} if row["record_id"] else {}),
        "WARC-Block-Digest": f"sha1:{base64.b32encode(sha1(body, usedforsecurity=False).digest()).decode()}",
        "Content-Type": "text/plain",
    }
    return _record(headers, body)


def _record(headers: Mapping[str, str], body: bytes) -> bytes:
    """Compress a record as a separate gzip member, which readers can seek to."""
    lines = [f"{name}: {value}" for name, value in {**headers, "Content-Length": str(len(body))}.items()]
    head = "\r\n".join(["WARC/1.0", *lines, "", ""]).encode()
    return gzip.compress(head + body + b"\r\n\r\n", mtime=0)


def _record_id(name: str, number: int) -> str:
    return f"<urn:uuid:{uuid5(NAMESPACE_OID, f'{name}#{number}')}>"


_MAX_WARNINGS: Final = 3
"""Most failures of a run whose messages are logged; the others are in the log of the run alone."""

_ROWS_AT_ONCE: Final = 10_000
_COUNTED: Final = ("block_count", "kept_count", "characters")
_COLUMNS: Final = (*_COUNTED, "error", "attempts", "seconds", "render_reason", "render_change")

_log = logging.getLogger("vclean")


CHANGED: Final = 0.05
"""Share of words by which the text of a page has to differ to count as changed by rendering."""


def summarize_parts(paths: Sequence[Path]) -> dict[str, Any]:
    """Summarize parts: pages, failures by error, attempts after the first, blocks, bytes, seconds by stage.

    With `render="auto"`, also the rendered pages by reason, and how many of them changed by more than `CHANGED`.

    Raises:
        InputError: a part cannot be read.
    """
    counts: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    stages: dict[str, list[NDArray[np.float32]]] = {stage: [] for stage in STAGES}
    for batch in read_parts(paths, _COLUMNS, _ROWS_AT_ONCE):
        counts["pages"] += batch.num_rows
        counts.update({name: pc.sum(batch[name]).as_py() or 0 for name in ("attempts", *_COUNTED)})
        counts["changed"] += sum((share or 0) > CHANGED for share in batch["render_change"].to_pylist())
        failed.update(error for error in batch["error"].to_pylist() if error is not None)
        reasons.update(reason for reason in batch["render_reason"].to_pylist() if reason is not None)
        for stage in STAGES:
            stages[stage].append(pc.struct_field(batch["seconds"], stage).drop_null().to_numpy(zero_copy_only=False))
    no_pages = failed.pop(NotHtmlError.__name__, 0)
    return {
        "pages": counts["pages"],
        "ok": counts["pages"] - failed.total() - no_pages,
        "no_pages": no_pages,
        "failed": dict(sorted(failed.items())),
        "retries": counts["attempts"] - counts["pages"],
        "render_reasons": dict(sorted(reasons.items())),
        "changed_by_rendering": counts["changed"],
        **{name: counts[name] for name in _COUNTED},
        "parts": len(paths),
        "bytes": sum(path.stat().st_size for path in paths),
        "seconds": {stage: _seconds_facts(np.concatenate([[], *seconds])) for stage, seconds in stages.items()},
    }


def _seconds_facts(seconds: NDArray[np.float64]) -> dict[str, float] | None:
    """Return mean, percentiles and maximum of some seconds, (n,), by name; None without any."""
    if not len(seconds):
        return None
    percentiles = {f"p{each}": np.percentile(seconds, each, method="inverted_cdf") for each in (50, 90, 99)}
    facts = {"mean": seconds.mean(), **percentiles, "max": seconds.max()}
    return {name: round(float(value), 5) for name, value in facts.items()}


RUN: Final = "run.json"
LOG: Final = "pages.jsonl"
SUMMARY: Final = "summary.json"

_LOCK: Final = ".lock"


@contextmanager
def open_output(
    folder: Path,
    cleaning: CleanerSettings,
    run: RunSettings,
    *,
    resume: bool,
    retry_failed: bool = False,
    covers: Callable[[str], bool],
    stats: Stats,
) -> Iterator[RunOutput]:
    """Begin a run, or continue it, and end it after the block. Everything written is saved, however the block ends.

    Args:
        folder: the output folder; it is made if it does not exist.
        cleaning: settings that determine the rows.
        run: execution settings.
        resume: continue the run in the folder, if any.
        retry_failed: drop its failures first.
        covers: returns whether a file or URL is an input of this run: see `ResumeLog`.
        stats: counts of this run, for the summary.

    Raises:
        UsageError: the folder contains a run and this one does not resume it or has other settings; or another process
            writes to it.
        InputError: a part of the run to resume is damaged.
        OutputError: the folder cannot be written to.
    """
    with folder_lock(make_folder(folder), _LOCK):
        facts = _begin_run(folder, cleaning, resume=resume)
        remove_leftovers(folder)
        if retry_failed:
            drop_failures(folder)
        if run.wet:
            write_wet(part_paths(folder))
        done = part_paths(folder)
        summary: dict[str, Any] = {"state": "interrupted"}
        writer = PartWriter(
            folder,
            rows=run.part_rows,
            snapshots=run.snapshots,
            on_commit=(lambda part: write_wet([part])) if run.wet else None,
            facts={"vclean.digest": facts["digest"], "vclean.versions": json.dumps(facts["versions"])},
        )
        try:
            with _open_log(folder / LOG, done) as log, writer:
                yield RunOutput(writer, log, ResumeLog(done, covers).claim, summary)
            summary["state"] = "complete"
        finally:
            summary |= {**summarize_parts(part_paths(folder)), "run": stats.to_dict(), **facts}
            write_atomic(folder / SUMMARY, _to_json_document(summary))


@dataclass(slots=True)
class RunOutput:
    """Output of a run that was begun by `open_output`.

    Attributes:
        writer: writes the rows.
        log: the file `pages.jsonl`.
        is_done: returns whether an earlier run has cleaned the page with a key and an id: `ResumeLog.claim`.
        summary: after the run, the content of `summary.json`.
        warnings: number of failures whose messages were logged.
    """

    writer: PartWriter
    log: IO[str]
    is_done: Callable[[bytes, str], bool]
    summary: dict[str, Any]
    warnings: int = 0

    def write(self, outcome: TaskOutcome) -> None:
        """Write an outcome: its row, its snapshot if snapshots are saved, and its line in the log.

        Raises:
            OutputError: it cannot be written.
        """
        self.writer.write(outcome.record, outcome.snapshot)
        entry = log_entry(outcome.record)
        with output_errors(self.log.name):
            self.log.write(_to_json_line(entry))
        if entry["status"] == FAILED and self.warnings < _MAX_WARNINGS:  # a wrong input is then known at once
            self.warnings += 1
            name, message = entry["id"], entry["message"]
            _log.warning("%s", message if name in message else f"{name}: {message}")


def _begin_run(folder: Path, cleaning: CleanerSettings, *, resume: bool) -> dict[str, Any]:
    """Return the content of `run.json`, which is written for a new run.

    Raises:
        UsageError: the folder contains other files, or a run that must not or cannot be resumed.
    """
    path = folder / RUN
    current = {
        "schema": VERSION,
        "digest": settings_digest(cleaning),
        "settings": settings_to_dict(cleaning),
        "versions": {"vclean": __version__, "python": platform.python_version()},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    if path.exists():
        if not resume:
            raise UsageError(f"{folder} contains a run already: add --resume, or name another folder")
        return _check_same_settings(path, json.loads(json.dumps(current)))
    if any(each.name != _LOCK for each in folder.iterdir()):
        raise UsageError(f"{folder} contains other files: name a new folder")
    write_atomic(path, _to_json_document(current))
    return current


def _check_same_settings(path: Path, current: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of `run.json` of the run to resume, after checking that its settings are the same."""
    now = _flat_settings(current)
    try:
        facts: dict[str, Any] = json.loads(path.read_bytes())
        before, digest = _flat_settings(facts), facts["digest"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is damaged and its run cannot be resumed: name another folder") from error
    differences = [
        f"{name} was {before.get(name)!r} and is {now.get(name)!r}"
        for name in sorted(before.keys() | now.keys())
        if before.get(name) != now.get(name)
    ]
    if differences or digest != current["digest"]:
        reason = "; ".join(differences) or "its digest"
        raise UsageError(f"the run in {path.parent} has other settings ({reason}): use the same, or another folder")
    return facts


def _flat_settings(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings in `run.json` by name, which is unique, and the version of its columns."""
    settings = dict(facts["settings"])
    return {**settings.pop("rendering"), **settings.pop("policy"), **settings, "schema": facts["schema"]}


@contextmanager
def _open_log(path: Path, parts: list[Path]) -> Iterator[IO[str]]:
    """Rewrite the log with a line for each page of the parts, and open it for appending with line buffering."""
    with AtomicFile(path) as file:
        for batch in read_parts(parts, LOG_COLUMNS, _ROWS_AT_ONCE):
            for row in range(batch.num_rows):
                file.write(_to_json_line(log_entry(batch.slice(row, 1))))
    with output_errors(path), path.open("a", encoding="utf-8", buffering=1) as log:
        yield log


def _to_json_line(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def _to_json_document(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
