from __future__ import annotations

import base64
import importlib.util
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PROOF = Path(__file__).parents[2] / "tools/proof"
HTML = (
    "<title>{0}</title><nav><a href=/>Home</a></nav><h1>The {0}</h1><p>It rained all day in {0}, and nobody went out."
)
SCRIPT = '<script type="application/json" id="data">{"blocks":[{"colour":"red","label":"p"}],"size":2}</script>'
DOCUMENT = f'<!DOCTYPE html>\n<html><body><g class="p" x="10"><i>The text</i></g>{SCRIPT}</body></html>'


@pytest.fixture(scope="module", autouse=True)
def proof() -> Iterator[ModuleType]:
    """Return the benchmark; it imports other modules of its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PROOF))
        spec = importlib.util.spec_from_file_location("proof", PROOF / "proof.py")
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules["proof"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a folder with a corpus of three pages, one of them empty, and a Parquet file that is not a corpus."""
    folder = tmp_path_factory.mktemp("corpora")
    html = [HTML.format("valley").encode(), HTML.format("town").encode(), b""]
    columns = {"id": ["a", "a", "empty"], "url": [""] * 3, "html": html, "gold_text": ["It rained all day"] * 3}
    pq.write_table(pa.table(columns), folder / "small.parquet")
    pq.write_table(pa.table({"id": ["a"], "title": ["A"]}), folder / "metadata.parquet")
    return folder


