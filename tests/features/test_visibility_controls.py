"""Which hidden texts a reader can open, by attributes alone: pages that were not rendered."""

import pytest
from helpers.pages import snapshot

from vclean.features.visibility import text_visibility
from vclean.labels import Visibility

HIDDEN = "<div hidden class=x id=x>Panel</div>"


def panel(html: str) -> str:
    """Return how the text "Panel" of a page is seen."""
    page = snapshot(html)
    seen = text_visibility(page).tolist()
    (code,) = {code for text, code in zip(page.texts, seen, strict=True) if text.strip() == "Panel"}
    return Visibility(code).name.lower()


@pytest.mark.parametrize(
    "html",
    [
        f"<button aria-controls='y x'>More</button>{HIDDEN}",
        f"<a href=#x>More</a>{HIDDEN}",
        f"<button popovertarget=x>More</button>{HIDDEN}",
        f"<button commandfor=x>More</button>{HIDDEN}",
        f"<button uk-toggle='target: #x'>More</button>{HIDDEN}",
        f"<button data-open=x>More</button>{HIDDEN}",
        f"<span role=button aria-details=x>Note</span><p>Text</p>{HIDDEN}",
        f"<a href='javascript:void(0)' onclick=\"toggle('x')\">More</a>{HIDDEN}",
        f"<button aria-controls=y aria-expanded=false>More</button>{HIDDEN}",
        f"<div hidden>{HIDDEN}</div><button aria-controls=x>More</button>",
        "<button aria-controls=x>A</button><div id=x hidden>A</div><button aria-controls=x>B</button>"
        "<div id=x hidden>Panel</div>",
        "<div hidden>Panel</div><button aria-expanded=false>Show</button>",
        "<button aria-controls=a>A</button><div id=a hidden><button aria-controls=x>B</button>"
        "<div id=x hidden>Panel</div></div>",
        "<div><input type=radio id=a><input type=radio id=b><p><label for=a>A</label><label for=b>B</label></p>"
        "<div><p>Text</p><p hidden>Panel</p></div></div>",
        "<ul role=tablist><li role=tab>A<li role=tab>B</ul><div role=tabpanel>Text</div>"
        "<section><div role=tabpanel hidden>Panel</div></section>",
        f"<h2><button aria-expanded=false>More</button></h2>{HIDDEN}",
        "<input type=checkbox id=c hidden><label for=c>More</label><div hidden>Panel</div>",
        "<label>More<input type=checkbox id=c></label><div hidden class=collapse>Panel</div><button>B</button>",
        "<details><summary>More</summary><p>Panel</p></details>",
        "<p hidden=until-found>Panel",
        "<label><input type=checkbox> More</label><div hidden>Panel</div>",
        "<ul role=tree><li role=treeitem aria-expanded=false>Root<ul hidden><li>Panel</ul></ul>",
    ],
)
def test_opened_by_a_control(html: str) -> None:
    assert panel(html) == "revealable"


@pytest.mark.parametrize(
    "html",
    [
        HIDDEN,
        f"<button class=toggle>More</button>{HIDDEN}",
        f"<h3 class=accordion-title>More</h3>{HIDDEN}",
        f"<p data-open=x>Text</p>{HIDDEN}",
        f"<button aria-describedby=x>More</button>{HIDDEN}",
        "<header><button aria-expanded=false>Menu</button></header><main><p>Text</p><p hidden>Panel</p></main>",
        "<a href=#m>Skip</a><main id=m><p>Text</p><p hidden>Panel</p></main>",
        "<button aria-controls=m aria-expanded=true>A</button><main id=m><p>Text</p><p hidden>Panel</p></main>",
        "<details open><summary>A</summary><p>Text<p hidden>Panel</details>",
        "<details><summary>A <i hidden>Panel</i></summary><p>Text</details>",
        "<input type=checkbox id=c><label for=c>Menu</label><main><p>Text</p><p hidden>Panel</p></main>",
        "<div role=tab>A</div><div role=tabpanel>Text</div><div role=tabpanel hidden>Panel</div>",
        f"<button aria-controls=x hidden>More</button>{HIDDEN}",
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
        f"<div>{'Words of a text. ' * 20}<button aria-expanded=false>More</button></div>{HIDDEN}",
        "<input type=checkbox id=c hidden><div hidden>Panel</div>",
        f"<div class=accordion><div>{'Words of a text. ' * 20}</div><div hidden>Panel</div></div>",
        "<div class=accordion><div hidden>Panel</div></div>",
        "<a href=/x>Show details</a><div hidden>Panel</div>",
        "<nav><a href=/x>A</a><a href=/y>B</a></nav><div>Text</div><div hidden>Panel</div>",
    ],
)
def test_not_opened(html: str) -> None:
    assert panel(html) == "hidden"
