"""Pages that show, hide or fold away one sentence, each by another technique: the table and the pages made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import background_cases
import control_cases
import modern_cases
import painted_cases
from painted_cases import DARK, WHITE
from scripted_cases import script_of

SENTENCE: Final = "The heron counts forty silver buttons beside the weir."
"""The sentence that a page hides, folds away or shows in an unusual way."""

LEAD: Final = "The town council met on Tuesday to decide what becomes of the old mill."
"""A sentence that every page shows."""

_TEXT: Final = "<p id=x>{text}</p>"


@dataclass(frozen=True, slots=True)
class Case:
    """One page of the suite.

    Attributes:
        kind: "hidden", "revealable" or "shown".
        name: the technique, unique among all cases.
        css: its style sheet.
        body: its markup, with `{text}` in place of the sentence.
    """

    kind: str
    name: str
    css: str
    body: str

    @property
    def html(self) -> str:
        """Return the page: an article of five paragraphs, the sentence after the second."""
        return _PAGE.replace("{css}", self.css).replace("{body}", self.body.replace("{text}", SENTENCE))


_PAGE: Final = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The old mill</title>
<style>body {{ font: 16px/1.5 Georgia, serif; margin: 0 auto; width: 720px }} {{css}}</style></head>
<body><article><h1>What becomes of the old mill</h1>
<p>{LEAD} Forty people came, most of them from the streets along the river, and stayed until the caretaker switched off
the lights in the corridor.</p>
<p>The mill has stood empty since the last miller left. Its wheel still turns when the water is high, and the sound
carries as far as the school, where nobody notices it any more.</p>
{{body}}
<p>An engineer told the meeting that the foundations are sound and that the roof is not. A new one would cost as much as
the footbridge that was finished last spring, and would take two summers.</p>
<p>A vote is planned for the autumn. Until then the doors stay locked, and the swallows that nest under the eaves will
have the building to themselves, as they have had it for a decade.</p>
</article></body></html>"""

