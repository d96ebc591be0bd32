"""Groups of repeated elements."""

from __future__ import annotations

import numpy as np
from helpers.pages import snapshot

from vclean.features.facts.groups import RecordGroups


def groups(html):
    page = snapshot(html)
    record_groups = RecordGroups.find(page)
    return page, record_groups, [record_groups.members(group).tolist() for group in range(len(record_groups))]


class TestFind:
    def test_single_elements_are_no_group(self):
        assert groups("<main><p class=a>x</main>")[2] == []

    def test_groups_have_a_limit(self, monkeypatch):
        monkeypatch.setattr("vclean.features.facts.groups.MAX_RECORDS", 20)
        page, _, members = groups("<div>" + "<p>a</p>" * 21)
        assert members == [np.flatnonzero(page.is_tag(("p",)))[:20].tolist()]


class TestStatistics:
    def test_nested_members_count_once(self):
        page, record_groups, members = groups("<div class=c>a<div class=c>b</div></div><div class=c>c</div>")
        group = members.index(list(page.attributes("class")))
        words = np.zeros(len(page))
        words[list(page.attributes("class"))] = [2, 1, 1]
        assert record_groups.total(words)[group] == 3
        assert record_groups.size[group] == 3
        assert record_groups.count(words > 1)[group] == 1
