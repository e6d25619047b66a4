"""The recipe: every value checked, and every value that is changed changes something."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from raqa.errors import UserError
from raqa.heads.data import FitData
from raqa.heads.mlp import MLPHead
from raqa.training.fit import fit
from raqa.training.loop import trainer_arguments
from raqa.training.module import make_optimiser
from raqa.training.scaling import Scaling
from raqa.training.settings import TrainerSettings

BASE = TrainerSettings(accelerator="cpu", learning_rate=0.01, max_epochs=4)

# Another value for each knob, and whether it shows in what is trained or in where it is.
KNOBS: dict[str, Any] = {
    "optimizer": "adamw",
    "learning_rate": 0.02,
    "weight_decay": 0.1,
    "batch_size": 16,
    "learning_rate_decay": 0.5,
    "gradient_clip_norm": 0.01,
    "max_epochs": 3,
    "patience": 1,
    "standardise_inputs": False,
    "standardise_label": False,
    "precision": 64,
}


ELSEWHERE = ("accelerator", "devices", "calibration")
"""Knobs that no single fit feels: where it happens, and which recordings it is given."""


def test_the_papers_recipe_is_the_default() -> None:
    assert TrainerSettings() == TrainerSettings(
        optimizer="adam",
        learning_rate=1e-4,
        weight_decay=1e-5,
        batch_size=64,
        learning_rate_decay=0.97,
        gradient_clip_norm=None,
        max_epochs=64,
        patience=10,
        standardise_inputs=True,
        standardise_label=True,
        precision=32,
        accelerator="auto",
        devices=1,
    )


def test_every_knob_is_tried() -> None:
    assert {field.name for field in fields(TrainerSettings)} == {*KNOBS, *ELSEWHERE}


@pytest.mark.parametrize("knob", KNOBS)
def test_a_knob_changes_what_is_trained(knob: str, data: FitData) -> None:
    # Steps this long overshoot, so that patience has something to be impatient about.
    base = replace(BASE, learning_rate=0.9, max_epochs=8) if knob == "patience" else BASE
    head = MLPHead(hidden=(4,))
    before = fit(head, data, [0], base)
    after = fit(head, data, [0], replace(base, **{knob: KNOBS[knob]}))
    assert not before.history.equals(after.history)


def test_the_optimiser_is_the_one_named() -> None:
    model = MLPHead().build(2, [0])
    for name, kind in [
        ("adam", torch.optim.Adam),
        ("adamw", torch.optim.AdamW),
        ("sgd", torch.optim.SGD),
    ]:
        optimiser = make_optimiser(
            model.parameters(), replace(BASE, optimizer=name, weight_decay=0.5)
        )
        assert type(optimiser) is kind
        assert optimiser.defaults["lr"] == 0.01
        assert optimiser.defaults["weight_decay"] == 0.5


@pytest.mark.parametrize("knob", ["standardise_inputs", "standardise_label"])
def test_standardising_can_be_turned_off(knob: str, data: FitData) -> None:
    off = Scaling.learn(data, replace(BASE, **{knob: False}))
    if knob == "standardise_inputs":
        assert (off.inputs(data.train_inputs) == data.train_inputs).all()
    else:
        assert (off.labels(data.train_labels) == data.train_labels).all()


@pytest.mark.parametrize("found", [0, 2])
def test_a_gpu_is_used_where_there_is_one(found: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: found > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: found)

    def device(**knobs: Any) -> tuple[str, Any]:
        arguments = trainer_arguments(TrainerSettings(**knobs))
        return arguments["accelerator"], arguments["devices"]

    assert device(accelerator="cpu") == ("cpu", 1)
    assert device() == (("cuda", [0]) if found else ("cpu", 1))
    if found:
        assert device(devices=[1]) == ("cuda", [1])
        assert device(devices=2) == ("cuda", [0, 1])
    with pytest.raises(UserError, match=f"no CUDA device 5: {found} found"):
        device(accelerator="cuda", devices=[5])


def test_several_devices_are_refused_where_the_models_are_small(data: FitData) -> None:
    with pytest.raises(UserError, match="trainer.devices=2: MLPHead is too small"):
        fit(MLPHead(), data, [0], replace(BASE, devices=2))


@pytest.mark.parametrize(
    ("knob", "wrong"),
    [
        ("optimizer", "adamm"),
        ("learning_rate", 0.0),
        ("learning_rate", float("nan")),
        ("learning_rate", "1e-4"),
        ("weight_decay", -1e-5),
        ("batch_size", 0),
        ("batch_size", 1.5),
        ("batch_size", True),
        ("learning_rate_decay", 0.0),
        ("learning_rate_decay", 1.01),
        ("gradient_clip_norm", 0.0),
        ("max_epochs", 0),
        ("patience", 0),
        ("standardise_inputs", "no"),
        ("standardise_label", 1),
        ("precision", 16),
        ("accelerator", "gpus"),
        ("calibration", 0.6),
        ("devices", 0),
        ("devices", []),
        ("devices", [-1]),
        ("momentum", 0.9),
    ],
)
def test_a_wrong_value_is_refused_by_name(knob: str, wrong: object) -> None:
    with pytest.raises(ValidationError, match=knob):
        TrainerSettings(**{knob: wrong})
