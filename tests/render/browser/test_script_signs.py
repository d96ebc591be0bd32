"""Signs that a page waits for its scripts."""

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.page import Resource
from vclean.render.browser.script_signs import better, sign_of_waiting
from vclean.render.rendered_page import Rendering

URL = "https://example.org/dir/page.html"
STORY = "<p>" + "The mill stood by the river. " * 40 + "</p>"
PANEL = "<p class=panel hidden>The panel of the keeper of the mill</p>"
SHOWS = "document.querySelector('.panel').hidden = false"
ALL = "all its scripts are at hand"
MUCH = "much text is hidden before scripts run"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"{STORY}{PANEL}<script>{SHOWS}; x.addEventListener</script>", ALL),
        (f"{STORY}<fold-out>Text</fold-out><script>customElements.define('fold-out', X)</script>", ALL),
        (f"{STORY}<script>{SHOWS}; x.addEventListener</script>", ALL),
        (f"{STORY}{PANEL}<b onclick='this.nextSibling.hidden = 0'>More</b>", ALL),
        (f"{STORY}<nav>{PANEL}</nav><script>{SHOWS}; x.addEventListener</script>", ALL),
        (f"{STORY}<b onclick='this.style = 0'>More</b>", ""),
        (f"<html hidden>{STORY}<script src=a.js></script>", ""),
        (f"{STORY}{PANEL}<script src='http://[a/b.js'></script>", ""),
        (f"<div hidden>{STORY}</div><script>start()</script>", "most text is hidden before scripts run"),
        ("<div id=app>Loading</div><script>start(app)</script>", "the page has little text before its scripts run"),
        (f"{STORY}{PANEL}<script>log('panel')</script>", ""),
        (f"{STORY}{PANEL}<script type=application/json>'panel'; addEventListener</script>", ""),
        (f"{STORY}{PANEL}<script src=missing.js></script>", ""),
        (f"<div hidden>{STORY}</div>", ""),
    ],
)
def test_sign_of_waiting(html: str, expected: str) -> None:
    assert sign_of_waiting(snapshot(html, URL), html, None, network=False) == expected


def test_a_page_without_its_external_scripts_shows_no_sign() -> None:
    html = f"{STORY}{PANEL * 3}<b onclick='this.nextSibling.hidden = 0'>More</b><script>{SHOWS}; x.onclick</script>"
    missing = f"{html}<script src=a.js></script>"
    assert sign_of_waiting(snapshot(html, URL), html, None, network=False) == ALL
    assert sign_of_waiting(snapshot(html, URL), missing, None, network=False) == ""


def test_scripts_of_resources_and_of_the_network() -> None:
    html = f"{STORY}{PANEL}<script src=a.js></script>"
    resources = {"https://example.org/dir/a.js": Resource(f"{SHOWS}; x.onclick".encode(), "text/javascript")}
    assert sign_of_waiting(snapshot(html, URL), html, resources, network=False) == ALL
    assert sign_of_waiting(snapshot(html, URL), html, None, network=True) == ""
    nothing_hidden = html.replace(" hidden", "")
    assert sign_of_waiting(snapshot(nothing_hidden, URL), nothing_hidden, resources, network=False) == ""
    long = f"{STORY}<div hidden>{STORY[:400]}</div><script src=a.js></script>"
    assert sign_of_waiting(snapshot(long, URL), long, None, network=True) == MUCH


def test_a_script_beside_missing_ones_enhances_the_page() -> None:
    resources = {"https://example.org/dir/a.js": Resource(b"customElements.define('fold-out', X)", "text/javascript")}
    html = f"{STORY}<fold-out>Text</fold-out><script src=a.js></script><script src=missing.js></script>"
    assert sign_of_waiting(snapshot(html, URL), html, resources, network=False) == "a script enhances the page"
    root = f"<html class='a no-js'>{html.replace('fold-out', 'p')}<script>root.classList.remove('no-js')</script>"
    assert sign_of_waiting(snapshot(root, URL), root, resources, network=False) == "a script enhances the page"


@pytest.mark.parametrize(
    ("again", "revealed", "is_better"),
    [
        (STORY + STORY, [], True),
        (STORY + PANEL, [], True),
        (f"{STORY[:700]}</p><p hidden>{STORY[700:]}</p>", [], True),
        (f"{STORY[:400]}</p><p hidden>{STORY[400:]}</p>", [], False),
        (f"{STORY}<div hidden>{STORY * 3}</div>", [], False),
        (f"{STORY}<div hidden>{STORY * 3}</div>", [1], True),
        (STORY[:700], [], False),
        (PANEL, [0], False),
    ],
)
def test_better(again: str, revealed: list[int], is_better: bool) -> None:
    first, second = (Rendering(snapshot(html)) for html in (STORY + PANEL, again))
    object.__setattr__(second.snapshot, "revealed", np.array(revealed, dtype=np.int32))
    chosen = better(first, second, "sign")
    assert chosen.snapshot.notes == (("sign; rendered with them",) if is_better else ())
    assert (chosen is first) == (not is_better)
