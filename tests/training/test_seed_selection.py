"""Early stopping and best weights: each seed's own."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from raqa.heads.data import FitData
from raqa.heads.mlp import MLPHead
from raqa.training.callbacks import SeedSelection
from raqa.training.fit import fit
from raqa.training.module import clip_per_seed
from raqa.training.settings import TrainerSettings


def play(maes: list[list[float]], patience: int) -> SeedSelection:
    """Judge epochs of two seeds whose parameters are all the epoch's number."""
    model = MLPHead().build(2, [5, 9])
    selection = SeedSelection(model, patience)
    for epoch, mae in enumerate(maes, start=1):
        for parameter in model.parameters():
            parameter.data.fill_(epoch)
        selection.judge(epoch, model, torch.zeros(2), torch.tensor(mae, dtype=torch.float64))
    return selection


def kept(selection: SeedSelection) -> list[float]:
    """The epoch whose parameters each seed kept."""
    rows = torch.cat([value.flatten(1) for value in selection.best.values()], dim=1)
    assert (rows == rows[:, :1]).all()
    return rows[:, 0].tolist()


def test_each_seed_keeps_its_own_best_epoch() -> None:
    selection = play([[3, 5], [2, 4], [4, 3], [5, 9]], patience=10)
    assert kept(selection) == [2, 3]
    assert selection.training.tolist() == [True, True]


def test_a_seed_stops_after_its_patience_and_changes_no_more() -> None:
    selection = play([[3, 9], [4, 8], [4, 7], [1, 6]], patience=2)
    assert selection.training.tolist() == [False, True]
    assert kept(selection) == [1, 4]  # the 1 of epoch 4 comes after the stop
    assert selection.best_error.tolist() == [3, 6]
    assert selection.history.filter(seed=5)["epoch"].to_list() == [1, 2, 3]
    assert selection.history.filter(seed=9)["epoch"].to_list() == [1, 2, 3, 4]


def test_an_equal_epoch_is_no_better() -> None:
    assert kept(play([[3, 3], [3, 3]], patience=9)) == [1, 1]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_an_epoch_that_is_not_finite_is_never_kept(bad: float) -> None:
    selection = play([[bad, 3], [5, bad], [bad, 2]], patience=9)
    assert kept(selection) == [2, 3]
    assert selection.history.filter(seed=5)["validation_error"].to_list() == [None, 5, None]


def test_training_ends_when_all_seeds_have_stopped(data: FitData) -> None:
    settings = TrainerSettings(accelerator="cpu", learning_rate=0.3, max_epochs=64, patience=3)
    fitted = fit(MLPHead(hidden=(16,)), data, range(4), settings)
    last = dict(fitted.history.group_by("seed").max().select("seed", "epoch").iter_rows())
    assert len(set(last.values())) > 1  # seeds stopped at different epochs
    for seed, best in fitted.best_epoch.items():
        assert last[seed] == best + 3
        maes = fitted.history.filter(seed=seed)["validation_error"].to_numpy()
        assert best == np.argmin(maes) + 1


def test_clipping_shortens_each_seeds_gradient_by_its_own_norm() -> None:
    model = MLPHead(hidden=(3,)).build(2, [0, 1])
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
        parameter.grad[1] *= 1e-3
    clip_per_seed(model, longest=1.0)
    whole = torch.cat([one.grad.flatten(1) for one in model.parameters()], dim=1)
    assert whole[0].norm().item() == pytest.approx(1)
    assert torch.allclose(whole[1], torch.tensor(1e-3))
