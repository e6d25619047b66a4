"""Standardising: learnt on the training recordings only, undone exactly, never by zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from raqa.errors import UserError
from raqa.heads.data import FitData
from raqa.training.scaling import Scaling
from raqa.training.settings import TrainerSettings

SETTINGS = TrainerSettings()


def test_training_features_and_labels_get_mean_0_and_sd_1(data: FitData) -> None:
    scaling = Scaling.learn(data, SETTINGS)
    for scaled in (scaling.inputs(data.train_inputs), scaling.labels(data.train_labels)):
        assert np.allclose(scaled.mean(axis=0), 0, atol=1e-12)
        assert np.allclose(scaled.std(axis=0), 1)


def test_validation_values_have_no_say(data: FitData) -> None:
    others = replace(
        data,
        validation_inputs=data.validation_inputs * 100 + 7,
        validation_labels=data.validation_labels * 100 + 7,
    )
    one, other = Scaling.learn(data, SETTINGS), Scaling.learn(others, SETTINGS)
    assert np.array_equal(one.input_mean, other.input_mean)
    assert np.array_equal(one.input_factor, other.input_factor)
    assert (one.label_mean, one.label_scale) == (other.label_mean, other.label_scale)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("constant", [0.0, 0.1, -1234.567])
def test_a_feature_that_is_constant_in_training_is_0_everywhere(
    constant: float, dtype: type, data: FitData
) -> None:
    train = data.train_inputs.astype(dtype)
    train[:, 2] = constant
    validation = data.validation_inputs.astype(dtype)
    scaling = Scaling.learn(
        replace(data, train_inputs=train, validation_inputs=validation), SETTINGS
    )
    for side in (train, validation):
        scaled = scaling.inputs(side)
        assert np.isfinite(scaled).all()
        assert (scaled[:, 2] == 0).all()
        assert (scaled[:, [1, 3]].std(axis=0) > 0.5).all()


def test_one_training_recording_and_a_constant_label_scale_to_0() -> None:
    data = FitData(np.ones((1, 2)), np.array([40.0]), np.zeros((1, 2)), np.array([50.0]))
    scaling = Scaling.learn(data, SETTINGS)
    assert scaling.labels(data.train_labels).tolist() == [0]
    assert scaling.labels(data.validation_labels).tolist() == [10]
    assert scaling.inputs(data.validation_inputs).tolist() == [[0, 0]]


def test_label_units_come_back(data: FitData) -> None:
    scaling = Scaling.learn(data, SETTINGS)
    assert np.allclose(scaling.label_units(scaling.labels(data.train_labels)), data.train_labels)


def test_inputs_of_another_width_are_refused(data: FitData) -> None:
    with pytest.raises(UserError, match=r"width 8, not on \[2, 5\]"):
        Scaling.learn(data, SETTINGS).inputs(np.zeros((2, 5)))
