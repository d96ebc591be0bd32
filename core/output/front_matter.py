"""Write the metadata of a page as YAML front matter of Markdown, for `--front-matter`.

Values are written as JSON strings and lists, which YAML 1.2 (https://yaml.org/spec/1.2.2/, chapter 7) contains.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from vclean.metadata import PAGE_FIELDS

if TYPE_CHECKING:
    from vclean.metadata import Metadata
    from vclean.result import Result

_NOT_PRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that YAML does not allow as they are, and JSON does (YAML 1.2, 5.1)."""


def write_front_matter(result: Result) -> str:
    """Return the cleaned page in Markdown, after its metadata as YAML between lines of three hyphens."""
    text = result.to_markdown()
    return f"{front_matter(result.metadata)}\n{text}" if text else front_matter(result.metadata)


def front_matter(metadata: Metadata) -> str:
    """Return the URL and the fields with a value, one line for each.

    >>> from vclean.metadata import Metadata
    >>> print(front_matter(Metadata(url="", title="Rain: a report", authors=("Ann Lee",))))
    ---
    title: "Rain: a report"
    authors: ["Ann Lee"]
    ---
    <BLANKLINE>
    """
    values = {name: getattr(metadata, name) for name in ("url", *PAGE_FIELDS)}
    lines = [f"{name}: {_scalar(value)}\n" for name, value in values.items() if value]
    return "".join(("---\n", *lines, "---\n"))


def _scalar(value: str | tuple[str, ...]) -> str:
    written = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
    return _NOT_PRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", written)
