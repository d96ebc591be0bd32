"""Pages with scripts, in a real browser: which hidden texts clicks, hovering and scrolling reveal."""

import pytest

from vclean.features.visibility import text_visibility
from vclean.labels import Visibility
from vclean.page import Page
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Snapshot
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

STORY = "<h1>Mill</h1><p>" + "The mill stood by the river, and its wheel turned. " * 20 + "</p>"
PANEL = "The panel of the keeper of the mill"
LURE = "Words for machines that no reader sees"
INJECTED = f"""<p style='display: none'>{LURE}</p><p class=only style='position:absolute;left:-9999px'>{LURE}</p>
<p style='position: fixed; clip: rect(1px, 1px, 1px, 1px)'>{LURE}</p>"""


def visibility(page: Snapshot, text: str) -> set[str]:
    """Return how the texts of a page with these words are seen."""
    seen = text_visibility(page).tolist()
    return {
        Visibility(code).name.lower() for words, code in zip(page.texts, seen, strict=True) if words.strip() == text
    }


FOLDED = f"""<style>.panel {{ display: none }} .panel.open {{ display: block }}</style>
<span id=more>More</span><p id=panel class=panel>{PANEL}</p>"""
OPENS = "panel.classList.add('open')"
REVEALED = {
    "listener of a span": f"{FOLDED}<script>more.addEventListener('click', () => {OPENS})</script>",
    "far from its control": FOLDED.replace("<p", f"{STORY * 9}<p")
    + f"<script>more.addEventListener('click', () => {OPENS})</script>",
    "handler as a property": f"{FOLDED}<script>more.onclick = () => {OPENS}</script>",
    "listener of the document": f"""{FOLDED}<style>#more {{ cursor: pointer }}</style>
        <script>document.addEventListener('click', ({{ target }}) => target.id === 'more' && {OPENS})</script>""",
    "after a delay and a transition": f"""
        <style>.panel {{ max-height: 0; overflow: hidden; transition: max-height 1s }} .open {{ max-height: 99px }}
        </style><button id=more>More</button><div id=panel class=panel><p>{PANEL}</p></div>
        <script>more.onclick = () => setTimeout(() => panel.classList.replace('panel', 'open'), 300)</script>""",
    "in steps of an animation": f"""
        <button id=more>More</button><div id=panel style='height: 0; overflow: hidden'><p>{PANEL}</p></div>
        <script>more.onclick = () => {{ let height = 0; (function grow() {{ panel.style.height = `${{height += 5}}px`
        if (height < 90) requestAnimationFrame(grow) }})() }}</script>""",
    "third slide": f"""
        <style>#slides {{ display: flex; transition: transform 1s }} #slides > p {{ flex: 0 0 300px }}</style>
        <div style='width: 300px; overflow: hidden'><div id=slides><p>One</p><p>Two</p><p>{PANEL}</p></div></div>
        <button id=next>›</button><script>let slide = 0; next.addEventListener('click', () => {{
        slide = (slide + 1) % 3; slides.style.transform = `translateX(${{-300 * slide}}px)` }})</script>""",
    "slide between others": f"""<button id=back>‹</button><button id=next>›</button>
        <p class=slide>One</p><p class=slide hidden>{PANEL}</p><p class=slide hidden>Three</p>
        <script>let slide = 3; const show = (step) => () => {{ slide += step
        document.querySelectorAll('.slide').forEach((each, index) => {{ each.hidden = index !== slide % 3 }}) }}
        back.onclick = show(-1); next.onclick = show(1)</script>""",
    "dialog": f"""<button id=more>More</button><dialog id=panel><p>{PANEL}</p></dialog>
        <script>more.addEventListener('click', () => panel.showModal())</script>""",
    "panel in a panel": f"""<button id=more>More</button>
        <div id=panel hidden><button id=inner>More</button><p id=deep hidden>{PANEL}</p></div>
        <script>more.onclick = () => panel.hidden = false; inner.onclick = () => deep.hidden = false</script>""",
    "choice from a menu": f"""<select id=city><option>A<option>B</select><p id=panel hidden>{PANEL}</p>
        <script>city.onchange = () => panel.hidden = city.selectedIndex === 0</script>""",
    "menu by hover": f"""<style>.menu p {{ display: none }} .menu:hover p {{ display: block }}</style>
        <div id=menu class=menu>Menu<p>{PANEL}</p></div>
        <script>menu.addEventListener('x', () => {{}})</script>""",
    "card by script": f"{FOLDED}<script>more.addEventListener('mouseenter', () => {OPENS})</script>",
    "custom element": f"""<fold-out><p class=panel hidden>{PANEL}</p></fold-out>
        <script>customElements.define('fold-out', class extends HTMLElement {{ constructor() {{ super()
        this.attachShadow({{ mode: 'open' }}).innerHTML = '<button>More</button><slot></slot>'
        this.shadowRoot.querySelector('button').addEventListener('click', () => {{
        this.querySelector('.panel').hidden = false }}) }} }})</script>""",
    "beside a text for pixels": f"""<p style='filter: blur(9px)'>A blurred text on which a screenshot decides.</p>
        {FOLDED}<script>more.addEventListener('click', () => {OPENS})</script>""",
    "a click that leaves": f"""<a id=more href=/other>More</a><p id=panel hidden>{PANEL}</p><script>
        more.addEventListener('click', () => {{ panel.hidden = false; location.href = '/away' }})</script>""",
}