# Declarations of a style sheet for the sentence, #x, which is a paragraph.
_HIDDEN_BY_STYLE: Final = {
    "display: none": "display: none",
    "visibility: hidden": "visibility: hidden",
    "visibility: collapse": "visibility: collapse",
    "content-visibility: hidden": "content-visibility: hidden",
    "opacity: 0": "opacity: 0",
    "opacity: .01": "opacity: .01",
    "off the left edge": "position: absolute; left: -9999px",
    "off the left edge in em": "position: absolute; left: -200em",
    "off the top edge": "position: absolute; top: -9999px",
    "far to the right": "position: absolute; left: 9999px; white-space: nowrap",
    "far below": "position: absolute; top: 60000px",
    "fixed below the viewport": "position: fixed; top: 200vh",
    "fixed beside the viewport": "position: fixed; left: 150vw",
    "fixed above the viewport": "position: fixed; bottom: 120vh",
    "negative text indent": "text-indent: -9999px; white-space: nowrap; overflow: hidden",
    "negative margin": "margin-left: -9999px; width: 600px",
    "negative margin at the top": "position: relative; margin-top: -4000px; margin-bottom: 4000px",
    "moved by translate": "transform: translateX(-300vw)",
    "moved by the translate property": "translate: -5000px 0",
    "no height": "height: 0; overflow: hidden",
    "no width": "width: 0; overflow: hidden; white-space: nowrap",
    "one pixel": "position: absolute; width: 1px; height: 1px; overflow: hidden",
    "height of a few pixels": "height: 4px; overflow: hidden",
    "max-height": "max-height: 0; overflow: hidden",
    "overflow: clip": "height: 0; overflow: clip",
    "padding outside the box": "height: 20px; padding-top: 60px; box-sizing: border-box; overflow: hidden",
    "indent out of the box": "text-indent: 110%; white-space: nowrap; overflow: hidden",
    "clip": "position: absolute; clip: rect(0, 0, 0, 0)",
    "clip of one pixel": "position: absolute; clip: rect(1px, 1px, 1px, 1px)",
    "clip beside the text": "position: absolute; clip: rect(900px, 999px, 999px, 900px)",
    "clip-path: inset": "clip-path: inset(50%)",
    "clip-path: inset in px": "clip-path: inset(0 0 999px 0)",
    "clip-path: circle": "clip-path: circle(0)",
    "clip-path: circle elsewhere": "clip-path: circle(5px at -50px -50px)",
    "clip-path: ellipse": "clip-path: ellipse(0 0)",
    "clip-path: polygon": "clip-path: polygon(0 0, 0 0, 0 0)",
    "clip-path: polygon elsewhere": "clip-path: polygon(-20px -20px, -10px -20px, -10px -10px)",
    "font-size: 0": "font-size: 0",
    "font-size: 1px": "font-size: 1px",
    "font-size: 3px": "font-size: 3px; line-height: 1",
    "font-size in em": "font-size: .05em",
    "transform: scale(0)": "transform: scale(0)",
    "transform: scale(.02)": "transform: scale(.02)",
    "scale property": "scale: 0",
    "scaleX(0)": "transform: scaleX(0)",
    "scaleY(.01)": "transform: scaleY(.01)",
    "rotateY(90deg)": "transform: rotateY(90deg)",
    "rotateX(90deg)": "transform: rotateX(90deg)",
    "back of a card": "transform: rotateY(180deg); backface-visibility: hidden",
    "zoom": "zoom: .05",
    "letter spacing": "letter-spacing: -1em",
    "white on white": "color: #fff",
    "nearly white on white": "color: #fdfdfd",
    "pale gray on white": "color: #f0f0f0",
    "white in hsl": "color: hsl(0 0% 99%)",
    "white in oklch": "color: oklch(0.995 0 0)",
    "white in color()": "color: color(srgb 1 1 1)",
    "color: transparent": "color: transparent",
    "alpha of one percent": "color: rgba(0, 0, 0, .01)",
    "transparent text fill": "-webkit-text-fill-color: transparent",
    "white text fill": "color: #000; -webkit-text-fill-color: #fff",
    "black on black": "color: #000; background: #000",
    "dark on dark": "color: #0b0b0b; background: #000",
    "color of its background": "color: teal; background: teal",
    "background by a gradient": "color: #fff; background: linear-gradient(#fff, #fefefe)",
    "white shadow on white": "color: transparent; text-shadow: 0 0 3px #fff",
    "currentColor": "color: #246; background: currentColor",
    "color-mix": "color: color-mix(in srgb, white 99%, black)",
    "filter: opacity": "filter: opacity(0)",
    "filter: blur": "filter: blur(24px)",
    "filter: brightness": "color: #999; filter: brightness(20)",
    "filter: contrast": "color: #333; background: #ccc; filter: contrast(0)",
    "filter: invert": "color: #000; filter: invert(1)",
    "mask of a transparent gradient": "-webkit-mask-image: linear-gradient(transparent, transparent); "
    "mask-image: linear-gradient(transparent, transparent)",
    "blend: lighten": "mix-blend-mode: lighten } html { background: #fff",
    "blend: screen": "mix-blend-mode: screen } html { background: #fff",
    "blend: color-dodge": "color: #888; mix-blend-mode: color-dodge } html { background: #fff",
    "clip-path: path": "clip-path: path('M0 0 L1 0 L1 1 Z')",
    "clip-path: path elsewhere": "clip-path: path('m-90 -90 h50 v50 h-50 z')",
    "white in light-dark": "color: light-dark(#fff, #000)",
    "relative color": "color: rgb(from black 255 255 255)",
    "rotate property": "rotate: y 90deg",
    "far away in perspective": "transform: perspective(100px) translateZ(-99999px)",
    "moved by an offset path": "offset-path: path('M -5000 -5000 L -5001 -5001')",
    "line height of 0": "line-height: 0; overflow: hidden",
    "long transition": "opacity: 0; transition: opacity 99s",
}  # fmt: skip

