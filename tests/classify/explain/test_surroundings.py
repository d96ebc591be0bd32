from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import context_of, laid_out, snapshot

from vclean.classify.content import stacking
from vclean.classify.content.model import load
from vclean.classify.content.stacking import COLUMNS, LinearModel
from vclean.classify.explain import phrases
from vclean.classify.explain.phrases import INDEX, MAX_TOKENS, GroupPhrases
from vclean.classify.explain.reasons import GROUPS, divide_contributions
from vclean.classify.prediction import Prediction
from vclean.features import hashed_tokens, matrix
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext

LONG = "Nobody in the town could remember a summer in which it had rained as long and as hard as in this one, ever. "
PAGE = f"""<div id=top><ul class="menu main"><li><a>Home</a><li><a>News</a></ul></div>
<article><h1>Rain</h1><p>{LONG}<p>{LONG}<p>{LONG}</article><footer><p>Imprint</footer>"""


def phrases_of(page, **values):
    """Return the phrases of a page's blocks; `values` by column replace those of all blocks."""
    context = PageContext(extract_blocks(page))
    features = matrix.extract(context.blocks)
    nothing = np.zeros(len(context), dtype=np.float32)
    x = stacking.stack_columns(features, nothing, nothing)
    for name, value in values.items():
        x[:, INDEX[name]] = value
    return GroupPhrases(context, x, np.zeros(x.shape), load().linear, Prediction([], nothing))


class TestContainer:
    @pytest.mark.parametrize(
        ("block", "level", "name"),
        [(0, 1, "ul.menu (2 blocks)"), (3, 1, "article#main (4 blocks)"), (0, 3, "the whole page")],
    )
    def test_names_tag_and_class_or_id(self, block: int, level: int, name: str) -> None:
        page = PAGE.replace("<article>", "<article id=main class=post>")
        assert phrases_of(snapshot(page)).container(block, level) == name


class TestFont:
    def test_size_and_weight(self) -> None:
        texts = phrases_of(laid_out(PAGE, styles={"h1": {"font-size": "23px", "font-weight": "700"}}))
        assert [texts.font(block) for block in (2, 3)] == ["23 px bold", "16 px"]
        assert phrases_of(snapshot(PAGE)).font(0) == ""


class TestMainText:
    def test_position_relative_to_the_main_text(self) -> None:
        texts = phrases_of(snapshot(PAGE))
        texts = [texts.main_text(block) for block in range(7)]
        assert texts[0].endswith("before the main text")
        assert texts[2:6] == ["inside the main text"] * 4
        assert texts[6] == "1 block after the main text"


class TestSelector:
    def test_uses_the_first_non_empty_class(self) -> None:
        page = snapshot('<div class=" a b "><section class="" id=" "><p>x')
        texts = phrases_of(page)
        tags = [page.tags[tag] for tag in page.tag.tolist()]
        assert [texts.selector(tags.index(tag)) for tag in ("div", "section", "p")] == ["div.a", "section", "p"]


TOKENS_PAGE = '<div class="sideBar menu" id=left><p>Sign up for free news now</p></div>'


def weighted(page, **weights):
    """Return a model with weights for some names (`path`) and words (`word`) of the only block."""
    model = LinearModel(
        np.zeros(2 * hashed_tokens.BUCKETS, dtype=np.float32),
        0.0,
        np.zeros(hashed_tokens.BUCKETS, dtype=np.float32),
        0.0,
    )
    known = {"path": hashed_tokens.path_names(page, 0), "word": hashed_tokens.word_names(page, 0)}
    for score, token_weights in weights.items():
        for name, weight in token_weights.items():
            bucket = next(bucket for token, bucket in known[score] if token.lower() == name)
            getattr(model, score)[bucket] = weight
    return model


class TestTokens:
    @pytest.mark.parametrize(
        ("score", "weights", "expected"),
        [
            ("path", {"sidebar": -1, "menu": -2}, ["menu", "sidebar"]),
            ("path", {"<div>": 1.0, "side": 0.9}, ["<div>", "side"]),
            ("word", {"sign": -1}, ["sign"]),
        ],
    )
    def test_strongest_evidence_comes_first(self, score: str, weights: dict[str, float], expected: list[str]) -> None:
        sign = min(weights.values())
        assert self.tokens(score, sign, weights) == expected

    def test_limits_their_number(self) -> None:
        weights = dict.fromkeys(("sign", "up", "free", "news", "now"), 1)
        assert len(self.tokens("word", 1, weights)) == MAX_TOKENS

    @staticmethod
    def tokens(score: str, sign: float, weights: dict[str, float]) -> list[str]:
        page = context_of(TOKENS_PAGE)
        linear = weighted(page, **{score: weights})
        return GroupPhrases(page, rows({}), rows({}), linear, Prediction([], np.zeros(0))).tokens(0, score, sign)


def rows(*values):
    """Return one row per dictionary of values by column, 0 elsewhere."""
    array = np.zeros((len(values), len(COLUMNS)), dtype=np.float32)
    for row, named in enumerate(values):
        for name, value in named.items():
            array[row, INDEX[name]] = value
    return array


class TestDivideContributions:
    @pytest.mark.parametrize(
        ("path", "word", "share"), [(-3, -1, 0.75), (3, -1, 0.75), (0, 2, 0), (0, 0, 0.5), (np.nan, 1, 0)]
    )
    def test_divides_in_proportion_to_absolute_scores(self, path: float, word: float, share: float) -> None:
        x = rows({"path_score": path, "word_score": word, "page_blocks": 9})
        divided = divide_contributions(x, rows({"both_score": 2.0}).astype(float), {})[0][0]
        assert divided[INDEX["path_score"]] == pytest.approx(2 * share)
        assert divided[INDEX["word_score"]] == pytest.approx(2 - 2 * share)
        assert divided[INDEX["both_score"]] == 0

    @pytest.mark.parametrize(
        ("contributions", "expected"),
        [
            (
                {"in_link": 1.0, "link_share": -3.0, "words": 0.5, "both_-1": 2.0},
                {"links": -2, "length and punctuation": 0.5, "neighbors": 2},
            ),
            ({"page_words": 1.0, "holder50_depth": 1.0}, {phrases.PAGE: 1, "main text": 1}),
            (
                {"up2_headings": 1.0, "path_up3": 3.0, "up1_headings": 2.0},
                {phrases.CONTAINERS: 2, phrases.PAGE: 4},  # the second and third subtree are the page
            ),
        ],
    )
    def test_sums_columns_of_a_group(self, contributions, expected) -> None:
        x = rows({"page_blocks": 10, "up1_blocks": 4, "up2_blocks": 10, "up3_blocks": 10})
        columns, sums = divide_contributions(x, rows(contributions).astype(float), {})
        assert {group: value for group, value in zip(GROUPS, sums[0].tolist(), strict=True) if value} == expected
        assert not columns[0, [INDEX["up2_headings"], INDEX["path_up3"]]].any()
