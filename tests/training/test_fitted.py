"""A fitted head: predicts in batches, and comes back from its file as it was."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from raqa.errors import UserError
from raqa.heads.base import Head
from raqa.heads.constant import MedianHead
from raqa.heads.data import FitData
from raqa.heads.mlp import MLPHead
from raqa.training import fitted as fitted_module
from raqa.training.fit import fit
from raqa.training.fitted import FittedHead
from raqa.training.head_file import read_arrays, write_arrays
from raqa.training.settings import TrainerSettings

SETTINGS = TrainerSettings(accelerator="cpu", learning_rate=0.01, max_epochs=2)
SMALL = MLPHead(hidden=("width", 4), dropout=0.1)


@pytest.mark.parametrize("precision", [32, 64])
@pytest.mark.parametrize("head", [SMALL, MLPHead(), MedianHead()], ids=["mlp", "linear", "median"])
def test_saving_and_loading_changes_nothing(
    head: Head, precision: int, data: FitData, tmp_path: Path
) -> None:
    settings = TrainerSettings(accelerator="cpu", max_epochs=2, precision=precision)
    before = fit(head, data, [2, 7], settings)
    before.save(tmp_path / "heads" / "head.safetensors", {"encoder": "0123456789abcdef"})
    after = FittedHead.load(tmp_path / "heads" / "head.safetensors")
    assert np.array_equal(
        after.predict(data.validation_inputs), before.predict(data.validation_inputs)
    )
    assert (after.head, after.seeds, after.width) == (head, (2, 7), 8)
    assert after.metadata == {"encoder": "0123456789abcdef"}
    assert after.history.equals(before.history)
    assert after.best_epoch == before.best_epoch
    assert [path.name for path in (tmp_path / "heads").iterdir()] == ["head.safetensors"]


def test_the_file_is_safetensors_that_others_can_read(data: FitData, tmp_path: Path) -> None:
    fit(SMALL, data, [2, 7], SETTINGS).save(tmp_path / "head", {})
    with safe_open(tmp_path / "head", framework="numpy") as file:
        assert file.get_tensor("parameter.weights.0").shape == (2, 8, 8)
        facts = json.loads(file.metadata()["facts"])
    assert facts["head"] == "raqa.heads.mlp.MLPHead"
    assert facts["head_settings"] == {
        "hidden": ["width", 4], "dropout": 0.1, "activation": "relu",
    }  # fmt: skip
    assert facts["seeds"] == [2, 7]


def test_predicting_in_parts_is_predicting_at_once(
    data: FitData, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = fit(SMALL, data, [0, 1], SETTINGS)
    whole = fitted.predict(data.train_inputs)
    monkeypatch.setattr(fitted_module, "BATCH_ROWS", 7)
    assert np.allclose(fitted.predict(data.train_inputs), whole, rtol=1e-5)
    assert fitted.predict(data.train_inputs[:0]).shape == (2, 0)


def test_inputs_that_can_not_be_predicted_are_refused(data: FitData) -> None:
    fitted = fit(SMALL, data, [0], SETTINGS)
    with pytest.raises(UserError, match=r"width 8, not on \[40, 7\]"):
        fitted.predict(data.validation_inputs[:, 1:])
    bad = data.validation_inputs.copy()
    bad[3, 2] = np.nan
    with pytest.raises(UserError, match="1 of 40 embeddings"):
        fitted.predict(bad)


def test_every_damaged_byte_is_noticed(data: FitData, tmp_path: Path) -> None:
    path = tmp_path / "head"
    fit(SMALL, data, [0], SETTINGS).save(path, {"encoder": "x"})
    whole = path.read_bytes()
    positions = np.random.default_rng(0).integers(0, len(whole), 60)
    for position in [0, 7, 8, len(whole) - 1, *positions]:
        damaged = bytearray(whole)
        damaged[position] ^= 0x55
        path.write_bytes(damaged)
        with pytest.raises(UserError, match="not a whole fitted head"):
            FittedHead.load(path)


@pytest.mark.parametrize("kept", [0, 5, 100, -1])
def test_a_file_cut_off_is_refused(kept: int, data: FitData, tmp_path: Path) -> None:
    path = tmp_path / "head"
    fit(SMALL, data, [0], SETTINGS).save(path, {})
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(UserError, match="not a whole fitted head"):
        FittedHead.load(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no fitted head at .*absent"):
        FittedHead.load(tmp_path / "absent")


@pytest.mark.parametrize(
    ("fact", "value", "reason"),
    [
        ("head", "raqa.heads.mlp.NoHead", "not installed here"),
        ("head", "no_such_package.Head", "not installed here"),
        ("head", "pathlib.Path", "not a head"),
        ("head_settings", {"hidden": [0]}, "hidden"),
        ("width", 5, "size mismatch"),
    ],
)
def test_a_head_that_is_not_known_here_is_refused(
    fact: str, value: object, reason: str, data: FitData, tmp_path: Path
) -> None:
    path = tmp_path / "head"
    fit(SMALL, data, [0], SETTINGS).save(path, {})
    arrays, facts = read_arrays(path)
    write_arrays(path, arrays, {**facts, fact: value})
    with pytest.raises(UserError, match=f"(?s)can read.*{reason}"):
        FittedHead.load(path)
