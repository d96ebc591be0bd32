"""Parse what a comparison compares: a method, optionally with a file, or a model file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vclean.classify.methods import get, names
from vclean.classify.methods.registry import DEFAULT

if TYPE_CHECKING:
    from vclean.classify.methods import Method


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """Method with the model it uses.

    Attributes:
        name: as the user gave it.
        method: name of the method.
        model: file of its model or selectors; None for the shipped model, or for none.
    """

    name: str
    method: str
    model: Path | None = None

    @classmethod
    def of(cls, name: str) -> ComparedMethod:
        """Parse the name of a method, a method with a file such as `template=rules.txt`, or the name of a model file.

        >>> ComparedMethod.of("bte")
        ComparedMethod(name='bte', method='bte', model=None)
        """
        method, equals, file = name.partition("=")
        if equals and method in names():
            return cls(name, method, Path(file))
        path = Path(name)
        is_file = name not in names() and (path.is_file() or path.suffix != "" or len(path.parts) > 1)
        return cls(name, DEFAULT, path) if is_file else cls(name, name)

    def load(self) -> Method:
        """Return the method.

        Raises:
            UsageError: there is no such method.
            ModelError: the model file is missing, damaged or of another version.
        """
        return get(self.method, self.model)
