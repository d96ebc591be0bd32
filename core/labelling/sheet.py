"""What one annotator says of one page: verdicts on its blocks, with undo and redo, and how far the page is."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from vclean.labels import Label
from vclean.roles import Role

if TYPE_CHECKING:
    from collections.abc import Mapping


class Status(StrEnum):
    """How far a page is."""

    OPEN = "open"
    DONE = "done"
    SKIPPED = "skipped"


class Verdict(NamedTuple):
    """What a block is, and what the region round it is for."""

    label: Label
    role: Role | None

    def to_list(self) -> list[str | None]:
        """As the journal has it."""
        return [str(self.label), str(self.role) if self.role else None]

    @classmethod
    def from_list(cls, values: list[str | None]) -> Verdict:
        """From the journal's form; ValueError for anything else."""
        label, role = values
        return cls(Label(label or ""), Role(role) if role else None)


Step = dict[str, tuple[Verdict | None, Verdict]]
"""One change of a page: the verdicts before and after it, by block; None where there was none."""


@dataclass(slots=True)
class Sheet:
    """One page in the hands of one annotator; blocks go by their names (see `vclean.labelling.names`).

    Attributes:
        verdicts: what the annotator said.
        agreed: what the model said of the other blocks, and the annotator left so, when the page was done.
        versions: the revision in which the verdict on a block changed last.
        revision: the number of changes of the page.
        status: how far it is.
    """

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    agreed: dict[str, Verdict] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    revision: int = 0
    status: Status = Status.OPEN
    _past: list[Step] = field(default_factory=list)
    _future: list[Step] = field(default_factory=list)

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether a change was taken back last."""
        return bool(self._future)

    def verdict(self, name: str, predicted: Verdict) -> Verdict:
        """What holds of a block of which the model says `predicted`."""
        return self.verdicts.get(name) or self.agreed.get(name) or predicted

    def set(self, verdicts: Mapping[str, Verdict]) -> None:
        """Take verdicts; what was undone before cannot be redone any more."""
        step: Step = {name: (self.verdicts.get(name), verdict) for name, verdict in verdicts.items()}
        self._past.append(step)
        self._future.clear()
        self._turn({name: after for name, (_, after) in step.items()})

    def undo(self) -> None:
        """Take the last change back; nothing happens where there is none."""
        if self._past:
            step = self._past.pop()
            self._future.append(step)
            self._turn({name: before for name, (before, _) in step.items()})

    def redo(self) -> None:
        """Make the change again that was taken back last; nothing happens where there is none."""
        if self._future:
            step = self._future.pop()
            self._past.append(step)
            self._turn({name: after for name, (_, after) in step.items()})

    def finish(self, agreed: Mapping[str, Verdict]) -> None:
        """The page is done: what the model said of blocks without a verdict holds, whatever a later model says."""
        self.agreed = dict(agreed)
        self._mark(Status.DONE)

    def skip(self) -> None:
        """The page is passed over."""
        self._mark(Status.SKIPPED)

    def reopen(self) -> None:
        """The page is not done after all."""
        self.agreed = {}
        self._mark(Status.OPEN)

    def rename(self, names: Mapping[str, str]) -> None:
        """Take the blocks' names in another rendering; a block that has none there keeps its old one."""
        self.verdicts = {names.get(name, name): verdict for name, verdict in self.verdicts.items()}
        self.agreed = {names.get(name, name): verdict for name, verdict in self.agreed.items()}
        self.versions = {names.get(name, name): version for name, version in self.versions.items()}
        for steps in (self._past, self._future):
            steps[:] = [{names.get(name, name): change for name, change in step.items()} for step in steps]

    def _mark(self, status: Status) -> None:
        self.revision += 1
        self.status = status

    def _turn(self, verdicts: Mapping[str, Verdict | None]) -> None:
        self.revision += 1
        for name, verdict in verdicts.items():
            self.versions[name] = self.revision
            if verdict is None:
                self.verdicts.pop(name, None)
            else:
                self.verdicts[name] = verdict
