"""Messages between a worker and its parent: pickles, each behind its length in eight bytes."""

from __future__ import annotations

import pickle
import struct
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio

_LENGTH: Final = struct.Struct("!Q")


def packed(message: object) -> bytes:
    """A message as it goes over the channel."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


def send(stream: IO[bytes], message: object) -> None:
    """Write a message to a blocking stream."""
    stream.write(packed(message))
    stream.flush()


def receive(stream: IO[bytes]) -> object:
    """The next message of a blocking stream.

    Raises:
        EOFError: the other side is gone.
    """
    return pickle.loads(_exactly(stream, _LENGTH.unpack(_exactly(stream, _LENGTH.size))[0]))


async def receive_async(stream: asyncio.StreamReader) -> object:
    """The next message of a stream of an event loop.

    Raises:
        EOFError: the other side is gone (`asyncio.IncompleteReadError`).
    """
    (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    return pickle.loads(await stream.readexactly(length))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("the other side closed the channel")
    return data
