"""Pages made ready for labelling: rendered, cut into blocks and labelled by the model, once, and kept."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import InputError
from vclean.labelling.names import block_names
from vclean.labelling.sheet import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.result import Result

VERSION: Final = 1
"""Version of the files' layout."""


@dataclass(frozen=True, kw_only=True)
class PreparedPage:
    """A page of B blocks as the model has it.

    Attributes:
        id, url, title: of the page.
        content: SHA-256 of the document, hexadecimal.
        settings: digest of the render settings, hexadecimal.
        model: the version of the model.
        maker: tells the model and the HTML round the page from others.
        snapshots: the keys of its stored snapshots, hexadecimal: `rendered`, and `parsed` where there is one.
        confidence: of the page, 0..1, or NaN.
        xpaths, texts: B each, of the blocks.
        predicted: B verdicts of the model.
    """

    id: str
    url: str
    title: str
    content: str
    settings: str
    model: str
    maker: str
    snapshots: dict[str, str]
    confidence: float
    xpaths: Sequence[str]
    texts: Sequence[str]
    predicted: Sequence[Verdict]

    def __len__(self) -> int:
        """The number of blocks."""
        return len(self.texts)

    @cached_property
    def names(self) -> list[str]:
        """The blocks' names: see `vclean.labelling.names`."""
        return block_names(self.xpaths, self.texts)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The numbers of the blocks, by their names."""
        return {name: row for row, name in enumerate(self.names)}

    def to_json(self) -> str:
        """The page as one JSON object."""
        facts = asdict(self) | {"version": VERSION, "predicted": [verdict.to_list() for verdict in self.predicted]}
        facts["confidence"] = self.confidence if math.isfinite(self.confidence) else None
        return json.dumps(facts, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> PreparedPage | None:
        """The page that `to_json` wrote; None if that was another version.

        Raises:
            InputError: it is damaged.
        """
        try:
            facts: dict[str, Any] = json.loads(text)
            if facts.pop("version") != VERSION:
                return None
            predicted = [Verdict.from_list(values) for values in facts.pop("predicted")]
            confidence = facts.pop("confidence")
            return cls(**facts, predicted=predicted, confidence=float("nan") if confidence is None else confidence)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError("it is damaged: delete it, and start again") from error


def prepared(result: Result, *, maker: str, content: str, snapshots: dict[str, str]) -> PreparedPage:
    """The page that a result is of."""
    snapshot, roles = result.blocks.snapshot, result.roles or [None] * len(result.blocks)
    return PreparedPage(
        id=result.id,
        url=snapshot.url,
        title=snapshot.title,
        content=content,
        settings=settings_digest(snapshot.settings),
        model=result.version.get("model", ""),
        maker=maker,
        snapshots=snapshots,
        confidence=float(result.confidence),
        xpaths=[snapshot.xpath(node) for node in result.blocks.node.tolist()],
        texts=result.blocks.text,
        predicted=[Verdict(label, role) for label, role in zip(result.labels, roles, strict=True)],
    )


def settings_digest(settings: dict[str, float | bool]) -> str:
    """16 hexadecimal digits of render settings."""
    return sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
