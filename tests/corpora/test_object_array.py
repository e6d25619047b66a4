"""Object arrays are read as text without executing what a pickle might ask for."""

from __future__ import annotations

import io
import os
import pickle
import pickletools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from raqa.corpora.object_array import read_text_array
from raqa.errors import UserError

TEXT = ["a", "b", "a", "ü", "c" * 300]


def array_file(folder: Path, pickled: bytes, shape: tuple[int, ...] = (5,)) -> Path:
    """A `.npy` file of objects with any pickle in it."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "|O", "fortran_order": False, "shape": shape}
    )
    path = folder / "t.npy"
    path.write_bytes(header.getvalue() + pickled)
    return path


@pytest.mark.parametrize("kind", [object, str])
@pytest.mark.parametrize("shape", [(5,), (5, 1), (1, 5)])
def test_what_numpy_writes_is_read_back(tmp_path: Path, kind: type, shape: tuple[int, ...]) -> None:
    np.save(tmp_path / "t.npy", np.array(TEXT, dtype=kind).reshape(shape))
    assert read_text_array(tmp_path / "t.npy") == TEXT


@pytest.mark.parametrize("protocol", [3, 4, 5])
@pytest.mark.parametrize("short", [False, True])
def test_every_protocol_that_can_hold_an_array_is_read(
    tmp_path: Path, protocol: int, short: bool
) -> None:
    pickled = pickle.dumps(np.array(TEXT, dtype=object), protocol)
    pickled = pickletools.optimize(pickled) if short else pickled
    assert read_text_array(array_file(tmp_path, pickled)) == TEXT


def test_thousands_of_entries_are_read(tmp_path: Path) -> None:
    many = [f"id-{number}" for number in range(5000)]
    np.save(tmp_path / "t.npy", np.array(many, dtype=object))
    assert read_text_array(tmp_path / "t.npy") == many


class Attack:
    """Runs a function when it is unpickled."""

    def __init__(self, call: Callable[..., object], *arguments: object) -> None:
        self.reduced = (call, arguments)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.reduced


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_that_would_run_something_is_refused_and_not_run(
    tmp_path: Path, protocol: int
) -> None:
    bait = tmp_path / "ran"
    for payload in (
        Attack(os.mkdir, str(bait)),
        np.array([Attack(os.mkdir, str(bait))] * 5, dtype=object),
    ):
        with pytest.raises(UserError, match="Nothing in it was executed") as refusal:
            read_text_array(array_file(tmp_path, pickle.dumps(payload, protocol)))
        assert "split_file" in str(refusal.value)
    assert not bait.exists()


@pytest.mark.parametrize(
    "array",
    [np.array([1, "b"], dtype=object), np.array([None, "b"], dtype=object), np.arange(3),
     np.array([["a"], 1], dtype=object)],
)  # fmt: skip
def test_an_array_of_something_else_is_refused(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "t.npy", array)
    with pytest.raises(UserError):
        read_text_array(tmp_path / "t.npy")


def test_damaged_files_are_refused_wherever_they_are_cut_or_flipped(tmp_path: Path) -> None:
    np.save(tmp_path / "whole.npy", np.array(TEXT, dtype=object))
    whole = (tmp_path / "whole.npy").read_bytes()
    draw = np.random.default_rng(0)
    damaged = tmp_path / "damaged.npy"
    for cut in range(0, len(whole) - 1, 7):
        damaged.write_bytes(whole[:cut])
        with pytest.raises(UserError):
            read_text_array(damaged)
    for _ in range(300):
        flipped = bytearray(whole)
        flipped[draw.integers(len(whole))] ^= 1 << draw.integers(8)
        damaged.write_bytes(flipped)
        try:
            found = read_text_array(damaged)
        except UserError:
            continue
        assert all(isinstance(item, str) for item in found)


def test_the_published_arrays_equal_their_csv(test_data: Path) -> None:
    folder = test_data / "coughvid" / "opera_split"
    lines = (folder / "split.csv").read_text().splitlines()[1:]
    train = [line.split(",")[0] for line in lines if line.endswith(",train")]
    assert sorted(read_text_array(folder / "coughvid__train_uuids.npy")) == sorted(train)
