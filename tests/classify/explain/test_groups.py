from __future__ import annotations

import numpy as np
import pytest

from vclean.classify.content.stacking import COLUMNS
from vclean.classify.explain import phrases
from vclean.classify.explain.groups import GROUPS, SITE, page_level_columns, share_linear_contributions, sum_by_group

PLACE = {column.name: place for place, column in enumerate(COLUMNS)}


def rows(*values):
    """A row per dictionary of values by column, 0 elsewhere."""
    found = np.zeros((len(values), len(COLUMNS)), dtype=np.float32)
    for row, named in enumerate(values):
        for name, value in named.items():
            found[row, PLACE[name]] = value
    return found


def by_name(sums):
    return {group: round(float(value), 6) for group, value in zip(GROUPS, sums, strict=True) if value}


class TestShared:
    @pytest.mark.parametrize(
        ("path", "word", "share"), [(-3, -1, 0.75), (3, -1, 0.75), (0, 2, 0), (0, 0, 0.5), (np.nan, 1, 0)]
    )
    def test_by_the_size_of_the_two_verdicts(self, path: float, word: float, share: float) -> None:
        x = rows({"path_score": path, "word_score": word})
        found = share_linear_contributions(x, rows({"both_score": 2.0}).astype(float))[0]
        assert found[PLACE["path_score"]] == pytest.approx(2 * share)
        assert found[PLACE["word_score"]] == pytest.approx(2 - 2 * share)
        assert found[PLACE["both_score"]] == 0

    def test_nothing_is_lost(self) -> None:
        generator = np.random.default_rng(5)
        x, size = generator.normal(size=(2, 4, len(COLUMNS)))
        np.testing.assert_allclose(share_linear_contributions(x.astype(np.float32), size).sum(axis=1), size.sum(axis=1))

    def test_what_is_given_stays_as_it_is(self) -> None:
        size = rows({"both_score": 1.0}).astype(float)
        share_linear_contributions(rows({}), size)
        assert size[0, PLACE["both_score"]] == 1


class TestOfPage:
    def test_a_subtree_with_all_blocks_is_the_page(self) -> None:
        x = rows({"page_blocks": 10, "up1_blocks": 4, "up2_blocks": 10, "up3_blocks": 10})
        told = page_level_columns(x)[0]
        assert [
            name for name in ("up1_words", "up2_words", "path_up2", "words", "page_words") if told[PLACE[name]]
        ] == [
            "up2_words",
            "path_up2",
        ]

    def test_where_the_block_is_in_it_is_its_own(self) -> None:
        told = page_level_columns(rows({"page_blocks": 10, "up2_blocks": 10}))[0]
        assert not told[[PLACE["up2_place"], PLACE["up2_depth"]]].any()


class TestByGroup:
    def test_sums_over_the_columns_of_a_group(self) -> None:
        size = rows({"links": 1.0, "link_share": -3.0, "words": 0.5, "both_-1": 2.0}).astype(float)
        sums = sum_by_group(size, np.zeros(size.shape, dtype=bool), None)
        assert by_name(sums[0]) == {"links": -2, "length and punctuation": 0.5, "neighbors": 2}

    def test_what_is_said_of_the_page_is_of_the_page(self) -> None:
        size, of_all = rows({"up2_words": 1.0, "up1_words": 2.0}).astype(float), rows({"up2_words": 1}) > 0
        assert by_name(sum_by_group(size, of_all, None)[0]) == {phrases.CONTAINERS: 2, phrases.PAGE: 1}

    def test_evidence_from_other_pages_of_the_site(self) -> None:
        size = rows({"links": 1.0}, {}).astype(float)
        sums = sum_by_group(size, np.zeros(size.shape, dtype=bool), np.array([0.0, -0.95], dtype=np.float32))
        assert [by_name(row) for row in sums] == [{"links": 1}, {SITE: -0.95}]
