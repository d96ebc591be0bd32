"""Tests of where containers stand to marked segments."""

from __future__ import annotations

import numpy as np
from helpers.boxed import boxed

from vclean.classify.segments.dataset import true_states
from vclean.classify.segments.optimal_cut import State
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.features.regions.candidates import candidate_regions

HTML = """<body><div id=head><p>One</p><p>Two</p></div><div id=rest><div id=main><p>Three</p><p>Four</p></div>
<div id=foot><p>Five</p><p>Six</p></div></div></body>"""


def regions(html=HTML):
    return candidate_regions(PageContext(extract_blocks(boxed(html))))


def states(found, *names):
    """The states by id, where the elements called `names` are marked; a question mark where the marks do not tell."""
    snapshot = found.snapshot
    ids = snapshot.attributes("id")
    elements = np.array([node for name in names for node, value in ids.items() if value == name], dtype=np.int32)
    told = true_states(found, elements)
    if told is None:
        return None
    return {
        ids.get(node, snapshot.tags[snapshot.tag[node]]): State(state).name + "?" * (not sure)
        for node, state, sure in zip(found.node.tolist(), *map(np.ndarray.tolist, told), strict=True)
        if node in ids or node == 0
    }


class TestTrueStates:
    def test_what_holds_marked_containers_is_above_them(self):
        assert states(regions(), "head", "main", "foot") == {
            "html": "ABOVE", "head": "AT", "rest": "ABOVE", "main": "AT", "foot": "AT",
        }  # fmt: skip

    def test_of_marks_in_each_other_the_outermost_counts(self):
        found = states(regions(), "head", "rest", "main")
        assert (found["rest"], found["main"], found["foot"]) == ("AT", "BELOW", "BELOW")

    def test_what_is_not_marked_stands_beside_as_one(self):
        found = states(regions(), "head", "main")
        assert (found["rest"], found["foot"]) == ("ABOVE", "AT?")

    def test_all_that_is_in_what_is_not_marked_lies_in_it(self):
        found = states(regions(), "head")
        assert (found["rest"], found["main"], found["foot"]) == ("AT?", "BELOW?", "BELOW?")

    def test_a_mark_of_the_whole_document_tells_nothing(self):
        html = HTML.replace("<body>", "<body id=all>")
        assert states(regions(html), "all") is None
        assert states(regions(html), "all", "head")["head"] == "AT"

    def test_a_mark_without_text_tells_nothing(self):
        html = HTML.replace("</body>", "<div id=empty><img></div></body>")
        assert states(regions(html), "empty") is None

    def test_a_mark_inside_a_chain_is_one_of_the_chain(self):
        html = HTML.replace("<div id=head>", "<div id=head><div id=inner>").replace(
            "</p></div><div id=rest>", "</p></div></div><div id=rest>"
        )
        assert states(regions(html), "inner")["head"] == "AT"

    def test_no_marks(self):
        assert states(regions()) is None
