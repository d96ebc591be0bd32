from __future__ import annotations

from helpers.pages import result, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.labels import Label
from vclean.output.text import to_cleaneval, to_text, units

words = st.text(alphabet="abc é漢\n\t ", max_size=12)
pages = st.lists(st.tuples(words, st.sampled_from(list(Label))), max_size=12)


@given(pages)
def test_words_of_the_content_stay_in_order(page):
    """Find them in the units, in the lines with marks, and in the text."""
    texts, labels = [text for text, _ in page], [label for _, label in page]
    expected = [word for text, label in page if label.is_content for word in text.split()]
    assert [word for unit in units(texts, labels) for word in unit.text.split()] == expected
    marked = to_cleaneval(texts, labels)
    lines = marked.splitlines()
    assert marked == "".join(f"{line}\n" for line in lines)
    assert all(line[:3] in ("<h>", "<p>", "<l>") and line[3:] for line in lines)
    assert to_text(texts, labels).split() == " ".join(line[3:] for line in lines).split() == expected


def test_tabs_separate_cells_and_lines_separate_rows():
    """Layout tables have no rows."""
    html = "<p>Rain</p><table><tr><th>City<th>mm</tr><tr><td>Bergen<td>2,250</tr></table><p>End"
    assert result(snapshot(html), "pppppp").to_text() == "Rain\n\nCity\tmm\nBergen\t2,250\n\nEnd\n"
    html = "<table><tr><td><p>a</p><p>b</p><table><tr><td>c<td>d<tr><td>e<td>f</table></table>"
    assert result(snapshot(html), "pppppp").to_text() == "a\n\nb\n\nc\td\ne\tf\n"
