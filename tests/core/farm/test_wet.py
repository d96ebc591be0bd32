"""Check WET files with warcio, a reader that is not ours."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import record, response
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from vclean.cli.main import main
from vclean.farm.output import write_wet
from vclean.farm.parts import part_paths

ROOT = Path(__file__).parents[3]
NEWS = (ROOT / "fixtures" / "news" / "page.html").read_bytes()
URL = "https://example.org/ferry?a=ž b"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """Write an archive of a page with text, and of a page that has only scripts."""
    path = tmp_path / "crawl.warc.gz"
    bodies = {"https://example.org/ferry": NEWS, "https://example.org/none": b"<script>1</script>"}
    path.write_bytes(b"".join(gzip.compress(record(url, response(body))) for url, body in bodies.items()))
    return path


def records(path: Path) -> list[tuple[str, dict[str, str], str]]:
    """Return type, headers and content of every record."""
    with path.open("rb") as stream:
        return [
            (each.rec_type, dict(each.rec_headers.headers), each.content_stream().read().decode())
            for each in ArchiveIterator(stream, check_digests="raise")
        ]


def farm(*arguments: object) -> int:
    return main(["farm", *map(str, arguments), "--no-render", "--workers", "1", "-q"])


class TestWet:
    @pytest.mark.slow
    def test_another_reader_reads_it(self, crawl: Path, tmp_path: Path) -> None:
        assert farm(crawl, "-o", tmp_path / "out", "--wet") == 0
        (path,) = (tmp_path / "out" / "wet").iterdir()
        (part,) = (tmp_path / "out" / "parts").iterdir()
        assert path.name == part.name.replace("part-", "wet-").replace(".parquet", ".warc.wet.gz")
        (kind, info, _), (conversion, headers, text) = records(path)
        source = records(crawl)[0][1]
        assert (kind, info["WARC-Filename"]) == ("warcinfo", path.name)
        assert (conversion, headers["Content-Type"]) == ("conversion", "text/plain")
        assert headers["WARC-Refers-To"] == source["WARC-Record-ID"]
        assert headers["WARC-Date"] == source["WARC-Date"]
        assert headers["WARC-Target-URI"] == "https://example.org/ferry"
        row = pq.read_table(part).to_pylist()[0]
        assert (text, row["record_id"]) == (row["text"], source["WARC-Record-ID"])
        assert text.startswith("The last ferry")

    @pytest.mark.slow
    def test_a_resumed_run_completes_it(self, crawl: Path, tmp_path: Path) -> None:
        assert farm(crawl, "-o", tmp_path / "out") == 0
        assert not (tmp_path / "out" / "wet").exists()
        assert farm(crawl, "-o", tmp_path / "out", "--wet", "--resume") == 0
        (path,) = (tmp_path / "out" / "wet").iterdir()
        assert [kind for kind, *_ in records(path)] == ["warcinfo", "conversion"]


def part(folder: Path, **columns: str) -> None:
    """Write a part with one row."""
    row = {"id": "p", "url": None, "record_id": None, "record_date": None, "text": "It rained.\n", **columns}
    (folder / "parts").mkdir()
    table = pa.table({name: pa.array([value], pa.string()) for name, value in row.items()})
    pq.write_table(table, folder / "parts" / "part-1.parquet")


class TestCompleteWet:
    @pytest.mark.parametrize(
        ("columns", "uri"),
        [
            ({"url": URL}, "https://example.org/ferry?a=%C5%BE%20b"),
            ({"url": "https://example.org/a\r\nX: y"}, "https://example.org/a%0D%0AX:%20y"),
            ({}, "file:///p"),
            ({"id": "/pages/p.html"}, "file:///pages/p.html"),
        ],
    )
    def test_addresses_end_no_header(self, tmp_path: Path, columns: dict[str, str], uri: str) -> None:
        part(tmp_path, **columns)
        write_wet(part_paths(tmp_path))
        _, (_, headers, text) = records(tmp_path / "wet" / "wet-1.warc.wet.gz")
        assert (headers["WARC-Target-URI"], text) == (uri, "It rained.\n")
        assert "X" not in headers
        assert "WARC-Refers-To" not in headers

    def test_warcio_finds_no_fault_in_a_file_that_is_written_once(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        part(tmp_path)
        write_wet(part_paths(tmp_path))
        path = tmp_path / "wet" / "wet-1.warc.wet.gz"
        before = path.stat().st_mtime_ns
        write_wet(part_paths(tmp_path))
        assert path.stat().st_mtime_ns == before
        arguments = type("Arguments", (), {"inputs": [str(path)], "verbose": True})
        assert Checker(arguments).process_all() == 0
        assert "digest pass" in capsys.readouterr().out
