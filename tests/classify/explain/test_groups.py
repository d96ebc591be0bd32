from __future__ import annotations

import numpy as np
import pytest

from vclean.classify.content.stacking import COLUMNS
from vclean.classify.explain import phrases
from vclean.classify.explain.groups import GROUPS, SITE, page_level_columns, share_linear_contributions, sum_by_group

INDEX = {column.name: index for index, column in enumerate(COLUMNS)}


def rows(*values):
    """Return one row per dictionary of values by column, 0 elsewhere."""
    array = np.zeros((len(values), len(COLUMNS)), dtype=np.float32)
    for row, named in enumerate(values):
        for name, value in named.items():
            array[row, INDEX[name]] = value
    return array


def by_name(sums):
    return {group: round(float(value), 6) for group, value in zip(GROUPS, sums, strict=True) if value}


class TestShareLinearContributions:
    @pytest.mark.parametrize(
        ("path", "word", "share"), [(-3, -1, 0.75), (3, -1, 0.75), (0, 2, 0), (0, 0, 0.5), (np.nan, 1, 0)]
    )
    def test_divides_in_proportion_to_absolute_scores(self, path: float, word: float, share: float) -> None:
        x = rows({"path_score": path, "word_score": word})
        divided = share_linear_contributions(x, rows({"both_score": 2.0}).astype(float))[0]
        assert divided[INDEX["path_score"]] == pytest.approx(2 * share)
        assert divided[INDEX["word_score"]] == pytest.approx(2 - 2 * share)
        assert divided[INDEX["both_score"]] == 0

    def test_preserves_sums(self) -> None:
        generator = np.random.default_rng(5)
        x, size = generator.normal(size=(2, 4, len(COLUMNS)))
        np.testing.assert_allclose(share_linear_contributions(x.astype(np.float32), size).sum(axis=1), size.sum(axis=1))

    def test_does_not_modify_its_argument(self) -> None:
        size = rows({"both_score": 1.0}).astype(float)
        share_linear_contributions(rows({}), size)
        assert size[0, INDEX["both_score"]] == 1


class TestPageLevelColumns:
    def test_subtree_with_all_blocks_is_the_page(self) -> None:
        x = rows({"page_blocks": 10, "up1_blocks": 4, "up2_blocks": 10, "up3_blocks": 10})
        is_page_level = page_level_columns(x)[0]
        names = ("up1_headings", "up2_headings", "path_up2", "words", "page_words", "holder50_depth")
        assert [name for name in names if is_page_level[INDEX[name]]] == ["up2_headings", "path_up2"]


class TestSumByGroup:
    def test_sums_columns_of_a_group(self) -> None:
        size = rows({"in_link": 1.0, "link_share": -3.0, "words": 0.5, "both_-1": 2.0}).astype(float)
        sums = sum_by_group(size, np.zeros(size.shape, dtype=bool), None)
        assert by_name(sums[0]) == {"links": -2, "length and punctuation": 0.5, "neighbors": 2}

    def test_each_column_counts_once(self) -> None:
        size = np.eye(len(COLUMNS))
        sums = sum_by_group(size, np.zeros(size.shape, dtype=bool), None)
        assert sums.sum(axis=1).tolist() == [1] * len(COLUMNS)

    def test_page_level_columns_count_for_the_page(self) -> None:
        size = rows({"up2_headings": 1.0, "up1_headings": 2.0}).astype(float)
        is_page_level = rows({"up2_headings": 1}) > 0
        assert by_name(sum_by_group(size, is_page_level, None)[0]) == {phrases.CONTAINERS: 2, phrases.PAGE: 1}

    def test_evidence_is_a_group(self) -> None:
        size = rows({"in_link": 1.0}, {}).astype(float)
        sums = sum_by_group(size, np.zeros(size.shape, dtype=bool), np.array([0.0, -0.95], dtype=np.float32))
        assert [by_name(row) for row in sums] == [{"links": 1}, {SITE: -0.95}]
