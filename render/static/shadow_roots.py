"""Put declarative shadow roots in the place of their hosts' children, as browsers do (DOM, 4.2.2; HTML, 4.12.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lxml import etree

_MODES: Final = ("open", "closed")


def may_have_shadow_roots(text: str) -> bool:
    """Return whether a source may have declarative shadow roots."""
    return "shadowrootmode" in text or "shadowRootMode" in text


def flatten_shadow_roots(root: etree._Element) -> None:
    """Replace the children of each host by its shadow root, and the slots' contents by the children assigned to them.

    Children without a slot are removed: browsers do not lay them out.
    """
    hosts = set()
    for template in list(root.iter("template")):
        host = template.getparent()
        if host is None or host in hosts or template.get("shadowrootmode", "").lower() not in _MODES:
            continue
        hosts.add(host)
        _flatten(host, template)


def _flatten(host: etree._Element, template: etree._Element) -> None:
    """Replace the children of a host by those of a template, its shadow root."""
    slots: dict[str, _Slot] = {}
    for slot in template.iter("slot"):
        slots.setdefault(slot.get("name", ""), _Slot(slot))
    nowhere = _Slot(None)
    default = slots.get("", nowhere)
    default.add_text(host.text)
    for child in list(host):
        tail, child.tail = child.tail, None
        host.remove(child)
        if child is not template:
            slots.get(child.get("slot", ""), nowhere).add(child)
        default.add_text(tail)
    host.text = template.text
    host.extend(list(template))


class _Slot:
    """Receive the children assigned to a slot; its fallback remains if there are none.

    Args:
        slot: the slot, or None for children that are not laid out.
    """

    def __init__(self, slot: etree._Element | None) -> None:
        self._slot = slot
        self._is_filled = False

    def add(self, child: etree._Element) -> None:
        """Append an element."""
        if self._slot is not None:
            self._fill(self._slot)
            self._slot.append(child)

    def add_text(self, text: str | None) -> None:
        """Append a text; white space does not replace the fallback."""
        slot = self._slot
        if slot is None or not text or not (text.strip() or self._is_filled):
            return
        self._fill(slot)
        if len(slot):
            slot[-1].tail = (slot[-1].tail or "") + text
        else:
            slot.text = (slot.text or "") + text

    def _fill(self, slot: etree._Element) -> None:
        """Remove the fallback before the first content."""
        if not self._is_filled:
            self._is_filled = True
            slot.text = None
            del slot[:]