# Names of such declarations that are also tried in an attribute of the paragraph.
_HIDDEN_INLINE: Final = (
    "visibility: hidden", "content-visibility: hidden", "opacity: .01", "off the left edge in em",
    "fixed beside the viewport", "negative text indent", "no height", "no width", "one pixel", "max-height",
    "overflow: clip", "clip", "clip of one pixel", "clip-path: inset", "clip-path: circle", "clip-path: polygon",
    "font-size: 0", "font-size: 3px", "font-size in em", "transform: scale(0)", "scale property", "rotateY(90deg)",
    "zoom", "letter spacing", "color: transparent", "alpha of one percent", "transparent text fill",
    "black on black", "color of its background", "filter: opacity", "filter: blur",
)  # fmt: skip

# Style sheet and markup, where one paragraph is not enough.
_HIDDEN: Final = {
    "hidden attribute": ("", "<p id=x hidden>{text}</p>"),
    "closed dialog": ("", "<dialog><p>{text}</p></dialog>"),
    "popover without a control": ("", "<div popover><p>{text}</p></div>"),
    "template": ("", "<template><p>{text}</p></template>"),
    "print only": ("@media not print { #x { display: none } }", _TEXT),
    "media query": ("@media (min-width: 300px) { #x { display: none } }", _TEXT),
    "supports rule": ("@supports (display: grid) { #x { display: none } }", _TEXT),
    ":nth-of-type": ("article p:nth-of-type(3) { display: none }", _TEXT),
    ":has": ("article:has(h1) #x { display: none }", _TEXT),
    ":not": ("p:not(.seen):not(article > :not(#x)) { display: none }", _TEXT),
    "attribute selector": ("[data-k^=q] { display: none }", "<p id=x data-k=qq>{text}</p>"),
    "custom property": ("#x { --v: none; display: var(--v) }", _TEXT),
    "cascade layer": ("@layer a, b; @layer a { #x { display: block } } @layer b { #x { display: none } }", _TEXT),
    "nested rule": ("article { & > p { &#x { opacity: 0 } } }", _TEXT),
    "font of the color behind it": ("", "<div style='background: #fff'><font color=white>{text}</font></div>"),
    "inline style": ("", '<p style="position: absolute; left: -9000px">{text}</p>'),
    "hidden parent": (".w { opacity: 0 }", "<div class=w><div>" + _TEXT + "</div></div>"),
    "product of opacities": (".w { opacity: .1 } #x { opacity: .05 }", "<div class=w>" + _TEXT + "</div>"),
    "parent without height": (".w { height: 0; overflow: hidden }", "<div class=w>" + _TEXT + "</div>"),
    "grid row of no height": (
        ".w { display: grid; grid-template-rows: 0fr } .w > div { overflow: hidden; min-height: 0 }",
        "<div class=w><div>" + _TEXT + "</div></div>",
    ),
    "out of a clipping parent": (
        ".w { position: relative; overflow: hidden; height: 30px } #x { position: absolute; top: 200px }",
        "<div class=w>&nbsp;" + _TEXT + "</div>",
    ),
    "before the start of a scroller": (
        ".w { position: relative; overflow: auto; height: 60px } #x { position: absolute; left: -900px; width: 500px }",
        "<div class=w>&nbsp;" + _TEXT + "</div>",
    ),
    "scroller without size": (".w { overflow: auto; height: 0 }", "<div class=w>" + _TEXT + "</div>"),
    "color inherited": (".w { color: #fff }", "<div class=w>" + _TEXT + "</div>"),
    "color of the parent's background": (
        ".w { background: #234 } #x { color: #234 }", "<div class=w>" + _TEXT + "</div>",
    ),
    "half-transparent backgrounds": (
        ".w { background: rgba(0, 0, 0, .5) } #x { color: #7f7f7f }", "<div class=w>" + _TEXT + "</div>",
    ),
    "text on a box of its color": (
        ".w { position: relative } .b { position: absolute; inset: 0; background: #333 } "
        "#x { position: relative; color: #333; background: none }",
        "<div class=w><div class=b></div>" + _TEXT + "</div>",
    ),
    "covered by a later box": (
        ".w { position: relative } .b { position: absolute; inset: 0; background: #fff }",
        "<div class=w>" + _TEXT + "<div class=b></div></div>",
    ),
    "covered by a negative margin": (
        "#x { margin: 0; height: 24px } .b { position: relative; margin-top: -24px; height: 48px; background: #fff }",
        _TEXT + "<div class=b></div>",
    ),
    "covered by z-index": (
        ".w { position: relative; height: 60px } .w > * { position: absolute; inset: 0 } .b { z-index: 2; "
        "background: #fff }",
        "<div class=w><div class=b></div>" + _TEXT + "</div>",
    ),
    "covered by a gradient": (
        ".w { position: relative } .b { position: absolute; inset: 0; background: linear-gradient(#fff, #eee) }",
        "<div class=w>" + _TEXT + "<div class=b></div></div>",
    ),
    "covered by an image": (
        ".w { position: relative } .b { position: absolute; left: 0; top: -9px; width: 720px; height: 90px }",
        f'<div class=w>{_TEXT}<img class=b alt="" src="{WHITE}"></div>',
    ),
    "covered in a grid cell": (
        ".w { display: grid } .w > * { grid-area: 1 / 1 } .b { z-index: 1; background: #fff }",
        "<div class=w>" + _TEXT + "<div class=b></div></div>",
    ),
    "behind the background": (
        ".w { background: #fff } #x { position: relative; z-index: -1 }", "<div class=w>" + _TEXT + "</div>",
    ),
    "behind the article": (
        "article { background: #fff } #x { position: absolute; z-index: -1 }", _TEXT,
    ),
    "filter of a parent": (".w { filter: opacity(0%) }", "<div class=w>" + _TEXT + "</div>"),
    "white on a white picture": (
        f".w {{ background: url(\"{WHITE}\") }} #x {{ color: #fff }}", "<div class=w>" + _TEXT + "</div>",
    ),
    "span in a paragraph": (
        "#x { font-size: 0 }", "<p>The clock of the mill stopped long ago. <span id=x>{text}</span> It shows noon.</p>",
    ),
    "white span in a paragraph": (
        "#x { color: white }", "<p>The clock of the mill stopped long ago. <span id=x>{text}</span> It shows noon.</p>",
    ),
    "item in a list": (
        "#x { position: absolute; left: -9999px }",
        "<ul><li>The wheel turns.</li><li id=x>{text}</li><li>The clock stands.</li></ul>",
    ),
    "cell of a table": (
        "#x { font-size: 0 }", "<table><tr><td>Wheel</td><td>turns</td></tr><tr><td>Clock</td>"
        "<td id=x>{text}</td></tr></table>",
    ),
    "panel named accordion without a control": (
        ".accordion-panel { display: none }", "<div class=accordion-panel>" + _TEXT + "</div>",
    ),
    "modal without a control": (".modal { display: none }", "<div class=modal>" + _TEXT + "</div>"),
    "container query": (
        "article { container-type: inline-size } @container (min-width: 300px) { #x { display: none } }", _TEXT,
    ),
    "scope rule": ("@scope (article) { #x { opacity: 0 } }", _TEXT),
    "end of an animation": ("@keyframes f { to { opacity: 0 } } #x { animation: f 1ms forwards }", _TEXT),
    "slot that is hidden": (
        "", "<div><template shadowrootmode=open><style>slot { display: none }</style><slot></slot></template>" + _TEXT
        + "</div>",
    ),
    "ruby parenthesis": ("", "<p><ruby>mill<rp>{text}</rp><rt>mil</rt></ruby></p>"),
    "caption off the page": (
        "caption { position: absolute; left: -9999px }",
        "<table><caption>{text}</caption><tr><td>Wheel</td><td>turns</td></tr></table>",
    ),
    "covered by a frame": (
        ".w { position: relative } iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; "
        "background: #fff }",
        "<div class=w>" + _TEXT + "<iframe srcdoc='<body bgcolor=white>'></iframe></div>",
    ),
    "column out of a box": (
        ".w { columns: 2; height: 24px; overflow: hidden; width: 300px } .w p { margin: 0 }",
        "<div class=w><p>The clock of the mill stopped long ago, it shows noon, and the wheel still turns when the "
        "water of the river is high.</p>" + _TEXT + "</div>",
    ),
    "control that is hidden": (
        "#x, button { display: none }", "<button aria-controls=x aria-expanded=false>More</button>" + _TEXT,
    ),
}  # fmt: skip

