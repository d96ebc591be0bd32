from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.corpora.marked import strip_marks
from vclean.classify.regions.dataset import ROLE_CODES, RegionRows, marked_rows
from vclean.classify.regions.model import CLASSES, NONE, posterior
from vclean.classify.training import regions as region_model
from vclean.classify.training.regions import NONE_WEIGHT, STYLED_WEIGHT, RegionFits, fit
from vclean.errors import InputError
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.features.regions.columns import COLUMNS
from vclean.labels import Role

WORDS = ["river", "ferry", "bridge", "rope", "village", "winter", "council", "bell"]


def page(number, **options):
    """Return the rows of a page with a marked menu, a marked article, and unmarked text."""
    menu = "".join(f"<li><a href=/{word}>{word}</a>" for word in WORDS[: 3 + number % 4])
    text = "".join(f"<p>The {word} was here, and so were {number} others, they said.</p>" for word in WORDS[:4])
    html = f"""<div data-block-type=Menu data-block=1><ul>{menu}</ul></div>
    <div data-block-type=Article data-block=1><h1>The {WORDS[number % 8]}</h1>{text}</div><p>End"""
    stripped, marks = strip_marks(html)
    return marked_rows(
        PageContext(extract_blocks(snapshot(stripped))), marks, **({"site": f"site{number}.example"} | options)
    )


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(region_model, "PARAMETERS", region_model.PARAMETERS | {"min_data_in_leaf": 2})
    monkeypatch.setattr(region_model, "ROUNDS", 12)


@pytest.fixture(scope="module")
def pages():
    return [page(number) for number in range(12)]


class TestFit:
    def test_learns_roles(self, pages):
        booster = fit(pages[:10])
        probabilities = posterior(booster, pages[11].x).argmax(axis=1)
        assert probabilities[:2].tolist() == [ROLE_CODES[Role.NAVIGATION], ROLE_CODES[Role.ARTICLE]]
        assert (probabilities[2:] == NONE).mean() > 0.7

    def test_is_deterministic(self, pages):
        assert fit(pages).text == fit(pages).text


class TestPosterior:
    def test_probabilities(self, pages):
        probabilities = posterior(fit(pages), pages[0].x)
        assert probabilities.shape == (len(pages[0]), CLASSES)
        assert probabilities.dtype == np.float32
        assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(probabilities)), abs=1e-4)

    def test_no_containers(self, pages):
        assert posterior(fit(pages), np.zeros((0, len(COLUMNS)), dtype=np.float32)).shape == (0, CLASSES)


class TestWeights:
    def rows(self, roles, site="a", by_hand=True):
        role = np.array(roles, dtype=np.int8)
        return RegionRows(site, by_hand, np.zeros((len(role), len(COLUMNS)), dtype=np.float32), role)

    def test_negatives_weigh_less(self):
        assert region_model._weights([self.rows([0, NONE])]).tolist() == pytest.approx([1, NONE_WEIGHT])

    def test_generated_marks_weigh_less(self):
        weights = region_model._weights([self.rows([0], by_hand=False)])
        assert weights.tolist() == pytest.approx([STYLED_WEIGHT])

    def test_limits_the_weight_of_a_site(self):
        many = [self.rows([0] * 50, by_hand=False) for _ in range(4)]
        other = self.rows([0], site="b", by_hand=False)
        weights = region_model._weights([*many, other])
        assert weights[:-1].sum() == pytest.approx(STYLED_WEIGHT * region_model.SITE_REGIONS, rel=1e-4)
        assert weights[-1] == pytest.approx(STYLED_WEIGHT)


class TestRegionFits:
    def test_model_of_a_site_excludes_the_site(self, pages):
        fits = RegionFits.from_rows(pages)
        model = fits.for_site("site3.example").text
        together = [site for site in fits.held_out if fits.held_out[site] is fits.held_out["site3.example"]]
        assert "site3.example" in together
        assert model == fit([rows for rows in pages if rows.site not in together]).text

    def test_other_sites_use_the_full_model(self, pages):
        fits = RegionFits.from_rows(pages)
        assert fits.for_site("elsewhere.example") is fits.full
        assert fits.full.text == fit(pages).text

    def test_generated_pages_are_in_each_model(self, pages):
        fits = RegionFits.from_rows([*pages, page(20, site="docs.example", by_hand=False)])
        assert fits.for_site("docs.example") is fits.full
        assert "docs.example" not in fits.held_out

    def test_rejects_a_single_site(self, pages):
        with pytest.raises(InputError, match="too few marked pages"):
            RegionFits.from_rows([pages[0], pages[0]])

    def test_accepts_two_sites(self, pages):
        fits = RegionFits.from_rows(pages[:2])
        assert fits.for_site("site0.example").text == fit(pages[1:2]).text

    def test_one_model_per_fold(self, pages):
        fits = RegionFits.from_rows(pages)
        assert len({id(model) for model in fits.held_out.values()}) == region_model.FOLDS
