from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

from vclean.features.text import language
from vclean.features.text.language import EXCERPT_LENGTH, MIN_LENGTH, SAMPLE_LENGTH, detect, load, sample


class TestDetect:
    def test_unknown_for_few_words(self):
        assert detect("OK") == ""

    def test_accepts_lone_surrogates(self):
        assert detect("The ferry crosses the river every hour, and does not wait.\ud800") == "en"


class TestSample:
    def test_limits_excerpt_per_block(self):
        result = sample(["a" * 1000, "b" * 1000], np.zeros(2, dtype=np.float32))
        assert result == "a" * EXCERPT_LENGTH + " " + "b" * EXCERPT_LENGTH

    def test_limits_total_length(self):
        result = sample(["a" * 1000] * 100, np.zeros(100, dtype=np.float32))
        assert SAMPLE_LENGTH <= len(result) <= SAMPLE_LENGTH + EXCERPT_LENGTH

    def test_ignores_links_if_text_suffices(self):
        texts = ["menu " * 20, "x" * MIN_LENGTH]
        assert sample(texts, np.array([1, 0], dtype=np.float32)) == "x" * MIN_LENGTH

    def test_no_texts(self):
        assert sample([], np.zeros(0, dtype=np.float32)) == ""


TEXTS = [
    "The ferry crosses the river every hour.",
    "Die Fähre überquert den Fluss jede Stunde.",
    "渡し船は一時間ごとに川を渡る。",
    "Паром переходит реку каждый час.",
    "x",
    "",
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache folder that contains the model."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language, "cache_folder", lambda: folder)
        load()
    return folder


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the list of unpacked files; unpacking returns an artificial model instead."""
    paths: list[Path] = []
    tiny = {
        "ptc": np.zeros((1, 2), np.float16), "pc": np.zeros(2, np.float32), "classes": np.array(["de", "en"]),
        "nextmove": np.zeros(256, np.uint32), "row": np.zeros(1, np.uint16), "output": np.full(1, -1, np.int32),
    }  # fmt: skip

    def unpack(path: Path) -> list[np.ndarray]:
        paths.append(path)
        return list(tiny.values())

    monkeypatch.setattr("py3langid.modelio.load_model", unpack)
    return paths


class TestLoad:
    def test_cached_model_gives_the_same_results(self, shared: Path, unpacked: list[Path], monkeypatch) -> None:
        """Check equality to the last bit for memory-mapped files."""
        monkeypatch.setattr(language, "cache_folder", lambda: shared)
        detector, expected = load(), LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
        assert [detector.rank(text) for text in TEXTS] == [expected.rank(text) for text in TEXTS]
        assert unpacked == []

    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch) -> Path:
        """Return the folder that the cache is in."""
        monkeypatch.setattr(language, "cache_folder", lambda: tmp_path)
        return tmp_path / "vclean"

    def test_caches_for_the_next_process(self, folder: Path, unpacked: list[Path]) -> None:
        for _ in range(2):
            assert load().nb_classes == ["de", "en"]
        assert unpacked == [MODEL_DIR / MODEL_FILE]
        assert len(list(folder.iterdir())) == 1

    @pytest.mark.parametrize("damage", [None, b"", b"\x93NUMPY\x01\x00", b"no array at all"])
    def test_a_missing_or_damaged_part(self, folder: Path, unpacked: list[Path], damage: bytes | None) -> None:
        """Check that an incomplete folder is ignored and the model still works."""
        load()
        part = next(folder.iterdir()) / "ptc.npy"
        part.unlink() if damage is None else part.write_bytes(damage)
        assert load().nb_classes == ["de", "en"]
        assert len(unpacked) == 2

    def test_other_layout_has_its_own_folder(self, folder: Path, unpacked: list[Path], monkeypatch) -> None:
        load()
        monkeypatch.setattr(language, "_LAYOUT", 99)
        load()
        assert len(list(folder.iterdir())) == 2
        assert len(unpacked) == 2
