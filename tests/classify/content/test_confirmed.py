from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.pages import snapshot

from vclean.classify.content.confirmed import ConfirmedPage, address_digest, find_annotations, from_json, to_json
from vclean.classify.content.model import Model, from_bytes, load
from vclean.classify.prediction import Headline
from vclean.errors import ModelError
from vclean.features.blocks import BlockColumns, block_names, extract_blocks
from vclean.labels import Label, PartKind
from vclean.settings import Policy

SENTENCE = "It rained for a week, and nobody in the town by the river was surprised that the cellars filled. "
ITEMS = [f"{SENTENCE}{SENTENCE} Item {number} of the list of damage in the town." for number in range(8)]
HTML = f"""<html lang=en><title>Rain</title><body><nav><a href=/>Home</a></nav><article><h1>Rain in the valley</h1>
<p>{2 * SENTENCE}</p><p>The council met on Monday. {SENTENCE}</p><ul>{"".join(f"<li>{item}" for item in ITEMS)}</ul>
</article><footer>Copyright Saltby</footer>"""
URL = "https://example.org/rain"


def page(html: str = HTML, url: str = URL) -> BlockColumns:
    return extract_blocks(snapshot(html, url))


def names(blocks: BlockColumns) -> list[str]:
    return block_names(blocks.xpath, blocks.text)


def confirmed(blocks: BlockColumns, labels: str, url: str = URL) -> tuple[ConfirmedPage]:
    """Return one page, with confirmed labels for its first blocks."""
    pairs = zip(names(blocks), map(Label, labels), strict=False)
    return (ConfirmedPage(address_digest(url), dict(pairs)),)


class TestAddressDigest:
    def test_ignores_parts_that_do_not_name_a_page(self) -> None:
        variants = ("https://example.org/a?b=1", "http://www.example.org/a/?b=1#c", "https://EXAMPLE.org:443/a?b=1")
        assert len({address_digest(url) for url in variants}) == 1

    def test_depends_on_path_and_query(self) -> None:
        urls = ("https://example.org/a", "https://example.org/b", "https://example.org/a?b", "https://example.com/a")
        assert len({address_digest(url) for url in urls}) == len(urls)

    @pytest.mark.parametrize("url", ["", "page.html", "http://[x"])
    def test_no_address(self, url: str) -> None:
        assert address_digest(url) == ""


class TestFromAnnotations:
    def test_leaves_out_parts_on_which_annotators_differ(self) -> None:
        parts = [{"a": PartKind.TITLE, "b": PartKind.DATE}, {"a": PartKind.POST}]
        assert ConfirmedPage.from_annotations(URL, [], parts).parts == {"b": "date"}


class TestLabels:
    """Confirmed labels of the blocks of a page."""

    def test_same_address(self) -> None:
        assert find_annotations(confirmed(page(), "oh"), page())[0] == {0: "o", 1: "h"}
        assert find_annotations(confirmed(page(), "oh"), page(url="http://www.example.org/rain/"))[0] == {
            0: "o",
            1: "h",
        }

    def test_other_address(self) -> None:
        assert find_annotations(confirmed(page(), "oh" + "p" * 11), page(url="https://example.org/other"))[0] == {}

    @pytest.mark.parametrize(("stored", "current"), [("", ""), ("", URL), (URL, "")])
    def test_same_texts_without_address(self, stored: str, current: str) -> None:
        labels = "oh" + "p" * 10 + "o"
        assert find_annotations(confirmed(page(), labels, stored), page(url=current))[0] == dict(enumerate(labels))

    def test_other_texts_without_address(self) -> None:
        other = page(HTML.replace("cellars", "streets"), "")
        assert find_annotations(confirmed(page(), "oh" + "p" * 10 + "o", ""), other)[0] == {}

    def test_the_most_similar_page_of_an_address(self) -> None:
        other = page("<p>Home<p>Other")
        pages = (*confirmed(other, "pp"), *confirmed(page(), "oh"))
        assert find_annotations(pages, page())[0] == {0: "o", 1: "h"}


class TestJson:
    def test_round_trip(self) -> None:
        parts = {names(page())[1]: PartKind.TITLE}
        pages = tuple(replace(each, parts=parts) for each in confirmed(page(), "ohp"))
        assert from_json(to_json(pages)) == pages

    def test_has_no_address(self) -> None:
        assert "example" not in to_json(confirmed(page(), "ohp"))


@pytest.fixture(scope="module")
def model() -> Model:
    """Return the shipped model with one page: two items of the list are boilerplate, and the footer is content."""
    return replace(load(), confirmed=confirmed(page(), "ohpp" + "loll" + "llol" + "p"))


class TestModel:
    @pytest.mark.parametrize("policy", [Policy(recall_weight=0.05), Policy(recall_weight=8), Policy(comments=False)])
    def test_replaces_labels_under_each_policy(self, model: Model, policy: Policy) -> None:
        assert "".join(model.label(page(), policy=policy).labels) == "ohpp" + "loll" + "llol" + "p"

    @pytest.mark.parametrize(
        ("label", "title", "source"),
        [("o", True, "dropped"), ("h", True, "confirmed"), ("h", False, "confirmed")],
    )
    def test_headline(self, label: str, title: bool, source: str) -> None:
        """Check the headline of a page: neither its rule nor --title out changes a confirmed label."""
        model = replace(load(), confirmed=confirmed(page(), f"o{label}p"))
        prediction = model.label(page(), policy=Policy(title=title))
        assert prediction.labels[1] == label
        assert prediction.headline == Headline("Rain in the valley", 1, source)
        assert list(prediction.confirmed) == [0, 1, 2]

    def test_file_of_the_model(self, model: Model) -> None:
        loaded = from_bytes(model.to_bytes(), "x")
        assert loaded.confirmed == model.confirmed
        assert loaded.version != load().version

    def test_damaged_file(self, model: Model) -> None:
        data = replace(model, confirmed=(ConfirmedPage("", {"a": "x"}),)).to_bytes()
        with pytest.raises(ModelError, match="x is not a vclean model, or is damaged"):
            from_bytes(data, "x")
