"""Render self-contained HTML pages: Jinja2 templates, inline styles and scripts, embedded JSON, security policy.

Each package has the templates, style sheets and scripts of its pages in its folder `templates`. Every page extends
`core/templates/page.html`. Values are escaped: text of a web page never becomes markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib import resources
from math import isnan
from typing import TYPE_CHECKING, Any, Final

from vclean.characters import format_count, replace_illegal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment

INLINE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
"""Content security policy of a page with `style` attributes, or with frames of generated pages: frames inherit it, so
it cannot use hashes."""

_UNSAFE: Final = str.maketrans({"<": r"\u003c", "\u2028": r"\u2028", "\u2029": r"\u2029"})
"""Escapes of characters that could end a script element, and of line ends that JSON allows and old scripts do not."""


MAX_ROWS: Final = 100
"""Most rows of a table in a notebook."""
MAX_CHARACTERS: Final = 160
"""Most characters of a text in such a table."""


def render_page(package: str, template: str, **values: Any) -> str:
    """Return an HTML document, or a part of one; equal arguments give equal documents.

    Args:
        package: the package that has the template, such as `vclean.compare`.
        template: the file name of the template.
        values: the variables of the template; they are escaped. A template that extends `page.html` needs the `title`
            of the document, and three that are not escaped: its content security `policy`, which is `INLINE_POLICY` or
            a result of `hash_policy`, the sources of its `styles`, and of its `scripts`, which run at its end.
    """
    return environment(package).get_template(template).render(**values)


@cache
def environment(package: str) -> Environment:
    """Return the Jinja2 environment of the templates in a package."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("vclean")]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    templates.filters |= {"counted": format_count, "decimals": format_decimals, "embedded": to_script_json}
    return templates


@cache
def asset(package: str, name: str) -> str:
    """Return the text of a file in the folder `templates` of a package."""
    return (resources.files(package) / "templates" / name).read_text(encoding="utf-8")


def hash_policy(scripts: Sequence[str], styles: Sequence[str], *, same_origin: bool) -> str:
    """Return a content security policy that allows these scripts and styles and no others.

    Args:
        scripts: the sources of all scripts of the page.
        styles: the sources of all style sheets of the page.
        same_origin: whether scripts may connect to the server of the page; otherwise they may connect to no server.
    """
    connect = "'self'" if same_origin else "'none'"
    return (
        f"default-src 'none'; img-src data:; connect-src {connect}; base-uri 'none'; form-action 'none'; "
        f"script-src {' '.join(map(_hash, scripts))}; style-src {' '.join(map(_hash, styles))}"
    )


def to_script_json(value: Any) -> str:  # noqa: ANN401 - all that JSON can contain
    r"""Return JSON for the content of a script element: it cannot end it, and has no characters that HTML forbids.

    >>> to_script_json(["</script>"])
    '["\\u003c/script>"]'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return replace_illegal(text.translate(_UNSAFE))


def format_decimals(value: float | None, places: int) -> str:
    """Return a number with fixed decimal places and commas between thousands, or a dash for None and NaN.

    >>> format_decimals(1234.5, 2), format_decimals(None, 2)
    ('1,234.50', '–')
    """
    return "–" if value is None or isnan(value) else f"{value:,.{places}f}"


def _hash(source: str) -> str:
    digest = hashlib.sha256(source.encode("utf-8", "replace")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _printable(value: Any) -> Any:  # noqa: ANN401 - what a template prints
    """Return the value as a template prints it: floats rounded to two decimals, text without illegal characters."""
    if isinstance(value, float):
        return f"{round(value, 2):g}"
    return replace_illegal(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
