from __future__ import annotations

from math import isnan

import pytest
from helpers.labelled import labelled

from vclean.errors import InputError
from vclean.labelling.agreement import Agreement, cohens_kappa
from vclean.labelling.store import Status
from vclean.labels import Role


class TestCohensKappa:
    def test_the_textbook_case(self) -> None:
        """Fifty applications read by two readers: 20 yes twice, 15 no twice; observed .7, by chance .5."""
        pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
        assert cohens_kappa(pairs) == pytest.approx(0.4)

    def test_all_the_same(self) -> None:
        assert cohens_kappa([("h", "h"), ("p", "p")]) == 1

    def test_worse_than_chance(self) -> None:
        assert cohens_kappa([("h", "p"), ("p", "h")]) == -1

    @pytest.mark.parametrize("pairs", [[], [("h", "h")] * 3])
    def test_where_chance_explains_all(self, pairs: list[tuple[str, str]]) -> None:
        assert isnan(cohens_kappa(pairs))


class TestAgreement:
    def test_blocks_are_matched_and_those_that_differ_told(self) -> None:
        found = Agreement.of([labelled("hppo", annotator="anna")], [labelled("hpoo", annotator="ben")])
        assert (found.annotators, found.pages, len(found.pairs)) == (("anna", "ben"), 1, 4)
        assert [(pair.xpath, pair.first.label, pair.second.label) for pair in found.differing] == [
            ("/html[1]/p[2]", "p", "o")
        ]

    def test_kappas(self) -> None:
        kappas = Agreement.of([labelled("hppo")], [labelled("hpoo")]).kappas()
        assert list(kappas) == ["labels", "content", "h", "p", "l", "c", "o", "roles"]
        assert (kappas["h"], kappas["p"], kappas["content"]) == (1, pytest.approx(0.5), pytest.approx(0.5))
        assert isnan(kappas["l"])

    def test_roles_count_apart(self) -> None:
        one = labelled("pp", roles=[Role.ARTICLE, Role.AD])
        other = labelled("pp", roles=[Role.ARTICLE, Role.LINKS])
        found = Agreement.of([one], [other])
        assert [pair.xpath for pair in found.differing] == ["/html[1]/p[1]"]
        assert found.kappas()["roles"] == pytest.approx(1 / 3)

    def test_only_pages_both_have_done(self) -> None:
        mine = [labelled("h", name="a"), labelled("h", name="b"), labelled("h", name="c", status=Status.SKIPPED)]
        yours = [labelled("h", name="b"), labelled("h", name="c"), labelled("h", name="a", status=Status.OPEN)]
        assert {pair.page for pair in Agreement.of(mine, yours).pairs} == {"b"}

    def test_no_page_in_common(self) -> None:
        with pytest.raises(InputError, match="no page in common"):
            Agreement.of([labelled("h", name="a")], [labelled("h", name="b")])

    def test_a_page_rendered_otherwise(self) -> None:
        """Blocks that one of them did not see do not count."""
        mine, yours = labelled("hp", texts=["One", "Two"]), labelled("hpo", texts=["Zero", "One", "Two"])
        found = Agreement.of([mine], [yours])
        assert [(pair.text, pair.first.label, pair.second.label) for pair in found.pairs] == [
            ("One", "h", "p"),
            ("Two", "p", "o"),
        ]

    def test_report(self) -> None:
        one, other = labelled("hp", annotator="anna"), labelled("ho", annotator="ben", roles=[None, Role.AD])
        lines = Agreement.of([one], [other]).report().splitlines()
        assert lines[0] == "anna and ben: 1 pages, 2 blocks, same label 50.0%"
        assert "  kappa h         1.000" in lines
        assert lines[-2:] == ["a.html:", '  p - | o ad  /html[1]/p[1]  "word1"']

    def test_what_cannot_be_told_is_not_a_number(self) -> None:
        """Nobody called a block a list item, so chance explains that both did not."""
        lines = Agreement.of([labelled("hp")], [labelled("ho")]).report().splitlines()
        assert "  kappa l             - undefined: both say the same of every block, as they would by chance" in lines
        assert "nan" not in "".join(lines)

    def test_no_block_in_common(self) -> None:
        report = Agreement.of([labelled("h", texts=["One"])], [labelled("h", texts=["Two"])]).report()
        assert report.count("undefined: they have no block in common") == 8

    def test_long_texts_are_cut_and_on_one_line(self) -> None:
        texts = ["a\n" * 100]
        line = Agreement.of([labelled("h", texts=texts)], [labelled("p", texts=texts)]).report().splitlines()[-1]
        assert line.endswith('…"')
        assert len(line) < 100
