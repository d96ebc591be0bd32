"""Define scripts that show the sentence on a click or on scrolling; no attribute connects control and panel.

They stand for the libraries that the pages are made for.
"""

from __future__ import annotations

from typing import Final

_SHOW: Final = "display: block"

ON_CLICK: Final = {
    "accordion without ids": (".accordion-header", ".accordion-body", _SHOW),
    "accordion by height": (".accordion", ".panel", "max-height: none"),
    "questions and answers": (".faq-question", ".faq-answer", _SHOW),
    "carousel": (".next", ".slide:not(.active)", _SHOW),
    "carousel by translation": (".next", ".track", "transform: translateX(-100%)"),
    "tab buttons data-tab": ("[data-tab=b]", "[data-panel=b]", _SHOW),
    "bootstrap class target": ("[data-bs-toggle]", ".multi", _SHOW),
    "foundation": (".accordion-title", ".accordion-content", _SHOW),
    "wordpress toggle": (".et_pb_toggle_title", ".et_pb_toggle_content", _SHOW),
    "spoiler": (".spoiler-button", ".spoiler-content", _SHOW),
    "read more span": ("#myBtn", "#x", "display: inline"),
    "button after fold": (".expand", "#e", "max-height: none"),
    "carousel opacity stack": (".dot", ".slide:not(.on)", "opacity: 1"),
    "show more comments list": (".show-more", ".comments-list li:nth-child(3)", "display: list-item"),
    "tabs without their style sheets": (".tab-nav:nth-child(2)", ".tab-pane:nth-child(2)", _SHOW),
    "splide": (".splide__arrow--next", ".splide__list", "transform: translateX(-100%)"),
    "glide": (".glide__arrow", ".glide__slides", "transform: translateX(-100%)"),
    "owl carousel": (".owl-next", ".owl-stage", "transform: translateX(-728px)"),
    "slideshow with handlers": (".next", ".mySlides:nth-child(2)", _SHOW),
    "tabs and switcher": (".uk-tab li:nth-child(2)", "#x", "display: block !important"),
    "alpine": ("button", "[x-show]", "display: block !important"),
    "uikit": (".uk-accordion-title", ".uk-accordion-content", "display: block !important"),
    "drawer beside a button": (".hamburger", ".drawer", "transform: none"),
    "panel below a title with a pointer": (".q_7z", ".a_9xk", "max-height: none"),
    "Divi toggle": (".et_pb_toggle_title", ".et_pb_toggle_content", _SHOW),
    "tabs of Webflow": (".w-tab-link:nth-child(2)", ".w-tab-pane:nth-child(2)", _SHOW),
    "alpine x-show": ("button", "[x-show]", _SHOW),
    "semantic ui": (".title", ".content", _SHOW),
    "stackoverflow comments": (".js-show-link", "#c2", _SHOW),
    "medium read more": ("button", "#rest", _SHOW),
    "shopify tabs": (".product-tabs__link:nth-child(2)", ".product-tabs__content:not(.active)", _SHOW),
    "zendesk faq": (".faq-q", ".faq-a", "max-height: none"),
    "elementor toggle plus": (".elementor-tab-title", ".elementor-tab-content", _SHOW),
    "vue transcript": (".transcript-toggle", ".transcript", _SHOW),
}
"""Control, panel and the style that a click gives the panel, by the name of the page."""

ON_SCROLL: Final = {
    "one element with data-aos": "[data-aos]",
    "one element of elementor": ".elementor-invisible",
}
"""What a page shows as it is scrolled to."""

_CLICK: Final = """<script>for (const each of document.querySelectorAll('{0}')) each.addEventListener('click', () => {{
setTimeout(() => document.querySelector('{1}').style.cssText = '{2}', 100) }})</script>"""
_SCROLL: Final = """<script>const seen = new IntersectionObserver((all) => all.forEach(({{ target, isIntersecting }}) =>
{{ if (isIntersecting) target.style.cssText = 'opacity: 1; visibility: visible' }}))
document.querySelectorAll('{0}').forEach((each) => seen.observe(each))</script>"""


def script_of(name: str) -> str:
    """Return the script element of a page of the suite; empty for most."""
    if name in ON_SCROLL:
        return _SCROLL.format(ON_SCROLL[name])
    return _CLICK.format(*ON_CLICK[name]) if name in ON_CLICK else ""
