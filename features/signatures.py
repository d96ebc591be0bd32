"""Path signatures: blocks whose chains of tags (and classes) are equal were made by the same piece of a template."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from vclean.features import tree
from vclean.features.naming import distinct
from vclean.features.text import mix

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from vclean.features.naming import Naming
    from vclean.render.snapshot import Snapshot


def name_hashes(names: Collection[str]) -> NDArray[np.uint64]:
    """uint64, a number for every name, the same on every machine."""
    data = [name.encode("utf-8", "surrogatepass") for name in names]
    low, high = map(crc32, data), map(crc32, data, repeat(0x5BD1E995))
    return np.fromiter(low, np.uint64, len(data)) | np.fromiter(high, np.uint64, len(data)) << np.uint64(32)


def tag_hashes(snapshot: Snapshot) -> NDArray[np.uint64]:
    """uint64 (N,): a number for each element's tag."""
    return name_hashes(snapshot.tags)[snapshot.tag]


def class_hashes(naming: Naming) -> NDArray[np.uint64]:
    """uint64 (N,): a number for each element's tag and classes, whatever their order."""
    classes, first = naming.snapshot.values("class"), naming.first["class"]
    owner, name = naming.of_value.take(np.arange(first, first + len(classes.different)))
    value, name = np.divmod(distinct(owner * len(naming.names) + name), max(len(naming.names), 1))
    sums = np.zeros(len(classes.different), dtype=np.uint64)
    np.add.at(sums, value, name_hashes(naming.names)[name])
    hashes = tag_hashes(naming.snapshot)
    hashes[classes.node] += sums[classes.number]
    return hashes


def path_signature(snapshot: Snapshot, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """uint64 (N,): one number for the chain of `hashes` (N,) from the root to each element.

    The sum of the mixed hashes over the path, modulo 2^64; mixing with the depth makes the order count.
    """
    mixed = mix(hashes + snapshot.depth.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return tree.path_sum(mixed.view(np.int64), snapshot.end).view(np.uint64)
