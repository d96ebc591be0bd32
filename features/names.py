"""What an element is called: well-known words in classes and ids, tags and ARIA roles, as bits.

The words are vocabulary of the field, as the authors of themes and the readers of their markup use it (readability's
and trafilatura's name lists, WordPress, Bootstrap, Blogger), in English and the larger European languages. No site.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.remembered import REMEMBERED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.naming import Naming
    from vclean.render.snapshot import Snapshot

_VOCABULARY: Final = """
nav: nav* menu* navi* topnav subnav mainnav sitenav
header: header* head masthead hdr kopf* cabecera entete branding jumbotron hero
footer: foot* footer* fuss* pie pied colophon bottom
side: side* sidebar* aside rail secondary barra seitenleiste
column: col column* spalte colonne columna
left: left* links
right: right* rechts
top: top* topbar
comments: comment* kommentar* comentario* commentaire* reply replies respond disqus discuss* feedback guestbook
ad: ad ads adv advert* adsense adsbygoogle adbox adslot banner* sponsor* promo* werbung anzeige* publicidad pub dfp
logo: logo* brand sitename sitetitle
author: author* byline* autor* auteur vcard bio writer posted postedby
date: date* time* timestamp datum fecha published updated
related: relat* recommend* similar more readmore mehr also popular trending recent latest
share: share* sharing social* follow* facebook twitter addthis addtoany bookmark*
search: search* suche* buscar recherche* query cerca
form: form* login* signin signup register* subscribe* newsletter contact* input* field* kontakt
crumbs: breadcrumb* crumb* breadcrumbs pathway
tags: tag tags tagcloud categor* label* keywords topics
widget: widget* module* portlet* box* panel* block* plugin
content: content* main* maincontent inhalt* contenido contenu* contenuto body* primary center middle
article: article* post* entry* story* artikel articulo node hentry news blog*
text: text* copy* paragraph prose description descr* excerpt summary abstract lead teaser*
title: title* headline* heading* titel titulo titre caption subtitle
list: list* items item liste lista archive*
links: link linklist blogroll urls
table: table* grid data tabelle tabla
media: image* img* photo* picture* pic pics gallery* thumb* video* player* slide* carousel* media foto* figure flash
wrapper: wrap* container* page* outer* inner* layout* frame* holder site
pages: pagination pager paging pagenav prev next previous older newer
shop: cart* price* product* shop* buy* basket warenkorb checkout
legal: copyright* legal privacy* terms impressum disclaimer credits
overlay: cookie* popup* modal* overlay* dialog* lightbox tooltip consent
hidden: hidden hide sr skip* invisible screen
language: lang* language* locale translate flags
index: toc index* contents outline
meta: meta* info* details stats status
"""

_TAGS: Final = {
    "nav": "nav menu", "aside": "aside", "header": "header hgroup", "footer": "footer", "main": "main",
    "article": "article", "section": "section", "form": "form fieldset", "input": "input select textarea button",
    "table": "table tbody thead tfoot", "row": "tr", "cell": "td th", "list": "ul ol dl dir", "item": "li dt dd",
    "p": "p", "h1": "h1", "h2": "h2", "h3": "h3 h4 h5 h6", "div": "div", "a": "a", "inline": "span font b strong i em",
    "image": "img svg picture figure canvas area map", "video": "video object embed iframe applet audio",
    "center": "center", "address": "address", "quote": "blockquote q", "code": "pre code", "body": "body html",
}  # fmt: skip
_ARIA: Final = ("navigation", "complementary", "contentinfo", "banner", "main", "article", "search", "form", "dialog",
                "list", "img", "menu")  # fmt: skip

_WORDS: Final = {
    key: frozenset(words.split())
    for key, _, words in (line.partition(":") for line in _VOCABULARY.strip().splitlines())
}
NAMES: Final = tuple(_WORDS)
"""The groups of words, in the order of their bits."""
KINDS: Final = (*(f"tag_{name}" for name in _TAGS), *(f"aria_{name}" for name in _ARIA))
"""The groups of tags, then ARIA roles, in the order of their bits."""

_EXACT: Final = {word: bit for bit, words in enumerate(_WORDS.values()) for word in words if word[-1] != "*"}
_STEMS: Final = {word[:-1]: bit for bit, words in enumerate(_WORDS.values()) for word in words if word[-1] == "*"}
_LENGTHS: Final = sorted({len(stem) for stem in _STEMS}, reverse=True)
_BEGINNINGS: Final = {stem[: _LENGTHS[-1]] for stem in _STEMS}
_TAG_BIT: Final = {tag: bit for bit, tags in enumerate(_TAGS.values()) for tag in tags.split()}
_ARIA_BIT: Final = {role: bit for bit, role in enumerate(_ARIA, start=len(_TAGS))}
_NAMED: Final = ("class", "id", "itemprop", "name")


def name_bits(naming: Naming) -> NDArray[np.uint64]:
    """uint64 (N,): which of `NAMES` occur in an element's class, id, name and itemprop, or an image's file name."""
    bits = np.zeros(len(naming.snapshot), dtype=np.uint64)
    of_name = naming.of_name.union(np.array([_bit(word) for word in naming.words], dtype=np.uint64))
    of_value = naming.of_value.union(of_name)[naming.short]
    for attribute in _NAMED:
        values = naming.snapshot.values(attribute)
        bits[values.node] |= of_value[values.number + naming.first[attribute]]
    bits[naming.image] |= of_name[naming.file]
    return bits


def kind_bits(snapshot: Snapshot) -> NDArray[np.uint64]:
    """uint64 (N,): which of `KINDS` an element's tag and ARIA role are."""
    by_tag = [1 << _TAG_BIT[tag] if tag in _TAG_BIT else 0 for tag in snapshot.tags]
    bits = np.array(by_tag, dtype=np.uint64)[snapshot.tag]
    roles = snapshot.values("role")
    bits[roles.node] |= np.array([_aria_bits(role) for role in roles.different], dtype=np.uint64)[roles.number]
    return bits


@lru_cache(maxsize=REMEMBERED)
def _bit(word: str) -> int:
    """The bit of a word's group, 0 without one: of the whole word, else of its longest known beginning."""
    if word in _EXACT:
        return 1 << _EXACT[word]
    if word[: _LENGTHS[-1]] not in _BEGINNINGS:
        return 0
    return next((1 << _STEMS[word[:n]] for n in _LENGTHS if word[:n] in _STEMS), 0)


def _aria_bits(value: str) -> int:
    role = value.strip().lower()
    return 1 << _ARIA_BIT[role] if role in _ARIA_BIT else 0


def above(bits: NDArray[np.uint64], parent: NDArray[np.int32]) -> NDArray[np.uint64]:
    """uint64 (N,): the bits of all ancestors of an element together, by pointer doubling."""
    jump = np.maximum(parent, 0)
    found = np.where(parent < 0, np.uint64(0), bits[jump])  # nothing is above the root, where every chain ends
    while jump.any():
        found |= found[jump]
        jump = jump[jump]
    return found


def unpack(bits: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    """The lowest `count` bits as columns, bool (len(bits), count)."""
    octets = bits.astype("<u8").view(np.uint8).reshape(len(bits), 8)
    return np.unpackbits(octets, axis=1, count=count, bitorder="little").view(bool)
