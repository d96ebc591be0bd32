"""Define pages with controls that open the sentence, or seem to; they belong to `visibility_cases.py`."""

from __future__ import annotations

from typing import Final

REVEALABLE: Final = {
    "aria-expanded false next sibling visibility": (
        "#x { visibility: hidden }",
        "<button aria-expanded=false>Details</button><p id=x>{text}</p>",
    ),
    "aria-controls opacity height": (
        "#x { opacity: 0; height: 0; overflow: hidden }",
        "<a role=button aria-controls=x aria-expanded=false>More</a><p id=x>{text}</p>",
    ),
    "summary styled none marker": (
        "summary { list-style: none }",
        "<details><summary>More</summary><p id=x>{text}</p></details>",
    ),
    "data-toggle tab": (
        "#t2 { display: none }",
        "<ul role=tablist><li><a role=tab href='#t1' aria-selected=true>A</a></li><li><a role=tab "
        "href='#t2'>B</a></li></ul><div id=t1 role=tabpanel><p>First.</p></div><div id=t2 role=tabpanel><p "
        "id=x>{text}</p></div>",
    ),
    "tab buttons data-tab": (
        "[data-panel] { display: none } [data-panel].on { display: block }",
        "<div class=tabs><button data-tab=a class=on>A</button><button data-tab=b>B</button></div><div "
        "data-panel=a class=on><p>First.</p></div><div data-panel=b><p id=x>{text}</p></div>",
    ),
    "tabs by labels in a list": (
        "input { display: none } .tab { display: none } #a:checked~.ta,#b:checked~.tb { display: block }",
        "<div><input id=a type=radio name=g checked><input id=b type=radio name=g><nav><label "
        "for=a>A</label><label for=b>B</label></nav><div class='tab ta'><p>First.</p></div><div class='tab "
        "tb'><p"
        " id=x>{text}</p></div></div>",
    ),
    "checkbox has": (
        ".w { display: none } body:has(#c:checked) .w { display: block }",
        "<label><input type=checkbox id=c> More</label><div class=w><p id=x>{text}</p></div>",
    ),
    "target class hash": (
        "#more { max-height: 0; overflow: hidden } #more:target { max-height: none }",
        "<a href='#more'>Continue reading</a><div id=more><p id=x>{text}</p></div>",
    ),
    "accordion h3 button": (
        "section>div { display: none }",
        "<div class=accordion><section><h3><button aria-expanded=false "
        "aria-controls=pp>History</button></h3><div"
        " id=pp><p id=x>{text}</p></div></section></div>",
    ),
    "dl accordion": (
        "dd { display: none }",
        "<dl class=faq><dt><button aria-expanded=false>Who?</button></dt><dd>{text}</dd></dl>",
    ),
    "bootstrap 5 accordion": (
        ".collapse:not(.show) { display: none }",
        "<div class=accordion-item><h2><button class='accordion-button collapsed' data-bs-toggle=collapse "
        "data-bs-target='#c1'>Q</button></h2><div id=c1 class='accordion-collapse collapse'><p "
        "id=x>{text}</p></div></div>",
    ),
    "bootstrap class target": (
        ".collapse:not(.show) { display: none }",
        "<button data-bs-toggle=collapse data-bs-target='.multi'>Q</button><div class='collapse multi'><p "
        "id=x>{text}</p></div>",
    ),
    "jquery ui tabs": (
        ".ui-tabs-hide { display: none }",
        "<div class=ui-tabs><ul class=ui-tabs-nav><li><a href='#t1'>A</a></li><li><a "
        "href='#t2'>B</a></li></ul><div id=t1><p>First</p></div><div id=t2 class=ui-tabs-hide><p "
        "id=x>{text}</p></div></div>",
    ),
    "foundation": (
        ".accordion-content { display: none }",
        "<ul class=accordion data-accordion><li class=accordion-item data-accordion-item><a href='#' "
        "class=accordion-title>Q</a><div class=accordion-content data-tab-content><p "
        "id=x>{text}</p></div></li></ul>",
    ),
    "wordpress toggle": (
        ".et_pb_toggle_content { display: none }",
        "<div class='et_pb_toggle et_pb_toggle_close'><h5 class=et_pb_toggle_title>Q</h5><div "
        "class=et_pb_toggle_content><p id=x>{text}</p></div></div>",
    ),
    "elementor": (
        ".elementor-tab-content { display: none }",
        "<div class=elementor-accordion-item><div class=elementor-tab-title role=button aria-controls=e1 "
        "aria-expanded=false tabindex=0>Q</div><div id=e1 class=elementor-tab-content role=region><p "
        "id=x>{text}</p></div></div>",
    ),
    "mediawiki collapsible": (
        ".mw-collapsible-content { display: none }",
        "<div class='mw-collapsible mw-collapsed'><button class=mw-collapsible-toggle "
        "aria-expanded=false>Expand</button><div class=mw-collapsible-content><p id=x>{text}</p></div></div>",
    ),
    "spoiler": (
        ".spoiler-content { display: none }",
        "<div class=spoiler><button class=spoiler-button>Show spoiler</button><div class=spoiler-content><p "
        "id=x>{text}</p></div></div>",
    ),
    "read more span": (
        "#x { display: none }",
        "<p>Beginning of a story that goes on and on.<span id=dots>...</span><span "
        "id=x>{text}</span></p><button "
        "onclick='f()' id=myBtn>Read more</button>",
    ),
    "truncated height gradient": (
        "#e { max-height: 50px; overflow: hidden }",
        "<div class=truncate id=e><p>First of the paragraphs that can be seen here.</p><p>Second of them, of "
        "which little is seen.</p><p id=x>{text}</p></div><a href='#e' class=read-more>Read more</a>",
    ),
    "button after fold": (
        "#e { max-height: 50px; overflow: hidden }",
        "<div class=content-fold id=e><p>First of the paragraphs that can be seen here.</p><p>Second of them, "
        "of "
        "which little is seen.</p><p id=x>{text}</p></div><button class=expand>Expand</button>",
    ),
    "carousel opacity stack": (
        ".slides { position: relative; height: 60px } .slide { position: absolute; inset: 0; opacity: 0 } "
        ".slide.on { opacity: 1 } .dot { display: inline-block; width: 9px; height: 9px }",
        "<div class=slider><div class=slides><div class='slide on'><p>First.</p></div><div class=slide><p "
        "id=x>{text}</p></div></div><span class=dot role=button></span><span class=dot "
        "role=button></span></div>",
    ),
    "no-js then js": (
        "html.no-js main { visibility: hidden }",
        "</article><script>document.documentElement.className='no-js'</script><main "
        "style='visibility:hidden'><p "
        "id=x>{text}</p><p id=x>{text}</p><p id=x>{text}</p><p id=x>{text}</p><p "
        "id=x>{text}</p></main><article>",
    ),
    "fade in sections": (
        ".reveal { opacity: 0; transform: translateY(40px); transition: all 1s }",
        "<section class=reveal><p>Part 0 of the story that fades in as you scroll down the "
        "page.</p></section><section class=reveal><p>Part 1 of the story that fades in as you scroll down the "
        "page.</p></section><section class=reveal><p>Part 2 of the story that fades in as you scroll down the "
        "page.</p></section><section class=reveal><p>Part 3 of the story that fades in as you scroll down the "
        "page.</p></section><section class=reveal><p>Part 4 of the story that fades in as you scroll down the "
        "page.</p></section><section class=reveal><p>Part 5 of the story that fades in as you scroll down the "
        "page.</p></section><section class=reveal><p id=x>{text}</p></section>",
    ),
    "aos": (
        "[data-aos] { opacity: 0 }",
        "<div data-aos=fade-up><p>Part 0 of the story that fades in as you scroll down the page.</p></div><div "
        "data-aos=fade-up><p>Part 1 of the story that fades in as you scroll down the page.</p></div><div "
        "data-aos=fade-up><p>Part 2 of the story that fades in as you scroll down the page.</p></div><div "
        "data-aos=fade-up><p>Part 3 of the story that fades in as you scroll down the page.</p></div><div "
        "data-aos=fade-up><p>Part 4 of the story that fades in as you scroll down the page.</p></div><div "
        "data-aos=fade-up><p>Part 5 of the story that fades in as you scroll down the page.</p></div><div "
        "data-aos=fade-up><p id=x>{text}</p></div>",
    ),
    "wow visibility": (
        "",
        "<div class=wow style='visibility:hidden'><p>Part 0 of the story that fades in as you scroll "
        "down.</p></div><div class=wow style='visibility:hidden'><p>Part 1 of the story that fades in as you "
        "scroll down.</p></div><div class=wow style='visibility:hidden'><p>Part 2 of the story that fades in "
        "as "
        "you scroll down.</p></div><div class=wow style='visibility:hidden'><p>Part 3 of the story that fades "
        "in "
        "as you scroll down.</p></div><div class=wow style='visibility:hidden'><p>Part 4 of the story that "
        "fades "
        "in as you scroll down.</p></div><div class=wow style='visibility:hidden'><p>Part 5 of the story that "
        "fades in as you scroll down.</p></div><div class=wow style='visibility:hidden'><p "
        "id=x>{text}</p></div>",
    ),
    "paused animations": (
        "@keyframes f { from { opacity: 0 }  } .s { animation: f 1s both paused }",
        "<div class=s><p>Part 0 of the story that fades in as you scroll down the page.</p></div><div "
        "class=s><p>Part 1 of the story that fades in as you scroll down the page.</p></div><div "
        "class=s><p>Part "
        "2 of the story that fades in as you scroll down the page.</p></div><div class=s><p>Part 3 of the "
        "story "
        "that fades in as you scroll down the page.</p></div><div class=s><p>Part 4 of the story that fades "
        "in as"
        " you scroll down the page.</p></div><div class=s><p>Part 5 of the story that fades in as you scroll "
        "down"
        " the page.</p></div><div class=s><p id=x>{text}</p></div>",
    ),
    "interest invoker popover": (
        "",
        "<button popovertarget=pp popovertargetaction=show>Show</button><div popover=manual id=pp><p "
        "id=x>{text}</p></div>",
    ),
    "dialog invoker command": (
        "",
        "<button command=show-modal commandfor=dd>Open</button><dialog id=dd><p id=x>{text}</p></dialog>",
    ),
    "aria-expanded on parent li": (
        "li ul { display: none }",
        "<ul role=tree><li aria-expanded=false role=treeitem tabindex=0>Root<ul><li>{text}</li></ul></li></ul>",
    ),
    "aria-owns / aria-details": (
        "#x { display: none }",
        "<button aria-expanded=false aria-details=x>Note</button><p>Some text between.</p><p id=x>{text}</p>",
    ),
    "footnote target": (
        "#fn1 { display: none } #fn1:target { display: block }",
        "<p>Text<sup><a href='#fn1'>1</a></sup></p><aside id=fn1><p id=x>{text}</p></aside>",
    ),
    "show more comments list": (
        "li:nth-child(n+3) { display: none }",
        "<ul class=comments-list><li>First of the comments.</li><li>Second of the "
        "comments.</li><li>{text}</li></ul><button class=show-more aria-expanded=false>Show more</button>",
    ),
    "tabs without their style sheets": (
        "",
        "<div><div class=tab-navs><div class=tab-nav>A</div><div class=tab-nav>B</div></div><div "
        "class=tab-panes>"
        "<div class=tab-pane>First.</div><div class=tab-pane style='display: none'><p "
        "id=x>{text}</p></div></div>"
        "</div>",
    ),
    "closed panel without its style sheet": (
        "#x, .o p { margin: 0 } .o { background: #fff; position: relative }",
        "<button aria-expanded=false aria-controls=p>More</button><div style='height: 0'><div id=p><div><p "
        "id=x>{text}"
        "</p></div></div></div><div class=o style='height: 200px'><p>Text after it.</p></div>",
    ),
    "custom elements before they are defined": (
        ":not(:defined) { visibility: hidden }",
        3 * "<post-entry><p>One of the entries that a script of the page will show when it starts.</p></post-entry>"
        + "<post-entry><p id=x>{text}</p></post-entry>",
    ),
    "splide": (
        ".splide__track { overflow: hidden } .splide__list { display: flex; padding: 0 } .splide__slide { "
        "flex: 0 0 100% }",
        "<section class=splide><div class=splide__arrows><button class='splide__arrow "
        "splide__arrow--next'>›</button></div>"
        "<div class=splide__track><ul class=splide__list><li class='splide__slide "
        "is-active'><p>First.</p></li><li "
        "class=splide__slide aria-hidden=true><p id=x>{text}</p></li></ul></div></section>",
    ),
    "glide": (
        ".glide__track { overflow: hidden } .glide__slides { display: flex; padding: 0 } .glide__slide { "
        "flex: 0 0 100% }",
        "<div class=glide><div class=glide__track><ul class=glide__slides><li class='glide__slide "
        "glide__slide--active'><p>"
        "First.</p></li><li class=glide__slide><p id=x>{text}</p></li></ul></div><div "
        "class=glide__arrows><button "
        "class=glide__arrow>next</button></div></div>",
    ),
    "owl carousel": (
        ".owl-stage-outer { overflow: hidden } .owl-stage { width: 3000px } .owl-item { float: left; width: "
        "728px }",
        "<div class='owl-carousel owl-loaded'><div class=owl-stage-outer><div class=owl-stage><div "
        "class='owl-item active'>"
        "<div class=item><p>First.</p></div></div><div class=owl-item><div class=item><p "
        "id=x>{text}</p></div></div></div>"
        "</div><div class=owl-nav><button class=owl-next>›</button></div></div>",
    ),
    "slideshow with handlers": (
        ".mySlides { display: none }",
        "<div class=slideshow-container><div class='mySlides fade' style='display: "
        "block'><p>First.</p></div><div "
        "class='mySlides fade'><p id=x>{text}</p></div><a class=next onclick='plusSlides(1)'>❯</a></div>",
    ),
    "tabs and switcher": (
        ".uk-switcher>:not(.uk-active) { display: none }",
        "<ul class=uk-tab uk-tab><li class=uk-active><a href='#'>A</a></li><li><a href='#'>B</a></li></ul><ul "
        "class=uk-switcher><li class=uk-active>First.</li><li id=x>{text}</li></ul>",
    ),
    "handler with an id": (
        "",
        "<p><a href='javascript:void(0)' onclick=\"toggle('y')\">Cargo list</a></p><div id=y style='display: "
        "none'><p "
        "id=x>{text}</p></div>",
    ),
    "handler that opens a dialog": (
        "",
        "<button onclick=\"document.getElementById('y').showModal()\">Cargo</button><dialog id=y><p "
        "id=x>{text}</p></dialog>",
    ),
    "alpine": (
        "[x-cloak] { display: none !important }",
        "<div x-data='{ open: false }'><button @click='open = !open'>Who pays?</button><div x-show=open "
        "x-cloak><p "
        "id=x>{text}</p></div></div>",
    ),
    "several elements that wait for a script": (
        ".gs { visibility: hidden; opacity: 0 }",
        "<p class=gs>The lantern came from Paris by rail, and nobody knows who paid for it.</p><p class=gs "
        "id=x>{text}</p>"
        "<p class=gs>The keepers had a cat and a goat on board, and a parrot that spoke Dutch.</p>",
    ),
    "blurred spoiler": (
        "",
        "<div class=spoiled data-spoiler-state=blurred role=button tabindex=0 aria-expanded=false "
        "style='filter:blur(12px);cursor:pointer'><p>{text}</p></div>",
    ),
    "drawer beside a button": (
        ".drawer{position:fixed;left:0;top:0;width:300px;height:100%;background:#fff;transform:translateX(-100%)}",
        "<button class=hamburger aria-label=Menu><span></span><span></span><span></span></button><div "
        "class=drawer><h3>About</h3><p>{text}</p></div>",
    ),
    "panel reached from its button": (
        "",
        "<div style='margin:20px'><div class=quotetitle><b>Spoiler:</b> <input type=button value=Show "
        "onclick=\"var "
        "d=this.parentNode.parentNode.getElementsByTagName('div')[1].getElementsByTagName('div')[0];d.style.di"
        "splay='';\"></div><div class=quotecontent><div style='display:none'>{text}</div></div></div>",
    ),
    "panel below a title with a pointer": (
        ".a_9xk{max-height:0;overflow:hidden}.q_7z{cursor:pointer;font-weight:700}",
        "<div class=i_2><div class=q_7z>Who pays?<svg width=8 height=8><path d='M0 0l4 4 "
        "4-4'/></svg></div><div class=a_9xk><div>{text}</div></div></div>",
    ),
    "Divi toggle": (
        ".et_pb_toggle_close .et_pb_toggle_content{display:none}.et_pb_toggle_title{cursor:pointer}",
        "<div class='et_pb_toggle et_pb_toggle_close'><h5 class=et_pb_toggle_title>Costs</h5><div "
        "class='et_pb_toggle_content clearfix'><p>{text}</p></div></div>",
    ),
    "panels of MUI": (
        ".css-a0y2e3{height:0;overflow:hidden;visibility:hidden;transition:height 300ms}",
        "<div class='MuiPaper-root css-1elwnq4'><h3 class=css-wnfue5><button class='MuiButtonBase-root "
        "css-5o2i3b' type=button aria-expanded=false>Costs</button></h3><div class='MuiCollapse-root "
        "css-a0y2e3' style='min-height:0px'><div class=css-hboir5><div "
        "role=region><p>{text}</p></div></div></div></div>",
    ),
    "tabs of Webflow": (
        ".w-tab-pane{display:none;position:relative}.w--tab-active{display:block}",
        "<div class=w-tabs data-current='Tab 1'><div class=w-tab-menu><a data-w-tab='Tab 1' "
        "class='w-inline-block w-tab-link w--current'><div>One</div></a><a data-w-tab='Tab 2' "
        "class='w-inline-block w-tab-link'><div>Two</div></a></div><div class=w-tab-content><div "
        "data-w-tab='Tab 1' class='w-tab-pane w--tab-active'><p>First.</p></div><div data-w-tab='Tab 2' "
        "class=w-tab-pane><p>{text}</p></div></div></div>",
    ),
    "pages of a note": (
        "",
        "<div class=pages><div class=page data-page=1><p>First page.</p></div><div class=page data-page=2 "
        "style='display:none'><p>{text}</p></div><ul class=pagination><li><a "
        "href='javascript:;'>1</a></li><li><a href='javascript:;'>2</a></li></ul></div>",
    ),
    "language of a text": (
        "",
        "<div class=langs><button data-lang=en class=on>English</button><button "
        "data-lang=de>Deutsch</button></div><div lang=en>The mill is old.</div><div lang=de "
        "style='display:none'>{text}</div>",
    ),
    "choice from a menu": (
        "",
        "<select id=city "
        "onchange=\"document.querySelectorAll('.c').forEach(e=>e.hidden=e.id!==this.value)\"><option "
        "value=a>Ayr</option><option value=b>Bude</option></select><div class=c id=a>First.</div><div "
        "class=c id=b hidden>{text}</div>",
    ),
}  # fmt: skip

