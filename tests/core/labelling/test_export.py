from __future__ import annotations

import json
from math import nan
from pathlib import Path

import pytest
from helpers.labelled import labelled, page, session

from vclean.errors import InputError, OutputError
from vclean.labelling.export import agreement_report, cohens_kappa, export, read_gold
from vclean.labelling.session import Status
from vclean.labels import PartKind, Role


def put(project: Path, name: str) -> None:
    """Write the gold of a page that is done, without its snapshot."""
    made = session(project, page(name))
    made.set_status(0, Status.DONE)


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
    def test_report(self) -> None:
        one = labelled("hppo", annotator="anna", parts=[PartKind.TITLE, None, None, None])
        other = labelled(
            "hpoo", annotator="ben", parts=[None, PartKind.TITLE, None, None], roles=[None, None, Role.AD, None]
        )
        assert agreement_report([one], [other]).splitlines() == [
            "anna and ben: 1 page, 4 blocks, same label 75.0%",
            "  kappa labels    0.636",
            "  kappa content   0.500",
            "  kappa h         1.000",
            "  kappa p         0.500",
            "  kappa l             - undefined: both give the same value to every block",
            "  kappa c             - undefined: both give the same value to every block",
            "  kappa o         0.500",
            "  kappa roles     0.000",
            "  kappa parts    -0.333",
            "a.html:",
            '  h - title | h -  /html[1]/p[0]  "word0"',
            '  p - | p - title  /html[1]/p[1]  "word1"',
            '  p - | o ad  /html[1]/p[2]  "word2"',
        ]

    def test_no_common_page(self) -> None:
        with pytest.raises(InputError, match="no page is done by both"):
            agreement_report([labelled("h", name="a")], [labelled("h", name="b")])

    def test_no_common_block(self) -> None:
        report = agreement_report([labelled("h", texts=["One"])], [labelled("h", texts=["Two"])])
        assert report.count("undefined: they have no block in common") == 9