@pytest.fixture(scope="module")
def recorded(proof: ModuleType, corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record the corpus with parsed pages. Return the folder of the record."""
    out = tmp_path_factory.mktemp("records") / "a"
    only = ["--only", "small", "--mode", "static", "--method", "text", "--method", "fiasco", "--jobs", "1"]
    assert proof.main(["record", str(out), "--corpora", str(corpora), *only]) == 0
    return out


@pytest.fixture
def copied(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "b"))


@pytest.fixture
def compared(proof: ModuleType, recorded: Path, copied: Path, capsys) -> Callable[..., tuple[int, str]]:
    """Return a function that compares the record with its copy, and returns the exit code and what is printed."""

    def compare(*options: str | Path, other: Path = copied) -> tuple[int, str]:
        code = proof.main(["compare", str(recorded), str(other), *map(str, options)])
        return code, "".join(capsys.readouterr())

    return compare


def part(name: str) -> ModuleType:
    """Return a module that the benchmark imported."""
    return sys.modules[f"proof_{name}"]


Change = Callable[[str], str]


def changed(folder: Path, kind: str, change: Change | None) -> None:
    """Change the value of an entry of the first page, or remove it."""
    path = folder / "small-static.parquet"
    entries = part("records").read_entries(path)
    old = entries[kind].pop("a")
    if change is not None:
        assert change(old.value) != old.value
        entries[kind]["a"] = old._replace(value=change(old.value))
    part("records").write_entries(path, [entry for pages in entries.values() for entry in pages.values()])


class TestRecord:
    def test_entries(self, recorded: Path) -> None:
        """Run no method that needs a missing browser; score empty text for a page that fails."""
        records = part("records").read_entries(recorded / "small-static.parquet")
        values = {kind: {page: entry.value for page, entry in pages.items()} for kind, pages in records.items()}
        assert values["text"]["a"].startswith("The valley\n")
        assert values["cleaneval"]["a#2"].startswith("<h>The town\n")
        assert values["labels"]["a"] == "ohp"
        assert len(json.loads(values["probabilities"]["a"])) == len(json.loads(values["roles"]["a"])) == 3
        assert json.loads(values["same site"]["a"])["blocks"][1]["label"] == "h"
        assert "3 blocks kept" in values["explanation"]["a"]
        assert json.loads(values["method text"]["a"]) == {"labels": "php", "probabilities": ["1", "1", "1"]}
        assert "method fiasco" not in values
        assert json.loads(values["scores text"][""])["pages"] == 3
        assert values["page"] == {"empty": "NotHtmlError: the document is empty"}

    def test_recorded_parts_are_not_recorded_again(
        self, proof: ModuleType, corpora: Path, copied: Path, capsys
    ) -> None:
        before = (copied / "small-static.parquet").stat()
        options = [str(copied), "--corpora", str(corpora), "--only", "small", "--mode", "static"]
        assert proof.main(["record", *options, "--method", "text", "--method", "fiasco"]) == 0
        assert (copied / "small-static.parquet").stat() == before
        assert proof.main(["record", *options]) == 2
        assert "different settings" in capsys.readouterr().err

    def test_rejects_an_unknown_part(self, proof: ModuleType, corpora: Path, tmp_path: Path, capsys) -> None:
        with pytest.raises(SystemExit, match="2"):
            proof.main(["record", str(tmp_path / "out"), "--corpora", str(corpora), "--only", "none"])
        assert "choose from" in capsys.readouterr().err


class TestCompare:
    @pytest.mark.parametrize(
        ("kind", "change", "expected"),
        [
            ("probabilities", lambda value: value[:-3] + ("1" if value[-3] != "1" else "2") + value[-2:], "at [2]"),
            ("labels", lambda value: value.replace("h", "p"), "line 1, column 2\n  A: ohp\n  B: opp"),
            ("json", lambda value: value.replace('"tag":"h1"', '"tag":"h2"'), "at .blocks[1].tag"),
            ("json", lambda value: value.replace('"noscript":', '"script":'), "at .noscript"),
            ("confidence", lambda value: value.replace("p-", "p-0"), "line 1"),
            ("explanation", None, "is only in A"),
        ],
    )
    def test_one_change(self, compared, copied: Path, kind: str, change: Change | None, expected: str) -> None:
        code, printed = compared()
        assert (code, "0 differ, 0 parts missing" in printed) == (0, True)
        changed(copied, kind, change)
        code, printed = compared()
        assert code == 1
        assert f"{kind}: small-static, a\n" in printed
        assert expected in printed
        assert "1 differ, 0 parts missing" in printed
        assert compared("--ignore", kind)[0] == 0

    def test_a_part_is_missing(self, compared, recorded: Path, copied: Path) -> None:
        (copied / "small-static.parquet").unlink()
        code, printed = compared()
        assert (code, f"small-static is only in {recorded}" in printed) == (1, True)

    def test_rejects_other_folders_and_settings(self, compared, copied: Path) -> None:
        code, printed = compared(other=copied.parent)
        assert (code, "is not a record" in printed) == (2, True)
        meta = json.loads((copied / "meta.json").read_text())
        meta["plan"]["pages"] = 7
        (copied / "meta.json").write_text(json.dumps(meta))
        code, printed = compared()
        assert (code, "different settings" in printed) == (2, True)


class TestRenamed:
    def test_fields_of_json(self, compared, copied: Path, tmp_path: Path) -> None:
        changed(copied, "json", lambda value: value.replace('"xpath":', '"path":'))
        (tmp_path / "renamed.toml").write_text('xpath = "path"\n')
        assert compared()[0] == 1
        assert compared("--renamed", tmp_path / "renamed.toml")[0] == 0

    def test_all_tables(self, compared, copied: Path, tmp_path: Path) -> None:
        changed(copied, "json", lambda value: value.replace('"method":"vclean"', '"method":"model"'))
        changed(copied, "explanation", lambda value: value.replace("blocks kept", "blocks taken"))
        path = copied / "small-static.parquet"
        entries = part("records").read_entries(path)
        moved = [entry._replace(kind="all") for entry in entries.pop("text").values()]
        part("records").write_entries(path, [entry for pages in entries.values() for entry in pages.values()] + moved)
        tables = {
            "kinds": {"text": "all"},
            "values": {"vclean": "model"},
            "explanation": {"text": {"blocks kept": "blocks taken"}},
        }
        (tmp_path / "renamed.json").write_text(json.dumps(tables))
        assert compared("--renamed", tmp_path / "renamed.json")[0] == 0

    @pytest.mark.parametrize("text", ["[fields]\na = 1\n", "[fields\n", "[json.names]\na = 'b'\n"])
    def test_rejects_invalid_names(self, compared, tmp_path: Path, text: str) -> None:
        (tmp_path / "renamed.toml").write_text(text)
        code, printed = compared("--renamed", tmp_path / "renamed.toml")
        assert (code, printed.startswith("proof.py: ")) == (2, True)


DATA = {'"colour":"red","label":"p"': '"label": "p", "color": "red"'}
SPACE = {'class="p" x="10"': "x='10'\n class='p'", "<body>": "\n  <body>\n"}


def differences(other: str, *, renamed: dict[str, dict[str, str]] | None = None, loose: bool = False) -> dict[str, str]:
    """Compare another document with `DOCUMENT`; return the differences by kind."""
    entry, module = part("records").Entry, part("compare")
    pages = [{"overlay": {"a": entry("overlay", "a", "html", each)}} for each in (DOCUMENT, other)]
    triples = module.differences(*pages, module.Renames(renamed or {}, {}), module.Options(loose=loose))
    return {kind: text for kind, _, text in triples if text}


class TestDocuments:
    """Comparison of HTML documents: their markup, and the JSON in their scripts."""

    @pytest.mark.parametrize(
        ("changes", "options", "kinds"),
        [
            ({}, {}, []),
            ({'x="10"': 'x="11"'}, {}, ["overlay"]),
            ({'x="10"': 'x="11"'}, {"loose": True}, ["overlay"]),
            (DATA, {}, ["overlay data"]),
            (DATA, {"renamed": {"fields": {"colour": "color"}}}, []),
            (SPACE, {}, ["overlay"]),
            (SPACE, {"loose": True}, []),
            ({"The text": "Thetext"}, {"loose": True}, ["overlay"]),
        ],
    )
    def test_kinds_of_differences(self, changes: dict[str, str], options, kinds: list[str]) -> None:
        other = DOCUMENT
        for old, new in changes.items():
            other = other.replace(old, new)
        assert list(differences(other, **options)) == kinds

    def test_the_data(self) -> None:
        expected = "  at [0].blocks[0].colour\n  at line 1, column 1\n  A: red\n  B: blue"
        assert differences(DOCUMENT.replace('"red"', '"blue"')) == {"overlay data": expected}


class TestImages:
    def test_replaces_an_image_by_its_hash_and_the_screenshot_by_a_word(self) -> None:
        images, url = part("images"), f"data:image/png;base64,{base64.b64encode(b'a screenshot' * 4).decode()}"
        text = images.without_images(f'<image href="{url}"/>')
        assert text.startswith('<image href="data:image/png;sha256,')
        assert images.without_images(text) == text
        assert images.without_images(url, b"a screenshot" * 4) == "data:image/png;base64,PICTURE"

    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<p>still", False),
            (b"<style>@-webkit-KEYFRAMES a {}</style>", True),
            ("<img src=data:image/gif;base64,>", True),
        ],
    )
    def test_animations(self, html: str | bytes, expected: bool) -> None:
        assert part("images").is_animated(html) is expected


class TestEvenlySpaced:
    @pytest.mark.parametrize(("total", "count", "expected"), [(10, 4, [0, 2, 5, 7]), (2, 5, [0, 1]), (0, 5, [])])
    def test_indices(self, total: int, count: int, expected: list[int]) -> None:
        assert part("records").evenly_spaced(total, count) == expected
