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

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
HTML = (
    "<title>{0}</title><nav><a href=/>Home</a></nav><h1>The {0}</h1><p>It rained all day in {0}, and nobody went out."
)
SCRIPT = '<script type="application/json" id="data">{"blocks":[{"colour":"red","label":"p"}],"size":2}</script>'
DOCUMENT = f'<!DOCTYPE html>\n<html><body><g class="p" x="10"><i>The text</i></g>{SCRIPT}</body></html>'


@pytest.fixture(scope="module")
def proof() -> Iterator[ModuleType]:
    """The benchmark, which imports others of its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        spec = importlib.util.spec_from_file_location("proof", BENCHMARKS / "proof.py")
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules["proof"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus of three pages, one of them empty, and a file that is none."""
    folder = tmp_path_factory.mktemp("corpora")
    html = [HTML.format("valley").encode(), HTML.format("town").encode(), b""]
    columns = {"id": ["a", "a", "empty"], "url": [""] * 3, "html": html, "gold_text": ["It rained all day"] * 3}
    pq.write_table(pa.table(columns), folder / "small.parquet")
    pq.write_table(pa.table({"id": ["a"], "title": ["A"]}), folder / "metadata.parquet")
    return folder


@pytest.fixture(scope="module")
def recorded(proof: ModuleType, corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is recorded of the corpus, parsed."""
    out = tmp_path_factory.mktemp("records") / "a"
    only = ["--only", "small", "--mode", "static", "--method", "text", "--method", "fiasco", "--jobs", "1"]
    assert proof.main(["record", str(out), "--corpora", str(corpora), *only]) == 0
    return out


@pytest.fixture
def copied(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "b"))


def part(name: str) -> ModuleType:
    """One of the modules that the benchmark imported."""
    return sys.modules[f"proof_{name}"]


Change = Callable[[str], str]


def changed(folder: Path, kind: str, page: str, change: Change | None) -> None:
    """Change the value of an entry, or remove it."""
    path = folder / "small-static.parquet"
    entries = part("records").read_entries(path)
    old = entries[kind].pop(page)
    if change is not None:
        assert change(old.value) != old.value
        entries[kind][page] = old._replace(value=change(old.value))
    part("records").write_entries(path, [entry for pages in entries.values() for entry in pages.values()])


def entries(folder: Path) -> dict[str, dict[str, str]]:
    found = part("records").read_entries(folder / "small-static.parquet")
    return {kind: {page: entry.value for page, entry in pages.items()} for kind, pages in found.items()}


class TestRecord:
    def test_entries(self, proof: ModuleType, recorded: Path) -> None:
        found = entries(recorded)
        assert found["text"]["a"].startswith("The valley\n")
        assert found["cleaneval"]["a#2"].startswith("<h>The town\n")
        assert found["labels"]["a"] == "ohp"
        assert len(json.loads(found["probabilities"]["a"])) == len(json.loads(found["roles"]["a"])) == 3
        assert json.loads(found["same site"]["a"])["blocks"][1]["label"] == "h"
        assert "3 blocks kept" in found["explanation"]["a"]

    def test_methods_and_their_scores(self, proof: ModuleType, recorded: Path) -> None:
        """Methods that need a browser are not asked without one; a page that fails scores as empty text."""
        found = entries(recorded)
        assert json.loads(found["method text"]["a"]) == {"labels": "php", "probabilities": ["1", "1", "1"]}
        assert "method fiasco" not in found
        assert json.loads(found["scores text"][""])["pages"] == 3

    def test_a_page_that_fails(self, proof: ModuleType, recorded: Path) -> None:
        assert entries(recorded)["page"] == {"empty": "NotHtmlError: the document is empty"}

    def test_what_is_there_stays(self, proof: ModuleType, corpora: Path, copied: Path, capsys) -> None:
        before = (copied / "small-static.parquet").stat()
        options = [str(copied), "--corpora", str(corpora), "--only", "small", "--mode", "static"]
        assert proof.main(["record", *options, "--method", "text", "--method", "fiasco"]) == 0
        assert (copied / "small-static.parquet").stat() == before
        assert proof.main(["record", *options]) == 2
        assert "other settings" in capsys.readouterr().err

    def test_no_such_part(self, proof: ModuleType, corpora: Path, tmp_path: Path, capsys) -> None:
        with pytest.raises(SystemExit, match="2"):
            proof.main(["record", str(tmp_path / "out"), "--corpora", str(corpora), "--only", "none"])
        assert "choose from" in capsys.readouterr().err


class TestCompare:
    def test_equal(self, proof: ModuleType, recorded: Path, copied: Path, capsys) -> None:
        assert proof.main(["compare", str(recorded), str(copied)]) == 0
        assert "0 differ, 0 parts miss" in capsys.readouterr().out

    @pytest.mark.parametrize(
        "change",
        [
            ("probabilities", lambda value: value[:-3] + ("1" if value[-3] != "1" else "2") + value[-2:], "at [2]"),
            ("labels", lambda value: value.replace("h", "p"), "line 1, column 2\n  A: ohp\n  B: opp"),
            ("json", lambda value: value.replace('"tag":"h1"', '"tag":"h2"'), "at .blocks[1].tag"),
            ("json", lambda value: value.replace('"noscript":', '"script":'), "at .noscript"),
            ("confidence", lambda value: value.replace("p-", "p-0"), "line 1"),
            ("explanation", None, "is in A alone"),
        ],
    )
    def test_one_change(
        self, proof: ModuleType, recorded: Path, copied: Path, capsys, change: tuple[str, Change | None, str]
    ) -> None:
        kind, make, told = change
        changed(copied, kind, "a", make)
        assert proof.main(["compare", str(recorded), str(copied)]) == 1
        printed = capsys.readouterr().out
        assert f"{kind}: small-static, a\n" in printed
        assert told in printed
        assert "1 differ, 0 parts miss" in printed
        assert proof.main(["compare", str(recorded), str(copied), "--ignore", kind]) == 0

    def test_a_part_is_missing(self, proof: ModuleType, recorded: Path, copied: Path, capsys) -> None:
        (copied / "small-static.parquet").unlink()
        assert proof.main(["compare", str(recorded), str(copied)]) == 1
        assert f"small-static is in {recorded} alone" in capsys.readouterr().out

    def test_no_record(self, proof: ModuleType, recorded: Path, tmp_path: Path, capsys) -> None:
        assert proof.main(["compare", str(recorded), str(tmp_path)]) == 2
        assert "is no record" in capsys.readouterr().err

    def test_other_settings(self, proof: ModuleType, recorded: Path, copied: Path, capsys) -> None:
        meta = json.loads((copied / "meta.json").read_text())
        meta["plan"]["pages"] = 7
        (copied / "meta.json").write_text(json.dumps(meta))
        assert proof.main(["compare", str(recorded), str(copied)]) == 2
        assert "other settings" in capsys.readouterr().err


class TestRenamed:
    def test_fields_of_json(self, proof: ModuleType, recorded: Path, copied: Path, tmp_path: Path) -> None:
        changed(copied, "json", "a", lambda value: value.replace('"xpath":', '"path":'))
        names = tmp_path / "renamed.toml"
        names.write_text('xpath = "path"\n')
        assert proof.main(["compare", str(recorded), str(copied)]) == 1
        assert proof.main(["compare", str(recorded), str(copied), "--renamed", str(names)]) == 0

    def test_all_tables(self, proof: ModuleType, recorded: Path, copied: Path, tmp_path: Path) -> None:
        changed(copied, "json", "a", lambda value: value.replace('"method":"vclean"', '"method":"model"'))
        changed(copied, "explanation", "a", lambda value: value.replace("blocks kept", "blocks taken"))
        path = copied / "small-static.parquet"
        moved = [
            entry._replace(kind="all") if kind == "text" else entry
            for kind, pages in part("records").read_entries(path).items()
            for entry in pages.values()
        ]
        part("records").write_entries(path, moved)
        tables = {
            "kinds": {"text": "all"},
            "values": {"vclean": "model"},
            "explanation": {"text": {"blocks kept": "blocks taken"}},
        }
        names = tmp_path / "renamed.json"
        names.write_text(json.dumps(tables))
        assert proof.main(["compare", str(recorded), str(copied), "--renamed", str(names)]) == 0

    @pytest.mark.parametrize("text", ["[fields]\na = 1\n", "[fields\n", "[json.names]\na = 'b'\n"])
    def test_no_names(self, proof: ModuleType, recorded: Path, tmp_path: Path, text: str, capsys) -> None:
        names = tmp_path / "renamed.toml"
        names.write_text(text)
        assert proof.main(["compare", str(recorded), str(recorded), "--renamed", str(names)]) == 2
        assert capsys.readouterr().err.startswith("proof.py: ")


class TestDocuments:
    """Pages of HTML: what they show, and the data in them."""

    @pytest.fixture
    def found(self, proof: ModuleType) -> Callable[..., dict[str, str]]:
        """What differs between a document and another, by kind."""

        def differences(other: str, *, renamed: dict[str, dict[str, str]] | None = None, loose: bool = False):
            module = part("compare")
            pages = [
                {"overlay": {"a": part("records").Entry("overlay", "a", "html", each)}} for each in (DOCUMENT, other)
            ]
            renames = module.Renames(renamed or {}, {})
            told = module.differences(*pages, renames, module.Options(loose=loose))
            return {kind: text for kind, _, text in told if text}

        return differences

    def test_equal(self, found) -> None:
        assert found(DOCUMENT) == {}

    def test_an_attribute(self, found) -> None:
        told = found(DOCUMENT.replace('x="10"', 'x="11"'))
        assert list(told) == ["overlay"]
        assert 'x="11"' in told["overlay"]
        assert list(found(DOCUMENT.replace('x="10"', 'x="11"'), loose=True)) == ["overlay"]

    def test_the_data(self, found) -> None:
        other = DOCUMENT.replace('"red"', '"blue"')
        assert found(other) == {"overlay data": "  at [0].blocks[0].colour\n  at line 1, column 1\n  A: red\n  B: blue"}

    def test_the_order_and_the_names_of_data(self, found) -> None:
        other = DOCUMENT.replace('"colour":"red","label":"p"', '"label": "p", "color": "red"')
        assert list(found(other)) == ["overlay data"]
        assert found(other, renamed={"fields": {"colour": "color"}}) == {}

    def test_space_and_the_order_of_attributes(self, found) -> None:
        other = DOCUMENT.replace('class="p" x="10"', "x='10'\n class='p'").replace("<body>", "\n  <body>\n")
        assert list(found(other)) == ["overlay"]
        assert found(other, loose=True) == {}

    def test_text_matters_always(self, found) -> None:
        assert list(found(DOCUMENT.replace("The text", "Thetext"), loose=True)) == ["overlay"]


class TestPictures:
    def test_a_hash_in_their_place(self, proof: ModuleType) -> None:
        subject = part("pictures")
        picture = "data:image/png;base64," + "A" * 50
        text = subject.without_pictures(f'<image href="{picture}"/>')
        assert text.startswith('<image href="data:image/png;sha256,')
        assert subject.without_pictures(text) == text

    def test_the_one_that_is_known(self, proof: ModuleType) -> None:
        picture = f"data:image/png;base64,{base64.b64encode(b'a picture').decode()}"
        assert part("pictures").without_pictures(picture, b"a picture") == "data:image/png;base64,PICTURE"

    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<p>still", False),
            (b"<style>@-webkit-KEYFRAMES a {}</style>", True),
            ("<img src=data:image/gif;base64,>", True),
        ],
    )
    def test_what_may_move(self, proof: ModuleType, html: str | bytes, expected: bool) -> None:
        assert part("pictures").moves(html) is expected


class TestPlaces:
    @pytest.mark.parametrize(("total", "count", "expected"), [(10, 4, [0, 2, 5, 7]), (2, 5, [0, 1]), (0, 5, [])])
    def test_evenly(self, proof: ModuleType, total: int, count: int, expected: list[int]) -> None:
        assert part("records").places(total, count) == expected
