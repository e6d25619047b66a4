"""What the store holds, and making room in it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from raqa.audio.clip import ClipPolicy
from raqa.embeddings.inventory import REMOVED, SHELVES, list_shelves, prune
from raqa.embeddings.store import EmbeddingStore
from raqa.errors import UserError

Run = Callable[..., object]


@pytest.fixture
def filled(
    sounds: Callable[..., list[Path]], table: Callable[..., pl.DataFrame], run: Run,
    store: EmbeddingStore,
) -> EmbeddingStore:  # fmt: skip
    """Two shelves; the one of 0.4 s was last used ten days ago."""
    recordings = table(sounds(5))
    run(recordings)
    run(recordings[:3], clip=ClipPolicy(length_s=0.4))
    (old,) = store.folder.glob("*0.4s*")
    then = time.time() - 10 * 86_400
    os.utime(old / "info.json", (then, then))
    return store


def _clips(store: EmbeddingStore) -> list[str]:
    return list_shelves(store.folder)["clip"].to_list()


def test_shelves_are_listed_with_what_they_hold_last_used_first(filled: EmbeddingStore) -> None:
    shelves = list_shelves(filled.folder)
    assert shelves.schema == dict(SHELVES)
    assert shelves["clip", "encoder", "weights", "rows"].rows() == [
        ("first_0.5s", "Counting", "none", 5), ("first_0.4s", "Counting", "none", 3),
    ]  # fmt: skip
    assert shelves["bytes"].min() > 3 * 8 * 4


def test_an_empty_or_absent_store_has_no_shelves(tmp_path: Path) -> None:
    assert list_shelves(tmp_path / "nothing").height == 0
    assert prune(tmp_path / "nothing", everything=True).schema == dict(REMOVED)


def test_using_a_shelf_makes_it_the_last_used(filled: EmbeddingStore, encoder: object) -> None:
    filled.shelf(encoder, ClipPolicy(length_s=0.4))
    assert _clips(filled)[0] == "first_0.4s"


def test_a_shelf_is_removed_by_name(filled: EmbeddingStore) -> None:
    name = list_shelves(filled.folder)["name"][0]
    removed = prune(filled.folder, names=[name])
    assert removed["name", "reason"].rows() == [(name, "named")]
    assert _clips(filled) == ["first_0.4s"]


def test_a_name_that_is_not_there_is_answered_with_the_choices(filled: EmbeddingStore) -> None:
    with pytest.raises(UserError, match="no shelf 'counting'.*Choices: counting-first_0"):
        prune(filled.folder, names=["counting"])
    assert len(_clips(filled)) == 2


def test_shelves_are_removed_by_age(filled: EmbeddingStore) -> None:
    assert prune(filled.folder, unused_days=30).is_empty()
    assert prune(filled.folder, unused_days=9)["reason"].to_list() == ["not used for 9 days"]
    assert _clips(filled) == ["first_0.5s"]


def test_everything_is_what_the_store_made_and_nothing_else(filled: EmbeddingStore) -> None:
    mine = filled.folder / "thesis"
    mine.mkdir()
    (mine / "chapter.txt").write_text("years of work")
    filled.hashes_folder.mkdir(exist_ok=True)
    assert prune(filled.folder, everything=True).height == 3
    assert [path.name for path in filled.folder.iterdir()] == ["thesis"]
    assert (mine / "chapter.txt").exists()


def test_a_dry_run_says_it_and_does_not_do_it(filled: EmbeddingStore) -> None:
    assert prune(filled.folder, everything=True, dry_run=True).height >= 2
    assert len(_clips(filled)) == 2


def test_what_killed_runs_left_is_removed_when_nobody_can_be_writing_it(
    filled: EmbeddingStore,
) -> None:
    (shelf, *_) = filled.folder.glob("counting*")
    dead, alive = shelf / ".writing-dead", shelf / ".writing-alive"
    damaged, gone = shelf / "1-2.damaged", filled.folder / ".pruning-1"
    for path in (dead, alive, damaged):
        path.write_bytes(b"half")
    gone.mkdir()
    (gone / "info.json").write_text("{}")
    then = time.time() - 7_200
    os.utime(dead, (then, then))
    assert len(_clips(filled)) == 2
    removed = prune(filled.folder)
    assert sorted(removed["reason"]) == [
        "a killed run left it half written", "damaged", "half removed before",
    ]  # fmt: skip
    assert [path.exists() for path in (dead, alive, damaged, gone)] == [False, True, False, False]
    assert len(_clips(filled)) == 2


def test_a_run_that_is_going_on_survives_a_prune(
    filled: EmbeddingStore, run: Run, sounds: Callable[..., list[Path]],
    table: Callable[..., pl.DataFrame],
) -> None:  # fmt: skip
    prune(filled.folder, everything=True)
    assert run(table(sounds(5))).computed == 5  # type: ignore[attr-defined]


def test_listing_does_not_load_torch() -> None:
    code = "import sys, raqa.embeddings.inventory; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
