"""What lies in a corpus's folder already is the user's: it stays, and is used where it fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from raqa.errors import UserError
from tests.corpora.prepare.conftest import (
    SOUNDS,
    WHOLE,
    Run,
    manifest,
    offering,
    tarred,
    tree,
    zipped,
)
from tests.web_server import Server


def test_files_of_the_user_stay_and_are_named(run: Run, corpus, server: Server) -> None:
    mine = corpus.root / "public_dataset/3.wav"
    mine.parent.mkdir(parents=True)
    mine.write_bytes(b"my own")
    with pytest.raises(UserError, match=r"public_dataset/3\.wav is another file"):
        run(corpus)
    assert mine.read_bytes() == b"my own"
    assert set(tree(corpus.root)) == {"public_dataset/3.wav", "table.csv"}
    mine.rename(corpus.root / "mine.wav")
    asked = len(server.asked)
    run(corpus)
    assert len(server.asked) == asked  # the archive was kept
    assert tree(corpus.root) == {**WHOLE, "mine.wav": b"my own"}


def test_files_of_the_user_with_the_same_bytes_are_no_obstacle(run: Run, corpus) -> None:
    for name in list(SOUNDS)[:3]:
        (corpus.root / name).parent.mkdir(parents=True, exist_ok=True)
        (corpus.root / name).write_bytes(SOUNDS[name])
    run(corpus)
    assert tree(corpus.root) == WHOLE


def test_nothing_is_written_through_a_link(run: Run, corpus, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    corpus.root.mkdir(parents=True)
    (corpus.root / "public_dataset").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="public_dataset is a link"):
        run(corpus)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    other = offering(
        tmp_path / "other",
        {"page": "p", "files": [{"file": "a", "urls": ["http://127.0.0.1:9/a"]}]},
    )
    other.root.mkdir()
    (other.root / ".raqa").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="is a link"):
        run(other)


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_what_is_in_the_way_of_a_file_is_named(run: Run, corpus, kind: str) -> None:
    corpus.root.mkdir(parents=True)
    goal = corpus.root / "table.csv"
    goal.symlink_to("nowhere") if kind == "link" else goal.mkdir()
    with pytest.raises(UserError, match=r"table\.csv is in the way"):
        run(corpus)
    goal.unlink() if kind == "link" else goal.rmdir()
    run(corpus)
    assert tree(corpus.root) == WHOLE


def test_parts_are_not_unpacked_through_a_link(run, server: Server, tmp_path: Path) -> None:
    day = tarred({"20200413/a.wav": SOUNDS["public_dataset/0.wav"]})
    server.files["/a.zip"] = zipped({"20200413/20200413.tar.gz.aa": day})
    offered = {
        "page": "p",
        "parts": [{"pattern": "20*/*.tar.gz.*", "into": "Extracted_data"}],
        "files": [{"file": "a.zip", "urls": [f"{server.url}/a.zip"], "unpack": "zip"}],
    }
    corpus = offering(tmp_path / "clinic", offered)
    corpus.root.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (corpus.root / "Extracted_data").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="Extracted_data is a link"):
        run(corpus)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_was_downloaded_by_hand_is_taken(run: Run, corpus, server: Server) -> None:
    corpus.root.mkdir(parents=True)
    archive = corpus.root / "public_dataset.zip"
    archive.write_bytes(server.files["/public_dataset.zip"][:-1])
    server.files.pop("/public_dataset.zip")
    with pytest.raises(UserError, match=r"not the published file: it has .* bytes, not"):
        run(corpus)
    archive.write_bytes(zipped(SOUNDS))
    run(corpus)
    assert tree(corpus.root) == {**WHOLE, "public_dataset.zip": zipped(SOUNDS)}
    assert manifest(corpus)["downloads"][1]["url"] is None
