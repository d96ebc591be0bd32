from __future__ import annotations

import asyncio
import io
import pickle
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.errors import InputError, ModelError, UsageError
from vclean.farm.tasks import (
    KEY_BYTES,
    RunSettings,
    encode_message,
    page_key,
    receive,
    receive_async,
    send,
    settings_digest,
)
from vclean.page import Page
from vclean.settings import CleanerSettings, Policy, RenderSettings

PAGE = Page(content=b"<p>Hello", url="https://example.org/", charset="utf-8", id="a")


class TestPageKey:
    def test_equal_for_text_and_its_bytes_under_any_name(self) -> None:
        key = page_key(PAGE, "digest")
        assert len(key) == KEY_BYTES
        assert page_key(replace(PAGE, content="<p>Hello", id="b"), "digest") == key

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (PAGE, replace(PAGE, content=b"<p>Hello!")),
            (PAGE, replace(PAGE, url="https://example.org/b")),
            (PAGE, replace(PAGE, charset="latin-1")),
            (PAGE, replace(PAGE, live=True)),
            (Page(url="ab", charset="c"), Page(url="a", charset="bc")),
        ],
    )
    def test_depends_on_content(self, one: Page, other: Page) -> None:
        assert page_key(one, "digest") != page_key(other, "digest")

    def test_depends_on_settings(self) -> None:
        assert page_key(PAGE, "one") != page_key(PAGE, "two")

    @given(st.text(), st.text())
    def test_accepts_any_text(self, content: str, url: str) -> None:
        """Accept lone surrogates, which UTF-8 cannot encode."""
        page = Page(content=content, url=url)
        assert page_key(page, "") == page_key(pickle.loads(pickle.dumps(page)), "")


OTHERS = {
    "render": True,
    "rendering": RenderSettings(width=1000),
    "method": "bte",
    "policy": Policy(recall_weight=4),
    "network": "public",
    "explain": True,
}


class TestDigest:
    @pytest.mark.parametrize("name", OTHERS)
    def test_depends_on_every_setting(self, name: str) -> None:
        default, same = (settings_digest(CleanerSettings()) for _ in range(2))
        assert settings_digest(CleanerSettings(**{name: OTHERS[name]})) != default == same

    def test_covers_all_settings(self) -> None:
        assert {field.name for field in fields(CleanerSettings)} == {*OTHERS, "model", "templates"}

    def test_depends_on_content_of_model(self, tmp_path: Path) -> None:
        digests = []
        for number, content in enumerate((b"model", b"model", b"another model")):
            (tmp_path / str(number)).write_bytes(content)
            digests.append(settings_digest(CleanerSettings(model=tmp_path / str(number))))
        assert digests[0] == digests[1] != digests[2]

    def test_depends_on_names_and_contents_of_templates(self, tmp_path: Path) -> None:
        digests = []
        files = [("a.org", "main"), ("a.org", "main"), ("a.org", "p"), ("b.org", "main")]
        for number, (name, text) in enumerate(files):
            folder = tmp_path / str(number)
            folder.mkdir()
            (folder / f"{name}.txt").write_text(text)
            digests.append(settings_digest(CleanerSettings(templates=folder)))
        assert digests[0] == digests[1]
        assert len({settings_digest(CleanerSettings()), *digests}) == 4

    @pytest.mark.parametrize(
        ("name", "path", "error", "message"),
        [
            ("model", "none", ModelError, "cannot be read"),
            ("templates", "none", InputError, "cannot read the folder of templates"),
            ("templates", ".", InputError, "cannot be read"),
        ],
    )
    def test_rejects_what_cannot_be_read(
        self, tmp_path: Path, name: str, path: str, error: type[Exception], message: str
    ) -> None:
        (tmp_path / "a.org.txt").mkdir()
        with pytest.raises(error, match=message):
            settings_digest(CleanerSettings(**{name: tmp_path / path}))

    def test_depends_on_version_of_vclean(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = settings_digest(CleanerSettings())
        monkeypatch.setattr("vclean.farm.tasks.__version__", "99")
        assert settings_digest(CleanerSettings()) != before


class TestRunSettings:
    @pytest.mark.parametrize(("name", "value"), [("workers", -1), ("retries", -1), ("max_memory", 1), ("part_rows", 0)])
    def test_rejects_values_out_of_range(self, name: str, value: int) -> None:
        with pytest.raises(UsageError, match=f"{name} has to be at least"):
            replace(RunSettings(), **{name: value})

    def test_default_is_one_worker_more_than_processors(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
        assert RunSettings().pool_size == 9
        assert RunSettings(workers=2).pool_size == 2


class TestSend:
    def test_messages_arrive_in_order_before_stream_is_closed(self) -> None:
        raw = io.BytesIO()
        stream = io.BufferedWriter(raw)
        for message in ("now", b"\0", {"a": 1}):
            send(stream, message)
        sent = io.BytesIO(raw.getvalue())
        assert [receive(sent) for _ in range(3)] == ["now", b"\0", {"a": 1}]
        stream.close()


async def received(*pieces: bytes) -> object:
    """Return the message that arrives in pieces at an event loop; then the channel is closed."""
    stream = asyncio.StreamReader(limit=1000)
    reading = asyncio.create_task(receive_async(stream))
    for piece in pieces:
        stream.feed_data(piece)
        await asyncio.sleep(0)
    stream.feed_eof()
    return await reading


class TestReceive:
    @pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 12])
    def test_closed_channel_raises_eof(self, size: int) -> None:
        """Close the channel before a message, in its length, or in its body."""
        data = encode_message("hello")[:size]
        with pytest.raises(EOFError):
            receive(io.BytesIO(data))
        with pytest.raises(EOFError):
            asyncio.run(received(data))

    def test_message_in_pieces_longer_than_buffer(self) -> None:
        data = encode_message("x" * 50_000)
        pieces = [data[start : start + 999] for start in range(0, len(data), 999)]
        assert asyncio.run(received(*pieces)) == "x" * 50_000
