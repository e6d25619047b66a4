"""A fit that was stopped in the middle of an epoch ends as one that never was, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from raqa.answering.base import Fitting, QuestionPairs
from raqa.answering.soft_prefix.fitted import FittedSoftPrefix
from raqa.answering.soft_prefix.head import SoftPrefixHead
from raqa.answering.soft_prefix.settings import MapperSettings
from raqa.training import checkpoint as checkpoints
from raqa.training.head_file import read_arrays
from raqa.training.interrupt import StoppedError
from raqa.training.settings import TrainerSettings
from soft_prefix.tiny import pairs

SETTINGS = TrainerSettings(
    accelerator="cpu", learning_rate=0.02, batch_size=8, gradient_clip_norm=1.0, max_epochs=2
)
TRAIN, VALIDATION = pairs(10, 0), pairs(4, 1)  # three steps an epoch
SEEDS = (0, 3)
POINTS = 12
"""Steps that two seeds take in two epochs: after each it is asked whether to stop."""


@pytest.fixture
def noisy(head: SoftPrefixHead) -> SoftPrefixHead:
    """Dropout everywhere, and steps of two passes."""
    return replace(head, mapper=MapperSettings(hidden=16, dropout=0.3), rows_at_a_time=4)


def _stop_after(count: int) -> Callable[[], bool]:
    asked = iter(range(1, 1000))
    return lambda: next(asked) == count


def _fit(
    head: SoftPrefixHead,
    checkpoint: Path | None = None,
    stop: Callable[[], bool] | None = None,
    settings: TrainerSettings = SETTINGS,
    train: QuestionPairs = TRAIN,
) -> FittedSoftPrefix:
    return head.fit(train, VALIDATION, Fitting(SEEDS, settings, checkpoint=checkpoint, stop=stop))


def _equal(one: FittedSoftPrefix, other: FittedSoftPrefix) -> bool:
    return one.history.equals(other.history) and all(
        np.array_equal(array, other.parameters[seed][name])
        for seed, arrays in one.parameters.items()
        for name, array in arrays.items()
    )


def test_stopped_after_a_step_it_ends_the_same(noisy: SoftPrefixHead, tmp_path: Path) -> None:
    whole = _fit(noisy)
    for point in (2, 3, 6, 7, POINTS):
        path = tmp_path / str(point)
        with pytest.raises(StoppedError):
            _fit(noisy, path, _stop_after(point))
        assert _equal(_fit(noisy, path), whole)


def test_stopped_after_every_step_it_ends_the_same(noisy: SoftPrefixHead, tmp_path: Path) -> None:
    said = []
    for _ in range(POINTS):
        with pytest.raises(StoppedError) as stopped:
            _fit(noisy, tmp_path / "x", _stop_after(1))
        said.append(str(stopped.value))
    assert said[:4] == [
        "in epoch 1, after step 1 of 3 of seed 0",
        "in epoch 1, after step 2 of 3 of seed 0",
        "after epoch 1 of seed 0",
        "in epoch 2, after step 1 of 3 of seed 0",
    ]
    assert said[-1] == "after epoch 2 of seed 3"
    assert _equal(_fit(noisy, tmp_path / "x"), _fit(noisy))


def test_a_killed_fit_goes_on_from_what_was_written_last(
    noisy: SoftPrefixHead, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "EVERY_S", 0.0)
    monkeypatch.setattr(checkpoints, "LARGEST_SHARE", 1e9)
    asked = iter(range(1, 100))

    def killed() -> bool:
        if next(asked) == 5:
            raise ZeroDivisionError  # stands for a process that is gone
        return False

    with pytest.raises(ZeroDivisionError):
        _fit(noisy, tmp_path / "x", killed)
    with pytest.raises(StoppedError, match="in epoch 2, after step 2 of 3"):  # four were kept
        _fit(noisy, tmp_path / "x", _stop_after(1))
    assert _equal(_fit(noisy, tmp_path / "x"), _fit(noisy))


def test_the_checkpoint_holds_only_what_is_trained(noisy: SoftPrefixHead, tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        _fit(noisy, tmp_path / "x", _stop_after(7))
    arrays, facts = read_arrays(tmp_path / "x")
    trained = sum(array.size for array in _fit(noisy).parameters[0].values())
    # The state, its best epoch, two moments of the optimiser, and the finished seed's best.
    assert sum(array.size for array in arrays.values()) < 5 * trained + 50
    assert "transformer.wte" not in repr(facts)


@pytest.mark.parametrize("what", ["head", "settings", "data", "tokenizer"])
def test_the_checkpoint_of_another_fit_is_not_used_and_that_is_said(
    what: str, noisy: SoftPrefixHead, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoppedError):
        _fit(noisy, tmp_path / "x", _stop_after(2))
    head, settings, train = noisy, SETTINGS, TRAIN
    if what == "head":
        head = replace(noisy, prefixes=2)
    elif what == "settings":
        settings = replace(SETTINGS, learning_rate=0.01)
    elif what == "data":
        train = QuestionPairs(TRAIN.audio, TRAIN.rows.with_columns(answer=pl.lit("It is dry .")))
    else:
        monkeypatch.setattr(
            "raqa.answering.soft_prefix.language_model._digest_tokenizer", lambda _: "other"
        )
    with pytest.warns(UserWarning, match=f"is of other .*{what}.*; training begins anew"):
        begun = _fit(head, tmp_path / "x", settings=settings, train=train)
    assert _equal(begun, _fit(head, settings=settings, train=train))
