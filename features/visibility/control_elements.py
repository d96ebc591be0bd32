"""Find the elements that a reader can click without leaving the page."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.visibility.page_elements import matches

if TYPE_CHECKING:
    from vclean.features.visibility.page_elements import PageElements

REFERENCES: Final = ("aria-controls", "data-target", "data-bs-target", "popovertarget", "commandfor", "for", "href")
"""Attributes by which a control names what it opens."""
HANDLER: Final = "onclick"
"""Attribute with a script, which may name what it opens in quotes."""
PANEL_NAME: Final = re.compile(
    r"tab(?!le|ul|let|oo)|accordion|collaps|panel|pane\b|toggle|expand|reveal|faq|(?<![a-z])more(?![a-z])|"
    r"(?:read|show|see|view|load)more|more(?:text|content|less|info|link)|slide|carousel|spoiler|modal|"
    r"drop(?!cap|-cap|shadow|-shadow)|disclos|answer|drawer|off-?canvas|fly-?out",
    re.IGNORECASE,
)
"""Names that panels and their controls go by in common component libraries (Bootstrap, jQuery UI, WAI-ARIA)."""
SPOILER_NAME: Final = re.compile(r"spoil", re.IGNORECASE)
"""Names of texts that a reader uncovers by a click on them."""
_RELATIVE: Final = re.compile(
    r"parentNode|parentElement|(?:next|previous)(?:Element)?Sibling|closest\(|\.(?:next|prev|parent|siblings)\("
)
"""How the script of a control reaches what is beside it."""
TITLE_NAME: Final = re.compile(r"accordion|collaps|toggle|expand|faq|spoiler", re.IGNORECASE)
"""Names of headings that are controls."""
_CONTROL_ROLES: Final = frozenset(("button", "tab", "switch", "menuitem", "radio", "checkbox"))
_STEP_NAME: Final = re.compile(r"next|prev|arrow|dot|indicator|tab|nav|control|thumb", re.IGNORECASE)
_QUESTION_NAME: Final = re.compile(
    r"question|(?:accordion|collaps|toggle|faq|spoiler)[\w-]*(?:title|head|label|trigger|button)", re.IGNORECASE
)
"""Names of what a reader clicks, whatever its tag: without a layout its cursor is unknown."""
_TAB_NAME: Final = re.compile(
    r"\btabs?[-_]*(?:nav|link|item|btn|button|title|label|trigger|head|header)\b", re.IGNORECASE
)
"""Names of tabs; a page without its style sheets shows no cursor above them."""
_TITLE_TAGS: Final = frozenset(("dt", "h1", "h2", "h3", "h4", "h5", "h6"))
_MORE: Final = re.compile(
    r"(?:(?:read|show|see|view|learn|load|open) (?:more|all|full|the rest|details|(?:the )?transcript)|more|expand"
    r"|(?:read|show|see|view) (?:the )?(?:full|whole|entire|complete) (?:story|article|post|text|review|answer)"
    r"|(?:show|see|view|reveal|check) (?:the )?(?:answers?|solutions?|hints?|spoilers?|explanations?|translation)"
    r"|(?:antwort|lösung|auflösung)(?:en)? (?:an)?zeigen|(?:voir|afficher) la (?:réponse|solution)"
    r"|(?:ver|mostrar) (?:la )?(?:respuesta|resposta|solución|solução)|mostra (?:la )?(?:risposta|soluzione)"
    r"|(?:показать|посмотреть) (?:ответ|решение)|(?:zobacz|pokaż) (?:odpowiedź|rozwiązanie)"
    r"|查看答案|显示答案|答えを(?:見る|表示)"
    r"|(?:show|see|view|load) (?:all )?\d{1,5} (?:more )?(?:comments?|replies|answers|reviews)"
    r"|continue reading|keep reading|(?:(?:read|show|view|open|full) )?(?:the )?(?:video |full )?transcript"
    r"|mehr(?: lesen| anzeigen)?|weiterlesen|lire (?:la suite|plus)|(?:voir|afficher) plus|leer más|ver más|mostrar más"
    r"|seguir leyendo|ler mais|ver mais|leggi (?:di più|tutto)|mostra (?:di più|altro)|lees (?:meer|verder)|meer tonen"
    r"|więcej|czytaj (?:dalej|więcej)|rozwiń|pokaż więcej|číst (?:dále|dál)|zobrazit více|läs mer|les mer|læs mere"
    r"|читать (?:далее|полностью)|показать (?:ещё|еще|полностью)|подробнее|περισσότερα|devamını oku"
    r"|читати (?:далі|більше|повністю)|показати (?:більше|ще)|детальніше|прочети (?:още|повече)|виж (?:още|повече)"
    r"|pročitaj(?:te)? više|prikaži više|čítať ďalej|zobraziť viac|preberi več|citește mai mult|vezi mai mult|mai mult"
    r"|tovább(?: olvasom)?|bővebben|lue lisää|näytä lisää|loe edasi|näita rohkem|skaityti (?:daugiau|toliau)"
    r"|lasīt vairāk|rādīt vairāk|llegir més|veure més|xem thêm|đọc (?:thêm|tiếp)|(?:baca )?selengkapnya|lihat semua"
    r"|קרא עוד|הצג עוד|ادامه مطلب|بیشتر|और (?:पढ़ें|देखें)|อ่านต่อ|ดูเพิ่มเติม|daha fazla(?: göster)?"
    r"|阅读更多|阅读全文|展开(?:全文)?|显示更多|查看更多|続きを読む|もっと見る|더 ?보기|المزيد|اقرأ المزيد)"
    r"[\s.…»›>+▼▾↓]*",
    re.IGNORECASE,
)
"""What a control says that shows the rest of a text."""
_SAYS_MORE: Final = 40
"""Characters of such a control, at most."""
_FIRST: Final = 8
"""First elements inside an element, among which its control is looked for."""
_ROOTS: Final = frozenset(("html", "body", "form", "main", "article", "section"))
"""Tags of elements that a handler of clicks makes no control."""
_CLICKED: Final = frozenset(("a", "button", "input", "label", "select", "summary", "textarea"))
"""Tags with a pointer of their own purpose."""
_ATTRIBUTES: Final = ("data-toggle", "data-bs-toggle", "tabindex")
"""Attributes of controls."""


class ControlElements:
    """Tell controls from other elements.

    Args:
        elements: the elements of the page.
    """

    def __init__(self, elements: PageElements) -> None:
        self._elements = elements
        self._inside: dict[int, tuple[bool, bool, bool]] = {}
        self._marked = [elements.attributes(name) for name in _ATTRIBUTES]
        self._handlers = elements.attributes(HANDLER)
        self._controlled = elements.attributes("aria-controls")
        self._expanded, self._href = elements.attributes("aria-expanded"), elements.attributes("href")

    def is_control(self, element: int) -> bool:
        """Return whether a reader can click an element without leaving the page."""
        elements = self._elements
        if elements.tag(element) in ("button", "summary") or elements.role(element) in _CONTROL_ROLES:
            return True
        if element in self._handlers and elements.tag(element) not in _ROOTS:
            return True
        if any(element in marked for marked in self._marked) or self._has_name_of_control(element):
            return True
        href = self._href.get(element)
        if href is not None:
            same_page = href == elements.snapshot.url != ""  # the parser resolves `#` to it
            return href.startswith(("#", "javascript:")) or href.endswith("#") or same_page
        return bool(self._cursors[elements.snapshot.style[element]] == "pointer")

    def _has_name_of_control(self, element: int) -> bool:
        """Return whether an element is the title of a part that opens, by its name."""
        name = self._elements.name(element)
        if self._elements.tag(element) in _TITLE_TAGS:
            return matches(TITLE_NAME, name)
        if matches(_TAB_NAME, name):
            return True
        return not self._elements.snapshot.rendered and matches(_QUESTION_NAME, name)

    @cached_property
    def _cursors(self) -> tuple[str, ...]:
        return self._elements.snapshot.styles.column("cursor")

    def is_closed(self, element: int) -> bool:
        """Return whether an element says that what it expands is closed (WAI-ARIA, `aria-expanded`)."""
        return self._expanded.get(element, "").lower() == "false"

    def is_plain_button(self, element: int) -> bool:
        """Return whether an element is a button that names nothing that it controls."""
        is_button = self._elements.tag(element) == "button"
        return is_button and not any(element in self._elements.attributes(name) for name in REFERENCES)

    def is_of_set(self, element: int) -> bool:
        """Return whether an element in sight is a tab, a button or a control with the name of a step."""
        elements = self._elements
        if not elements.seen[element] or not self.is_control(element):
            return False
        is_tab_or_button = elements.role(element) == "tab" or elements.tag(element) == "button"
        return is_tab_or_button or matches(_STEP_NAME, elements.name(element))

    def inside(self, element: int) -> tuple[bool, bool, bool]:
        """Return whether one of the first elements inside expands something, is a control, or one named as such."""
        if element not in self._inside:
            first = range(element, min(self._elements.end[element], element + _FIRST))
            seen = [each for each in first if self._elements.seen[each]]
            controls = [each for each in seen if self.is_control(each)]
            is_named = any(matches(PANEL_NAME, self._elements.name(each)) for each in controls)
            expands = any(map(self._opens_what_is_near, seen))
            self._inside[element] = expands, bool(controls), is_named
        return self._inside[element]

    def _opens_what_is_near(self, element: int) -> bool:
        """Return whether an element expands something, or has a script that does, which it does not name by an id."""
        if self.is_closed(element):
            return element not in self._controlled
        return matches(_RELATIVE, self._handlers.get(element, ""))

    def is_clickable_title(self, element: int) -> bool:
        """Return whether the cursor says that an element is clicked, which is no link, button or label."""
        elements = self._elements
        if elements.tag(element) in _CLICKED or element in self._href:
            return False
        return bool(self._cursors[elements.snapshot.style[element]] == "pointer")

    @cached_property
    def showing_more(self) -> list[int]:
        """Return the controls in sight that say that they show the rest of a text."""
        snapshot = self._elements.snapshot
        short = (snapshot.text_length > 1) & (snapshot.text_length <= _SAYS_MORE)
        parents = [
            int(snapshot.text_parent[text])
            for text in np.flatnonzero(short).tolist()
            if _MORE.fullmatch(snapshot.texts[text].strip())
        ]
        return [element for each in parents if (element := self._control_around(each)) is not None]

    def _control_around(self, element: int) -> int | None:
        """Return the element, or its parent, that is a control in sight."""
        around = [each for each in (element, self._elements.parent[element]) if each >= 0]
        return next((each for each in around if self._elements.is_in_sight(each) and self.is_control(each)), None)
