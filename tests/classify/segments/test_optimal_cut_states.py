"""Test the states of containers relative to marked segments."""

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


def states(candidates, *names):
    """Return states by id, if the elements called `names` are marked; `?` if they do not follow from marks."""
    snapshot = candidates.snapshot
    ids = snapshot.attributes("id")
    elements = np.array([node for name in names for node, value in ids.items() if value == name], dtype=np.int32)
    states_and_mask = true_states(candidates, elements)
    if states_and_mask is None:
        return None
    return {
        ids.get(node, snapshot.tags[snapshot.tag[node]]): State(state).name + "?" * (not known)
        for node, state, known in zip(candidates.node.tolist(), *map(np.ndarray.tolist, states_and_mask), strict=True)
        if node in ids or node == 0
    }


class TestTrueStates:
    def test_ancestors_of_marked_containers_are_above(self):
        assert states(regions(), "head", "main", "foot") == {
            "html": "ABOVE", "head": "AT", "rest": "ABOVE", "main": "AT", "foot": "AT",
        }  # fmt: skip

    def test_outermost_of_nested_marks_counts(self):
        state_by_id = states(regions(), "head", "rest", "main")
        assert (state_by_id["rest"], state_by_id["main"], state_by_id["foot"]) == ("AT", "BELOW", "BELOW")

    def test_unmarked_sibling_is_a_segment(self):
        state_by_id = states(regions(), "head", "main")
        assert (state_by_id["rest"], state_by_id["foot"]) == ("ABOVE", "AT?")

    def test_unmarked_descendants_are_below(self):
        state_by_id = states(regions(), "head")
        assert (state_by_id["rest"], state_by_id["main"], state_by_id["foot"]) == ("AT?", "BELOW?", "BELOW?")

    def test_ignores_a_mark_of_the_whole_document(self):
        html = HTML.replace("<body>", "<body id=all>")
        assert states(regions(html), "all") is None
        assert states(regions(html), "all", "head")["head"] == "AT"

    def test_ignores_a_mark_without_text(self):
        html = HTML.replace("</body>", "<div id=empty><img></div></body>")
        assert states(regions(html), "empty") is None

    def test_mark_inside_a_chain_of_elements(self):
        html = HTML.replace("<div id=head>", "<div id=head><div id=inner>").replace(
            "</p></div><div id=rest>", "</p></div></div><div id=rest>"
        )
        assert states(regions(html), "inner")["head"] == "AT"

    def test_no_marks(self):
        assert states(regions()) is None
