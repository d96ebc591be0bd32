"""The methods by name: each labels the blocks of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from vclean.classify import baselines
from vclean.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import Blocks


class Method(Protocol):
    """Labels the blocks of a page."""

    def __call__(self, blocks: Blocks) -> Prediction:
        """One label per block; the same blocks give the same labels."""


@dataclass(frozen=True, slots=True)
class _Entry:
    description: str
    load: Callable[[Path | None], Method]


def get(name: str, model: Path | None = None) -> Method:
    """The method called `name`; `model` is the file it uses in place of the one in the package.

    Raises:
        UsageError: there is no such method; the text lists those there are.
        ModelError: the model file is missing, damaged or of another version.
    """
    if name not in _METHODS:
        raise UsageError(f"no method {name!r}: choose one of {', '.join(_METHODS)}")
    return _METHODS[name].load(model)


def names() -> dict[str, str]:
    """The methods by name, each with its description in one line."""
    return {name: entry.description for name, entry in _METHODS.items()}


def _load_model(path: Path | None) -> Method:
    from vclean.classify.model import load  # Loads LightGBM, which the other methods do without.

    return load(path).label


_METHODS = {
    "vclean": _Entry("the trained model: visual, structural and linguistic features", _load_model),
    "bte": _Entry(
        "body text extraction: most words inside, most tags outside (Finn 2001)",
        lambda _: baselines.body_text_extraction,
    ),
    "text": _Entry("all text that is shown", lambda _: baselines.all_text),
}
