"""`vclean report` from its arguments to its file, by methods that need no model; page `b` of the corpus fails."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
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
    """A browser that lays pages out as the tests do; what it rendered, and whether with a picture."""
    seen = []

    class FakeRenderer:
        def __init__(self, settings):
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
    """Cross-validation that takes every block for a paragraph."""

    class CrossValidation:
        def __init__(self, table):
            self.table = table

        @classmethod
        def run(cls, table, *, done):
            return cls(table)

        def predictions(self):
            return [
                Prediction([Label.PARAGRAPH] * len(page), page.weight * 0 + 0.9, 0.5, "folds")
                for page in self.table.pages
            ]

    monkeypatch.setattr(train, "CrossValidation", CrossValidation)


def written(path):
    return html.fromstring(path.read_text(encoding="utf-8"))


def text(found):
    return " ".join(" ".join(found.itertext()).split())


class TestWriteReport:
    def test_every_method_is_scored(self, corpus, tmp_path):
        out = tmp_path / "r.html"
        assert main(["report", str(corpus), "--method", "bte", "--method", "text", "-o", str(out)]) == 1
        found = written(out)
        assert found.findtext(".//h1") == "bte, text on small"
        assert "corpora small.parquet pages were parsed cross-validation none" in text(found.find(".//header"))
        assert [text(row[0]) for row in found.iterfind(".//section[@id='failures']//tbody/tr")] == ["b", "b"]

    def test_failed_pages_and_the_file_are_told(self, corpus, tmp_path, capsys):
        out = tmp_path / "r.html"
        main(["report", str(corpus), "--method", "bte", "-o", str(out)])
        assert capsys.readouterr().err.splitlines() == [
            f"vclean: wrote the report to {out}",
            f"vclean: 1 of 3 pages failed and count as empty: {out} says why",
        ]

    def test_quiet_tells_of_failures_alone(self, corpus, tmp_path, capsys):
        main(["report", str(corpus), "--method", "bte", "-o", str(tmp_path / "r.html"), "-q"])
        (line,) = capsys.readouterr().err.splitlines()
        assert "1 of 3 pages failed" in line

    def test_success(self, corpus, tmp_path):
        table = pq.read_table(corpus)
        pq.write_table(table.filter(pc.field("id") != "b"), corpus)
        assert main(["report", str(corpus), "--method", "bte", "-o", str(tmp_path / "r.html")]) == 0

    def test_standard_output_stays_empty_and_equal_runs_give_equal_files(self, corpus, tmp_path, capsys):
        first, second = tmp_path / "1.html", tmp_path / "2.html"
        for out in (first, second):
            assert main(["report", str(corpus), "--method", "bte", "-o", str(out)]) == 1
        assert first.read_bytes() == second.read_bytes()
        assert capsys.readouterr().out == ""

    def test_the_worst_pages_are_those_of_the_first_method(self, corpus, tmp_path):
        out = tmp_path / "r.html"
        given = ["report", str(corpus), "--method", "text", "--method", "bte", "-o", str(out), "--worst", "2"]
        assert main(given) == 1
        cards = [text(card.find(".//h3")) for card in written(out).iterfind(".//li[@class='card']")]
        assert [card.split()[1] for card in cards] == ["b", "a"]

    def test_no_worst_pages_if_none_are_wanted(self, corpus, tmp_path):
        out = tmp_path / "r.html"
        assert main(["report", str(corpus), "--method", "text", "-o", str(out), "--worst", "0"]) == 1
        assert written(out).find(".//section[@id='worst-pages']") is None

    def test_rendered_pages_have_pictures_and_overlays(self, corpus, tmp_path, renders):
        out = tmp_path / "r.html"
        assert main(["report", str(corpus), "--method", "text", "--render", "--worst", "2", "-o", str(out)]) == 1
        assert ("a", True) in renders
        (button,) = written(out).findall(".//button[@data-overlay]")
        assert button.get("aria-label") == "Open the overlay of a"

    def test_pictures_are_kept_with_the_snapshots(self, corpus, tmp_path, renders):
        given = ["report", str(corpus), "--method", "text", "--render", "--snapshots", str(tmp_path / "kept")]
        for name in ("1.html", "2.html"):
            assert main([*given, "-o", str(tmp_path / name)]) == 1
        with_picture = [name for name, shot in renders if shot]
        assert len(with_picture) == len(set(with_picture))
        assert (tmp_path / "1.html").read_bytes() == (tmp_path / "2.html").read_bytes()

    def test_with_folds_both_readings_are_scored_and_the_rendered_one_is_shown(
        self, corpus, tmp_path, renders, learning
    ):
        out = tmp_path / "r.html"
        assert main(["report", str(corpus), "--render", "--folds", "3", "-o", str(out)]) == 1
        found = written(out)
        assert found.findtext(".//h1") == "vclean, unrendered, vclean, rendered on small"
        assert "cross-validation 3 folds by site" in text(found.find(".//header"))
        assert found.find(".//button[@data-overlay]") is not None
        assert "on which vclean, rendered has" in text(found.find(".//section[@id='worst-pages']"))

    def test_a_file_that_cannot_be_written_is_found_first(self, corpus, tmp_path, capsys):
        assert main(["report", str(corpus), "-o", str(tmp_path / "none" / "r.html")]) == 12
        assert "create the folder first" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("given", "code"), [(["--method", "nonsense"], 2), (["--model", "gone.vclean"], 10)], ids=["method", "model"]
    )
    def test_what_is_not_there(self, corpus, tmp_path, capsys, given, code):
        out = tmp_path / "r.html"
        assert main(["report", str(corpus), "-o", str(out), *given]) == code
        assert given[-1] in capsys.readouterr().err
        assert not out.exists()

    def test_a_missing_corpus(self, tmp_path, capsys):
        assert main(["report", str(tmp_path / "gone.parquet"), "--method", "text", "-o", str(tmp_path / "r.html")]) == 3
        assert "gone.parquet does not exist" in capsys.readouterr().err
