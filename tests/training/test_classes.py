"""Classes are fitted by the same path: a logit each, cross-entropy, seeds that do not meet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import log_loss

from raqa.heads.base import Head
from raqa.heads.constant import PriorHead
from raqa.heads.data import FitData
from raqa.heads.mlp import MLPHead
from raqa.heads.neighbours import NeighboursHead
from raqa.training.fit import fit
from raqa.training.fitted import FittedHead
from raqa.training.objective import ClassObjective
from raqa.training.settings import TrainerSettings

SETTINGS = TrainerSettings(accelerator="cpu", learning_rate=0.01, batch_size=16, max_epochs=30)
SMALL = MLPHead(hidden=(32,), dropout=0.3)
HEADS: dict[str, Head] = {
    "linear": MLPHead(),
    "mlp_small": SMALL,
    "knn": NeighboursHead(neighbours=(3, 9)),
    "prior": PriorHead(),
}


@pytest.mark.parametrize("head", [MLPHead(), SMALL], ids=["linear", "mlp_small"])
def test_seed_3_alone_is_seed_3_of_five(head: Head, class_data: FitData) -> None:
    settings = replace(SETTINGS, precision=64, patience=3)
    alone, among = fit(head, class_data, [3], settings), fit(head, class_data, range(5), settings)
    one = alone.predicted(class_data.validation_inputs).probabilities
    many = among.predicted(class_data.validation_inputs).probabilities
    assert one is not None
    assert many is not None
    assert np.abs(one[0] - many[3]).max() < 1e-9
    assert alone.history.height == among.history.filter(seed=3).height


def test_probabilities_are_of_every_class_and_the_prediction_is_the_largest(
    class_data: FitData,
) -> None:
    fitted = fit(SMALL, class_data, range(3), SETTINGS)
    predicted = fitted.predicted(class_data.validation_inputs)
    assert predicted.probabilities is not None
    assert predicted.probabilities.shape == (3, 40, 3)
    assert np.allclose(predicted.probabilities.sum(axis=-1), 1)
    assert (predicted.values == predicted.probabilities.argmax(axis=-1)).all()
    assert (fitted.predict(class_data.validation_inputs) == predicted.values).all()


def test_it_learns(class_data: FitData) -> None:
    learnt, prior = (fit(head, class_data, [0, 1], SETTINGS) for head in (SMALL, PriorHead()))
    best = learnt.history.group_by("seed").min()["validation_error"]
    assert best.max() < 0.9 * prior.history["validation_error"].min()


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_the_validation_error_is_the_cross_entropy_of_what_was_kept(
    head: Head, class_data: FitData
) -> None:
    fitted = fit(head, class_data, [0, 1], SETTINGS)
    probabilities = fitted.answers(class_data.validation_inputs)
    for seed, one in enumerate(probabilities):
        kept = fitted.history.filter(seed=seed, epoch=fitted.best_epoch[seed])
        expected = log_loss(class_data.validation_labels, one, labels=[0, 1, 2])
        assert kept["validation_error"].item() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_saving_and_loading_changes_nothing(
    head: Head, class_data: FitData, tmp_path: Path
) -> None:
    before = fit(head, class_data, [2, 7], replace(SETTINGS, max_epochs=2))
    before.save(tmp_path / "heads", {})
    after = FittedHead.load(tmp_path / "heads")
    assert after.classes == 3
    inputs = class_data.validation_inputs
    assert np.array_equal(after.answers(inputs), before.answers(inputs))


def test_the_label_is_never_standardised(class_data: FitData) -> None:
    fitted = fit(MLPHead(), class_data, [0], SETTINGS)
    assert (fitted.scaling.label_mean, fitted.scaling.label_scale) == (0, 1)


def test_the_loss_is_each_recordings_own_cross_entropy() -> None:
    outputs = torch.tensor([[[0.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 3.0]]])
    labels = torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    expected = -outputs.log_softmax(dim=-1).gather(2, labels.long()[..., None]).squeeze(-1)
    assert torch.allclose(ClassObjective(2).loss(outputs.mT, labels), expected)
    error = ClassObjective(2).error(outputs.mT, labels[0])
    assert error.dtype == torch.float64
    assert torch.allclose(error[0].float(), expected[0])


def test_a_true_class_of_probability_0_has_no_finite_error(class_data: FitData) -> None:
    two = np.minimum(class_data.train_labels, 1)
    unseen = replace(class_data, train_labels=two)
    fitted = fit(PriorHead(), unseen, [0], SETTINGS)
    assert fitted.history["validation_error"].to_list() == [None]
