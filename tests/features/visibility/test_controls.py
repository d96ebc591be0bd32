"""Which hidden texts a reader can open, by attributes alone: pages that were not rendered."""

import pytest
from helpers.pages import snapshot

from vclean.features.visibility.text_visibility import text_visibility
from vclean.labels import Visibility

HIDDEN = "<div hidden class=x id=x>Panel</div>"


def panel(html: str) -> str:
    """Return how the text "Panel" of a page is seen."""
    page = snapshot(html)
    seen = text_visibility(page).visibility.tolist()
    (code,) = {code for text, code in zip(page.texts, seen, strict=True) if text.strip() == "Panel"}
    return Visibility(code).name.lower()


@pytest.mark.parametrize(
    "html",
    [
        f"<button aria-controls='y x'>More</button>{HIDDEN}",
        f"<a href=#x>More</a>{HIDDEN}",
        f"<a data-toggle=collapse data-target=.x>More</a>{HIDDEN}",
        f"<button popovertarget=x>More</button>{HIDDEN}",
        f"<h2><button aria-expanded=false>More</button></h2>{HIDDEN}",
        "<button class=toggle>More</button><div hidden>Panel</div>",
        "<button>More</button><div hidden class=accordion-body>Panel</div>",
        "<input type=checkbox id=c hidden><label for=c>More</label><div hidden>Panel</div>",
        "<label>More<input type=checkbox id=c></label><div hidden class=collapse>Panel</div><button>B</button>",
        "<div class=tabs><div class=pane>Text</div><div class=pane hidden>Panel</div><button>Next</button></div>",
        "<details><summary>More</summary><p>Panel</p></details>",
        "<p hidden=until-found>Panel",
        "<label><input type=checkbox> More</label><div hidden>Panel</div>",
        "<div class=faq__question>Who?</div><div hidden class=faq__answer>Panel</div>",
        "<nav class=tabs><button>A</button><button>B</button></nav><div>Text</div><div hidden>Panel</div>",
        "<h5 class=toggle_title>More</h5><div hidden class=toggle_content>Panel</div>",
        "<p>Text <b>of three</b> dots <span hidden>Panel</span></p><button>Read more</button>",
        "<div><p>Text</p><p hidden>Panel</p><a href=#><span>Weiterlesen »</span></a></div>",
        "<swiper-container><swiper-slide>Text</swiper-slide><swiper-slide hidden>Panel</swiper-slide>"
        "</swiper-container>",
        "<p>Text</p><button>Show details</button><div hidden>Panel</div>",
        "<p>Text</p><div hidden>Panel</div><p><a href=#>Show 3 more comments</a></p>",
        "<div class='ui accordion'><div>What is it?</div><div hidden>Panel</div></div>",
        "<div class=tabs><ul><li><a>A</a><li><a>B</a></ul></div><p class=t>Text</p><p class=t hidden>Panel",
        "<div class=tab-nav>A</div><div class=tab-nav>B</div><div class=tab-pane>Text</div>"
        "<div class=tab-pane hidden>Panel</div>",
        "<div class=a><input type=button value=Show onclick='this.parentNode.nextSibling.hidden = 0'></div>"
        "<div hidden>Panel</div>",
        "<p><button>A</button><button>B</button></p><div>Text</div><div hidden>Panel</div>",
        "<select><option>A<option>B</select><div class=c>Text</div><div class=c hidden>Panel</div>",
        "<button>Menu</button><div class=drawer hidden>Panel</div>",
        "<div hidden>Panel</div><button>View transcript</button>",
        "<p class=spoiler style='color: transparent'>Panel",
        "<p role=button aria-expanded=false><span style='filter: blur(12px)'>Panel</span>",
        "<p style='opacity:0;transform:translateY(24px)'>Panel",
        "<ul role=tree><li role=treeitem aria-expanded=false>Root<ul hidden><li>Panel</ul></ul>",
    ],
)
def test_opened_by_a_control(html: str) -> None:
    assert panel(html) == "revealable"


@pytest.mark.parametrize(
    "html",
    [
        HIDDEN,
        f"<button aria-controls=x hidden>More</button>{HIDDEN}",
        f"<button aria-controls=y aria-expanded=false>More</button>{HIDDEN}",
        "<p class=spoiler hidden>Panel",
        "<p><button>A</button><button>B</button><button>C</button></p><div>Text</div><div hidden>Panel</div>",
        "<p><button>A</button><button>B</button></p><div>Text</div><div class=c hidden>Panel</div>",
        "<p style='opacity:0;transform:translateX(-9999px)'>Panel",
        f"<button aria-controls=z>More</button>{HIDDEN}",
        "<button>Subscribe</button><div hidden>Panel</div>",
        "<a href=/more>More</a><div hidden>Panel</div>",
        "<div hidden><button aria-controls=x>More</button><p id=x>Panel</p></div>",
        "<div class=slide>Text</div><div class=slide hidden>Panel</div>",
        "<details hidden><summary>More</summary><p>Panel</p></details>",
        "<details><summary hidden>More</summary><p>Panel</p></details>",
        "<p>Text <span hidden>Panel</span></p><a href=/story>Read more</a>",
        "<p>Text <span hidden>Panel</span></p><button hidden>Read more</button>",
        "<button>Read more</button><p>Text</p><p>Text</p><p>Text</p><p>Text</p><p>Text</p><div hidden>Panel</div>",
        "<label><input type=checkbox> More</label><p>Text</p><div hidden>Panel</div>",
        "<nav class=tabs><button>A</button></nav><div>Text</div><p>A<p>B<p>C</p><div hidden>Panel</div>",
        "<li aria-expanded=true>Root<ul hidden><li>Panel</ul>",
        "<input type=checkbox id=c hidden><div hidden>Panel</div>",
        f"<div class=accordion><div>{'Words of a text. ' * 20}</div><div hidden>Panel</div></div>",
        "<div class=accordion><div hidden>Panel</div></div>",
        "<a href=/x>Show details</a><div hidden>Panel</div>",
    ],
)
def test_not_opened(html: str) -> None:
    assert panel(html) == "hidden"
