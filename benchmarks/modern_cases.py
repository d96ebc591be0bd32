"""Define pages that hide, open or show a sentence by recent CSS, fallbacks and common libraries.

They belong to the suite of `visibility_cases.py`.
"""

from __future__ import annotations

from typing import Final

_TEXT: Final = "<p id=x>{text}</p>"
_BOX: Final = f"<div id=d>{_TEXT}</div>"

HIDDEN: Final = {
    "motion query": ("@media (prefers-reduced-motion:no-preference) { #x { display:none }  }", _TEXT),
    "scripting query": ("@media screen { @media (scripting:enabled) { #x { display:none }  }  }", _TEXT),
    "no scripting query": ("#x { display:none } @media (scripting:none) { #x { display:block }  }", _TEXT),
    "zoom tiny": ("#x { zoom:.05 }", _TEXT),
    "scale longhand": ("#x { scale:0.01 }", _TEXT),
    "rotate longhand back": ("#x { rotate:y 180deg; backface-visibility:hidden }", _TEXT),
    "translate longhand": ("#x { translate:-9000px }", _TEXT),
    "perspective far": ("#d { perspective:100px } #x { transform:translateZ(-20000px) }", _BOX),
    "offset-path away": ("#x { offset-path:path('M -9000 0 L -9001 0'); width:300px }", _TEXT),
    "color-mix white": ("#x { color:color-mix(in srgb,#fff 99%,#000) }", _TEXT),
    "oklch white": ("#x { color:oklch(1 0 0) }", _TEXT),
    "light-dark": ("#x { color:light-dark(#fff,#000) }", _TEXT),
    "property registered": (
        "@property --c { syntax:'<color>'; inherits:true; initial-value:#fff } #x { color:var(--c) }",
        _TEXT,
    ),
    "style query": ("#d { --hide:1 } @container style(--hide:1) { #x { display:none }  }", _BOX),
    "supports": ("@supports (display:grid) { #x { visibility:hidden }  }", _TEXT),
    "nested css": ("article { & p#x { opacity:0 }  }", _TEXT),
    "layer order": ("@layer a,b; @layer b { #x { display:none }  } @layer a { #x { display:block }  }", _TEXT),
    "is where not": ("article :is(p):not(.y):where(#x) { display:none }", _TEXT),
    "has previous": ("p:has(+ #m)#x { display:none }", "<p id=x>{text}</p><p id=m>Next words.</p>"),
    "nth-last-child of": ("p:nth-child(1 of #x) { display:none }", _TEXT),
    "overflow clip margin": ("#d { overflow:clip; overflow-clip-margin:0; height:0 }", _BOX),
    "line-clamp": (
        "#d { display:-webkit-box; -webkit-line-clamp:1; -webkit-box-orient:vertical; "
        "overflow:hidden; width:300px }",
        "<div id=d>A line that fills the first line of the box up to its end, and a second line of "
        "it.<br><br>{text}</div>",
    ),
    "text-overflow": (
        "#d { white-space:nowrap; overflow:hidden; text-overflow:ellipsis; width:120px }",
        "<div id=d>Some words of a first sentence that is long. <span id=x>{text}</span></div>",
    ),
    "grid zero row": (
        "#d { display:grid; grid-template-rows:0fr } #x { overflow:hidden; min-height:0; margin:0 }",
        _BOX,
    ),
    "flex shrink": (
        "#d { display:flex; width:600px } #x { flex:0 1 0; overflow:hidden; white-space:nowrap; "
        "min-width:0 } #y { flex:1 0 600px }",
        "<div id=d><p id=x>{text}</p><p id=y>Other words.</p></div>",
    ),
    "float off": ("#x { float:left; margin-left:-9999px }", _TEXT),
    "absolute right": ("#x { position:absolute; right:-9000px; width:300px } html { overflow-x:hidden }", _TEXT),
    "column overflow": (
        "#d { columns:2; height:20px; width:300px; overflow:hidden }",
        "<div id=d>Words of the first columns that fill them. Words of the first columns that fill "
        "them. Words of the first columns that fill them. Words of the first columns that fill them. "
        "Words of the first columns that fill them. Words of the first columns that fill them. Words "
        "of the first columns that fill them. Words of the first columns that fill them. <p "
        "id=x>{text}</p></div>",
    ),
    "writing mode clip": ("#d { writing-mode:vertical-rl; width:0; height:200px; overflow:hidden }", _BOX),
    "table col collapse": (
        "col.c { visibility:collapse }",
        "<table><colgroup><col><col class=c></colgroup><tr><td>A</td><td>{text}</td></tr></table>",
    ),
    "empty-cells": (
        "table { border-collapse:separate; empty-cells:hide } td.h { visibility:hidden }",
        "<table><tr><td>A</td><td class=h>{text}</td></tr></table>",
    ),
    "caption hidden": (
        "caption { height:0; overflow:hidden; display:block }",
        "<table><caption>{text}</caption><tr><td>A</td></tr></table>",
    ),
    "noscript": ("", "<noscript><p>{text}</p></noscript>"),
    "object fallback": (
        "",
        "<object data='data:text/plain,ok' type='text/plain' width=50 "
        "height=20><p>{text}</p></object>",
    ),
    "iframe fallback": ("", "<iframe src='about:blank'><p>{text}</p></iframe>"),
    "datalist": ("", "<input list=l><datalist id=l><option>{text}</option></datalist>"),
    "meter fallback": ("", "<meter value=.5>{text}</meter>"),
    "progress fallback": ("", "<progress value=.5>{text}</progress>"),
    "textarea hidden": ("", "<textarea hidden>{text}</textarea>"),
    "input hidden": ("", "<input type=hidden value='{text}'>"),
    "svg title": ("", "<svg width=100 height=50><title>{text}</title><rect width=100 height=50 fill=red /></svg>"),
    "svg defs text": ("", "<svg width=600 height=50><defs><text y=20>{text}</text></defs></svg>"),
    "svg symbol unused": ("", "<svg width=600 height=50><symbol id=s><text y=20>{text}</text></symbol></svg>"),
    "svg text white": ("", "<svg width=600 height=50><text y=20 fill=white>{text}</text></svg>"),
    "svg text opacity": ("", "<svg width=600 height=50><text y=20 fill-opacity=0>{text}</text></svg>"),
    "svg text outside viewbox": ("", "<svg width=100 height=20 viewBox='0 0 100 20'><text y=500>{text}</text></svg>"),
    "svg text under rect": (
        "",
        "<svg width=900 height=50><text y=20>{text}</text><rect width=900 height=50 fill=#fff "
        "/></svg>",
    ),
    "svg foreignObject zero": (
        "",
        "<svg width=600 height=50><foreignObject width=0 height=0><p "
        "xmlns='http://www.w3.org/1999/xhtml'>{text}</p></foreignObject></svg>",
    ),
    "svg text clip-path": (
        "",
        "<svg width=600 height=50><clipPath id=c><rect width=0 height=0 /></clipPath><text y=20 "
        "clip-path='url(#c)'>{text}</text></svg>",
    ),
    "svg g display none": ("", "<svg width=600 height=50><g display=none><text y=20>{text}</text></g></svg>"),
    "svg font-size 0": ("", "<svg width=600 height=50><text y=20 font-size=0>{text}</text></svg>"),
    "mathml phantom": ("", "<math><mphantom><mtext>{text}</mtext></mphantom></math>"),
    "mathml annotation": ("", "<math><semantics><mi>x</mi><annotation>{text}</annotation></semantics></math>"),
    "ruby rp": ("", "<ruby>A<rp>{text}</rp><rt>a</rt></ruby>"),
    "unassigned slot child": (
        "",
        "<div><template shadowrootmode=open><slot name=a></slot></template><p>{text}</p></div>",
    ),
    "details name closed nested hidden summary": (
        "details summary { display:none }",
        "<details><summary>More</summary><p id=x>{text}</p></details>",
    ),
    "dialog without button": ("", "<dialog><p id=x>{text}</p></dialog>"),
    "popover without button": ("", "<div popover><p id=x>{text}</p></div>"),
    "inert hidden": ("#d[inert] { display:none }", "<div id=d inert><p id=x>{text}</p></div>"),
    "scrollbar hidden scroller": (
        "#d { width:200px; height:40px; overflow:hidden; scrollbar-width:none }",
        "<div id=d><p>First words of the box.</p><p>Second words of it.</p><p id=x>{text}</p></div>",
    ),
    "sticky stack cover": (
        "#d { height:60px; position:relative; overflow:hidden } #x { position:absolute; top:0; "
        "margin:0 } #y { position:absolute; inset:0; margin:0; background:#fff; z-index:1 }",
        "<div id=d><p id=x>{text}</p><p id=y>Visible words instead.</p></div>",
    ),
    "multi gradient text transparent": (
        "#x { color:transparent; background:linear-gradient(#fff,#fefefe); "
        "-webkit-background-clip:text; background-clip:text }",
        _TEXT,
    ),
    "text-indent huge": ("#x { text-indent:9000px; white-space:nowrap; overflow:hidden }", _TEXT),
    "letter-spacing collapse": ("#x { letter-spacing:-1em }", _TEXT),
    "word-spacing out": ("#x { font-size:1px; transform:scale(3) }", _TEXT),
    "font-size clamp": ("#x { font-size:clamp(0px,1px,2px) }", _TEXT),
    "mask nothing": ("#x { mask:linear-gradient(transparent,transparent) }", _TEXT),
    "clip-path inset 50%": ("#x { clip-path:inset(50%) }", _TEXT),
    "clip-path polygon": ("#x { clip-path:polygon(0 0,0 0,0 0) }", _TEXT),
    "backdrop brightness": ("#x { color:#fff; backdrop-filter:none }", _TEXT),
    "mix-blend lighten": ("html { background:#fff } #x { mix-blend-mode:lighten; color:#000 }", _TEXT),
    "opacity product": ("#d { opacity:.1 } #x { opacity:.1 }", _BOX),
    "visibility in transition": ("#x { visibility:hidden; transition:visibility 9s }", _TEXT),
    "display contents hidden parent": ("#d { visibility:hidden; display:contents }", _BOX),
    "hidden attribute on ancestor": ("", "<section hidden><p id=x>{text}</p></section>"),
    "frame srcdoc zero": ("", "<iframe width=0 height=0 style='border:0' srcdoc='<p>{text}</p>'></iframe>"),
}  # fmt: skip

