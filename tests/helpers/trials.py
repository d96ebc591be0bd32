"""Trials of invented pages, for tests of reports."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.evaluation.evaluate import score_page
from vclean.classify.evaluation.reliability import CalibrationSample
from vclean.classify.evaluation.report import PageEvaluation
from vclean.compare.records import Trial
from vclean.labels import LABELS, Label


def codes(labels):
    """The codes of the labels of a string such as "hpo", ? being content of unknown type."""
    return np.array([-1 if letter == "?" else LABELS.index(Label(letter)) for letter in labels], dtype=np.int8)


def trial(name, *, text="", gold="word", method="one", said="", truth="", confidence=None, **facts):
    """What `method` made of the page `name`; with a confidence, blocks that were kept have .9, others .1."""
    page = GoldPage(corpus=facts.pop("corpus", "news"), id=name, text=gold, page_type=facts.pop("page_type", ""))
    score = score_page(page, text, text)
    labels, true = codes(said), codes(truth)
    verdict = confidence and CalibrationSample(
        probability=np.where(labels == LABELS.index(Label.OTHER), 0.1, 0.9).astype(np.float32),
        content=true != LABELS.index(Label.OTHER),
        words=np.ones(len(said), dtype=np.float32),
        confidence=confidence,
        f1=score.word.f1,
    )
    outcome = PageEvaluation(
        corpus=page.corpus,
        id=name,
        page_type=page.page_type,
        method=method,
        text=text,
        cleaneval=text,
        score=score,
        error=facts.pop("error", ""),
        calibration=verdict,
    )
    rest = {"url": "", "language": "en", "words": len(gold.split())} | facts
    return Trial(outcome=outcome, said=labels, gold=true, **rest)


def picture(width=800, height=400, colour="white"):
    """A picture of one colour, as PNG."""
    file = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(file, "PNG")
    return file.getvalue()
