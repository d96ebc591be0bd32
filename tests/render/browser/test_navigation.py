"""Signs that a page waits for its scripts."""

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.page import Resource
from vclean.render.browser.navigation import better, sign_of_waiting
from vclean.render.rendered_page import Rendering

URL = "https://example.org/dir/page.html"
STORY = "<p>" + "The mill stood by the river. " * 40 + "</p>"
PANEL = "<p class=panel hidden>The panel of the keeper of the mill</p>"
SHOWS = "document.querySelector('.panel').hidden = false"
ALL = "all its scripts are at hand"
MUCH = "much text is hidden before scripts run"
ENHANCES = "a script enhances the page"


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


READS = f"{SHOWS}; x.onclick"
HANDLED = f"{STORY}{PANEL * 3}<b onclick='this.nextSibling.hidden = 0'>More</b><script>{READS}</script>"
EXTERNAL = "<script src=a.js></script>"
DEFINES = "customElements.define('fold-out', X)"
PARTS = f"{EXTERNAL}<script src=missing.js></script>"


@pytest.mark.parametrize(
    ("html", "script", "network", "expected"),
    [
        (HANDLED, None, False, ALL),
        (HANDLED + EXTERNAL, None, False, ""),
        (f"{STORY}{PANEL}{EXTERNAL}", READS, False, ALL),
        (f"{STORY}{PANEL}{EXTERNAL}", None, True, ""),
        (f"{STORY}{PANEL.replace(' hidden', '')}{EXTERNAL}", READS, False, ""),
        (f"{STORY}<div hidden>{STORY[:400]}</div>{EXTERNAL}", None, True, MUCH),
        (f"{STORY}<fold-out>Text</fold-out>{PARTS}", DEFINES, False, ENHANCES),
        (
            f"<html class='a no-js'>{STORY}<p>Text</p>{PARTS}<script>root.classList.remove('no-js')</script>",
            DEFINES,
            False,
            ENHANCES,
        ),
    ],
)
def test_sign_with_external_scripts(html: str, script: str | None, network: bool, expected: str) -> None:
    resources = script and {"https://example.org/dir/a.js": Resource(script.encode(), "text/javascript")}
    assert sign_of_waiting(snapshot(html, URL), html, resources, network=network) == expected


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
