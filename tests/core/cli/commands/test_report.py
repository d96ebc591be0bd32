"""Run `vclean report` with methods that need no model; page `b` of the corpus fails."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.page_records import screenshot
from helpers.pages import laid_out
from lxml import html

from vclean.classify.prediction import Prediction
from vclean.classify.training import train
from vclean.cli.main import main
from vclean.labels import Label
from vclean.render.browser import renderer
from vclean.render.rendered_page import Rendering

PAGES = {
    "a": ("<ul><li><a href=x>Home</a></ul><p>It rained all day in the valley, and nobody minded.", "It rained all day"),
    "b": ("", "Nothing came of it."),
    "c": ("<p>Sun.</p>", "Sun."),
}


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "small.parquet"
    columns = {
        "id": list(PAGES),
        "url": [f"http://{name}.example/" for name in PAGES],
        "html": [source.encode() for source, _ in PAGES.values()],
        "gold_text": [gold for _, gold in PAGES.values()],
    }
    pq.write_table(pa.table(columns), path)
    return path


@pytest.fixture
def renders(monkeypatch):
    """Replace the browser by a synthetic layout; return the list of rendered pages, with or without screenshot."""
    seen = []

    class FakeRenderer:
        def __init__(self, settings, **_):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def render(self, page, *, screenshot=False):
            seen.append((page.id, screenshot))
            return Rendering(laid_out(page.content.decode(), page.url), shot if screenshot else None)

    shot = screenshot()
    monkeypatch.setattr(renderer, "Renderer", FakeRenderer)
    return seen


@pytest.fixture
def learning(monkeypatch):
    """Replace the cross-validation by predictions that label every block as paragraph."""

    class CrossValidation:
        def __init__(self, table):
            self.table = table

        @classmethod
        def run(cls, table, *, done):
            return cls(table)

        has_conventions = False

        def predictions(self):
            return [
                Prediction([Label.PARAGRAPH] * len(page), page.weight * 0 + 0.9, 0.5, "folds")
                for page in self.table.pages
            ]

    monkeypatch.setattr(train, "CrossValidation", CrossValidation)


def written(path):
    return html.fromstring(path.read_text(encoding="utf-8"))


def text(element):
    return " ".join(" ".join(element.itertext()).split())


class TestWriteReport:
    def test_every_method_is_scored(self, corpus, tmp_path):
        out = tmp_path / "r.html"
        assert main(["report", str(corpus), "--method", "bte", "--method", "text", "-o", str(out)]) == 1
        document = written(out)
        assert document.findtext(".//h1") == "bte, text on small"
        assert "corpora small.parquet pages were parsed cross-validation none" in text(document.find(".//header"))
        assert [text(row[0]) for row in document.iterfind(".//section[@id='failures']//tbody/tr")] == ["b", "b"]

    def test_reports_failed_pages_and_output_file(self, corpus, tmp_path, capsys):
        out = tmp_path / "r.html"
        main(["report", str(corpus), "--method", "bte", "-o", str(out)])
        assert capsys.readouterr().err.splitlines() == [
            f"vclean: wrote the report to {out}",
            f"vclean: 1 of 3 pages failed and count as empty: see {out}",
        ]

    def test_quiet_only_reports_failures(self, corpus, tmp_path, capsys):
        main(["report", str(corpus), "--method", "bte", "-o", str(tmp_path / "r.html"), "-q"])
        (line,) = capsys.readouterr().err.splitlines()
        assert "1 of 3 pages failed" in line

    def test_rendered_pages_have_screenshots_and_overlays(self, corpus, tmp_path, renders):
        out = tmp_path / "r.html"
        assert main(["report", str(corpus), "--method", "text", "--render", "--worst", "2", "-o", str(out)]) == 1
        assert ("a", True) in renders
        (button,) = written(out).findall(".//button[@data-overlay]")
        assert button.get("aria-label") == "Open the overlay of a"

    def test_stores_screenshots_with_snapshots(self, corpus, tmp_path, renders):
        arguments = ["report", str(corpus), "--method", "text", "--render", "--snapshots", str(tmp_path / "kept")]
        for name in ("1.html", "2.html"):
            assert main([*arguments, "-o", str(tmp_path / name)]) == 1
        with_picture = [name for name, shot in renders if shot]
        assert len(with_picture) == len(set(with_picture))
        assert (tmp_path / "1.html").read_bytes() == (tmp_path / "2.html").read_bytes()

    def test_folds_score_parsed_and_rendered_pages_and_show_rendered_ones(self, corpus, tmp_path, renders, learning):
        out = tmp_path / "r.html"
        assert main(["report", str(corpus), "--render", "--folds", "3", "-o", str(out)]) == 1
        document = written(out)
        assert document.findtext(".//h1") == "vclean, unrendered, vclean, rendered on small"
        assert "cross-validation 3 folds by site" in text(document.find(".//header"))
        assert document.find(".//button[@data-overlay]") is not None
        assert "on which vclean, rendered has" in text(document.find(".//section[@id='worst-pages']"))

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [(["--method", "nonsense"], 2), (["--model", "gone.vclean"], 10)],
        ids=["method", "model"],
    )
    def test_rejects_unknown_method_and_missing_model(self, corpus, tmp_path, capsys, arguments, code):
        out = tmp_path / "r.html"
        assert main(["report", str(corpus), "-o", str(out), *arguments]) == code
        assert arguments[-1] in capsys.readouterr().err
        assert not out.exists()
