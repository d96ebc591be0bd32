from __future__ import annotations

import json
from math import isnan, nan
from pathlib import Path

import pytest
from helpers.labelled import labelled, page

from vclean.errors import InputError, OutputError
from vclean.labelling.export import Agreement, GoldWriter, cohens_kappa, export, read_gold
from vclean.labelling.session import PageAnnotations, Status
from vclean.labels import PartKind, Role


def put(project: Path, name: str) -> None:
    """Write the gold of a page that is done, without its snapshot."""
    GoldWriter(project, "me").write(page(name), PageAnnotations(status=Status.DONE))


def test_ids_that_are_no_file_names(tmp_path: Path) -> None:
    """Write a file for each page, even if their ids are similar."""
    for name in ("https://a.example/?q=1", "https://a.example/?q:1", "../../etc/passwd", "x" * 400, "ä" * 300):
        put(tmp_path, name)
    files = list((tmp_path / "gold" / "me").iterdir())
    assert len(files) == 10
    assert {each.id for each in read_gold(tmp_path / "gold")} >= {"../../etc/passwd", "x" * 400}


def test_export_of_missing_snapshot(tmp_path: Path) -> None:
    put(tmp_path, "a.html")
    with pytest.raises(OutputError, match="cannot write"):
        export(tmp_path, tmp_path / "out")


class TestReadGold:
    def test_rejects_missing_gold(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"no gold in .*: label pages first"):
            read_gold(tmp_path)
        with pytest.raises(InputError, match=r"there is no .*: label pages first"):
            read_gold(tmp_path / "gold.jsonl")

    @pytest.mark.parametrize(
        "damage",
        [b"rubbish", b"[]", b'{"version":1}', b"\xff", b"", {"version": 2}, {"status": "half"}, {"hat": 1},
         {"blocks": [{"xpath": "/p"}]}, {"blocks": [1]}],
        ids=repr,
    )  # fmt: skip
    def test_rejects_damaged_line(self, tmp_path: Path, damage: bytes | dict[str, object]) -> None:
        """Write the damage in place of a line, or of fields of a line."""
        path = tmp_path / "gold.jsonl"
        if isinstance(damage, dict):
            damage = json.dumps(json.loads(labelled("h").to_line()) | damage).encode()
        path.write_bytes(damage + b"\n")
        with pytest.raises(InputError, match=r"gold\.jsonl"):
            read_gold(path)


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [([20, 5, 10, 15], 0.4), ([1, 0, 0, 1], 1), ([0, 1, 1, 0], -1), ([3, 0, 0, 0], nan), ([0] * 4, nan)],
    ids=["observed .7, by chance .5", "perfect", "worse than chance", "chance explains all", "nothing"],
)
def test_kappa_of_counts(counts: list[int], kappa: float) -> None:
    """Give how often two readers answer yes and yes, yes and no, no and yes, no and no."""
    pairs = [pair for pair, count in zip(["yy", "yn", "ny", "nn"], counts, strict=True) for _ in range(count)]
    assert cohens_kappa([(first, second) for first, second in pairs]) == pytest.approx(kappa, nan_ok=True)


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
        assert "  kappa l             - undefined: both give the same value to every block" in lines
        assert "nan" not in "".join(lines)
        assert lines[-2:] == ["a.html:", '  p - | o ad  /html[1]/p[1]  "word1"']

    def test_no_common_block(self) -> None:
        report = Agreement.of([labelled("h", texts=["One"])], [labelled("h", texts=["Two"])]).report()
        assert report.count("undefined: they have no block in common") == 9
