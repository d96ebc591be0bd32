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
    def write(texts):
        for name, text in texts.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path

    return write


def scored(capsys, *arguments):
    code = main(["cleaneval-score", *map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


class TestTwoFiles:
    @pytest.mark.parametrize(
        ("gold", "predicted", "text", "markup"),
        [
            (GOLD, PREDICTED, *BY_HAND),
            (f"<text id='1' title='Cats &amp; more'>\n{GOLD}\n</text>\n", GOLD, 100, 100),  # a header of 2007
            (f" URL: http://a.b/c\n{GOLD}", GOLD, 100, 100),
            ("a b", "a b", 100, None),
        ],
    )
    def test_scores(self, files, capsys, *, gold, predicted, text, markup):
        folder = files({"g.txt": gold, "p.txt": predicted})
        code, output = scored(capsys, folder / "g.txt", folder / "p.txt")
        assert (code, output["text"], output["markup"]) == (0, text, markup)
        assert output["pages"] == [{"name": "g.txt", "text": text, "markup": markup, "missing": False}]


class TestTwoFolders:
    def test_pairs_files_with_other_suffixes(self, files, capsys):
        folder = files({"g/1.txt": GOLD, "p/1.cleaneval": GOLD})
        assert scored(capsys, folder / "g", folder / "p")[1]["text"] == 100

    def test_scores_missing_file_as_empty(self, files, capsys):
        folder = files({"g/1.txt": GOLD, "g/2.txt": GOLD, "g/3.txt": "a", "p/1.txt": GOLD, "p/3.txt": "a"})
        assert main(["cleaneval-score", str(folder / "g"), str(folder / "p")]) == 1
        assert [line.split() for line in capsys.readouterr().out.splitlines()[2:]] == [
            ["2.txt", "0.00", "0.00", "no", "file"], ["3.txt", "100.00", "-"],
            ["mean", "of", "3", "66.67", "50.00"],
        ]  # fmt: skip


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
        folder = files({"g.txt": GOLD, "p.txt": GOLD, "g/1.txt": GOLD})
        (folder / "empty").mkdir()
        assert main(["cleaneval-score", str(folder / gold), str(folder / predicted)]) == 3
        error = capsys.readouterr().err
        assert reason in error
        assert error.count("\n") == 1
