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


def page(number, **how):
    """A page with a menu and an article that are marked, and a part that is not."""
    menu = "".join(f"<li><a href=/{word}>{word}</a>" for word in WORDS[: 3 + number % 4])
    text = "".join(f"<p>The {word} was here, and so were {number} others, they said.</p>" for word in WORDS[:4])
    html = f"""<div data-block-type=Menu data-block=1><ul>{menu}</ul></div>
    <div data-block-type=Article data-block=1><h1>The {WORDS[number % 8]}</h1>{text}</div><p>End"""
    stripped, marks = strip_marks(html)
    return marked_rows(
        PageContext(extract_blocks(snapshot(stripped))), marks, **({"site": f"site{number}.example"} | how)
    )


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(region_model, "PARAMETERS", region_model.PARAMETERS | {"min_data_in_leaf": 2})
    monkeypatch.setattr(region_model, "ROUNDS", 12)


@pytest.fixture(scope="module")
def pages():
    return [page(number) for number in range(12)]


class TestFit:
    def test_it_learns_the_roles(self, pages):
        booster = fit(pages[:10])
        found = posterior(booster, pages[11].x).argmax(axis=1)
        assert found[:2].tolist() == [ROLE_CODES[Role.NAVIGATION], ROLE_CODES[Role.ARTICLE]]
        assert (found[2:] == NONE).mean() > 0.7

    def test_the_same_rows_give_the_same_model(self, pages):
        assert fit(pages).text == fit(pages).text


class TestPosterior:
    def test_probabilities(self, pages):
        found = posterior(fit(pages), pages[0].x)
        assert found.shape == (len(pages[0]), CLASSES)
        assert found.dtype == np.float32
        assert found.sum(axis=1) == pytest.approx(np.ones(len(found)), abs=1e-4)

    def test_no_containers(self, pages):
        assert posterior(fit(pages), np.zeros((0, len(COLUMNS)), dtype=np.float32)).shape == (0, CLASSES)


class TestWeights:
    def rows(self, roles, site="a", by_hand=True):
        role = np.array(roles, dtype=np.int8)
        return RegionRows(site, by_hand, np.zeros((len(role), len(COLUMNS)), dtype=np.float32), role)

    def test_what_is_no_region_weighs_less(self):
        assert region_model._weights([self.rows([0, NONE])]).tolist() == pytest.approx([1, NONE_WEIGHT])

    def test_what_a_generator_marked_weighs_less(self):
        found = region_model._weights([self.rows([0], by_hand=False)])
        assert found.tolist() == pytest.approx([STYLED_WEIGHT])

    def test_all_pages_of_a_generator_together_are_bounded(self):
        many = [self.rows([0] * 50, by_hand=False) for _ in range(4)]
        other = self.rows([0], site="b", by_hand=False)
        found = region_model._weights([*many, other])
        assert found[:-1].sum() == pytest.approx(STYLED_WEIGHT * region_model.SITE_REGIONS, rel=1e-4)
        assert found[-1] == pytest.approx(STYLED_WEIGHT)


class TestRegionFits:
    def test_a_site_is_read_by_a_model_that_did_not_see_it(self, pages):
        fits = RegionFits.from_rows(pages)
        model = fits.for_site("site3.example").text
        together = [site for site in fits.held_out if fits.held_out[site] is fits.held_out["site3.example"]]
        assert "site3.example" in together
        assert model == fit([rows for rows in pages if rows.site not in together]).text

    def test_any_other_site_by_that_of_all_pages(self, pages):
        fits = RegionFits.from_rows(pages)
        assert fits.for_site("elsewhere.example") is fits.full
        assert fits.full.text == fit(pages).text

    def test_generated_pages_teach_every_model(self, pages):
        fits = RegionFits.from_rows([*pages, page(20, site="docs.example", by_hand=False)])
        assert fits.for_site("docs.example") is fits.full
        assert "docs.example" not in fits.held_out

    def test_one_site_is_too_few(self, pages):
        with pytest.raises(InputError, match="too few marked pages"):
            RegionFits.from_rows([pages[0], pages[0]])

    def test_two_sites_are_enough(self, pages):
        fits = RegionFits.from_rows(pages[:2])
        assert fits.for_site("site0.example").text == fit(pages[1:2]).text

    def test_every_fold_leaves_something_out(self, pages):
        fits = RegionFits.from_rows(pages)
        assert len({id(model) for model in fits.held_out.values()}) == region_model.FOLDS
