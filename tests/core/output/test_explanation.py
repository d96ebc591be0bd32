from __future__ import annotations

import json
import re
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from helpers.pages import parsed, result, snapshot

import vclean
from vclean.api import Cleaner
from vclean.classify.explain import reasons
from vclean.classify.explain.reasons import RULE, Explanation, Reason
from vclean.cli import main
from vclean.cli.commands import clean
from vclean.errors import DeadlineError, UsageError
from vclean.labels import Role
from vclean.output.source_positions import SourcePosition
from vclean.page import Page
from vclean.page_reader import PageReader
from vclean.pipeline import Pipeline
from vclean.render.browser import renderer
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse
from vclean.result import Result
from vclean.settings import CleanerSettings

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """<title>Rain</title><nav class=menu><a href=/>Home</a></nav>
<article><h1>Rain in the valley</h1>
<p>It rained for a week, and nobody in town was surprised that the cellars of the old houses filled.</p>
<p>On Sunday the sun came out, and people carried their furniture into the street to let it dry.</p></article>"""

REASONS = (
    [Reason(RULE, "kept at 0.40: the threshold of this page is 0.40", 0.0), Reason("links", "no links", 0.5)],
    [Reason("links", "link share 0.92", -1.234)],
)
CONTRIBUTIONS = np.array([[0.5, 0.25], [-1.234, 0.0]])
EXPLANATION = Explanation(
    REASONS, ("links", "words"), CONTRIBUTIONS, -3.5, 0.4, -2.85, np.array([0.1, -1.884]), ["", "headline"]
)


@pytest.fixture
def explained():
    """Return an explained result with a kept and a dropped block."""
    return result(
        snapshot("<p>One\n two<p>Three"),
        "po",
        id="a.html",
        explanation=EXPLANATION,
        positions=[SourcePosition(3, 7), None],
        roles=[Role.ARTICLE, None],
    )


class TestToExplanation:
    def test_a_line_for_the_page_each_block_and_each_reason(self, explained) -> None:
        assert explained.to_explanation().splitlines() == [
            "a.html: 1 of 2 blocks kept, threshold 0.40, log odds of the average block -3.50",
            '+ p 0.90 article line 3:7 /html[1]/body[1]/p[1] "One two"',
            "          rule: kept at 0.40: the threshold of this page is 0.40",
            "    +0.50 links: no links",
            "    +0.10 sum: base -3.50, all groups +0.75, threshold +2.85",
            '- o 0.10 none no line /html[1]/body[1]/p[2] "Three"',
            "    -1.23 links: link share 0.92",
            "    -1.88 sum: base -3.50, all groups -1.23, threshold +2.85; overruled by the rule headline",
        ]

    def test_without_roles_positions_and_contributions(self) -> None:
        bare = result(snapshot("<p>One"), "p", explanation=Explanation([[]]))
        assert bare.to_explanation().splitlines() == [
            "page: 1 of 1 block kept",
            '+ p 0.90 no line /html[1]/body[1]/p[1] "One"',
        ]

    def test_truncates_long_texts_and_removes_control_characters(self) -> None:
        page = result(snapshot("<p>\x1b[31mred " + "word " * 90), "p", explanation=Explanation([[]]))
        line = page.to_explanation().splitlines()[1]
        assert line.endswith('…"')
        assert "\x1b" not in line
        assert len(line) < 120

    def test_a_page_without_blocks(self) -> None:
        empty = result(snapshot("<p>"), "")
        assert replace(empty, explanation=Explanation([])).to_explanation() == "page: 0 of 0 blocks kept\n"

    def test_without_explanation(self) -> None:
        with pytest.raises(UsageError, match="explain=True"):
            _ = result(snapshot("<p>One"), "p").to_explanation()


class TestRecord:
    def test_contributions(self, explained) -> None:
        record = json.loads(explained.to_json())
        assert record["explanation"] == {"base": -3.5, "threshold": 0.4, "least_log_odds": -2.85}
        first, second = record["blocks"]
        assert first["source"] == {"line": 3, "column": 7}
        assert second["source"] is None
        assert first["log_odds"] == -2.75
        assert [(block["margin"], block["overruled_by"]) for block in (first, second)] == [
            (0.1, None),
            (-1.884, "headline"),
        ]
        assert first["contributions"] == {"links": 0.5, "words": 0.25}
        assert second["contributions"] == {"links": -1.234}
        assert second["reasons"] == [{"group": "links", "text": "link share 0.92", "contribution": -1.234}]

    def test_rules_have_their_name(self) -> None:
        reasons = json.loads(vclean.clean(PAGE, method="bte", explain=True).to_json())["blocks"][0]["reasons"]
        assert [reason["rule"] for reason in reasons] == ["method"]

    def test_no_fields_without_explanation(self, explained) -> None:
        record = json.loads(replace(explained, explanation=None).to_json())
        assert "explanation" not in record
        assert not {"reasons", "source", "contributions", "log_odds"} & set(record["blocks"][0])

    def test_method_without_contributions(self) -> None:
        result = vclean.clean(PAGE, method="bte", explain=True)
        record = json.loads(result.to_json())
        assert record["explanation"] == {"base": None, "threshold": None, "least_log_odds": None}
        assert (record["blocks"][0]["margin"], record["blocks"][0]["overruled_by"]) == (None, None)
        assert record["blocks"][0]["contributions"] == {}
        assert record["blocks"][0]["log_odds"] is None
        assert "bte" in record["blocks"][0]["reasons"][0]["text"]