_REVEALABLE: Final = {
    "details": ("", "<details><summary>Background</summary><p>{text}</p></details>"),
    "details without a summary": ("", "<details><p>{text}</p></details>"),
    "details in details": (
        "", "<details><summary>More</summary><details><summary>Still more</summary><p>{text}</p></details></details>",
    ),
    "hidden until found": ("", "<p hidden=until-found>{text}</p>"),
    "aria-controls": ("#x { display: none }", "<button aria-controls=x aria-expanded=false>More</button>" + _TEXT),
    "aria-controls of a wrapper": (
        "#w { visibility: hidden; height: 0 }",
        "<button aria-controls=w aria-expanded=false>More</button><div id=w><div>" + _TEXT + "</div></div>",
    ),
    "aria-expanded beside the panel": (
        ".p { display: none }", "<h3><button aria-expanded=false>History</button></h3><div class=p>" + _TEXT + "</div>",
    ),
    "collapsed height": (
        "#x { max-height: 0; overflow: hidden }",
        "<button aria-expanded=false aria-controls=x>Read more</button>" + _TEXT,
    ),
    "collapsed by opacity": (
        "#x { opacity: 0 }", "<button aria-expanded=false aria-controls=x>Read more</button>" + _TEXT,
    ),
    "grid accordion": (
        ".w { display: grid; grid-template-rows: 0fr } .w > div { overflow: hidden; min-height: 0 }",
        "<button aria-expanded=false aria-controls=w>More</button><div class=w id=w><div>" + _TEXT + "</div></div>",
    ),
    "checkbox": (
        "#c, #w { display: none } #c:checked ~ #w { display: block }",
        "<input type=checkbox id=c><label for=c>More</label><div id=w>" + _TEXT + "</div>",
    ),
    "checkbox with a label after it": (
        "#c { position: absolute; left: -999px } #w { display: none } #c:checked + #w { display: block }",
        "<input type=checkbox id=c><div id=w>" + _TEXT + "</div><label for=c>Read more</label>",
    ),
    "radio tabs": (
        "input, .pane { display: none } #t1:checked ~ .p1, #t2:checked ~ .p2 { display: block }",
        "<div><input type=radio name=t id=t1 checked><label for=t1>Wheel</label><input type=radio name=t id=t2>"
        "<label for=t2>Clock</label><div class='pane p1'><p>The wheel turns.</p></div>"
        "<div class='pane p2'>" + _TEXT + "</div></div>",
    ),
    "target of a link": (
        "#w { display: none } #w:target { display: block }", '<a href="#w">Notes</a><div id=w>' + _TEXT + "</div>",
    ),
    "tabs": (
        "[role=tabpanel] + [role=tabpanel] { display: none }",
        "<div role=tablist><button role=tab aria-controls=a>Wheel</button><button role=tab "
        "aria-controls=b>Clock</button>"
        "</div><div role=tabpanel id=a><p>The wheel turns.</p></div><div role=tabpanel id=b>" + _TEXT + "</div>",
    ),
    "tabs by links": (
        ".tab-pane { display: none } .tab-pane.active { display: block }",
        '<ul class=nav-tabs><li><a href="#a">Wheel</a></li><li><a href="#b">Clock</a></li></ul>'
        "<div class='tab-pane active' id=a><p>The wheel turns.</p></div><div class=tab-pane id=b>" + _TEXT + "</div>",
    ),
    "data-target": (
        ".collapse { display: none }",
        '<a data-toggle=collapse data-target="#w">More</a><div class=collapse id=w>' + _TEXT + "</div>",
    ),
    "data-bs-target": (
        ".collapse { display: none }",
        '<button data-bs-toggle=collapse data-bs-target="#w">More</button><div class=collapse id=w>' + _TEXT + "</div>",
    ),
    "popover with a control": ("", "<button popovertarget=w>Note</button><div popover id=w>" + _TEXT + "</div>"),
    "dialog with a control": (
        "", "<button commandfor=w command=show-modal>Terms</button><dialog id=w>" + _TEXT + "</dialog>",
    ),
    "accordion without ids": (
        ".accordion-body { display: none } .accordion-header { cursor: pointer }",
        "<div class=accordion><div class=accordion-header>History</div><div class=accordion-body>" + _TEXT
        + "</div></div>",
    ),
    "accordion by height": (
        ".panel { max-height: 0; overflow: hidden }",
        "<button class=accordion>History</button><div class=panel>" + _TEXT + "</div>",
    ),
    "questions and answers": (
        ".faq-answer { display: none }",
        "<div class=faq><button class=faq-question>Who owns the mill?</button><div class=faq-answer>" + _TEXT
        + "</div></div>",
    ),
    "read more": (
        ".excerpt { height: 48px; overflow: hidden }",
        "<div class=excerpt id=e><p>The mill was built in three summers.</p><p>Its stones came from the quarry.</p>"
        + _TEXT + "</div><button aria-expanded=false aria-controls=e>Read more</button>",
    ),
    "carousel": (
        ".slide { display: none } .slide.active { display: block }",
        "<div class=carousel><div class='slide active'><p>The wheel turns.</p></div><div class=slide>" + _TEXT
        + "</div><button class=prev>&lt;</button><button class=next>&gt;</button></div>",
    ),
    "carousel by translation": (
        ".carousel { overflow: hidden } .track { display: flex } .slide { flex: 0 0 100% }",
        "<div class=carousel><div class=track><div class=slide><p>The wheel turns.</p></div><div class=slide>" + _TEXT
        + "</div></div><button class=prev>&lt;</button><button class=next>&gt;</button></div>",
    ),
    "one of several details": (
        "", "<details name=a open><summary>Wheel</summary><p>The wheel turns.</p></details>"
        "<details name=a><summary>Clock</summary><p>{text}</p></details>",
    ),
    "details that unfold": (
        "details::details-content { opacity: 0; height: 0; overflow: clip }",
        "<details><summary>More</summary><p>{text}</p></details>",
    ),
    "popover by a command": (
        "", "<button commandfor=w command=toggle-popover>Note</button><div popover id=w>" + _TEXT + "</div>",
    ),
    "line clamp": (
        "#e { display: -webkit-box; -webkit-line-clamp: 1; -webkit-box-orient: vertical; overflow: hidden }",
        "<div id=e>The mill was built in three summers, and the stones of its walls came from the quarry above the "
        "town.<br>{text}</div><button aria-expanded=false aria-controls=e>Read more</button>",
    ),
    "v-cloak": ("[v-cloak] { display: none }", "</article><main v-cloak>" + 5 * _TEXT + "</main><article>"),
    "before hydration: opacity": (
        "article { opacity: 0 }", _TEXT,
    ),
    "before hydration: body": ("body { visibility: hidden }", _TEXT),
    "before hydration: AMP": (
        "body { -webkit-animation: none; opacity: 0 }", _TEXT,
    ),
    "reveal on scroll": ("article > * { opacity: 0; transform: translateY(40px) }", _TEXT),
}  # fmt: skip