REVEALABLE: Final = {
    "alpine x-show": (
        "",
        "<div x-data='open'><button @click='open=1'>Show details</button><div x-show=open "
        "style='display:none'><p id=x>{text}</p></div></div>",
    ),
    "radix collapsible": (
        "",
        "<div data-state=closed><button type=button aria-controls=r1 aria-expanded=false "
        "data-state=closed>Is it accessible?</button><div id=r1 data-state=closed hidden><p "
        "id=x>{text}</p></div></div>",
    ),
    "radix accordion no controls": (
        "[data-state=closed]>.c { display:none }",
        "<div data-state=closed><h3><button aria-expanded=false "
        "data-state=closed>Question</button></h3><div class=c role=region><p "
        "id=x>{text}</p></div></div>",
    ),
    "headless tabs": (
        "",
        "<div role=tablist><button role=tab aria-selected=true>A</button><button role=tab "
        "aria-selected=false>B</button></div><div><div role=tabpanel>First.</div><div role=tabpanel "
        "style='display:none'><p id=x>{text}</p></div></div>",
    ),
    "mui accordion": (
        ".MuiCollapse-root { height:0; overflow:hidden; visibility:hidden }",
        "<div class='MuiPaper-root MuiAccordion-root'><div class='MuiButtonBase-root "
        "MuiAccordionSummary-root' tabindex=0 role=button aria-expanded=false>Summary</div><div "
        "class='MuiCollapse-root MuiCollapse-hidden'><div class=MuiCollapse-wrapper><p "
        "id=x>{text}</p></div></div></div>",
    ),
    "antd collapse": (
        ".ant-collapse-content-inactive { display:none }",
        "<div class=ant-collapse><div class=ant-collapse-item><div class=ant-collapse-header "
        "role=button aria-expanded=false tabindex=0>Head</div><div class='ant-collapse-content "
        "ant-collapse-content-inactive'><p id=x>{text}</p></div></div></div>",
    ),
    "semantic ui": (
        ".content { display:none } .content.active { display:block }",
        "<div class='ui styled accordion'><div class=title><i class='dropdown icon'></i>What is "
        "it?</div><div class=content><p id=x>{text}</p></div></div>",
    ),
    "uikit": (
        "",
        "<ul uk-accordion><li><a class=uk-accordion-title href='#'>Item</a><div "
        "class=uk-accordion-content hidden><p id=x>{text}</p></div></li></ul>",
    ),
    "bulma tabs": (
        ".tab-content { display:none } .tab-content.is-active { display:block }",
        "<div class=tabs><ul><li "
        "class=is-active><a>Pictures</a></li><li><a>Music</a></li></ul></div><div class='tab-content "
        "is-active'>One.</div><div class=tab-content><p id=x>{text}</p></div>",
    ),
    "flowbite": (
        ".hidden { display:none }",
        "<div id=acc data-accordion=collapse><h2><button type=button data-accordion-target='#b1' "
        "aria-expanded=false aria-controls=b1>Q</button></h2><div id=b1 class=hidden><p "
        "id=x>{text}</p></div></div>",
    ),
    "preline": (
        ".hidden { display:none }",
        "<div class=hs-accordion><button class=hs-accordion-toggle aria-controls=hs1>Q</button><div "
        "id=hs1 class='hs-accordion-content hidden'><p id=x>{text}</p></div></div>",
    ),
    "docusaurus tabs": (
        "",
        "<div class=tabs-container><ul role=tablist class=tabs><li role=tab tabindex=0 "
        "aria-selected=true class='tabs__item tabs__item--active'>npm</li><li role=tab tabindex=-1 "
        "aria-selected=false class=tabs__item>yarn</li></ul><div><div role=tabpanel>One.</div><div "
        "role=tabpanel hidden><p id=x>{text}</p></div></div></div>",
    ),
    "docusaurus details": (
        "",
        "<details class='alert details'><summary>Toggle me</summary><div><div "
        "class=collapsibleContent><p id=x>{text}</p></div></div></details>",
    ),
    "mkdocs tabs": (
        ".tabbed-set>input { position:absolute; width:0; height:0; opacity:0 } .tabbed-block { "
        "display:none } .tabbed-set>input:nth-child(1):checked~.tabbed-content>:nth-child(1) { "
        "display:block }",
        "<div class='tabbed-set tabbed-alternate'><input checked id=t1 name=g type=radio><input id=t2"
        " name=g type=radio><div class=tabbed-labels><label for=t1>A</label><label "
        "for=t2>B</label></div><div class=tabbed-content><div "
        "class=tabbed-block><p>One.</p></div><div class=tabbed-block><p "
        "id=x>{text}</p></div></div></div>",
    ),
    "sphinx design dropdown": (
        "",
        "<details class='sd-sphinx-override sd-dropdown sd-card'><summary "
        "class=sd-card-header>Dropdown</summary><div class=sd-card-body><p "
        "id=x>{text}</p></div></details>",
    ),
    "wikipedia mobile": (
        ".collapsible-block { display:none }",
        "<h2 class='section-heading collapsible-heading' tabindex=0 role=button aria-expanded=false "
        "aria-controls=cb1>History</h2><section class='mf-section-1 collapsible-block' id=cb1><p "
        "id=x>{text}</p></section>",
    ),
    "stackoverflow comments": (
        ".dno { display:none }",
        "<div id=c1><ul><li>First of the comments of the post.</li></ul></div><div class=dno id=c2><p"
        " id=x>{text}</p></div><div id=l><a class=js-show-link href='#'>Show 3 more "
        "comments</a></div>",
    ),
    "discourse details": ("", "<details><summary>Summary</summary><p id=x>{text}</p></details>"),
    "github details": (
        "",
        "<details class='details-reset'><summary role=button class=btn>Changes</summary><div><p "
        "id=x>{text}</p></div></details>",
    ),
    "medium read more": (
        "#rest { display:none }",
        "<div><p>The beginning of a story.</p><div id=rest><p id=x>{text}</p></div><button>Read full "
        "story</button></div>",
    ),
    "news continue reading": (
        "#rest { height:0; overflow:hidden }",
        "<div id=body><p>The beginning of a story.</p><div id=rest><p id=x>{text}</p></div></div><a "
        "class=btn href='#rest'>Continue reading</a>",
    ),
    "shopify tabs": (
        ".product-tabs__content { display:none } .active { display:block }",
        "<div class=product-tabs><button class='product-tabs__link "
        "active'>Description</button><button class=product-tabs__link>Shipping</button><div "
        "class='product-tabs__content active'>One.</div><div class=product-tabs__content><p "
        "id=x>{text}</p></div></div>",
    ),
    "zendesk faq": (
        ".faq-a { max-height:0; overflow:hidden }",
        "<div class=faq-item><div class=faq-q tabindex=0>How do I?</div><div class=faq-a><p "
        "id=x>{text}</p></div></div>",
    ),
    "drupal collapse": (
        "",
        "<details class=collapse-processed><summary aria-expanded=false "
        "role=button>Group</summary><div class=details-wrapper><p id=x>{text}</p></div></details>",
    ),
    "wp details block": ("", "<details class=wp-block-details><summary>More</summary><p id=x>{text}</p></details>"),
    "elementor toggle plus": (
        ".elementor-tab-content { display:none }",
        "<div class=elementor-toggle-item><div class=elementor-tab-title role=button tabindex=0><a "
        "class=elementor-toggle-title>Q</a></div><div class='elementor-tab-content "
        "elementor-clearfix'><p id=x>{text}</p></div></div>",
    ),
    "calcite disclosure": (
        ".panel { grid-template-rows:0fr; display:grid } .panel>div { overflow:hidden; min-height:0 }"
        " .panel p { margin:0 }",
        "<button aria-expanded=false aria-controls=pn>More</button><div class=panel id=pn><div><p "
        "id=x>{text}</p></div></div>",
    ),
    "interpolate details": (
        ".c { height:0; overflow:clip }",
        "<div><button aria-expanded=false>Specifications</button><div class=c><p "
        "id=x>{text}</p></div></div>",
    ),
    "vue transcript": (
        ".transcript { display:none }",
        "<button class=transcript-toggle aria-label='Show transcript'>Transcript</button><div "
        "class=transcript><p id=x>{text}</p></div>",
    ),
    "footnote tooltip popover": (
        "",
        "<sup><button popovertarget=f1>1</button></sup><div id=f1 popover><p id=x>{text}</p></div>",
    ),
    "css target tabs": (
        ".tp { display:none } .tp:target { display:block }",
        "<nav><a href='#ta'>A</a> <a href='#tb'>B</a></nav><div id=ta class=tp><p>One</p></div><div "
        "id=tb class=tp><p id=x>{text}</p></div>",
    ),
    "truncated with checkbox": (
        ".rm { position:absolute; opacity:0 } .ct { max-height:20px; overflow:hidden } "
        ".rm:checked~.ct { max-height:none }",
        "<div><input type=checkbox class=rm id=rm><div class=ct><p>The first line of a text that is "
        "cut off here.</p><p id=x>{text}</p></div><label for=rm>Show more</label></div>",
    ),
}  # fmt: skip

