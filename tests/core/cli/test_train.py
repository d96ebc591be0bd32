"""Tests of `vclean train-segments`, and of the learned segmenter in `vclean evaluate-segments`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.archives import record, response
from helpers.marked import marked_html
from helpers.painted import painted
from helpers.renderers import replace_renderer
from helpers.segment_training import quick

from vclean.classify.corpora import marked
from vclean.classify.segments.model import load
from vclean.cli.main import main
from vclean.errors import DeadlineError
from vclean.render.rendered_page import Rendering
from vclean.settings import RenderSettings

pytestmark = pytest.mark.slow

SITES = [f"http://site{number}.example/" for number in range(5)]


@pytest.fixture
def archive(tmp_path):
    """Write an archive of five sites with one page each."""
    path = tmp_path / "marked.warc"
    pages = [record(url, response(marked_html(number).encode())) for number, url in enumerate(SITES)]
    path.write_bytes(b"".join(pages))
    return path


@pytest.fixture(autouse=True)
def renderer(monkeypatch):
    """Replace the browser by a layout from page titles, and make training fast; return the URLs that fail."""
    failing = []

    def render(page, screenshot):
        assert not screenshot
        if page.url in failing:
            raise DeadlineError("the page was not rendered within 30 s: raise --timeout")
        settings = RenderSettings().to_dict()
        return Rendering(replace(painted(page.content, 1000, 1000), url=page.url, settings=settings), None)

    replace_renderer(monkeypatch, render, marked)
    quick(monkeypatch)
    return failing


class TestTrainSegments:
    def test_the_same_pages_give_the_same_file(self, archive, tmp_path, capsys):
        first, second = tmp_path / "first.vclean", tmp_path / "second.vclean"
        for out, options, message in ((first, [], f"vclean: wrote the model to {first}\n"), (second, ["-q"], "")):
            assert main(["train-segments", str(archive), "-o", str(out), *options]) == 0
            assert capsys.readouterr().err == message
        assert first.read_bytes() == second.read_bytes()
        assert load(first).card["pages"] == SITES
        assert load(first).card["archive"] == "marked.warc"

    def test_a_page_that_cannot_be_rendered_is_left_out(self, archive, tmp_path, renderer, capsys):
        renderer.append(SITES[1])
        assert main(["train-segments", str(archive), "-o", str(tmp_path / "m.vclean")]) == 1
        assert f"{SITES[1]} is left out: the page was not rendered within 30 s" in capsys.readouterr().err
        assert SITES[1] not in load(tmp_path / "m.vclean").card["pages"]

    def test_too_few_pages(self, archive, tmp_path, capsys):
        listed = tmp_path / "list.txt"
        listed.write_text(SITES[0])
        assert main(["train-segments", str(archive), "-o", str(tmp_path / "m"), "--pages", str(listed)]) == 3
        assert "too few marked pages" in capsys.readouterr().err
        assert not (tmp_path / "m").exists()

    def test_fails_early_if_file_cannot_be_written(self, tmp_path):
        assert main(["train-segments", str(tmp_path / "none.warc"), "-o", str(tmp_path / "no" / "m")]) == 12


class TestEvaluateLearned:
    def test_cross_validated(self, archive, capsys):
        # Pages that are very similar are segmented correctly by models trained on the other pages.
        options = ["--atoms", "chars", "--level", "1", "--method", "page", "--method", "learned"]
        assert main(["evaluate-segments", str(archive), *options]) == 0
        page, learned = (row.split() for row in capsys.readouterr().out.splitlines()[1:])
        assert (learned[2], learned[3]) == ("learned", "5")
        assert float(learned[6]) > 0.95 > float(page[6])

    def test_rejects_model_trained_on_scored_pages(self, archive, tmp_path, capsys):
        model = tmp_path / "m.vclean"
        assert main(["train-segments", str(archive), "-o", str(model)]) == 0
        assert main(["evaluate-segments", str(archive), "--atoms", "chars", "--method", str(model)]) == 2
        assert f"{model} was trained on {SITES[0]}: score it on other pages" in capsys.readouterr().err