_SHOWN_BY_STYLE: Final = {
    "plain": "",
    "dark theme": "color: #eee; background: #111",
    "white on blue": "color: #fff; background: #124",
    "red on green": "color: #c00; background: #0a0",
    "gradient text": "background: linear-gradient(90deg, #06c, #c06); -webkit-background-clip: text; "
    "background-clip: text; color: transparent",
    "gradient text by fill": "background: linear-gradient(#06c, #c06); -webkit-background-clip: text; "
    "background-clip: text; -webkit-text-fill-color: transparent",
    "outlined text": "color: #fff; -webkit-text-stroke: 1px #000",
    "shadow alone": "color: transparent; text-shadow: 0 0 0 #333",
    "white with a dark shadow": "color: #fff; text-shadow: 0 0 4px #000",
    "small print": "font-size: 8px",
    "low contrast": "color: #aaa",
    "lower contrast": "color: #ccc",
    "half transparent": "opacity: .5",
    "quite transparent": "opacity: .25",
    "alpha": "color: rgba(0, 0, 0, .4)",
    "translated": "transform: translateX(40px)",
    "rotated": "transform: rotate(-3deg)",
    "upside down": "transform: rotate(180deg)",
    "scaled down": "transform: scale(.6)",
    "mirrored": "transform: scaleX(-1)",
    "vertical": "writing-mode: vertical-rl; height: 420px",
    "clipped by nothing": "clip-path: inset(0)",
    "clip-path: wide circle": "clip-path: circle(400px)",
    "overflow: hidden, large enough": "overflow: hidden; height: 60px",
    "scroller": "overflow: auto; height: 30px",
    "ellipsis": "width: 200px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap",
    "tight letters": "letter-spacing: -.05em",
    "sticky": "position: sticky; top: 0",
    "filter: grayscale": "color: #c00; filter: grayscale(1)",
    "filter: slight blur": "filter: blur(.5px)",
    "filter: drop-shadow": "filter: drop-shadow(1px 1px 2px #000)",
    "filter: inverted dark box": "color: #fff; background: #000; filter: invert(1)",
    "mask that fades": "mask-image: linear-gradient(#000, rgba(0, 0, 0, .4)); "
    "-webkit-mask-image: linear-gradient(#000, rgba(0, 0, 0, .4))",
    "blend: multiply": "color: #222; mix-blend-mode: multiply } html { background: #fff",
    "blend: difference": "color: #fff; mix-blend-mode: difference } html { background: #fff",
    "oklch": "color: oklch(0.4 0.1 250)",
    "display: contents": "display: contents",
    "float": "float: right; width: 260px",
    "fixed in the viewport": "position: fixed; bottom: 0; left: 0; background: #ffd",
    "content-visibility: auto": "content-visibility: auto; margin-top: 5000px",
    "clip-path: wide path": "clip-path: path('M0 0 H720 V90 H0 Z')",
    "overflow: clip with a margin": "height: 10px; overflow: clip; overflow-clip-margin: 40px",
    "mask of a corner": "mask: radial-gradient(circle at 700px 0, transparent 20px, #000 21px)",
    "blurred backdrop": "backdrop-filter: blur(9px); background: #fff8",
    "zoomed": "zoom: 1.4",
    "columns": "columns: 2",
    "on a repeating gradient": "color: #000; background: repeating-linear-gradient(45deg, #fff, #eee 10px)",
}  # fmt: skip