SHOWN: Final = {
    "one element with data-aos": (
        "[data-aos^=fade] { opacity: 0; transition-property: opacity, transform }",
        "<p data-aos=fade-up id=x>{text}</p>",
    ),
    "one element of elementor": (
        ".elementor-invisible { visibility: hidden }",
        "<p class='elementor-element elementor-invisible' id=x>{text}</p>",
    ),
}

HIDDEN: Final = {
    "after a checkbox of a form": (
        "",
        "<form><input type=checkbox id=agree><label for=agree>I agree to the terms</label><input type=email><p "
        "style='display: none' id=x>{text}</p></form>",
    ),
    "note of a table beside a button": (
        "",
        "<div><button>Print</button><div class=table-note style='display: none'><p id=x>{text}</p></div></div>",
    ),
    "drop cap beside a button": (
        "",
        "<div><button>Print</button><div class=has-dropcap style='display: none'><p "
        "id=x>{text}</p></div></div>",
    ),
    "in an expanded panel": (
        "",
        "<button aria-controls=y aria-expanded=true>Cargo</button><div id=y><p>The list is kept.</p><p hidden "
        "id=x>{text}</p></div>",
    ),
    "handler that names nothing": (
        "",
        "<button onclick=\"track('event')\">Like</button><div style='display: none'><p id=x>{text}</p></div>",
    ),
    "frame with a button": (
        ".frame { overflow: hidden; height: 30px; position: relative } .cell { position: absolute; top: 40px }",
        "<div class=wide><div class=inner><div class=frame><p>First.</p><div class=cell "
        "id=x>{text}</div></div></div>"
        "<button>Print</button></div>",
    ),
    "button that names another element": (
        "",
        "<button aria-controls=zz aria-expanded=false>Menu</button><p>Words.</p><div style='display:none'>{text}</div>",
    ),
}  # fmt: skip
"""Pages with controls that do not open the sentence."""
