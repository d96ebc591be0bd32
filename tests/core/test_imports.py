from __future__ import annotations

import gc
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from vclean import imports
from vclean.errors import ExtraMissingError
from vclean.imports import install_command
from vclean.runtime import exempt_from_gc

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL = "cssselect prometheus_client psutil pyarrow pycrfsuite ray sklearn tldextract torch"
PAGE = "<title>Ferry</title><nav><a href=/>Menu</a></nav><p>The rain stopped in the morning, and the river fell."
RUN = """
import sys
for name in sys.argv[1].split():
    sys.modules[name] = None
from vclean.cli.main import main
for command in sys.argv[2:]:
    code = main(command.split())
    print(f"exit code {code}", file=sys.stderr)
"""


def run_without(modules, commands, folder):
    """Run commands in a process in which modules cannot be imported.

    Returns:
        For each command its lines on standard error, the exit code in the last one; then standard output.
    """
    arguments = [sys.executable, "-c", RUN, modules, *commands]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, cwd=folder, timeout=300)
    lines = [[]]
    for line in done.stderr.splitlines():
        if "sandbox is off" not in line:
            lines[-1].append(line)
        if line.startswith("exit code "):
            lines.append([])
    return lines[:-1], done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    (folder / "page.html").write_text(PAGE)
    (folder / "rows.parquet").write_bytes(b"PAR1")
    (folder / "marked.warc.gz").write_bytes(b"")
    (folder / "story.txt").write_text("css: p\n")
    (folder / "rows.jsonl").write_text(json.dumps({"html": PAGE, "id": "row"}) + "\n")
    return folder


class TestInstallCommand:
    @pytest.mark.parametrize(
        ("origins", "command"),
        [
            ([], "pip install 'vclean-web[farm,ray]'"),
            ([None], "pip install 'vclean-web[farm,ray]'"),
            (['{"url": "https://example.org/vclean.whl"}'], "pip install 'vclean-web[farm,ray]'"),
            ([None, '{"url": "file:///home/me/my%20vclean", "dir_info": {}}'],  # a build comes first
             "pip install '/home/me/my vclean[farm,ray]'"),
            (['{"url": "file:///src", "dir_info": {"editable": true}}'], "pip install -e '/src[farm,ray]'"),
            (['{"url": "file:///tmp/vclean-1-py3.whl", "archive_info": {}}'],
             "pip install '/tmp/vclean-1-py3.whl[farm,ray]'"),
            (["damaged"], "pip install 'vclean-web[farm,ray]'"),
        ],
    )  # fmt: skip
    def test_names_where_vclean_comes_from(self, monkeypatch, origins, command):
        found = [SimpleNamespace(read_text=lambda _name, origin=origin: origin) for origin in origins]
        monkeypatch.setattr(imports.metadata, "distributions", lambda *, name: found * (name == "vclean-web"))
        assert install_command("farm", "ray") == command


class TestCommands:
    @pytest.mark.parametrize(
        ("modules", "name", "commands"),
        [
            ("psutil", "psutil", {"farm page.html -o out": "farm"}),
            ("prometheus_client", "prometheus-client", {"farm page.html -o out": "farm"}),
            ("cssselect", "cssselect", {"page.html --template story.txt": "methods"}),
            ("ray ray.data", "Ray", {"farm page.html -o out --engine ray": "ray"}),
            (
                "pyarrow",
                "pyarrow",
                {
                    "rows.parquet": "parquet",
                    "train rows.parquet -o model.vclean": "corpora",
                    "evaluate rows.parquet": "corpora",
                    "report rows.parquet -o report.html": "corpora",
                    "farm page.html -o out": "farm",
                },
            ),
            (
                "tldextract",
                "tldextract",
                {
                    "train rows.parquet -o model.vclean": "corpora",
                    "train marked.warc.gz -o model.vclean": "corpora",
                    "evaluate marked.warc.gz": "corpora",
                    "report rows.parquet -o report.html": "corpora",
                    "train-segments marked.warc.gz -o model.vclean": "corpora",
                    "evaluate-segments marked.warc.gz": "corpora",
                },
            ),
        ],
    )
    def test_an_extra_is_missing(self, folder, modules, name, commands):
        # The message is one line with the command to type, the exit code is 11, and no file is written.
        outcomes, _ = run_without(modules, list(commands), folder)
        for (line, code), extra in zip(outcomes, commands.values(), strict=True):
            assert line.startswith("vclean: ")
            assert f"this needs {name} (" in line
            assert line.endswith(f"): {install_command(extra)}")
            assert code == f"exit code {ExtraMissingError.exit_code}"
        assert not (folder / "model.vclean").exists()

    def test_cleaning_needs_none(self, folder):
        formats = ("text", "cleaneval", "markdown", "html", "json")
        commands = [f"page.html rows.jsonl -f {name}" for name in formats]
        outcomes, out = run_without(OPTIONAL, [*commands, "page.html --explain", "methods"], folder)
        assert outcomes == [["exit code 0"]] * 7
        assert out.count("The rain stopped") >= 2 * len(formats)

    @pytest.mark.browser
    def test_overlays_and_segments_need_none(self, folder):
        names = [f"overlay.{suffix}" for suffix in ("html", "png", "svg")]
        commands = [f"page.html --render --overlay {name}" for name in names]
        outcomes, _ = run_without(OPTIONAL, [*commands, "segment page.html"], folder)
        reports = [[f"vclean: wrote the overlay to {name}"] for name in names]
        assert outcomes == [[*report, "exit code 0"] for report in (*reports, [])]
        assert all((folder / name).stat().st_size > 0 for name in names)


class TestDeclared:
    def test_all_has_every_extra(self):
        extras = PROJECT["optional-dependencies"]
        (everything,) = extras["all"]
        assert set(everything.removeprefix("vclean-web[").removesuffix("]").split(",")) == {*extras} - {"all"}

    def test_docs_name_every_extra(self):
        text = (ROOT / "docs" / "guides" / "install.md").read_text(encoding="utf-8")
        assert [name for name in PROJECT["optional-dependencies"] if f"| `{name}` |" not in text] == []


class TestExemptFromGc:
    @pytest.fixture(autouse=True)
    def thawed(self):
        yield
        gc.unfreeze()

    def test_objects_from_block_are_not_collected(self):
        with exempt_from_gc():
            assert not gc.isenabled()
            cycles = [[] for _ in range(1000)]
        assert gc.isenabled()
        assert gc.get_freeze_count() > len(cycles)
        assert not any(each is cycles for each in gc.get_objects())

    def test_also_after_error(self):
        with pytest.raises(ValueError, match="no model"), exempt_from_gc():
            raise ValueError("no model")
        assert gc.isenabled()


class TestBlockPandas:
    @pytest.mark.parametrize(
        ("code", "printed"),
        [
            (
                "block_pandas(); from vclean.farm import rows; import pyarrow as pa;"
                "print(pa.array(['a', None]).to_pylist(), 'pandas' in sys.modules)",
                "['a', None] False\n",
            ),
            ("sys.modules['pandas'] = sys; block_pandas(); import pandas; print(pandas is sys)", "True\n"),
        ],
        ids=["arrow", "imported before"],
    )
    def test_only_what_is_not_imported_is_blocked(self, code, printed):
        code = f"import sys; from vclean.imports import block_pandas; {code}"
        process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert process.stdout == printed
