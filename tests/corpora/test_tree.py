"""Files are found by name wherever they lie in a download, except where it is not whole yet."""

from __future__ import annotations

from pathlib import Path

from raqa.corpora.tree import read_tree


def test_what_is_still_being_unpacked_is_not_read(tmp_path: Path) -> None:
    for name in ("audio/a.wav", ".raqa/drafts/1/b.wav"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    assert list(read_tree(tmp_path, (".wav",), corpus="x").files[".wav"]) == ["a"]
