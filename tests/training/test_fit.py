"""Fitting all seeds side by side gives what fitting each alone gives, and nothing else moves."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from raqa.errors import UserError
from raqa.heads.base import Head
from raqa.heads.constant import MedianHead
from raqa.heads.data import FitData
from raqa.heads.mlp import MLPHead
from raqa.training.fit import fit
from raqa.training.settings import TrainerSettings

HEADS = {
    "linear": MLPHead(),
    "mlp_small": MLPHead(hidden=(32,), dropout=0.3),
    "mlp": MLPHead(hidden=("width",)),
}
SETTINGS = TrainerSettings(accelerator="cpu", learning_rate=0.01, batch_size=16, max_epochs=30)


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_seed_3_alone_is_seed_3_of_five_in_float64(head: Head, data: FitData) -> None:
    settings = replace(SETTINGS, precision=64, patience=3)
    alone = fit(head, data, [3], settings)
    among = fit(head, data, range(5), settings)
    difference = alone.predict(data.validation_inputs)[0] - among.predict(data.validation_inputs)[3]
    assert np.abs(difference).max() < 1e-9
    assert alone.best_epoch[3] == among.best_epoch[3]
    assert alone.history.height == among.history.filter(seed=3).height


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_seed_3_alone_is_seed_3_of_five_in_float32(head: Head, data: FitData) -> None:
    settings = replace(SETTINGS, patience=SETTINGS.max_epochs)
    one, many = (
        fit(head, data, seeds, settings).predict(data.validation_inputs)[-1]
        for seeds in ([3], [0, 1, 2, 4, 3])
    )
    assert np.abs(one - many).max() < 1e-3 * data.train_labels.std()


def test_seeds_differ_and_learn(data: FitData) -> None:
    fitted = fit(HEADS["mlp_small"], data, range(3), SETTINGS)
    predictions = fitted.predict(data.validation_inputs)
    assert predictions.shape == (3, len(data.validation_labels))
    assert predictions.dtype == np.float64
    assert np.abs(predictions[0] - predictions[1]).max() > 0.1
    median = np.abs(np.median(data.train_labels) - data.validation_labels).mean()
    assert np.abs(predictions - data.validation_labels).mean() < 0.9 * median


PROGRAM = """
import sys
import numpy as np
from raqa.heads.mlp import MLPHead
from raqa.heads.data import FitData
from raqa.training.fit import fit
from raqa.training.settings import TrainerSettings

np.random.seed(int(sys.argv[1]))
import torch
torch.manual_seed(int(sys.argv[1]))
draws = np.random.default_rng(0)
inputs, labels = draws.normal(size=(300, 200)).astype("float32"), draws.normal(size=300)
data = FitData(inputs[:250], labels[:250], inputs[250:], labels[250:])
fitted = fit(MLPHead(hidden=(64,), dropout=0.3), data, [0, 1],
             TrainerSettings(accelerator="cpu", learning_rate=0.01, max_epochs=5))
sys.stdout.buffer.write(fitted.predict(inputs).tobytes())
"""


@pytest.mark.slow
def test_fresh_processes_give_identical_predictions_without_a_word() -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error::UserWarning", "-c", PROGRAM, state],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "OMP_NUM_THREADS": "2"},
        )
        for state in ("1", "2")
    ]
    (one, said), (other, _) = (process.communicate() for process in started)
    assert said == b""
    assert len(one) == 2 * 300 * 8
    assert one == other


def test_nothing_global_moves(
    data: FitData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)

    def state() -> tuple[object, ...]:
        numpy_state = np.random.get_state()  # noqa: NPY002 - the global one is what must not move
        return (
            torch.get_rng_state().numpy().tobytes(),
            numpy_state[1].tobytes(),
            random.getstate(),
            dict(os.environ),
            torch.are_deterministic_algorithms_enabled(),
            torch.backends.cudnn.benchmark,
            torch.get_default_dtype(),
            torch.is_grad_enabled(),
        )

    before = state()
    for precision in (32, 64):
        fit(HEADS["mlp_small"], data, [0, 1], replace(SETTINGS, precision=precision, max_epochs=2))
    fit(MedianHead(), data, [0, 1], SETTINGS)
    assert state() == before
    assert list(tmp_path.iterdir()) == []  # no checkpoints, no lightning_logs


def test_raw_labels_are_predicted_in_their_own_units(data: FitData) -> None:
    settings = replace(SETTINGS, standardise_label=False, learning_rate=0.5, max_epochs=64)
    fitted = fit(HEADS["linear"], data, [0, 1], settings)
    assert (fitted.scaling.label_mean, fitted.scaling.label_scale) == (0, 1)
    predictions = fitted.predict(data.validation_inputs)
    assert np.abs(predictions.mean() - data.train_labels.mean()) < 5
    errors = np.abs(predictions - data.validation_labels).mean(axis=1)
    assert np.allclose(
        errors, fitted.history.group_by("seed").min().sort("seed")["validation_error"]
    )


def test_validation_mae_is_in_label_units_and_belongs_to_the_weights_kept(data: FitData) -> None:
    fitted = fit(HEADS["mlp"], data, range(3), SETTINGS)
    errors = np.abs(fitted.predict(data.validation_inputs) - data.validation_labels).mean(axis=1)
    for seed, error in enumerate(errors):
        kept = fitted.history.filter(seed=seed, epoch=fitted.best_epoch[seed])
        assert kept["validation_error"].item() == pytest.approx(error, rel=1e-4)
        assert (
            kept["validation_error"].item()
            == fitted.history.filter(seed=seed)["validation_error"].min()
        )


def test_validation_values_steer_nothing_but_the_epoch_kept(data: FitData) -> None:
    others = replace(data, validation_labels=data.validation_labels[::-1].copy())
    losses = [
        fit(HEADS["mlp"], one, [0], replace(SETTINGS, patience=64)).history["train_loss"]
        for one in (data, others)
    ]
    assert losses[0].equals(losses[1])


def test_one_training_recording_is_enough() -> None:
    data = FitData(np.ones((1, 3)), np.array([40.0]), np.zeros((2, 3)), np.array([39.0, 41.0]))
    predictions = fit(HEADS["mlp_small"], data, [0], SETTINGS).predict(data.validation_inputs)
    assert np.isfinite(predictions).all()


def test_training_that_diverges_says_so_and_names_the_seeds(data: FitData) -> None:
    wild = replace(SETTINGS, optimizer="sgd", learning_rate=10.0, standardise_inputs=False)
    with pytest.raises(UserError, match=r"diverged for seed\(s\) 0, 1.*learning_rate 10"):
        fit(HEADS["mlp"], data, [0, 1], replace(wild, max_epochs=3))


@pytest.mark.parametrize("seeds", [[], [1, 1], [0, -1]])
def test_seeds_are_different_and_not_negative(seeds: list[int], data: FitData) -> None:
    with pytest.raises(UserError, match="seeds are different whole numbers"):
        fit(HEADS["linear"], data, seeds, SETTINGS)


def test_a_direct_head_goes_the_same_way(data: FitData) -> None:
    fitted = fit(MedianHead(), data, [0, 4], SETTINGS)
    assert (fitted.predict(data.validation_inputs) == np.median(data.train_labels)).all()
    assert fitted.best_epoch == {0: 0, 4: 0}
    mae = np.abs(np.median(data.train_labels) - data.validation_labels).mean()
    assert fitted.history["validation_error"].to_list() == pytest.approx([mae, mae])
    assert fitted.history["train_loss"].null_count() == 2
