"""What is compared: a method by its name, with a file of its own where one is named, or the model in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vclean.classify.methods import get, names
from vclean.classify.methods.registry import DEFAULT

if TYPE_CHECKING:
    from vclean.classify.methods import Method


@dataclass(frozen=True, slots=True)
class Contender:
    """A method, and the model it uses.

    Attributes:
        name: as the user gave it.
        method: the name of the method.
        model: the file of its model, or of its selectors; None for the model in the package, or none.
    """

    name: str
    method: str
    model: Path | None = None

    @classmethod
    def of(cls, name: str) -> Contender:
        """The method of this name, or of a name such as `template=rules.txt`, or the model in the file of this name.

        >>> Contender.of("bte")
        Contender(name='bte', method='bte', model=None)
        """
        method, equals, file = name.partition("=")
        if equals and method in names():
            return cls(name, method, Path(file))
        path = Path(name)
        is_file = name not in names() and (path.is_file() or path.suffix != "" or len(path.parts) > 1)
        return cls(name, DEFAULT, path) if is_file else cls(name, name)

    def load(self) -> Method:
        """What labels the blocks.

        Raises:
            UsageError: there is no such method.
            ModelError: the model file is missing, damaged or of another version.
        """
        return get(self.method, self.model)
