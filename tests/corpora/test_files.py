"""Files are looked for by listing folders, whatever the paths are."""

from __future__ import annotations

from pathlib import Path

import pytest

from raqa.corpora import files
from raqa.corpora.files import present


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """One that is there, a folder, one that is not, and one whose folder is not."""
    (tmp_path / "a.wav").touch()
    (tmp_path / "b.wav").mkdir()
    names = ("a.wav", "b.wav", "c.wav", "none/a.wav")
    return [str(tmp_path / name) for name in names]


def test_only_files_are_there(paths: list[str]) -> None:
    assert present(paths) == [True, False, False, False]
    assert present([]) == []


def test_a_folder_is_listed_once_for_all_its_files(
    paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []
    real = files.entries
    monkeypatch.setattr(files, "entries", lambda folder: asked.append(folder) or real(folder))
    present(paths * 3)
    assert len(asked) == len({Path(path).parent for path in paths})
