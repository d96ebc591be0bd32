"""What the user agent's style sheet says of HTML elements (HTML Standard, section 15.3, Rendering).

The static parser has no style engine; these defaults give it block structure, weight and what is never shown.
"""

from __future__ import annotations

_BY_DISPLAY = {
    "block": """address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure
        footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend listing main menu nav ol optgroup option p
        plaintext pre search section summary ul xmp""",
    "list-item": "li",
    "table": "table",
    "table-caption": "caption",
    "table-row-group": "tbody thead tfoot",
    "table-column-group": "colgroup",
    "table-column": "col",
    "table-row": "tr",
    "table-cell": "td th",
    "inline-block": "button input meter progress select textarea",
    "none": "area base basefont datalist head link meta noembed noframes param rp script style template title",
}

DISPLAY = {tag: display for display, tags in _BY_DISPLAY.items() for tag in tags.split()}
"""Display type by tag; a tag that is not here is `inline`."""

BLOCK_TAGS = frozenset(tag for tag, display in DISPLAY.items() if display not in ("none", "inline-block"))
"""Tags that end a line whatever a style sheet says: text on their two sides belongs to different blocks."""

BOLD_TAGS = frozenset(("b", "strong", "h1", "h2", "h3", "h4", "h5", "h6", "th"))
ITALIC_TAGS = frozenset(("address", "cite", "dfn", "em", "i", "var"))
PREFORMATTED_TAGS = frozenset(("listing", "plaintext", "pre", "xmp"))

SKIPPED_TAGS = frozenset(("base", "link", "meta", "script", "style", "template", "title"))
"""Elements that a snapshot leaves out with all they hold: what stands in the head, wherever it stands."""

REPLACED_TAGS = frozenset(("applet", "audio", "canvas", "iframe", "math", "noembed", "noframes", "object", "svg",
                           "textarea", "video"))  # fmt: skip
"""Elements whose inner text is not text of the page: replaced content, fallback, raw text or an edit field."""
