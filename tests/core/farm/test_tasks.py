from __future__ import annotations

import asyncio
import io
import json
import pickle
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.errors import InputError, ModelError, UsageError
from vclean.farm import tasks
from vclean.farm.tasks import (
    KEY_BYTES,
    RunSettings,
    Task,
    encode_message,
    page_key,
    receive,
    receive_async,
    send,
    settings_digest,
    settings_to_dict,
)
from vclean.page import Page
from vclean.settings import CleanerSettings, Policy, RenderSettings

PAGE = Page(content=b"<p>Hello", url="https://example.org/", charset="utf-8", id="a")


class TestPageKey:
    def test_has_fixed_length(self) -> None:
        assert len(page_key(PAGE, "digest")) == KEY_BYTES

    def test_equal_for_text_and_its_bytes(self) -> None:
        assert page_key(replace(PAGE, content="<p>Hello"), "digest") == page_key(PAGE, "digest")

    @pytest.mark.parametrize(
        "other",
        [
            replace(PAGE, content=b"<p>Hello!"),
            replace(PAGE, url="https://example.org/b"),
            replace(PAGE, charset="latin-1"),
            replace(PAGE, live=True),
        ],
    )
    def test_depends_on_content(self, other: Page) -> None:
        assert page_key(other, "digest") != page_key(PAGE, "digest")

    def test_depends_on_settings(self) -> None:
        assert page_key(PAGE, "one") != page_key(PAGE, "two")

    def test_independent_of_name(self) -> None:
        assert page_key(replace(PAGE, id="b"), "digest") == page_key(PAGE, "digest")

    @given(st.text(), st.text())
    def test_accepts_any_text(self, content: str, url: str) -> None:
        """Accept lone surrogates, which UTF-8 cannot encode."""
        page = Page(content=content, url=url)
        assert page_key(page, "") == page_key(pickle.loads(pickle.dumps(page)), "")

    def test_separates_fields(self) -> None:
        assert page_key(Page(url="ab", charset="c"), "") != page_key(Page(url="a", charset="bc"), "")


def test_task_is_picklable() -> None:
    task = Task(PAGE, "crawl.warc.gz", bytes(16), 2)
    assert pickle.loads(pickle.dumps(task)) == task


OTHERS = {
    "render": True,
    "rendering": RenderSettings(width=1000),
    "method": "bte",
    "policy": Policy(recall_weight=4),
    "network": "public",
    "explain": True,
}


class TestDigest:
    def test_equal_for_equal_settings(self) -> None:
        assert settings_digest(CleanerSettings()) == settings_digest(CleanerSettings())

    @pytest.mark.parametrize("name", OTHERS)
    def test_depends_on_every_setting(self, name: str) -> None:
        assert settings_digest(CleanerSettings(**{name: OTHERS[name]})) != settings_digest(CleanerSettings())

    def test_covers_all_settings(self) -> None:
        assert {field.name for field in fields(CleanerSettings)} == {*OTHERS, "model", "templates"}

    def test_depends_on_content_of_model(self, tmp_path: Path) -> None:
        one, same, other = tmp_path / "1", tmp_path / "2", tmp_path / "3"
        one.write_bytes(b"model")
        same.write_bytes(b"model")
        other.write_bytes(b"another model")
        digests = [settings_digest(CleanerSettings(model=path)) for path in (one, same, other)]
        assert digests[0] == digests[1] != digests[2]

    def test_rejects_missing_model(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="cannot be read"):
            settings_digest(CleanerSettings(model=tmp_path / "none"))

    def test_depends_on_names_and_contents_of_templates(self, tmp_path: Path) -> None:
        digests = []
        for number, (name, text) in enumerate(
            [("a.org", "main"), ("a.org", "main"), ("a.org", "p"), ("b.org", "main")]
        ):
            folder = tmp_path / str(number)
            folder.mkdir()
            (folder / f"{name}.txt").write_text(text)
            digests.append(settings_digest(CleanerSettings(templates=folder)))
        assert digests[0] == digests[1]
        assert len({settings_digest(CleanerSettings()), *digests}) == 4

    def test_rejects_missing_templates(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="cannot read the folder of templates"):
            settings_digest(CleanerSettings(templates=tmp_path / "none"))

    def test_rejects_unreadable_template(self, tmp_path: Path) -> None:
        (tmp_path / "a.org.txt").mkdir()
        with pytest.raises(InputError, match="cannot be read"):
            settings_digest(CleanerSettings(templates=tmp_path))

    def test_depends_on_version_of_vclean(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = settings_digest(CleanerSettings())
        monkeypatch.setattr("vclean.farm.tasks.__version__", "99")
        assert settings_digest(CleanerSettings()) != before


class TestToDict:
    def test_is_serializable(self) -> None:
        facts = json.loads(json.dumps(settings_to_dict(CleanerSettings())))
        assert facts["rendering"]["width"] == 1366
        assert facts["policy"] == {
            "recall_weight": 1.0, "comments": None, "hidden": "revealable", "captions": None, "byline": None,
            "lists": None, "title": True, "images": True, "ruby": False, "convention": "",
        }  # fmt: skip
        assert facts["model"] is None


class TestRunSettings:
    @pytest.mark.parametrize(("name", "value"), [("workers", -1), ("retries", -1), ("max_memory", 1), ("part_rows", 0)])
    def test_rejects_values_out_of_range(self, name: str, value: int) -> None:
        with pytest.raises(UsageError, match=f"{name} has to be at least"):
            replace(RunSettings(), **{name: value})

    def test_default_is_one_worker_more_than_processors(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tasks, "processor_count", lambda: 8)
        assert RunSettings().pool_size == 9
        assert RunSettings(workers=2).pool_size == 2


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
