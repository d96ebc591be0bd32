from __future__ import annotations

from math import isnan

import pytest
from helpers.labelled import labelled

from vclean.errors import InputError
from vclean.labelling.export import Agreement, cohens_kappa
from vclean.labels import PartKind, Role


class TestCohensKappa:
    def test_textbook_example(self) -> None:
        """Score two readers of fifty applications: both yes 20 times, both no 15 times; observed .7, by chance .5."""
        pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
        assert cohens_kappa(pairs) == pytest.approx(0.4)

    def test_perfect_agreement(self) -> None:
        assert cohens_kappa([("h", "h"), ("p", "p")]) == 1

    def test_worse_than_chance(self) -> None:
        assert cohens_kappa([("h", "p"), ("p", "h")]) == -1

    @pytest.mark.parametrize("pairs", [[], [("h", "h")] * 3])
    def test_undefined_if_chance_explains_all(self, pairs: list[tuple[str, str]]) -> None:
        assert isnan(cohens_kappa(pairs))


class TestAgreement:
    def test_kappas(self) -> None:
        kappas = Agreement.of([labelled("hppo")], [labelled("hpoo")]).kappas()
        assert list(kappas) == ["labels", "content", "h", "p", "l", "c", "o", "roles", "parts"]
        assert (kappas["h"], kappas["p"], kappas["content"]) == (1, pytest.approx(0.5), pytest.approx(0.5))
        assert isnan(kappas["l"])

    def test_compares_parts_separately(self) -> None:
        one = labelled("hp", parts=[PartKind.TITLE, None])
        other = labelled("hp", parts=[None, PartKind.TITLE])
        agreement = Agreement.of([one], [other])
        assert agreement.kappas()["parts"] == -1
        assert agreement.report().splitlines()[-2].split()[:7] == ["h", "-", "title", "|", "h", "-", "/html[1]/p[0]"]

    def test_no_common_page(self) -> None:
        with pytest.raises(InputError, match="no page is done by both"):
            Agreement.of([labelled("h", name="a")], [labelled("h", name="b")])

    def test_report(self) -> None:
        one, other = labelled("hp", annotator="anna"), labelled("ho", annotator="ben", roles=[None, Role.AD])
        lines = Agreement.of([one], [other]).report().splitlines()
        assert lines[0] == "anna and ben: 1 page, 2 blocks, same label 50.0%"
        assert "  kappa h         1.000" in lines
        assert lines[-2:] == ["a.html:", '  p - | o ad  /html[1]/p[1]  "word1"']

    def test_undefined_kappa_is_nan(self) -> None:
        """Label no block as list item, so that chance alone explains the agreement on this label."""
        lines = Agreement.of([labelled("hp")], [labelled("ho")]).report().splitlines()
        assert "  kappa l             - undefined: both give the same value to every block" in lines
        assert "nan" not in "".join(lines)

    def test_no_common_block(self) -> None:
        report = Agreement.of([labelled("h", texts=["One"])], [labelled("h", texts=["Two"])]).report()
        assert report.count("undefined: they have no block in common") == 9
