"""Shards appear whole or not at all, several processes share them, damage is noticed."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from raqa.audio.clip import ClipPolicy
from raqa.embeddings.shard import Keys, Vectors
from raqa.embeddings.store import EmbeddingStore, Shelf, make_keys
from raqa.encoders.base import Encoder


@pytest.fixture
def shelf(store: EmbeddingStore, encoder: Encoder) -> Shelf:
    return store.shelf(encoder, ClipPolicy())


def _rows(count: int, width: int = 5, seed: int = 0) -> tuple[Keys, Vectors]:
    rng = np.random.default_rng(seed)
    keys = np.frombuffer(rng.bytes(16 * count), "S16")
    return keys, rng.standard_normal((count, width)).astype(np.float32)


def test_what_was_written_is_found_in_any_order_and_the_rest_is_not(shelf: Shelf) -> None:
    keys, vectors = _rows(100)
    for start in range(0, 100, 30):
        shelf.write(keys[start : start + 30], vectors[start : start + 30])
    strange, _ = _rows(20, seed=1)
    asked = np.random.default_rng(2).permutation(120)
    found, rows = shelf.lookup(np.concatenate([keys, strange])[asked])
    np.testing.assert_array_equal(found, asked < 100)
    np.testing.assert_array_equal(rows[found], vectors[asked[found]])
    np.testing.assert_array_equal(rows[~found], 0)


@pytest.mark.parametrize("asked", [0, 3])
def test_an_empty_shelf_has_nothing(shelf: Shelf, asked: int) -> None:
    found, rows = shelf.lookup(_rows(asked)[0])
    assert found.tolist() == [False] * asked
    assert rows.shape == (asked, 0)


def test_keys_that_end_in_zero_bytes_are_told_apart(shelf: Shelf) -> None:
    raw = [bytes(16), b"a" + bytes(15), b"a\x00b" + bytes(13), bytes(15) + b"a"]
    keys = np.array(raw, "S16")
    vectors = np.arange(4, dtype=np.float32)[:, None]
    shelf.write(keys, vectors)
    found, rows = shelf.lookup(keys[::-1])
    assert found.all()
    np.testing.assert_array_equal(rows, vectors[::-1])


def test_of_a_key_in_two_shards_the_first_is_used(shelf: Shelf) -> None:
    keys, vectors = _rows(3)
    shelf.write(keys, vectors)
    shelf.write(keys, vectors + 1)
    np.testing.assert_array_equal(shelf.lookup(keys)[1], vectors)


def test_what_another_process_writes_is_seen_by_one_that_is_open(
    store: EmbeddingStore, encoder: Encoder, shelf: Shelf
) -> None:
    keys, vectors = _rows(3)
    assert not shelf.has(keys).any()
    store.shelf(encoder, ClipPolicy()).write(keys, vectors)
    assert shelf.has(keys).all()


def test_a_shard_is_a_safetensors_file_and_info_tells_what_it_is(
    shelf: Shelf, encoder: Encoder
) -> None:
    keys, vectors = _rows(3)
    tensors = load_file(shelf.write(keys, vectors))
    np.testing.assert_array_equal(tensors["vectors"], vectors)
    assert tensors["keys"].tobytes() == keys.tobytes()
    info = json.loads((shelf.folder / "info.json").read_text())
    assert info["encoder"] == "Counting"
    assert info["fingerprint"] == encoder.fingerprint
    assert info["clip"] == {"length_s": 2.0, "part": "first", "padding": "zeros"}
    assert info["width"] == 8
    assert shelf.folder.name.startswith("counting-first_2s-")


def test_the_size_on_disk_is_that_of_the_numbers(shelf: Shelf) -> None:
    keys, vectors = _rows(1_000, 768)
    for start in range(0, 1_000, 250):
        shelf.write(keys[start : start + 250], vectors[start : start + 250])
    size = sum(path.stat().st_size for path in shelf.folder.iterdir())
    assert size < 1.02 * vectors.nbytes


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_a_cut_shard_is_put_aside_with_a_warning(
    shelf: Shelf, keep: int, caplog: pytest.LogCaptureFixture
) -> None:
    keys, vectors = _rows(10)
    shelf.write(keys[:5], vectors[:5])
    path = shelf.write(keys[5:], vectors[5:])
    path.write_bytes(path.read_bytes()[:keep])
    with caplog.at_level(logging.WARNING):
        found, rows = shelf.lookup(keys)
    assert found.tolist() == [True] * 5 + [False] * 5
    np.testing.assert_array_equal(rows[:5], vectors[:5])
    assert path.name in caplog.text
    assert "computed again" in caplog.text
    assert not path.exists()
    assert path.with_suffix(".damaged").exists()


def test_any_damaged_byte_is_noticed_or_harmless(shelf: Shelf) -> None:
    keys, vectors = _rows(4)
    path = shelf.write(keys, vectors)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= rng.integers(1, 256)
        path.write_bytes(damaged)
        fresh = Shelf(shelf.folder, {})
        found, rows = fresh.lookup(keys)
        if found.any():
            np.testing.assert_array_equal(rows[found], vectors[found])
        path.with_suffix(".damaged").unlink(missing_ok=True)


@pytest.mark.parametrize("content", [b"", b"not a shard", bytes(1000), b"\xff" * 1000])
def test_garbage_among_the_shards_is_put_aside(shelf: Shelf, content: bytes) -> None:
    keys, vectors = _rows(3)
    shelf.write(keys, vectors)
    (shelf.folder / "0-garbage.safetensors").write_bytes(content)
    found, _ = shelf.lookup(keys)
    assert found.all()


def test_a_half_written_file_is_not_a_shard(shelf: Shelf) -> None:
    keys, vectors = _rows(3)
    content = shelf.write(keys, vectors).read_bytes()
    for path in shelf.folder.glob("*.safetensors"):
        path.rename(shelf.folder / ".writing-0123")
    assert not shelf.has(keys).any()
    (shelf.folder / ".writing-4567").write_bytes(content[:50])
    assert not shelf.has(keys).any()


def test_a_write_that_fails_leaves_nothing(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        shelf.write(*_rows(3))
    assert [path.name for path in shelf.folder.iterdir()] == ["info.json"]


def test_a_damaged_info_file_is_written_again(
    store: EmbeddingStore, encoder: Encoder, shelf: Shelf
) -> None:
    info = shelf.folder / "info.json"
    content = info.read_bytes()
    info.write_bytes(content[:20])
    store.shelf(encoder, ClipPolicy())
    assert info.read_bytes() == content


def test_frames_of_different_numbers_do_not_fit_one_array(shelf: Shelf) -> None:
    keys, _ = _rows(2)
    shelf.write(keys[:1], np.zeros((1, 3, 5), np.float32))
    shelf.write(keys[1:], np.zeros((1, 4, 5), np.float32))
    assert shelf.lookup(keys[1:])[1].shape == (1, 4, 5)
    with pytest.raises(ValueError, match="fixed length"):
        shelf.lookup(keys)


def test_keys_depend_on_content_and_segment() -> None:
    content, other = "00" * 16, "ff" * 16
    segments = [(None, None), (0.0, None), (None, 1.0), (0.0, 1.0), (0.5, 1.0)]
    keys = make_keys([content] * 5 + [other], [*segments, (None, None)])
    assert len(np.unique(keys)) == 6
    assert make_keys([content], [(0.5, 1.0)])[0] == keys[4]


def test_weights_clip_and_settings_have_shelves_of_their_own(
    store: EmbeddingStore, encoder: Encoder
) -> None:
    folders = {store.shelf(encoder, ClipPolicy()).folder}
    folders.add(store.shelf(encoder, ClipPolicy(padding="repeat")).folder)
    encoder.weights = "0" * 64
    folders.add(store.shelf(encoder, ClipPolicy()).folder)
    encoder.revision = 2  # type: ignore[misc]
    folders.add(store.shelf(encoder, ClipPolicy()).folder)
    assert len(folders) == 4


def test_the_folder_may_have_any_name(tmp_path: Path, encoder: Encoder) -> None:
    shelf = EmbeddingStore(tmp_path / "[a] *b?" / "ü").shelf(encoder, ClipPolicy())
    keys, vectors = _rows(3)
    shelf.write(keys, vectors)
    assert shelf.has(keys).all()