class TestCleaner:
    def test_explains_on_request(self) -> None:
        assert vclean.clean(PAGE).explanation is None
        assert vclean.clean(PAGE).blocks[0].reasons == ()
        assert vclean.clean(PAGE).positions == ()
        result = vclean.clean(PAGE, explain=True)
        assert len(result.blocks) == 4
        assert all(block.reasons for block in result.blocks)
        assert [block.source for block in result.blocks] == [
            SourcePosition(1, 46),
            SourcePosition(2, 14),
            SourcePosition(3, 4),
            SourcePosition(4, 4),
        ]

    def test_the_labels_are_the_same(self) -> None:
        assert vclean.clean(PAGE, explain=True).to_cleaneval() == vclean.clean(PAGE).to_cleaneval()

    def test_the_pages_of_a_site(self) -> None:
        """Report repeated text as a reason, and the position of each block."""
        pages = [Page(content=PAGE.replace("rained", what), id=what) for what in ("snowed", "hailed", "rained")]
        with Cleaner(explain=True) as cleaner:
            results = list(cleaner.clean_many(pages, same_site=True))
        column = results[0].explanation.groups.index("site")
        assert all((page.explanation.contributions[:2, column] < 0).all() for page in results)
        assert all(page.explanation.contributions[2, column] == 0 for page in results)
        assert all(page.blocks[0].source == SourcePosition(1, 46) for page in results)

    def test_explain_only_some_pages(self) -> None:
        with Pipeline(CleanerSettings(explain=True)) as pipeline:
            blocks = pipeline.read_blocks(Page(content=PAGE))
            assert pipeline.label(blocks, explain=False).explanation is None
            assert pipeline.label(blocks).explanation is not None


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return path


class TestCommand:
    def test_replaces_text(self, page: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main.main([str(page), "--explain"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert re.fullmatch(r".*page\.html: \d of 4 blocks kept, threshold 0\.\d\d, log odds .*", lines[0])
        blocks = [line for line in lines if line[0] in "+-"]
        assert [line.split(" line ")[1].split()[0] for line in blocks] == ["1:46", "2:14", "3:4", "4:4"]
        assert all(
            re.fullmatch(r"    ([+-]\d+\.\d\d|     ) [a-z ]+: .+", line) for line in lines[1:] if line not in blocks
        )

    def test_contributions_as_json(self, page: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main.main([str(page), "--explain", "-f", "json"]) == 0
        record = json.loads(capsys.readouterr().out)
        block, base = record["blocks"][0], record["explanation"]["base"]
        assert block["source"] == {"line": 1, "column": 46}
        assert block["log_odds"] == pytest.approx(base + sum(block["contributions"].values()), abs=0.05)

    def test_several_pages_into_a_folder(self, page: Path, tmp_path: Path) -> None:
        (tmp_path / "other.html").write_text("<p>Other")
        assert main.main([str(page), str(tmp_path / "other.html"), "--explain", "-o", str(tmp_path / "out")]) == 0
        assert {path.name for path in (tmp_path / "out").iterdir()} == {"page.txt", "other.txt"}

    def test_a_site(self, page: Path, capsys: pytest.CaptureFixture[str]) -> None:
        page.with_name("b.html").write_text(PAGE.replace("rained", "snowed"))
        assert main.main([str(page.parent), "--same-site", "--explain"]) == 0
        assert "also on other pages of the site" in capsys.readouterr().out

    def test_another_format_is_refused(self, page: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main.main([str(page), "--explain", "-f", "text"]) == 2
        assert "leave out -f text" in capsys.readouterr().err


class TestHtmlOverlay:
    """Reasons are shown without --explain, unless they take too long; no page fails because of them."""

    def explored(self, page: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> list[Result]:
        drawn: list[Result] = []
        monkeypatch.setattr(renderer, "Renderer", lambda *_, **__: nullcontext())
        monkeypatch.setattr(PageReader, "read", lambda _, page, screenshot: Rendering(parse(page)))
        monkeypatch.setattr(Result, "overlay", lambda result, *_: drawn.append(result) or b"")
        assert main.main([str(page), "--overlay", str(page.with_name("x.html")), *options]) == 0
        return drawn

    def test_reasons_without_option(self, page: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
        assert self.explored(page, monkeypatch, "-f", "json")[0].blocks[0].reasons
        record = json.loads(capsys.readouterr().out)
        assert "explanation" not in record

    def test_no_reasons_for_very_many_blocks(self, page: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
        monkeypatch.setattr(clean, "_MAX_EXPLAINED_BLOCKS", 3)
        assert self.explored(page, monkeypatch)[0].explanation is None
        assert "4 blocks take too long to explain" in capsys.readouterr().err

    def test_no_reasons_after_deadline(self, page: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
        def late(*_: object) -> Explanation:
            raise DeadlineError("the time is up")

        monkeypatch.setattr(reasons, "explain", late)
        assert self.explored(page, monkeypatch)[0].explanation is None
        assert "4 blocks take too long to explain" in capsys.readouterr().err
        assert main.main([str(page), "--explain"]) == DeadlineError.exit_code


class TestOptions:
    @pytest.mark.parametrize(
        ("arguments", "explains", "output"),
        [
            ([], False, "markdown"),
            (["--explain"], True, "explanation"),
            (["--explain", "-f", "json"], True, "json"),
            (["--overlay", "x.html"], True, "markdown"),
            (["--overlay", "x.html", "-f", "text"], True, "text"),
            (["--overlay", "x.png"], False, "markdown"),
        ],
    )
    def test_explained_output_of_options(self, arguments: list[str], explains: bool, output: str) -> None:
        options = parsed("page.html", *arguments)
        assert (options.explains, options.output) == (explains, output)
