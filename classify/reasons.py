"""Why the blocks of a page were kept or dropped, in words and in figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why a block is content or is not.

    Attributes:
        group: what kind of reason it is, such as `links` or `neighbours`; `rule` for what overrode the model.
        text: one phrase for people, such as `link share 0.92`.
        contribution: signed, in log odds towards content; 0 for rules.
    """

    group: str
    text: str
    contribution: float
