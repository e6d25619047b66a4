"""Files of a download, wherever they lie."""

from __future__ import annotations

from pathlib import Path

from raqa.corpora.tree import read_tree


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"")


def test_files_are_found_by_name_and_suffix_at_any_depth(tmp_path: Path) -> None:
    make(tmp_path, "b.WAV", "x/y/a.wav", "x/a.txt", "x/a.docx")
    tree = read_tree(tmp_path, (".wav", ".txt"), corpus="made")
    assert {suffix: sorted(found) for suffix, found in tree.files.items()} == {
        ".wav": ["a", "b"], ".txt": ["a"]
    }  # fmt: skip
    assert tree.files[".wav"]["a"] == tmp_path / "x" / "y" / "a.wav"
    assert tree.set_aside == []


def test_twins_of_macos_and_second_files_of_a_name_are_set_aside(tmp_path: Path) -> None:
    make(tmp_path, "train/a.wav", "train 2/a.wav", "deep/er/a.wav", "__MACOSX/train/._a.wav")
    tree = read_tree(tmp_path, (".wav",), corpus="made")
    assert tree.files[".wav"] == {"a": tmp_path / "train" / "a.wav"}
    assert {row.item: row.reason for row in tree.set_aside} == {
        "train 2/a.wav": "a file of that name is used already in train",
        "deep/er/a.wav": "a file of that name is used already in train",
        "__MACOSX/train/._a.wav": "an AppleDouble file of macOS, not a recording or its labels",
    }


def test_no_folder_is_no_files(tmp_path: Path) -> None:
    assert read_tree(tmp_path / "none", (".wav",), corpus="made").files == {".wav": {}}


def test_what_is_still_being_unpacked_is_not_read(tmp_path: Path) -> None:
    for name in ("audio/a.wav", ".raqa/drafts/1/b.wav"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    assert list(read_tree(tmp_path, (".wav",), corpus="x").files[".wav"]) == ["a"]
