from __future__ import annotations

import gzip
import io
import subprocess
import sys
import zlib

import pytest
from fastwarc.stream_io import BrotliWriter, ZstdWriter

from vclean.render.content_coding import decode_content, decode_start

TEXT = b"<p>The mill stood." * 50


def written(writer: type, data: bytes) -> bytes:
    out = io.BytesIO()
    stream = writer(out)
    stream.write(data)
    stream.close()
    return out.getvalue()


CODERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: written(BrotliWriter, data),
    "zstd": lambda data: written(ZstdWriter, data),
    "identity": bytes,
}


def encoded(data: bytes, codings: str) -> bytes:
    for name in codings.replace(" ", "").split(","):
        data = CODERS[name](data)
    return data


@pytest.mark.parametrize(
    "codings", ["gzip", "x-gzip", "deflate", "br", "zstd", "identity", "gzip, gzip", "br, gzip", "deflate,zstd"]
)
def test_decodes(codings: str) -> None:
    assert decode_content(encoded(TEXT, codings), codings, 10_000) == TEXT
    assert decode_content(encoded(TEXT, codings), codings.upper(), 7) == TEXT[:7]


@pytest.mark.parametrize(
    ("body", "codings", "message"),
    [
        (TEXT, "gzip", "data error"),
        (b"<p>", "gzip, br", "Invalid Data"),
        (TEXT, "compress", "unknown coding compress"),
        (TEXT, "gzip, gzip, gzip, gzip, gzip", "5 codings"),
    ],
)
def test_reports_what_is_not_so_encoded(body: bytes, codings: str, message: str) -> None:
    with pytest.raises(OSError, match=message):
        decode_content(body, codings, 10_000)
    assert decode_start(body, codings, 10_000) == b""


def test_start_of_a_cut_body_is_decoded() -> None:
    body = gzip.compress(bytes(range(256)) * 100, 0)
    assert decode_start(body[:5000], "gzip", 10_000)[:256] == bytes(range(256))


BOMB = """
import resource, sys
from pathlib import Path
from vclean.render.content_coding import decode_content
body = Path(sys.argv[1]).read_bytes()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert len(decode_content(body, sys.argv[2], 2**24)) == 2**24
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="units of ru_maxrss differ")
@pytest.mark.parametrize("codings", ["gzip", "gzip, gzip", "br", "br, gzip", "deflate, gzip"])
def test_memory_is_bounded(codings: str, tmp_path) -> None:
    bomb = tmp_path / "bomb"
    bomb.write_bytes(encoded(bytes(2**28), codings))
    command = [sys.executable, "-c", BOMB, str(bomb), codings]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(run.stdout) * 1024 < 2**24 + 100 * 10**6
