from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.libraries import require

import vclean

require("datatrove", "datatrove")

from datatrove.data import Document  # noqa: E402
from datatrove.executor import LocalPipelineExecutor  # noqa: E402
from datatrove.pipeline.writers import JsonlWriter  # noqa: E402

from vclean.adapters.datatrove import VcleanExtractor, VcleanStep  # noqa: E402

NEWS = (Path(__file__).parents[3] / "fixtures" / "news" / "page.html").read_text(encoding="utf-8")
URL = "https://example.org/ferry"


def documents() -> list[Document]:
    return [
        Document(text=NEWS, id="news", metadata={"url": URL, "date": "2026"}),
        Document(text=" ", id="empty"),
        Document(text="<script>1</script>", id="scripts"),
    ]


class TestWrongSettings:
    @pytest.mark.parametrize("kind", [VcleanExtractor, VcleanStep])
    def test_are_found_before_the_first_page(self, kind: type[VcleanExtractor] | type[VcleanStep]) -> None:
        with pytest.raises(vclean.UsageError, match="no output format 'pdf'"):
            kind(format="pdf")
        for options, message in (({"model": "none"}, "cannot read the model none"), ({"method": "none"}, "no method")):
            with pytest.raises(vclean.VcleanError, match=message):
                list(kind(**options).run(documents()))


class TestExtractor:
    def test_extract(self) -> None:
        extractor = VcleanExtractor(format="markdown")
        assert extractor.extract(NEWS) == vclean.clean(NEWS).to_markdown()
        assert [extractor.extract(text) for text in ("", " ", "\0\1\2")] == ["", "", ""]

    @pytest.mark.slow
    def test_in_the_process_of_datatrove(self) -> None:
        extractor = VcleanExtractor(timeout=120)
        (document,) = extractor.run(documents())
        assert (document.id, document.text) == ("news", vclean.clean(NEWS).to_text())
        assert [extractor.stats[name].total for name in ("extracted", "dropped")] == [3, 2]

    @pytest.mark.browser
    @pytest.mark.slow
    def test_rendered(self) -> None:
        """Start the browser in a daemonic process, which may have no children by multiprocessing."""
        (document,) = VcleanExtractor(render=True, timeout=120).run(documents()[:1])
        assert document.text.startswith("The last ferry")


class TestStep:
    def test_documents(self) -> None:
        step = VcleanStep()
        (document,) = step.run(documents())
        result = vclean.clean(NEWS, url=URL)
        assert document.text == result.to_text()
        assert (document.metadata["url"], document.metadata["date"]) == (URL, "2026")
        assert document.metadata["vclean_labels"]["h"] == len(result.blocks.where(label="h"))
        assert document.metadata["vclean_title"] == result.to_dict()["title"]
        assert document.metadata["vclean_confidence"] == pytest.approx(result.confidence, abs=1e-4)
        assert step.stats["failed: NotHtmlError"].total == 1
        assert step.stats["dropped"].total == 2

    def test_keep_empty(self) -> None:
        _, scripts = VcleanStep(keep_empty=True).run(documents())
        assert (scripts.text, scripts.metadata["vclean_empty"]) == ("", "needs-scripts")

    def test_without_input(self) -> None:
        assert list(VcleanStep().run(None)) == []

    @pytest.mark.slow
    def test_in_a_pipeline(self, tmp_path: Path) -> None:
        writer = JsonlWriter(str(tmp_path / "out"), compression=None)
        pipeline = [documents(), VcleanStep(), writer]
        LocalPipelineExecutor(pipeline=pipeline, logging_dir=str(tmp_path / "log"), tasks=1).run()
        (line,) = (tmp_path / "out" / "00000.jsonl").read_text(encoding="utf-8").splitlines()
        row = json.loads(line)
        result = vclean.clean(NEWS, url=URL)
        assert row["text"] == result.to_text()
        assert row["metadata"]["vclean_labels"] == {name: len(result.blocks.where(label=name)) for name in "hplco"}