SHOWN: Final = {
    "color-mix dark": ("#x { color:color-mix(in srgb,#333 80%,#fff) }", _TEXT),
    "white on oklch": ("#x { color:#fff; background:oklch(.3 .1 250) }", _TEXT),
    "container query shows": (
        "#x { display:none } #d { container-type:inline-size } @container (min-width:100px) { #x { "
        "display:block }  }",
        _BOX,
    ),
    "layer important": ("@layer a { #x { display:block!important }  } #x { display:none }", _TEXT),
    "scale longhand up": ("#x { scale:1.2; transform-origin:0 0 }", _TEXT),
    "rotate 90": ("#x { rotate:90deg; width:400px; margin:200px 0 }", _TEXT),
    "zoom 2": ("#x { zoom:1.5 }", _TEXT),
    "vertical rl": ("#x { writing-mode:vertical-rl; height:400px }", _TEXT),
    "subgrid": (
        "#d { display:grid; grid-template-columns:1fr 1fr } #x { display:grid; "
        "grid-template-columns:subgrid; grid-column:1/3 }",
        _BOX,
    ),
    "line-clamp fits": (
        "#x { display:-webkit-box; -webkit-line-clamp:4; -webkit-box-orient:vertical; overflow:hidden"
        " }",
        _TEXT,
    ),
    "text-overflow fits": ("#x { white-space:nowrap; overflow:hidden; text-overflow:ellipsis; width:900px }", _TEXT),
    "ruby rt": ("", "<p><ruby>{text}<rt>gloss</rt></ruby></p>"),
    "mathml text": ("", "<p><math><mtext>{text}</mtext></math></p>"),
    "slot assigned": (
        "",
        "<div><template shadowrootmode=open><slot name=a></slot></template><p slot=a>{text}</p></div>",
    ),
    "details open attr": ("", "<details open><summary>More</summary><p id=x>{text}</p></details>"),
    "dialog open": ("", "<dialog open style='position:static'><p id=x>{text}</p></dialog>"),
    "display contents": ("#d { display:contents }", _BOX),
    "sticky top bar above": (
        "#y { position:sticky; top:0; background:#fff }",
        "<p id=y>Bar of the page.</p><p id=x>{text}</p>",
    ),
    "hero over gradient": (
        "#d { background:linear-gradient(120deg,#123,#456); padding:90px } #x { color:#fff }",
        _BOX,
    ),
    "hero over svg image": (
        "#d { background:#123 url(\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' "
        "width='90' height='90'><circle r='40' fill='%23345'/></svg>\"); padding:60px } #x { "
        "color:#fff }",
        _BOX,
    ),
    "backdrop blur card": (
        "#d { background:linear-gradient(#123,#456); padding:60px } #x { backdrop-filter:blur(8px); "
        "background:#fff3; color:#fff }",
        _BOX,
    ),
    "mask fade bottom": ("#x { mask-image:linear-gradient(#000 60%,transparent) }", _TEXT),
    "clip-path rounded": ("#x { clip-path:inset(0 round 12px); background:#eee; padding:20px }", _TEXT),
    "negative z on isolated": ("#d { isolation:isolate } #x { position:relative; z-index:-1 }", _BOX),
    "perspective card": ("#d { perspective:800px } #x { transform:rotateY(15deg) }", _BOX),
    "offset-path here": (
        "#x { offset-path:path('M 200 20 L 300 20'); offset-anchor:0 0; offset-rotate:0deg; "
        "width:400px }",
        _TEXT,
    ),
    "scroll snap x": (
        "#d { display:flex; overflow-x:auto; width:500px } #d>* { flex:0 0 500px }",
        "<div id=d><p>First card.</p><p id=x>{text}</p></div>",
    ),
    "scroll box y": (
        "#d { height:80px; overflow-y:scroll }",
        "<div id=d><p>Words of the box that scrolls.</p><p>Words of the box that scrolls.</p><p>Words"
        " of the box that scrolls.</p><p>Words of the box that scrolls.</p><p>Words of the box that "
        "scrolls.</p><p>Words of the box that scrolls.</p><p id=x>{text}</p></div>",
    ),
    "float with shape": (
        "#f { float:left; width:100px; height:100px; shape-outside:circle() }",
        "<div id=f></div><p id=x>{text}</p>",
    ),
    "rtl": ("#x { direction:rtl }", _TEXT),
    "initial-letter": ("#x::first-letter { initial-letter:2 }", _TEXT),
    "hyphens justify": ("#x { hyphens:auto; text-align:justify; width:200px }", _TEXT),
    "text-box-trim": ("#x { text-box:trim-both cap alphabetic }", _TEXT),
    "large letter spacing": ("#x { letter-spacing:.3em }", _TEXT),
    "font-size 9px": ("#x { font-size:9px }", _TEXT),
    "gray on white": ("#x { color:#767676 }", _TEXT),
    "text stroke outline": ("#x { color:#fff; -webkit-text-stroke:1px #000; font-size:40px }", _TEXT),
    "text shadow on white text": ("#x { color:#fff; text-shadow:0 0 2px #000,0 0 3px #000; font-size:30px }", _TEXT),
    "multiply on light": ("#d { background:#ffd } #x { mix-blend-mode:multiply; color:#333 }", _BOX),
    "difference on black": ("#d { background:#000 } #x { mix-blend-mode:difference; color:#fff }", _BOX),
    "print only rule": ("@media print { #x { display:none }  }", _TEXT),
    "prefers dark rule": ("@media (prefers-color-scheme:dark) { #x { color:#fff }  }", _TEXT),
    "reduced motion rule": ("@media (prefers-reduced-motion) { #x { display:none }  }", _TEXT),
    "no scripting rule": ("@media not all and (scripting) { #x { display:none }  }", _TEXT),
    "hover rule": ("#x:hover { opacity:0 }", _TEXT),
    "transition start": ("#x { opacity:1; transition:opacity 9s } @starting-style { #x { opacity:0 }  }", _TEXT),
    "button text": ("", "<button type=button>{text}</button>"),
    "legend": ("", "<fieldset><legend>{text}</legend><p>Words.</p></fieldset>"),
    "caption bottom": (
        "caption { caption-side:bottom }",
        "<table><caption>{text}</caption><tr><td>A</td></tr></table>",
    ),
    "table th rotated": ("th { writing-mode:sideways-lr }", "<table><tr><th>{text}</th></tr></table>"),
    "anchor positioned": (
        "#a { anchor-name:--a } #x { position:absolute; position-anchor:--a; top:anchor(bottom); "
        "left:anchor(left) } #d { height:80px }",
        "<div id=d><b id=a>Anchor</b><p id=x>{text}</p></div>",
    ),
    "overflow visible zero height": ("#d { height:0 }", "<div id=d><p id=x>{text}</p></div><br><br><br>"),
    "absolute in padding": (
        "#d { position:relative; padding-top:120px } #x { position:absolute; top:20px; margin:0 }",
        _BOX,
    ),
}  # fmt: skip