_SHOWN: Final = {
    "hidden attribute without effect": ("", "<p hidden style='display: block'>{text}</p>"),
    "visible in a hidden parent, inline": (
        "", "<div style='visibility: hidden'><p style='visibility: visible'>{text}</p></div>",
    ),
    "small parent, inline": ("", "<div style='font-size: 0'><p style='font-size: 15px'>{text}</p></div>"),
    "visible in a hidden parent": (
        ".w { visibility: hidden } #x { visibility: visible }", "<div class=w>" + _TEXT + "</div>",
    ),
    "over an image": (
        ".w { position: relative } .b { position: absolute; left: 0; top: 0; width: 720px; height: 90px } "
        "#x { position: relative; color: #fff }",
        f'<div class=w><img class=b alt="" src="{DARK}">{_TEXT}</div>',
    ),
    "over a background image": (
        f".w {{ background: url(\"{DARK}\") }} #x {{ color: #fff }}", "<div class=w>" + _TEXT + "</div>",
    ),
    "over a box that lies behind": (
        ".w { position: relative } .b { position: absolute; inset: 0; background: #123; z-index: -1 } "
        ".w { z-index: 0 } #x { color: #fff }",
        "<div class=w>" + _TEXT + "<div class=b></div></div>",
    ),
    "above a later box by z-index": (
        ".w { position: relative } #x { position: relative; z-index: 2 } "
        ".b { position: absolute; inset: 0; background: #fff; z-index: 1 }",
        "<div class=w>" + _TEXT + "<div class=b></div></div>",
    ),
    "covered in part": (
        ".w { position: relative } .b { position: absolute; right: 0; top: 0; width: 90px; height: 90px; "
        "background: #fff }",
        "<div class=w>" + _TEXT + "<div class=b></div></div>",
    ),
    "covered by glass": (
        ".w { position: relative } .b { position: absolute; inset: 0; background: rgba(255, 255, 255, .4) }",
        "<div class=w>" + _TEXT + "<div class=b></div></div>",
    ),
    "below a fixed bar": (
        ".b { position: fixed; top: 0; left: 0; right: 0; height: 400px; background: #fff }",
        "<div class=b></div>" + _TEXT,
    ),
    "below a splash screen": (
        ".splash { position: fixed; inset: 0; background: #fff; z-index: 999 }", "<div class=splash></div>" + _TEXT,
    ),
    "below a consent dialog": (
        ".m { position: fixed; inset: 0; background: #fff; z-index: 9 }",
        "<div class=m role=dialog aria-modal=true><p>We keep a note of your visit on your own device, and nothing "
        "else.</p><button>Agree</button></div>" + _TEXT,
    ),
    "covered by a clear link": (
        ".w { position: relative } .b { position: absolute; inset: 0; background: #fff; opacity: 0 }",
        "<div class=w>" + _TEXT + '<a class=b href="#y"></a></div>',
    ),
    "slot": ("", "<div><template shadowrootmode=open><div><slot></slot></div></template>" + _TEXT + "</div>"),
    "start of an animation": (
        "@keyframes f { from { opacity: 0 } } #x { animation: f 1s .2s both }", _TEXT,
    ),
    "starting style": ("#x { transition: opacity 2s } @starting-style { #x { opacity: 0 } }", _TEXT),
    "animated by scrolling": (
        "@keyframes f { from { opacity: 0 } } #x { animation: f linear both; animation-timeline: view() } "
        ".b { height: 2000px }",
        "<div class=b></div>" + _TEXT,
    ),
    "scroller to the right": (
        ".w { overflow-x: auto; width: 200px } #x { margin-left: 600px; width: 500px }",
        "<div class=w>" + _TEXT + "</div>",
    ),
    "open details": ("", "<details open><summary>Background</summary><p>{text}</p></details>"),
    "front of a card": (
        ".w { transform: rotateY(180deg); transform-style: preserve-3d } "
        "#x { transform: rotateY(180deg); backface-visibility: hidden }",
        "<div class=w>" + _TEXT + "</div>",
    ),
}  # fmt: skip


