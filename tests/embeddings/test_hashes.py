"""Content hashes are remembered until a file changes, and shared without locks."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from raqa.embeddings import hashes
from raqa.embeddings.hashes import HashCache, content_hash


@pytest.fixture
def read_files(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files whose contents were read."""
    read: list[Path] = []

    def counting(path: Path) -> str:
        read.append(path)
        return content_hash(path)

    monkeypatch.setattr(hashes, "content_hash", counting)
    return read


def _file(path: Path, content: bytes, age_s: float = 100) -> Path:
    path.write_bytes(content)
    then = time.time() - age_s
    os.utime(path, (then, then))
    return path


def test_a_hash_is_of_the_content_and_of_nothing_else(tmp_path: Path) -> None:
    first, copy = _file(tmp_path / "a", b"cough"), _file(tmp_path / "b", b"cough", 5)
    other = _file(tmp_path / "c", b"cougH")
    one, two, three = HashCache(tmp_path / "cache").hash_files([first, copy, other])
    assert one == two != three
    assert len(str(one)) == 32


def test_what_is_known_is_not_read_again_also_by_another_process(
    tmp_path: Path, read_files: list[Path]
) -> None:
    paths = [_file(tmp_path / name, name.encode()) for name in "abc"]
    first = HashCache(tmp_path / "cache").hash_files(paths)
    assert len(read_files) == 3
    assert HashCache(tmp_path / "cache").hash_files(paths) == first
    assert len(read_files) == 3


@pytest.mark.parametrize("change", ["content", "time"])
def test_a_changed_file_is_read_again(tmp_path: Path, read_files: list[Path], change: str) -> None:
    path = _file(tmp_path / "a", b"old")
    before = HashCache(tmp_path / "cache").hash_files([path])
    _file(path, b"new!" if change == "content" else b"new", 100 if change == "content" else 50)
    assert HashCache(tmp_path / "cache").hash_files([path]) != before


def test_a_file_that_has_just_changed_is_not_remembered(
    tmp_path: Path, read_files: list[Path]
) -> None:
    path = _file(tmp_path / "a", b"may change within a tick of the clock", age_s=0)
    for _ in range(2):
        HashCache(tmp_path / "cache").hash_files([path])
    assert len(read_files) == 2


def test_processes_add_to_each_other(tmp_path: Path, read_files: list[Path]) -> None:
    paths = [_file(tmp_path / name, name.encode()) for name in "ab"]
    one, two = HashCache(tmp_path / "cache"), HashCache(tmp_path / "cache")
    one.hash_files(paths[:1])
    two.hash_files(paths[1:])
    HashCache(tmp_path / "cache").hash_files(paths)
    assert len(read_files) == 2


@pytest.mark.parametrize("damage", [b"", b"garbage", b"[[", None])
def test_a_damaged_file_of_hashes_is_ignored_and_rebuilt(
    tmp_path: Path, read_files: list[Path], damage: bytes | None
) -> None:
    path = _file(tmp_path / "a", b"cough")
    right = HashCache(tmp_path / "cache").hash_files([path])
    (kept,) = (tmp_path / "cache").iterdir()
    content = kept.read_bytes()
    kept.write_bytes(damage if damage is not None else content.replace(b'"]]', b'0"]]'))
    for _ in range(2):
        assert HashCache(tmp_path / "cache").hash_files([path]) == right
    assert len(read_files) == 2


def test_files_that_can_not_be_read_say_why(tmp_path: Path) -> None:
    results = HashCache(tmp_path / "cache").hash_files([tmp_path / "gone", tmp_path])
    assert [type(result) for result in results] == [FileNotFoundError, IsADirectoryError]
