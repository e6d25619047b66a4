"""Every setting that conf/trainer and conf/head document does something when it is changed.

Those of heads that answer questions are tried in tests/answering.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from omegaconf import OmegaConf

from raqa.configuration.build import build_node
from raqa.configuration.folder import config_folder, group_choices
from raqa.configuration.overrides import compose_config
from raqa.heads.data import FitData
from raqa.sweeps.setting import override_text
from raqa.training.fit import fit
from raqa.training.loop import trainer_arguments

# Settings under which every knob can be felt within a few epochs: steps so long that they
# overshoot, which patience notices.
BASE = (
    "trainer.learning_rate=0.9", "trainer.max_epochs=8", "trainer.accelerator=cpu",
    "trainer.patience=5",
)  # fmt: skip

# Values for knobs whose other values can not be guessed from the one that stands in the file.
OTHER = {
    "trainer.optimizer": "sgd",
    "trainer.gradient_clip_norm": 0.01,
    "trainer.precision": 64,
    "trainer.max_epochs": 3,
    "trainer.patience": 1,
    "trainer.learning_rate": 0.1,
    "trainer.weight_decay": 0.1,
    "head.activation": "tanh",
    "head.hidden": [5],
    "head.metric": "cosine",
    "head.neighbours": [7],
    "head.strengths": [3.0],
}
_ROOM = {"head": "heads", "trainer": "training"}
DEVICE = ("trainer.accelerator", "trainer.devices")
OF_THE_FOLD = ("trainer.calibration",)  # which recordings are fitted; tests/test_predict.py


def _knobs() -> Iterator[Any]:
    for group, names in (("trainer", ["default"]), ("head", group_choices("head"))):
        for name in names:
            node = OmegaConf.load(config_folder() / group / f"{name}.yaml")
            if not str(node.get("_target_", "raqa.answering")).startswith(f"raqa.{_ROOM[group]}"):
                continue
            for key in node:
                if key != "_target_" and f"{group}.{key}" not in (*DEVICE, *OF_THE_FOLD):
                    head = name if group == "head" else "mlp_small"
                    knob = f"{group}.{key}"
                    yield pytest.param(head, knob, node[key], id=f"{name}-{knob}")


def _another(knob: str, value: Any) -> Any:
    if knob in OTHER:
        return OTHER[knob]
    if isinstance(value, bool):
        return not value
    assert isinstance(value, int | float), f"say in OTHER what {knob} can be besides {value}"
    if isinstance(value, int):
        return value // 2
    return value / 2 if value else 0.5


@pytest.fixture
def data() -> FitData:
    random = np.random.default_rng(0)
    inputs = random.normal(size=(130, 8))
    labels = 35 + 10 * (inputs[:, 0] + random.normal(size=len(inputs)))
    inputs = inputs * np.logspace(-2, 2, 8) + np.arange(8)
    return FitData(inputs[:90], labels[:90], inputs[90:], labels[90:])


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def _fit(data: FitData, *overrides: str) -> tuple[Any, ...]:
    """Everything that a fit with these settings left: history and predictions."""
    config = compose_config(overrides)
    head, settings = build_node(config, "head"), build_node(config, "trainer")
    fitted = fit(head, data, [0], settings)
    predictions = fitted.predict(data.validation_inputs)
    return fitted.history.rows(), predictions.tobytes()


@pytest.mark.parametrize(("head", "knob", "value"), list(_knobs()))
def test_a_knob_changed_once_changes_what_is_fitted(
    head: str, knob: str, value: Any, data: FitData
) -> None:
    base = [f"head={head}", *BASE]
    after = [*base, override_text(knob, _another(knob, value))]  # the last one counts
    assert _fit(data, *base) != _fit(data, *after)


@pytest.mark.parametrize(("knob", "other"), [("accelerator", "cuda"), ("devices", "[1]")])
def test_where_it_is_fitted_can_be_changed_too(
    knob: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    base = "trainer.accelerator=cpu" if knob == "accelerator" else "trainer.accelerator=cuda"
    before = build_node(compose_config([base]), "trainer")
    after = build_node(compose_config([base, f"trainer.{knob}={other}"]), "trainer")
    assert trainer_arguments(before) != trainer_arguments(after)


def test_no_knob_is_left_out() -> None:
    tried = {param.values[1] for param in _knobs()}
    documented = OmegaConf.load(config_folder() / "trainer" / "default.yaml")
    assert {f"trainer.{key}" for key in documented} == {
        *(knob for knob in tried if knob.startswith("trainer.")), *DEVICE,
        *OF_THE_FOLD, "trainer._target_",
    }  # fmt: skip
