"""Path signatures: blocks whose chains of tags (and classes) are equal were made by the same piece of a template."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import tree
from vclean.features.remembered import REMEMBERED
from vclean.features.text import mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot


@lru_cache(maxsize=REMEMBERED)
def name_hash(name: str) -> int:
    """A 64-bit number for a name, the same on every machine."""
    data = name.encode("utf-8", "surrogatepass")
    return zlib.crc32(data) | zlib.crc32(data, 0x5BD1E995) << 32


def tag_hashes(snapshot: Snapshot) -> NDArray[np.uint64]:
    """uint64 (N,): a number for each element's tag."""
    return np.array([name_hash(tag) for tag in snapshot.tags], dtype=np.uint64)[snapshot.tag]


def class_hashes(snapshot: Snapshot) -> NDArray[np.uint64]:
    """uint64 (N,): a number for each element's tag and classes, whatever their order."""
    hashes = tag_hashes(snapshot)
    classes = snapshot.attributes("class")
    if classes:
        hashes[list(classes)] += np.array([_set_hash(value) for value in classes.values()], dtype=np.uint64)
    return hashes


@lru_cache(maxsize=REMEMBERED)
def _set_hash(value: str) -> int:
    """A 64-bit number for a set of classes, written in any order."""
    return sum(map(name_hash, set(value.split()))) & 0xFFFFFFFFFFFFFFFF


def path_signature(snapshot: Snapshot, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """uint64 (N,): one number for the chain of `hashes` (N,) from the root to each element.

    The sum of the mixed hashes over the path, modulo 2^64; mixing with the depth makes the order count.
    """
    mixed = mix(hashes + snapshot.depth.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return tree.path_sum(mixed.view(np.int64), snapshot.end).view(np.uint64)
