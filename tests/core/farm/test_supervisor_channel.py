from __future__ import annotations

import asyncio
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.farm.tasks import encode_message, receive, receive_async, send


class TestSendAndReceive:
    @given(
        st.lists(st.binary(max_size=100) | st.text(max_size=20) | st.dictionaries(st.text(max_size=3), st.integers()))
    )
    def test_preserves_order(self, messages: list[object]) -> None:
        stream = io.BytesIO()
        for message in messages:
            send(stream, message)
        stream.seek(0)
        assert [receive(stream) for _ in messages] == messages

    def test_message_arrives_before_stream_is_closed(self) -> None:
        raw = io.BytesIO()
        stream = io.BufferedWriter(raw)
        send(stream, "now")
        assert receive(io.BytesIO(raw.getvalue())) == "now"
        stream.close()


class TestReceive:
    @pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 12])
    def test_closed_channel_raises_eof(self, size: int) -> None:
        """Close the channel before a message, in its length, or in its body."""
        with pytest.raises(EOFError):
            receive(io.BytesIO(encode_message("hello")[:size]))

    @pytest.mark.parametrize("size", [0, 7, 8, 12])
    def test_closed_channel_raises_eof_in_event_loop(self, size: int) -> None:
        async def read() -> object:
            stream = asyncio.StreamReader()
            stream.feed_data(encode_message("hello")[:size])
            stream.feed_eof()
            return await receive_async(stream)

        with pytest.raises(EOFError):
            asyncio.run(read())


class TestReceiveAsync:
    def test_message_in_pieces_longer_than_buffer(self) -> None:
        async def read(data: bytes) -> object:
            stream = asyncio.StreamReader(limit=1000)
            reading = asyncio.create_task(receive_async(stream))
            for start in range(0, len(data), 999):
                stream.feed_data(data[start : start + 999])
                await asyncio.sleep(0)
            return await reading

        assert asyncio.run(read(encode_message("x" * 50_000))) == "x" * 50_000