def cases() -> list[Case]:
    """Return all pages of the suite: hidden, revealable, shown."""
    by_style = (("hidden", _HIDDEN_BY_STYLE), ("shown", _SHOWN_BY_STYLE))
    by_markup = (
        (
            "hidden",
            _HIDDEN | painted_cases.HIDDEN | control_cases.HIDDEN | modern_cases.HIDDEN | background_cases.HIDDEN,
        ),
        ("revealable", _REVEALABLE | control_cases.REVEALABLE | modern_cases.REVEALABLE | background_cases.REVEALABLE),
        ("shown", _SHOWN | painted_cases.SHOWN | control_cases.SHOWN | modern_cases.SHOWN | background_cases.SHOWN),
    )
    suite = [
        Case(kind, name, f"#x {{ {style} }}", _TEXT) for kind, styles in by_style for name, style in styles.items()
    ]
    suite += [
        Case("hidden", f"inline {name}", "", f'<p style="{_HIDDEN_BY_STYLE[name]}">{{text}}</p>')
        for name in _HIDDEN_INLINE
    ]
    suite += [
        Case(kind, name, css, body + script_of(name))
        for kind, table in by_markup
        for name, (css, body) in table.items()
    ]
    return sorted(suite, key=lambda case: ("hidden", "revealable", "shown").index(case.kind))
