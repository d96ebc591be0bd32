"""Labels of methods that are not trained, on small pages."""

from __future__ import annotations

import pytest
from helpers.methods import labels_of

from vclean.classify.methods import get
from vclean.features.blocks import extract_blocks

TEXT = "<p>It rained all day in the valley, and nobody minded; it was warm, after all. So it went on.</p>"
HIDDEN = TEXT.replace("<p>", "<p style='display:none'>")
LONG = "It rained without stopping through the whole afternoon, and nobody in town minded much."
WEAK = "It is as it is and so it was as it has to be."
GOOD = "<p>It rained all day in the valley, and nobody who was there minded it, for it was very warm.</p>"
SMALL, ENDLESS = GOOD.replace("It", "it"), GOOD.replace("warm.", "warm")
LINKS = "<p><a href=/>Sport and weather from all over the world</a></p>" * 4
LONG_HEADING = TEXT.replace("p>", "h2>")


def menu(count):
    return "<ul>" + "<li><a href=/>Link text</a></li>" * count + "</ul>"


MENU = menu(6)
DENSE = {
    f"{MENU}<div>{TEXT * 3}</div>{MENU}": "oooooopppoooooo",
    f"{MENU}<div>{TEXT}{HIDDEN}{TEXT}</div>": "oooooopop",
}
PAGES = {
    "bte": {
        f"{MENU}<div><h1>Rain</h1>{TEXT * 3}</div>{MENU}": "ooooooopppoooooo",
        menu(8): "looooooo",  # a menu costs more tags than it has words
        "<p>one two</p><p>one two three</p>": "op",  # a gap of two tags is not worth two words
        "<p>one two three</p><p>one two three</p>": "pp",
        "<div><div><p>one two</p></div></div><div><div><p>one two three</p></div></div>": "op",
    },
    "cetd": DENSE,
    "cetd-text": DENSE,
    "point-density": DENSE,
    "genieknows": {
        f"{menu(3)}<h1>Rain</h1>{TEXT * 9}{menu(3)}": "ooohpppppppppooo",
        f"{TEXT * 9}<p><b>Title</b></p><table><tr><td>cell</td></tr></table><ul><li>item</ul><p hidden>no</p>{TEXT}": (
            "ppppppppphllop"
        ),
    },
    "htmlcleaner": {
        f"{GOOD}{GOOD}{LINKS}{GOOD}<p>x</p>": "ppoooooo",  # does not cross links
        f"<p>x</p>{SMALL}{GOOD}{ENDLESS}<p>y</p>": "oopoo",  # a good sentence has a capital and an end
        f"{GOOD}<h3>Title</h3><p>WEATHER</p>{GOOD}<p>x</p>": "phhpo",
        f"{GOOD}<p hidden>Hidden</p><button>Press</button>{GOOD}<p>x</p>": "poopo",
    },
    "kimatu": {
        f"{MENU}<h1>Rain</h1><h2>A report</h2>{TEXT * 3}<h2>More</h2>{MENU}": "oooooohhpppooooooo",
        # restores runs that are similar to a candidate
        f"{TEXT * 3}<blockquote>x</blockquote><p>Short.</p><div>y</div>{MENU}<div>z</div>": "pppopoooooooo",
        f"{TEXT}{TEXT}<h2>Title</h2>{TEXT}{LONG_HEADING}": "pphpp",  # a long sentence is no heading
    },
    "vips": {
        f"<div>{MENU}</div><hr><div>{TEXT * 3}</div><hr><div>{MENU}</div>": "oooooopppoooooo",
        "<p hidden>One</p>": "o",
    },
    "wcc-baseline": {"<h1>Cats</h1><ul><li>one</ul><p>two<br><br>three</p><p style='display:none'>no</p>": "ppppo"},
    "wcc-heuristic": {
        f"<p>{LONG}</p>": "p",
        f"<h1>Title</h1><p>{LONG}</p>": "hp",
        f"<p>Title</p><p>ab</p><p>{LONG}</p>": "hop",  # a line of 3 characters or fewer is no title
        f"<p>Title</p><p>ab</p><p>ab</p><p>{LONG}</p>": "ooop",  # 3 lines ago is too far
        f"<p>First</p><p>Second</p><p>{LONG}</p>": "ohp",
        f"<p>Title</p><p>{LONG}</p><p>{LONG}</p>": "hpp",
        f"<p>{LONG}</p><p>Last</p>": "po",
        f"<p>{WEAK}</p><p>{LONG}</p>": "hp",  # words of 3 characters or fewer on average
        "<p>Ten words have to be more than that here, ten</p>": "o",
        f"<p>Title</p><p hidden>{LONG}</p>": "oo",
        f"<p>Title</p><p hidden>Hidden</p><p hidden>Hidden</p><p>{LONG}</p>": "hoop",
    },
}


@pytest.mark.parametrize(
    ("method", "html", "labels"),
    [
        pytest.param(method, html, labels, id=f"{method}-{number}")
        for method, pages in PAGES.items()
        for number, (html, labels) in enumerate(pages.items())
    ],
)
def test_labels(method: str, html: str, labels: str) -> None:
    assert labels_of(method, html) == labels


@pytest.mark.browser
@pytest.mark.parametrize("name", ["vips", "template", "cetd"])
def test_rendered_page(snap, name: str, tmp_path) -> None:
    """Keep the text between a menu on the left and an advertisement on the right."""
    template = tmp_path / "main.txt"
    template.write_text("main\n-css:h1")
    blocks = extract_blocks(
        snap(
            "<style>body { margin: 0 } nav { float: left; width: 200px } main { margin: 0 260px; display: block }"
            f"aside {{ position: absolute; right: 0; top: 0; width: 200px }}</style>"
            f"<nav>{menu(3)}</nav><main><h1>Rain</h1>{TEXT * 4}</main><aside><p>Buy now.</p></aside>"
        )
    )
    labels = "".join(get(name, template if name == "template" else None)(blocks).labels)
    assert labels.replace("h", "o") == "oooo" + "pppp" + "o"
