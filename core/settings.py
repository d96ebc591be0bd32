"""Settings of a run, frozen and checked on construction: how pages are rendered, and what counts as content."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, get_args

from vclean.errors import UsageError

if TYPE_CHECKING:
    from typing import Unpack

_LEAST_SIDE: Final = 16
_GREATEST_SIDE: Final = 16_384
"""Chromium takes no picture with a longer side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderSettings:
    """How a page is rendered, and what bounds it.

    Attributes:
        width, height: viewport in CSS px, 16 to 16,384.
        scripts: run the page's scripts (navigates at the page's URL; slower, less repeatable).
        settle: seconds a page with scripts may stay busy before it is read.
        deadline: wall-clock seconds for each step of one page: fetching, rendering, labelling.
        max_bytes: cap on the size of the document.
        max_nodes: cap on the number of elements; a larger page is an error, never a silent cut.

    Raises:
        UsageError: a value is out of range.
    """

    width: int = 1366
    height: int = 768
    scripts: bool = False
    settle: float = 2.0
    deadline: float = 30.0
    max_bytes: int = 32 * 2**20
    max_nodes: int = 150_000

    def __post_init__(self) -> None:
        """Check ranges."""
        for name in ("settle", "deadline", "max_bytes", "max_nodes"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} has to be positive, not {getattr(self, name)}")
        for name in ("width", "height"):
            if not _LEAST_SIDE <= getattr(self, name) <= _GREATEST_SIDE:
                raise UsageError(f"{name} has to be {_LEAST_SIDE} to {_GREATEST_SIDE:,} px, not {getattr(self, name)}")

    def to_dict(self) -> dict[str, float | bool]:
        """The settings by name, for the record in a snapshot or a result."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What counts as content where annotators differ, for methods that can be told.

    The model keeps the blocks with the highest expected F measure. For precision P, recall R and the recall weight w it
    is F = (1 + w^2) P R / (w^2 P + R), van Rijsbergen's F with w for beta: recall counts w times as much as precision.

    Attributes:
        recall_weight: under 1 keeps only what is surely content (0.25 is `--precision`), over 1 keeps what is doubtful
            too (4 is `--recall`).
        comments: whether readers' comments are content; None: as the corpora of the model have it.

    Raises:
        UsageError: `recall_weight` is not a positive number, or `comments` not True, False or None.
    """

    recall_weight: float = 1.0
    comments: bool | None = None

    def __post_init__(self) -> None:
        """Check the values."""
        if self.comments not in (True, False, None):
            raise UsageError(f"comments has to be True, False or None, not {self.comments!r}")
        if not 0 < self.recall_weight < float("inf"):
            raise UsageError(f"recall_weight has to be a positive number, not {self.recall_weight}")


Kind = Literal["png", "svg", "html"]
"""A picture, or with `html` a page to explore."""

KINDS: Final[dict[str, Kind]] = {".png": "png", ".svg": "svg", ".html": "html"}
"""By the suffix of a file's name."""


PDOC: Final = 5
"""The default of the permitted degree of coherence (PDoC) of segments, 1 to 11."""

Network = Literal["none", "public"]
"""From where a page may load what its folder or archive lacks: nowhere, or public addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanerSettings:
    """Settings that decide the result of a page: the same page with the same settings gives the same result.

    Attributes:
        render: render pages in headless Chromium; otherwise only parse them.
        rendering: how to render, and the limits of a page.
        method: the name of the method that labels the blocks.
        model: a model file in place of the shipped one; for the method `template`, its file of selectors.
        templates: a folder of selector files by host, which replace the method on their sites.
        policy: what counts as content, for the methods that have a model.
        network: "public" loads subresources that no archive or folder has from public addresses.
        explain: give the reasons for the label of every block, in about four milliseconds a block.

    Raises:
        UsageError: `network` is neither "none" nor "public".
    """

    render: bool = False
    rendering: RenderSettings = field(default_factory=RenderSettings)
    method: str = "vclean"
    model: Path | None = None
    templates: Path | None = None
    policy: Policy = field(default_factory=Policy)
    network: Network = "none"
    explain: bool = False

    def __post_init__(self) -> None:
        """Take strings for paths, and check the network."""
        for name in ("model", "templates"):
            if isinstance(path := getattr(self, name), str):
                object.__setattr__(self, name, Path(path) if path else None)
        if self.network not in get_args(Network):
            raise UsageError(f"network has to be one of {', '.join(get_args(Network))}, not {self.network!r}")

    def replace(self, **options: Unpack[CleanerOptions]) -> CleanerSettings:
        """Return the settings with other values for some fields.

        Raises:
            UsageError: there is no such field, or its value is wrong.
        """
        if unknown := [name for name in options if name not in CleanerOptions.__annotations__]:
            choices = ", ".join(CleanerOptions.__annotations__)
            raise UsageError(f"no option {unknown[0]!r}: choose of {choices}")
        values: dict[str, Any] = {**options}
        return replace(self, **values)


class CleanerOptions(TypedDict, total=False):
    """The fields of `CleanerSettings` as keyword arguments."""

    render: bool
    rendering: RenderSettings
    method: str
    model: Path | str | None
    templates: Path | str | None
    policy: Policy
    network: Network
    explain: bool
