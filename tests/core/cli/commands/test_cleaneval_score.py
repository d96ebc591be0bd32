from __future__ import annotations

import json

import pytest

from vclean.cli.main import main

GOLD = "<h>Cats\n<p>Cats sleep."
PREDICTED = "<p>Cats\n<p>Cats sleep well."
BY_HAND = (pytest.approx(100 * 6 / 7), pytest.approx(100 * 8 / 11))
"""3 words in common of 3 and 4; with marks, `cats <p> cats sleep` of 5 and 6."""


@pytest.fixture
def files(tmp_path):
    def write(**texts):
        for name, text in texts.items():
            path = tmp_path / name.replace("__", "/").replace("_txt", ".txt")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


def scored(capsys, *arguments):
    code = main(["cleaneval-score", *map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


class TestTwoFiles:
    def test_by_hand(self, files, capsys):
        folder = files(g_txt=GOLD, p_txt=PREDICTED)
        code, output = scored(capsys, folder / "g.txt", folder / "p.txt")
        assert code == 0
        assert (output["text"], output["markup"]) == BY_HAND
        assert [page["name"] for page in output["pages"]] == ["g.txt"]

    @pytest.mark.parametrize(
        "frame", ["<text id='1' title='Cats &amp; more'>\n{}\n</text>\n", " URL: http://a.b/c\n{}"]
    )
    def test_ignores_header_and_footer_of_files_of_2007(self, files, capsys, frame):
        folder = files(g_txt=frame.format(GOLD), p_txt=GOLD)
        assert scored(capsys, folder / "g.txt", folder / "p.txt")[1]["markup"] == 100

    def test_gold_without_marks(self, files, capsys):
        folder = files(g_txt="a b", p_txt="a b")
        main(["cleaneval-score", str(folder / "g.txt"), str(folder / "p.txt")])
        assert capsys.readouterr().out.splitlines()[1].split() == ["g.txt", "100.00", "-"]


class TestTwoFolders:
    def test_pairs_files_with_other_suffixes(self, files, capsys):
        folder = files(g__1_txt=GOLD)
        (folder / "p").mkdir()
        (folder / "p" / "1.cleaneval").write_text(GOLD)
        assert scored(capsys, folder / "g", folder / "p")[1]["text"] == 100

    def test_scores_missing_file_as_empty(self, files, capsys):
        folder = files(g__1_txt=GOLD, g__2_txt=GOLD, p__1_txt=GOLD)
        assert main(["cleaneval-score", str(folder / "g"), str(folder / "p")]) == 1
        lines = capsys.readouterr().out.splitlines()
        assert lines[2].split() == ["2.txt", "0.00", "0.00", "no", "file"]
        assert lines[3].split() == ["mean", "of", "2", "50.00", "50.00"]


class TestErrors:
    @pytest.mark.parametrize(
        ("gold", "predicted", "reason"),
        [
            ("none.txt", "p.txt", "cannot read"),
            ("g.txt", "none.txt", "does not exist"),
            ("empty", "g", "no file in"),
            ("empty", "g.txt", "give two files, or two folders"),
        ],
    )
    def test_one_line(self, files, capsys, gold, predicted, reason):
        folder = files(g_txt=GOLD, p_txt=GOLD, g__1_txt=GOLD)
        (folder / "empty").mkdir()
        assert main(["cleaneval-score", str(folder / gold), str(folder / predicted)]) == 3
        error = capsys.readouterr().err
        assert reason in error
        assert error.count("\n") == 1
