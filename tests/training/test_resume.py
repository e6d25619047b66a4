"""A fit that was stopped goes on and ends as one that never was, to the last bit."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from raqa.heads.data import FitData
from raqa.heads.mlp import MLPHead
from raqa.training import checkpoint as checkpoints
from raqa.training.fit import fit
from raqa.training.fitted import FittedHead
from raqa.training.interrupt import StoppedError
from raqa.training.settings import TrainerSettings

HEAD = MLPHead(hidden=(32,), dropout=0.3)
SEEDS = (0, 3, 4)
SETTINGS = TrainerSettings(
    accelerator="cpu", learning_rate=0.02, batch_size=16, max_epochs=9, patience=2
)


def _stop_after(epochs: int) -> Callable[[], bool]:
    """Says once, after so many epochs, that it is time to stop."""
    asked = iter(range(1, 1000))
    return lambda: next(asked) == epochs


def _equal(one: FittedHead, other: FittedHead) -> bool:
    return one.history.equals(other.history) and all(
        np.array_equal(array, other.parameters[name]) for name, array in one.parameters.items()
    )


def _stopped_and_continued(
    data: FitData, path: Path, settings: TrainerSettings, epochs: Iterator[int]
) -> FittedHead:
    for count in epochs:
        with pytest.raises(StoppedError, match="after epoch"):
            fit(HEAD, data, SEEDS, settings, checkpoint=path, stop=_stop_after(count))
        assert path.is_file()
    return fit(HEAD, data, SEEDS, settings, checkpoint=path)


@pytest.fixture(params=["a number", "classes", "more batches than recordings"])
def kind(request: pytest.FixtureRequest, data: FitData, class_data: FitData) -> FitData:
    """Each kind of data that a head can be fitted to."""
    longer = replace(data, epoch_recordings=250)
    return {"a number": data, "classes": class_data}.get(request.param, longer)


def test_seeds_stop_at_different_epochs_in_these_tests(kind: FitData) -> None:
    lengths = set(fit(HEAD, kind, SEEDS, SETTINGS).history.group_by("seed").len()["len"])
    assert len(lengths) > 1
    assert min(lengths) < SETTINGS.max_epochs


def test_stopped_after_any_epoch_it_ends_the_same(kind: FitData, tmp_path: Path) -> None:
    whole = fit(HEAD, kind, SEEDS, SETTINGS)
    for epoch in range(1, whole.history["epoch"].max() + 1):  # type: ignore[operator]
        path = tmp_path / f"{epoch}"
        assert _equal(_stopped_and_continued(kind, path, SETTINGS, iter([epoch])), whole)


@pytest.mark.parametrize(
    "change",
    [
        {"precision": 64},
        {"optimizer": "sgd"},
        {"optimizer": "adamw", "gradient_clip_norm": 0.5},
        {"learning_rate": 1e-3, "patience": 9},
    ],
    ids=str,
)
def test_stopped_after_every_epoch_it_ends_the_same(
    change: dict[str, object], data: FitData, tmp_path: Path
) -> None:
    settings = replace(SETTINGS, **change)  # type: ignore[arg-type]
    whole = fit(HEAD, data, SEEDS, settings)
    epochs = whole.history["epoch"].max()
    each = iter([1] * epochs)  # type: ignore[operator]
    assert _equal(_stopped_and_continued(data, tmp_path / "x", settings, each), whole)


def test_a_fit_that_was_stopped_when_it_was_complete_trains_nothing_more(
    data: FitData, tmp_path: Path
) -> None:
    whole = fit(HEAD, data, SEEDS, SETTINGS)
    last = whole.history["epoch"].max()
    with pytest.raises(StoppedError, match=f"after epoch {last}$"):
        fit(HEAD, data, SEEDS, SETTINGS, checkpoint=tmp_path / "x", stop=_stop_after(last))  # type: ignore[arg-type]
    asked: list[None] = []

    def stop() -> bool:
        asked.append(None)
        return False

    assert _equal(fit(HEAD, data, SEEDS, SETTINGS, checkpoint=tmp_path / "x", stop=stop), whole)
    assert asked == []


def test_without_a_checkpoint_it_stops_as_well(data: FitData) -> None:
    with pytest.raises(StoppedError, match="after epoch 2"):
        fit(HEAD, data, SEEDS, SETTINGS, stop=_stop_after(2))


def test_a_killed_fit_loses_what_came_after_the_last_writing(
    data: FitData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = fit(HEAD, data, SEEDS, SETTINGS)
    monkeypatch.setattr(checkpoints, "EVERY_S", 0.0)
    monkeypatch.setattr(checkpoints, "LARGEST_SHARE", 1e9)
    asked = iter(range(1, 100))

    def killed() -> bool:
        if next(asked) == 4:
            raise ZeroDivisionError  # stands for a process that is gone
        return False

    path = tmp_path / "x"
    with pytest.raises(ZeroDivisionError):
        fit(HEAD, data, SEEDS, SETTINGS, checkpoint=path, stop=killed)
    with pytest.raises(StoppedError, match="after epoch 4"):  # three were kept
        fit(HEAD, data, SEEDS, SETTINGS, checkpoint=path, stop=_stop_after(1))
    assert _equal(fit(HEAD, data, SEEDS, SETTINGS, checkpoint=path), whole)


def test_a_short_fit_writes_nothing(data: FitData, tmp_path: Path) -> None:
    fit(HEAD, data, SEEDS, SETTINGS, checkpoint=tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def left(data: FitData, tmp_path: Path) -> Path:
    """What a fit leaves that was stopped after three epochs."""
    path = tmp_path / "checkpoint"
    with pytest.raises(StoppedError):
        fit(HEAD, data, SEEDS, SETTINGS, checkpoint=path, stop=_stop_after(3))
    assert list(tmp_path.iterdir()) == [path]  # nothing half written beside it
    return path


@pytest.mark.parametrize("what", ["head", "settings", "seeds", "data", "device", "software"])
def test_the_checkpoint_of_another_fit_is_not_used_and_that_is_said(
    what: str, data: FitData, left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, seeds, settings = HEAD, SEEDS, SETTINGS
    if what == "head":
        head = MLPHead(hidden=(32,), dropout=0.2)
    elif what == "settings":
        settings = replace(SETTINGS, learning_rate=0.01)
    elif what == "seeds":
        seeds = (0, 3, 5)
    elif what == "data":
        data = replace(data, train_labels=data.train_labels + 1)
    expected = fit(head, data, seeds, settings)
    if what == "device":
        real = checkpoints.CheckpointFile.__init__
        monkeypatch.setattr(
            checkpoints.CheckpointFile, "__init__",
            lambda self, path, facts, say: real(self, path, {**facts, "device": "x"}, say),
        )  # fmt: skip
    elif what == "software":
        monkeypatch.setattr("raqa.training.fingerprint.version", lambda _: "99.0")
    with pytest.warns(UserWarning, match=f"checkpoint is of other {what}; training begins anew"):
        assert _equal(fit(head, data, seeds, settings, checkpoint=left), expected)


def test_where_it_runs_and_which_gpu_are_no_other_fit(data: FitData, left: Path) -> None:
    assert not torch.cuda.is_available()
    settings = replace(SETTINGS, accelerator="auto")
    fitted = fit(HEAD, data, SEEDS, settings, checkpoint=left)  # a warning would be an error
    assert _equal(fitted, fit(HEAD, data, SEEDS, SETTINGS))


def _half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _changed(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)


def _pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps({"state": 1}))


@pytest.mark.parametrize("damage", [_half, _changed, _pickled, lambda path: path.write_bytes(b"")])
def test_a_damaged_checkpoint_is_ignored_and_that_is_said(
    damage: Callable[[Path], object], data: FitData, left: Path
) -> None:
    damage(left)
    with pytest.warns(UserWarning, match="checkpoint is damaged; training begins anew"):
        fitted = fit(HEAD, data, SEEDS, SETTINGS, checkpoint=left)
    assert _equal(fitted, fit(HEAD, data, SEEDS, SETTINGS))


def test_a_full_disk_is_said_and_does_not_end_the_training(
    data: FitData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "EVERY_S", 0.0)
    (tmp_path / "file").touch()
    with pytest.warns(UserWarning, match="could not be written"):
        fitted = fit(HEAD, data, SEEDS, SETTINGS, checkpoint=tmp_path / "file" / "x")
    assert _equal(fitted, fit(HEAD, data, SEEDS, SETTINGS))
