"""Two processes that train together learn what one learns, and one of them writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from raqa.answering.base import Fitting, QuestionPairs
from raqa.answering.soft_prefix.fitted import FittedSoftPrefix
from raqa.answering.soft_prefix.head import SoftPrefixHead
from raqa.answering.soft_prefix.settings import LanguageModelSettings, LoraSettings
from raqa.errors import UserError
from raqa.training.interrupt import StoppedError
from raqa.training.settings import TrainerSettings
from soft_prefix.tiny import MAPPER, pairs

ONE = TrainerSettings(
    accelerator="cpu", optimizer="adamw", learning_rate=0.01, batch_size=16,
    gradient_clip_norm=1.0, max_epochs=4,
)  # fmt: skip
TWO = replace(ONE, devices=2)
TEST = pairs(20, 2)


def _first(side: QuestionPairs, count: int) -> QuestionPairs:
    return replace(side, rows=side.rows.head(count))


# Neither steps nor sides can be halved.
TRAIN, VALIDATION = _first(pairs(37, 0), 73), _first(pairs(14, 1), 27)


pytestmark = pytest.mark.slow  # a process takes ten seconds to import what it needs


@pytest.fixture(scope="module")
def still(tiny_models: dict[str, LanguageModelSettings]) -> SoftPrefixHead:
    """Without dropout, whose draws depend on who computes."""
    return SoftPrefixHead(
        language_model=tiny_models["gpt2"], mapper=MAPPER, lora=LoraSettings(rank=4, dropout=0.0),
        prefixes=3, rows_at_a_time=3,
    )  # fmt: skip


@pytest.fixture(scope="module")
def two(still: SoftPrefixHead) -> FittedSoftPrefix:
    """What two processes learn together."""
    return still.fit(TRAIN, VALIDATION, Fitting((0,), TWO))


def test_two_processes_train_as_one_does(still: SoftPrefixHead, two: FittedSoftPrefix) -> None:
    one = still.fit(TRAIN, VALIDATION, Fitting((0,), ONE))
    for column in ("train_loss", "validation_error"):
        assert two.history[column].to_list() == pytest.approx(one.history[column].to_list(), 1e-3)
    for name, array in one.parameters[0].items():
        assert two.parameters[0][name] == pytest.approx(array, abs=1e-3)
    answers = one.answer(TEST.asked).join(two.answer(TEST.asked), on=["seed", "qa_id"])
    assert (answers["response"] == answers["response_right"]).mean() > 0.9


class _Epochs:
    """A logger that counts what it is told."""

    told = 0

    def log_metrics(self, *_: object, **__: object) -> None:
        self.told += 1


def test_two_processes_stop_and_go_on_as_if_they_had_not(
    still: SoftPrefixHead, two: FittedSoftPrefix, tmp_path: Path
) -> None:
    epochs = _Epochs()
    fitting = Fitting((0,), TWO, checkpoint=tmp_path / "checkpoint")
    # Asked in this process only, while the others train.
    stopping = replace(fitting, stop=lambda: epochs.told > 0, loggers=[cast(Any, epochs)])
    with pytest.raises(StoppedError, match="of seed 0"):
        still.fit(TRAIN, VALIDATION, stopping)
    assert epochs.told < ONE.max_epochs
    assert list(tmp_path.iterdir()) == [fitting.checkpoint]
    again = still.fit(TRAIN, VALIDATION, fitting)
    assert again.history.equals(two.history)
    for name, array in two.parameters[0].items():
        assert np.array_equal(again.parameters[0][name], array)


def test_what_a_process_refuses_is_told_as_if_it_were_this_one(still: SoftPrefixHead) -> None:
    empty = replace(VALIDATION, rows=VALIDATION.rows.head(0))
    with pytest.raises(UserError, match="The validation side has 0 questions"):
        still.fit(TRAIN, empty, Fitting((0,), TWO))
