"""vclean renders a web page, cuts it into visual blocks and says of every block what it is.

::

    import vclean

    result = vclean.clean("page.html", render=True)
    print(result.text)

Names are imported when they are first used, so that `import vclean` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in `typing`, whose import is half of the time before the command line hears Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from vclean.api import Cleaner, clean
    from vclean.errors import VcleanError
    from vclean.labels import Label, Visibility
    from vclean.page import Page, Resource, Resources
    from vclean.result import Result
    from vclean.segmenting import Segmenter, segment
    from vclean.settings import Policy, RenderSettings

    __version__: str

__all__ = [
    "Cleaner",
    "Label",
    "Page",
    "Policy",
    "RenderSettings",
    "Resource",
    "Resources",
    "Result",
    "Segmenter",
    "VcleanError",
    "Visibility",
    "__version__",
    "clean",
    "segment",
]

_HOMES = {
    "Cleaner": "api",
    "Label": "labels",
    "Page": "page",
    "Policy": "settings",
    "RenderSettings": "settings",
    "Resource": "page",
    "Resources": "page",
    "Result": "result",
    "Segmenter": "segmenting",
    "VcleanError": "errors",
    "Visibility": "labels",
    "clean": "api",
    "segment": "segmenting",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name == "__version__":
        from importlib.metadata import version

        return version("vclean")
    if name in _HOMES:
        return getattr(import_module(f"vclean.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'vclean' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
