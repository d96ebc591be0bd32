from __future__ import annotations

import asyncio
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.farm.supervisor import packed, receive, receive_async, send


class TestSendAndReceive:
    @given(
        st.lists(st.binary(max_size=100) | st.text(max_size=20) | st.dictionaries(st.text(max_size=3), st.integers()))
    )
    def test_what_is_sent_is_received_in_its_order(self, messages: list[object]) -> None:
        stream = io.BytesIO()
        for message in messages:
            send(stream, message)
        stream.seek(0)
        assert [receive(stream) for _ in messages] == messages

    def test_a_message_arrives_before_the_stream_is_closed(self) -> None:
        raw = io.BytesIO()
        stream = io.BufferedWriter(raw)
        send(stream, "now")
        assert receive(io.BytesIO(raw.getvalue())) == "now"
        stream.close()


class TestReceive:
    @pytest.mark.parametrize("kept", [0, 1, 7, 8, 9, 12])
    def test_a_closed_channel_is_an_end(self, kept: int) -> None:
        """Wherever it breaks: before a message, in its length, or in its body."""
        with pytest.raises(EOFError):
            receive(io.BytesIO(packed("hello")[:kept]))

    @pytest.mark.parametrize("kept", [0, 7, 8, 12])
    def test_so_it_is_in_an_event_loop(self, kept: int) -> None:
        async def read() -> object:
            stream = asyncio.StreamReader()
            stream.feed_data(packed("hello")[:kept])
            stream.feed_eof()
            return await receive_async(stream)

        with pytest.raises(EOFError):
            asyncio.run(read())


class TestReceiveAsync:
    def test_a_message_may_come_in_pieces_and_be_longer_than_the_buffer(self) -> None:
        async def read(data: bytes) -> object:
            stream = asyncio.StreamReader(limit=1000)
            reading = asyncio.create_task(receive_async(stream))
            for start in range(0, len(data), 999):
                stream.feed_data(data[start : start + 999])
                await asyncio.sleep(0)
            return await reading

        assert asyncio.run(read(packed("x" * 50_000))) == "x" * 50_000
