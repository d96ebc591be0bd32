"""Build records of invented pages, for tests of reports."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from helpers.pages import laid_out
from vclean.classify.corpora.gold import GoldPage
from vclean.classify.evaluation.evaluate import PageEvaluation, score_page
from vclean.compare.records import ErrorAnalysis
from vclean.features.blocks import extract_blocks
from vclean.labels import LABELS, Label


def codes(labels):
    """Return the codes of the labels of a string such as "hpo"; ? is content of unknown type."""
    return np.array([-1 if letter == "?" else LABELS.index(Label(letter)) for letter in labels], dtype=np.int8)


def page_record(name, *, text="", gold="word", method="one", predicted="", truth="", confidence=None, **facts):
    """Return the result of `method` on the page `name`; with a confidence, kept blocks have .9, others .1."""
    page = GoldPage(corpus=facts.pop("corpus", "news"), id=name, text=gold, page_type=facts.pop("page_type", ""))
    score = score_page(page, text, text)
    labels, true = codes(predicted), codes(truth)
    if confidence is not None:
        probability = np.where(labels == LABELS.index(Label.OTHER), 0.1, 0.9).astype(np.float32)
        facts |= {"confidence": confidence, "probability": probability, "block_words": np.ones(len(predicted))}
    rest = {"url": "", "language": "en", "words": len(gold.split()), "error": ""} | facts
    return PageEvaluation(
        corpus=page.corpus,
        id=name,
        page_type=page.page_type,
        method=method,
        text=text,
        cleaneval=text,
        score=score,
        predicted=labels,
        gold=true,
        **rest,
    )


def error_analysis(evaluation, html, image=b""):
    """Return the error analysis of a page."""
    return ErrorAnalysis(evaluation, extract_blocks(laid_out(html)), image)


def screenshot(width=800, height=400, color="white"):
    """Return an image of one color, as PNG."""
    file = io.BytesIO()
    Image.new("RGB", (width, height), color).save(file, "PNG")
    return file.getvalue()
