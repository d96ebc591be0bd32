from __future__ import annotations

import re
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers.labelled import labelled, without_browser
from lxml import html

from vclean.cli.main import main
from vclean.errors import OutputError
from vclean.labelling import command
from vclean.labelling.export import SUFFIX, read_gold
from vclean.labelling.preparation import Preparer

if TYPE_CHECKING:
    from vclean.labelling.preparation import PreparedPage
    from vclean.page import Page

HTML = "<title>News</title><h1>Rain</h1><p>It rained all day, and then it rained again."


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, which has two pages."""
    folder = tmp_path / "site"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.html").write_text(HTML)
    monkeypatch.chdir(folder)
    return folder


def label(*arguments: str) -> int:
    """Label pages in the project `../p`."""
    return main(["label", *arguments, "-o", "../p"])


@pytest.fixture
def ctrl_c(monkeypatch: pytest.MonkeyPatch):
    """Press Ctrl-C when all pages are prepared, after calling a function with the printed address."""
    seen: list[object] = []

    def press(capfd: pytest.CaptureFixture[str], visit=lambda url: None) -> list[object]:
        def wait() -> None:
            url = re.search(r"http://\S+", capfd.readouterr().err)
            assert url
            seen.append(visit(url[0]))
            raise KeyboardInterrupt

        monkeypatch.setattr(command, "_wait", wait)
        return seen

    return press


def listing(url: str, path: str) -> list[str]:
    """Return the texts of some elements of the list of pages."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        return [element.text_content().strip() for element in html.parse(answer).getroot().iterfind(path)]


def post(url: str, path: str, body: str) -> None:
    request = urllib.request.Request(url + path, body.encode(), {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=10).close()


class TestServe:
    @pytest.fixture(autouse=True)
    def quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        without_browser(monkeypatch)

    def test_serves_pages_until_ctrl_c(self, site: Path, tmp_path: Path, ctrl_c, capfd) -> None:
        def visit(url: str) -> list[str]:
            post(url, "change/0", '{"blocks":[{"block":0,"label":"o"}]}')
            return listing(url, ".//p[@id='count']")

        seen = ctrl_c(capfd, visit)
        assert label(".") == 0
        assert seen == [["0 of 2 done"]]
        assert "the labels are in" in capfd.readouterr().err
        (page,) = read_gold(tmp_path / "p")
        assert (page.blocks[0].annotation.label, page.annotator) == ("o", "me")

    def test_equal_page_names(self, site: Path, tmp_path: Path, ctrl_c, capfd) -> None:
        seen = ctrl_c(capfd, lambda url: [Path(name).name for name in listing(url, ".//tbody[@id='pages']//small")])
        label("a.html", "a.html")
        assert seen == [["a.html", "a.html (2)"]]

    def test_one_of_several_pages_fails(self, site: Path, tmp_path: Path, ctrl_c, capfd) -> None:
        """Print the failure to standard error at once, and show it in the browser."""
        (site / "aa.html").write_text("<p>x" * 100)

        seen = ctrl_c(capfd, lambda url: listing(url, ".//section[@id='failed']//li"))
        assert label(".", "--max-bytes", "200") == 1
        assert seen == [["aa.html is over the limit of 200 bytes: raise it with --max-bytes"]]
        assert len(list((tmp_path / "p" / "pages").glob("*.html"))) == 2

    def test_keeps_prepared_pages_when_run_fails(self, site: Path, tmp_path: Path, monkeypatch) -> None:
        prepare = Preparer.prepare

        def full(self: Preparer, page: Page) -> PreparedPage:
            if page.id.endswith("b.html"):
                raise OutputError("the disk is full")
            return prepare(self, page)

        monkeypatch.setattr(Preparer, "prepare", full)
        assert label(".") == 12
        assert len(list((tmp_path / "p" / "pages").glob("*.html"))) == 1

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["none.html"], 3, ["none.html does not exist: check the name"]),
            (["none.html", "no.html"], 1, ["none.html does not exist", "no.html does not exist"]),
            (["a.html", "--max-bytes", "10"], 5, ["a.html is over the limit of 10 bytes"]),
            ([".", "--max-bytes", "10"], 5, ["a.html is over the limit", "b.html is over the limit"]),
            ([], 3, ["has no pages yet: name some, as in vclean label page.html"]),
        ],
        ids=["one missing", "all missing", "one fails", "all fail", "none named"],
    )
    def test_no_page_to_label(self, site: Path, capfd, *, arguments: list[str], code: int, message: list[str]) -> None:
        """Print a line for each failed page and no address; create no project folder."""
        assert label(*arguments) == code
        lines = capfd.readouterr().err.splitlines()
        assert len(lines) == len(message)
        assert all(part in line for part, line in zip(message, lines, strict=True))
        assert not Path("../p").exists()

    def test_keeps_existing_folder_without_pages_to_label(self, site: Path) -> None:
        """If pages are missing, read no model and write nothing to the project."""
        Path("../p").mkdir()
        Path("../p/notes.txt").touch()
        assert label("none.html", "--model", "none.vclean") == 3
        assert label("none.html", "no.html", "--model", "none.vclean") == 1
        assert list(Path("../p").iterdir()) == [Path("../p/notes.txt")]
        assert label(".", "--max-bytes", "10") == 5
        assert Path("../p/notes.txt").exists()

    def test_rejects_second_server_for_annotator_and_project(self, site: Path, tmp_path: Path, ctrl_c, capfd) -> None:
        seen = ctrl_c(capfd, lambda _: (label("."), capfd.readouterr().err))
        label(".")
        assert seen[0][0] == 2
        assert "another run is writing to" in seen[0][1]

    def test_warns_about_changed_page(self, site: Path, tmp_path: Path, ctrl_c, capfd, caplog) -> None:
        ctrl_c(capfd, lambda url: post(url, "change/0", '{"blocks":[{"block":0,"label":"o"}]}'))
        label("a.html")
        (site / "a.html").write_text(HTML.replace("<h1>Rain", "<h1>Snow"))
        ctrl_c(capfd)
        assert label("a.html") == 0
        change_log = (tmp_path / "p" / "journal" / "me.jsonl").read_text()
        assert change_log.count('"do":"set"') == change_log.count("\n") == 1
        assert "a.html has changed: it lacks 1 labelled block" in caplog.text

    def test_opens_browser_on_request(self, site: Path, tmp_path: Path, ctrl_c, capfd, monkeypatch) -> None:
        opened: list[str] = []
        monkeypatch.setattr("webbrowser.open", opened.append)
        ctrl_c(capfd)
        label(".")
        assert opened == []
        label(".", "--open")
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{43}/", opened[0])


