"""HTML pages that load nothing: Jinja2 templates, inlined styles and scripts, embedded JSON, security policy.

A package keeps the templates of its pages, their styles and their scripts in its folder `templates`. Every page extends
`page.html`, which is in `core/templates`. Values are escaped, so that text of a web page never becomes markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib import resources
from math import isnan
from typing import TYPE_CHECKING, Any, Final

from vclean.characters import legal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment

INLINE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
"""Content security policy of a page whose frames hold other pages of ours: they inherit it, so hashes cannot do."""

_UNSAFE: Final = str.maketrans({"<": r"\u003c", "\u2028": r"\u2028", "\u2029": r"\u2029"})
"""Characters that could end a script element, and line ends that JSON allows and older scripts do not."""


def render_page(
    package: str,
    template: str,
    *,
    title: str,
    policy: str,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    **values: Any,  # noqa: ANN401 - templates take anything
) -> str:
    """Return an HTML document; equal arguments give equal documents.

    Args:
        package: The package that has the template, such as `vclean.compare`.
        template: The file name of a template that extends `page.html`.
        title: The title of the document.
        policy: The content security policy, `INLINE_POLICY` or one of `hash_policy`; it is not escaped.
        styles: The sources of style sheets; they are not escaped.
        scripts: The sources of scripts that run at the end of the body; they are not escaped.
        values: The variables of the template; they are escaped.
    """
    return environment(package).get_template(template).render(
        title=title, policy=policy, styles=styles, scripts=scripts, **values
    )  # fmt: skip


@cache
def environment(package: str) -> Environment:
    """Return the Jinja2 environment of the templates in a package."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("vclean")]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    made.filters |= {"counted": format_count, "decimals": format_decimals, "embedded": _embedded}
    return made


@cache
def asset(package: str, name: str) -> str:
    """Return the text of a file in the folder `templates` of a package."""
    return (resources.files(package) / "templates" / name).read_text(encoding="utf-8")


def hash_policy(scripts: Sequence[str], styles: Sequence[str], *, same_origin: bool) -> str:
    """Return a content security policy that allows these scripts and styles and no others.

    Args:
        scripts: The sources of all scripts of the page.
        styles: The sources of all style sheets of the page.
        same_origin: Whether scripts may connect to the server of the page; else they may connect to none.
    """
    connect = "'self'" if same_origin else "'none'"
    return (
        f"default-src 'none'; img-src data:; connect-src {connect}; base-uri 'none'; form-action 'none'; "
        f"script-src {' '.join(map(_hash, scripts))}; style-src {' '.join(map(_hash, styles))}"
    )


def to_script_json(value: Any) -> str:  # noqa: ANN401 - all that JSON can hold
    r"""Return JSON that cannot end the script element that holds it.

    >>> to_script_json(["</script>"])
    '["\\u003c/script>"]'
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(_UNSAFE)


def format_decimals(value: float | None, places: int) -> str:
    """Return a number with decimal places and commas between thousands, or a dash for None and NaN.

    >>> format_decimals(1234.5, 2), format_decimals(None, 2)
    ('1,234.50', '–')
    """
    return "–" if value is None or isnan(value) else f"{value:,.{places}f}"


def format_count(number: int, noun: str) -> str:
    """Return a number and its noun.

    >>> format_count(1, "word"), format_count(1200, "word")
    ('1 word', '1,200 words')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _hash(source: str) -> str:
    digest = hashlib.sha256(source.encode("utf-8", "replace")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _embedded(value: Any) -> str:  # noqa: ANN401 - all that JSON can hold
    """Return JSON for the inside of a script element, with no characters that HTML forbids; `safe` has to follow."""
    return legal(to_script_json(value))


def _printable(value: Any) -> Any:  # noqa: ANN401 - what a template prints
    """Return what a template prints for a value: lengths to a hundredth of a px, text that HTML allows."""
    if isinstance(value, float):
        return f"{round(value, 2):g}"
    return legal(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
