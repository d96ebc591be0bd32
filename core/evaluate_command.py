"""`vclean evaluate`: methods scored on corpora."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from vclean.classify.corpora import read_corpus
from vclean.classify.evaluate import Predictor, Reader, evaluate
from vclean.classify.methods import Method, get
from vclean.files import write_atomic
from vclean.formats import to_cleaneval, to_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.classify.corpora import GoldPage
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import Blocks
    from vclean.options import EvaluateOptions


def score_methods(options: EvaluateOptions) -> int:
    """Score every method on every corpus, print the tables, write the files; the exit code.

    Raises:
        InputError: a corpus is missing or damaged.
        UsageError: there is no such method.
    """
    corpora = [read_corpus(path) for path in options.corpora]
    predictors = {name: _predictor(get(name)) for name in options.methods}
    with _reader(render=options.render) as read:
        report = evaluate(corpora, predictors, read=read, write=_texts)
    sys.stdout.write(report.table() + "\n")
    if options.json:
        write_atomic(options.json, json.dumps(report.to_dict(), indent=1, ensure_ascii=False) + "\n")
    if options.predictions:
        write_atomic(options.predictions, report.predictions())
    return 0


def _predictor(method: Method) -> Predictor:
    def predict(_: GoldPage, blocks: Blocks) -> Prediction:
        return method(blocks)

    return predict


@contextmanager
def _reader(*, render: bool) -> Iterator[Reader]:
    if not render:
        from vclean.render.static import parse

        yield parse
        return
    from vclean.render.browser import Renderer

    with Renderer() as renderer:
        yield lambda page: renderer.render(page).snapshot


def _texts(blocks: Blocks, prediction: Prediction) -> tuple[str, str]:
    return to_text(blocks.text, prediction.labels), to_cleaneval(blocks.text, prediction.labels)