@pytest.mark.parametrize("name", REVEALED)
def test_click_reveals_only_what_it_opens(name: str, renderer: Renderer) -> None:
    page = renderer.render(Page(content=f"<!doctype html>{STORY}{REVEALED[name]}{INJECTED}{STORY}")).snapshot
    assert visibility(page, PANEL) == {"revealable"}
    assert visibility(page, LURE) == {"hidden"}
    assert page.ran_scripts
    assert page.notes == ("all its scripts are at hand; rendered with them",)


@pytest.mark.parametrize(
    ("style", "expected"),
    [("opacity: 0; width: 300px; height: 40px", "revealable"), ("opacity: 0; width: 0", "hidden")],
)
def test_transparent_checkbox_above_a_title(style: str, expected: str, renderer: Renderer) -> None:
    panel = f"""<style>input {{ position: absolute; {style} }} .panel {{ visibility: hidden }}
        input:checked ~ .panel {{ visibility: visible }}</style>
        <div><input type=checkbox><div>More</div><div class=panel>{PANEL}</div></div>"""
    page = renderer.render(Page(content=f"<!doctype html>{STORY}{panel}{STORY}")).snapshot
    assert visibility(page, PANEL) == {expected}


@pytest.mark.parametrize(
    "script",
    [
        "{ if (isIntersecting) target.style = 'opacity: 1' }",
        "{ target.style = `opacity: ${Number(isIntersecting)}` }",
    ],
)
def test_scrolling_shows_text(script: str, renderer: Renderer) -> None:
    fading = f"""<style>.panel {{ opacity: 0 }}</style><div style='height: 4000px'></div><p class=panel>{PANEL}</p>
        <script>const seen = new IntersectionObserver((all) => all.forEach(({{ target, isIntersecting }}) => {script}))
        document.querySelectorAll('.panel').forEach((each) => seen.observe(each))</script>"""
    page = renderer.render(Page(content=f"<!doctype html>{STORY}{fading}{INJECTED}")).snapshot
    assert visibility(page, PANEL) == {"shown"}
    assert visibility(page, LURE) == {"hidden"}


def test_page_that_its_script_writes(renderer: Renderer) -> None:
    write = f"document.body.append(Object.assign(document.createElement('p'), {{ textContent: '{PANEL}' }}))"
    page = renderer.render(Page(content=f"<div id=app></div><script>setTimeout(() => {write}, 3000)</script>")).snapshot
    assert visibility(page, PANEL) == {"shown"}
    assert page.notes == ("the page has little text before its scripts run; rendered with them",)


def test_scripts_draw_the_same_numbers_each_time(renderer: Renderer) -> None:
    html = "<p id=drawn>Number</p><script>drawn.append([1, 2, 3].map(Math.random), drawn.hidden)</script>"
    first, second = (renderer.render(Page(content=html)).snapshot for _ in range(2))
    assert first.ran_scripts
    assert "".join(first.texts) == "".join(second.texts)
    assert len(set("".join(first.texts).removeprefix("Number").removesuffix("false").split(","))) == 3


def test_scripts_that_lose_text_are_not_used(renderer: Renderer) -> None:
    script = "document.querySelector('.panel').hidden = 1; document.querySelector('h1 + p').remove()"
    page = renderer.render(Page(content=f"{STORY}{FOLDED}<script>{script}</script>")).snapshot
    assert not page.ran_scripts
    assert visibility(page, "More") == {"shown"}


@pytest.mark.parametrize("scripts", ["off", "auto"])
def test_pages_that_wait_for_nothing_are_read_once(scripts: str) -> None:
    html = f"{STORY}<p class=panel hidden>{PANEL}</p><script>console.log('loaded')</script><script src=x.js></script>"
    with Renderer(RenderSettings(scripts=scripts)) as renderer:
        page = renderer.render(Page(content=html)).snapshot
    assert (page.ran_scripts, page.notes) == (False, ())


def test_endless_script_leaves_the_first_reading() -> None:
    html = f"{STORY}{FOLDED}<script>document.querySelector('.panel').hidden = 1; for (;;);</script>"
    with Renderer(RenderSettings(deadline=6)) as renderer:
        page = renderer.render(Page(content=html)).snapshot
        assert page.notes == ("all its scripts are at hand; with them it was not rendered in time",)
        assert renderer.render(Page(content="<p>Two.")).snapshot.texts == ["Two."]
