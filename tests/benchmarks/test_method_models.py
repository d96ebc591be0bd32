from __future__ import annotations

import pytest
from helpers.benchmarks import imported_benchmark, write_corpus

from vclean.classify.corpora.gold import GoldPage

GOLD = "It rained all day in the valley, and nobody minded it at all, for it was warm."


@pytest.fixture(scope="module")
def method_models():
    with imported_benchmark("method_models") as module:
        yield module


@pytest.fixture
def corpus(tmp_path):
    html = f"<h1>Rain</h1><p>{GOLD}</p>".encode()
    pages = [GoldPage(id=str(number), url=f"http://{number}.example/", html=html, text=GOLD) for number in range(12)]
    return write_corpus(tmp_path / "news.parquet", pages)


class TestMain:
    def test_trains_the_same_model_again(self, method_models, corpus, tmp_path):
        arguments = [str(corpus), "--method", "wcc-lm", "--pages", "8", "-o", str(tmp_path)]
        assert method_models.main(arguments) == 0
        first = (tmp_path / "wcc-lm.model").read_bytes()
        assert b'"method": "wcc-lm"' in first
        assert b'"corpora": {"news": 8}' in first
        assert method_models.main(arguments) == 0
        assert (tmp_path / "wcc-lm.model").read_bytes() == first
