from __future__ import annotations

import numpy as np
from helpers.pages import snapshot

from vclean.features.element_names import ElementNames, class_hashes, name_hashes, path_signature, tag_hashes


def paths_of(html, tags):
    page = snapshot(html)
    return path_signature(page, tag_hashes(page))[page.is_tag(tags)]


class TestNameHashes:
    def test_the_same_on_every_machine(self):
        """Check stored values: models depend on these numbers, so they must not change."""
        assert name_hashes(["div"]).tolist() == [0x38766EAEBDC6BE09]

    def test_no_names(self):
        assert name_hashes([]).tolist() == []

    def test_64_bits(self):
        numbers = name_hashes([f"name-{index}" for index in range(1000)]).tolist()
        assert len(set(numbers)) == 1000
        assert max(numbers) >= 2**63
        assert max(numbers) < 2**64

    def test_accepts_lone_surrogates(self):
        one, two = name_hashes(["a\ud800", "a"])
        assert one != two


class TestTagHashes:
    def test_by_tag(self):
        page = snapshot("<p>a</p><p class=x>b</p><b>c</b>")
        hashes = tag_hashes(page)
        assert len(np.unique(hashes[page.is_tag(("p",))])) == 1
        assert hashes[page.is_tag(("b",))] == name_hashes(["b"])


class TestClassHashes:
    def test_is_the_sum_of_the_names(self):
        page = snapshot("<p class='b a b' id=c>x")
        assert class_hashes(ElementNames.from_snapshot(page))[-1:] == name_hashes(["p", "a", "b"]).sum(keepdims=True)


class TestPathSignature:
    def test_equal_chains(self):
        one, two = paths_of("<div><p><b>x</b></p></div><div><i>y</i><p><b>z</b></p></div>", ("b",))
        assert one == two