class TestWithoutServer:
    def test_agreement(self, tmp_path: Path, capfd) -> None:
        for name, labels in (("anna", "hp"), ("ben", "ho")):
            (tmp_path / f"{name}{SUFFIX}").write_text(labelled(labels, annotator=name).to_line())
        files = [str(tmp_path / f"{name}{SUFFIX}") for name in ("anna", "ben")]
        assert main(["label", "--agreement", *files]) == 0
        assert capfd.readouterr().out.startswith("anna and ben: 1 page, 2 blocks, same label 50.0%\n")

    def test_agreement_of_a_project_with_two_annotators(self, tmp_path: Path, capfd) -> None:
        for name in ("ben", "me"):
            (tmp_path / f"{name}{SUFFIX}").write_text(labelled("hp", annotator=name).to_line())
        assert main(["label", "--agreement", str(tmp_path), str(tmp_path)]) == 3
        assert "ben and me labelled the same gold: name that of one of them" in capfd.readouterr().err

    def test_export(self, tmp_path: Path, capfd) -> None:
        (tmp_path / "p" / "gold" / "me").mkdir(parents=True)
        (tmp_path / "p" / "gold" / "me" / f"a{SUFFIX}").write_text(labelled("hp").to_line())
        assert main(["label", "-o", str(tmp_path / "p"), "--export", str(tmp_path / "e")]) == 0
        assert capfd.readouterr().out == f"1 page in {tmp_path / 'e'}; 0 unfinished pages left out\n"
        assert [page.id for page in read_gold(tmp_path / "e")] == ["a.html"]
