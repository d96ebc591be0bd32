from __future__ import annotations

import pytest
from lxml import etree

from vclean.compare import plots
from vclean.html_pages import environment

BINS = [{"count": 4, "predicted": 0.1, "observed": 0.0}, {"count": 100, "predicted": 0.9, "observed": 0.8}]


def drawn(plot, macro="figure"):
    macros = environment("vclean.compare").get_template("plots.html").module
    return etree.fromstring(getattr(macros, macro)(plot).strip())


def titles(figure):
    return [element.text for element in figure.iterfind("svg//title")][1:]


def figures(figure):
    return [["".join(cell.itertext()) for cell in row] for row in figure.iterfind(".//tbody/tr")]


def described(figure):
    """Return the title and the description of a plot."""
    svg = figure.find("svg")
    by_id = {element.get("id"): element.text for element in svg.iter() if element.get("id")}
    return [by_id[name] for name in svg.get("aria-labelledby").split()]


class TestByGroup:
    def test_draws_marker_for_each_group_and_method(self):
        groups = {"article": {"one": (0.9, 0.8, 1.0), "two": (0.5, 0.45, 0.55)}, "forum": {"one": (0.7, 0.6, 0.8)}}
        figure = drawn(plots.by_group("F1 by type", ["one", "two"], groups, {"article": 12, "forum": 1234}))
        assert titles(figure) == [
            "article (12), one: 0.900 (0.800 to 1.000)",
            "article (12), two: 0.500 (0.450 to 0.550)",
            "forum (1234), one: 0.700 (0.600 to 0.800)",
        ]
        assert figures(figure)[2] == ["forum", "1,234", "one", "0.700", "0.600", "0.800"]
        assert described(figure)[0] == "F1 by type"
        assert "article: one 0.900, two 0.500" in described(figure)[1]

    def test_higher_scores_are_further_right(self):
        groups = {"a": {"one": (0.5, 0.4, 0.6)}, "b": {"one": (0.9, 0.85, 0.95)}}
        low, high = drawn(plots.by_group("t", ["one"], groups, {"a": 1, "b": 1})).iterfind("svg/circle")
        assert float(low.get("cx")) < float(high.get("cx"))
        assert float(low.get("cy")) < float(high.get("cy"))

    def test_axis_begins_below_lowest_interval(self):
        figure = drawn(plots.by_group("t", ["one"], {"a": {"one": (0.75, 0.61, 0.9)}}, {"a": 1}))
        ticks = [text.text for text in figure.iterfind("svg/g/text")]
        assert ticks == ["0.6", "0.7", "0.8", "0.9", "1.0"]

    def test_marker_does_not_depend_on_other_methods(self):
        figure = drawn(plots.by_group("t", ["one", "two"], {"a": {"two": (0.9, 0.8, 1.0)}}, {"a": 1}))
        assert figure.find("svg/circle") is None
        assert figure.find("svg/polygon").get("class") == "mark s1"

    def test_axis_for_perfect_scores(self):
        figure = drawn(plots.by_group("t", ["one"], {"a": {"one": (1.0, 1.0, 1.0)}}, {"a": 1}))
        assert [text.text for text in figure.iterfind("svg/g/text")] == ["0.9", "1.0"]


class TestReliability:
    def test_calibrated_bins_are_on_diagonal(self):
        figure = drawn(
            plots.reliability(
                "Blocks", {"one": [{"count": 3, "predicted": 0.5, "observed": 0.5}]}, "predicted", "observed"
            )
        )
        mark, line = figure.find("svg/circle"), figure.find("svg/line[@class='diagonal']")
        x, y = (float(mark.get(name)) for name in ("cx", "cy"))
        x1, y1, x2, y2 = (float(line.get(name)) for name in ("x1", "y1", "x2", "y2"))
        assert (x - x1) / (x2 - x1) == pytest.approx((y - y1) / (y2 - y1))

    def test_larger_bin_has_larger_marker(self):
        few, many = drawn(plots.reliability("Blocks", {"one": BINS}, "predicted", "observed")).iterfind("svg/circle")
        assert float(few.get("r")) < float(many.get("r"))

    def test_describes_mean_distance(self):
        figure = drawn(plots.reliability("Blocks", {"one": BINS}, "predicted", "observed"))
        assert described(figure)[1] == "Mean distance from the diagonal one: 0.100"
        assert figures(figure)[1] == ["one", "100", "0.900", "0.800"]

    def test_methods_differ_in_their_markers(self):
        figure = drawn(plots.reliability("Blocks", dict.fromkeys("abcdefg", BINS), "predicted", "observed"))
        shapes = [
            mark.get("points") or "circle" for mark in figure.iterfind("svg/*[@class]") if "mark" in mark.get("class")
        ]
        assert len(set(shapes[::2])) == plots.SERIES

    def test_no_bins(self):
        assert figures(drawn(plots.reliability("Blocks", {"one": []}, "predicted", "observed"))) == []


class TestDistribution:
    def test_bars_count_pages(self):
        figure = drawn(plots.distribution("Pages", {"one": [0.0, 0.97, 1.0], "two": [0.52]}))
        bars = {
            text: float(bar.get("height")) for bar in figure.iterfind("svg/rect") for text in [bar.findtext("title")]
        }
        assert bars["0.95 to 1.00: 2 pages"] == 2 * bars["0.00 to 0.05: 1 page"] > 0
        assert figures(figure)[-1] == ["0.95 to 1.00", "2", "0"]
        assert figures(figure)[10] == ["0.50 to 0.55", "0", "1"]

    def test_shows_mean_and_median(self):
        figure = drawn(plots.distribution("Pages", {"one": [0.0, 0.9, 0.9]}))
        assert described(figure)[1] == "one: median 0.900"
        assert "one: mean 0.600, median 0.900" in [text.text for text in figure.iterfind("svg/text")]


class TestLegend:
    def test_empty_for_one_method(self):
        assert plots.legend(["one"]) == []

    def test_has_marker_for_each_method(self):
        items = drawn(plots.legend(["one", "two"]), "legend").findall("li")
        assert ["".join(item.itertext()) for item in items] == ["one", "two"]
        assert [item.find("svg")[0].tag for item in items] == ["circle", "polygon"]
