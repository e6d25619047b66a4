"""The whole head: it learns to answer, from audio and question, and nothing else of it changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from raqa.answering.base import Asked, Fitting, QuestionPairs
from raqa.answering.soft_prefix.fitted import FILE, FittedSoftPrefix
from raqa.answering.soft_prefix.head import SoftPrefixHead
from raqa.answering.soft_prefix.settings import LoraSettings, MapperSettings
from raqa.errors import UserError
from raqa.pretrained import digest_tensors
from raqa.tables import ANSWERS, GOLD
from raqa.training.head_file import read_arrays
from raqa.training.history import HISTORY
from raqa.training.settings import TrainerSettings
from soft_prefix.tiny import pairs, tiny_model

SETTINGS = TrainerSettings(
    accelerator="cpu", optimizer="adamw", learning_rate=0.01, learning_rate_decay=0.9,
    weight_decay=0.01, batch_size=16, gradient_clip_norm=1.0, max_epochs=8, patience=3,
)  # fmt: skip
SHORT = replace(SETTINGS, max_epochs=1)
TRAIN, VALIDATION, TEST = pairs(100, 0), pairs(20, 1), pairs(40, 2)


@pytest.fixture(scope="module")
def fitted(tiny_models: dict[str, Any]) -> FittedSoftPrefix:
    """A head of two seeds that has learnt what there is to learn."""
    head = SoftPrefixHead(
        language_model=tiny_models["gpt2"], mapper=MapperSettings(hidden=32, dropout=0.0),
        lora=LoraSettings(rank=4, dropout=0.0), prefixes=3, rows_at_a_time=16,
    )  # fmt: skip
    return head.fit(TRAIN, VALIDATION, Fitting((0, 3), SETTINGS))


def _right(answers: pl.DataFrame, side: QuestionPairs) -> pl.DataFrame:
    """Shares of right answers by seed and attribute."""
    joined = answers.join(side.rows.drop("label", "value"), on="qa_id")
    right = (pl.col("response") == pl.col("answer")).mean().alias("right")
    return joined.group_by("seed", "attribute").agg(right)


def test_it_answers_what_is_asked_about_what_was_heard(fitted: FittedSoftPrefix) -> None:
    answers = fitted.answer(TEST.asked)
    assert answers.schema == ANSWERS
    assert answers.height == 2 * TEST.rows.height
    assert answers["probability"].is_between(0, 1).all()
    shares = _right(answers, TEST)
    assert shares.height == 4
    assert shares["right"].min() >= 0.9  # type: ignore[operator]


def test_without_the_audio_it_is_at_chance(fitted: FittedSoftPrefix) -> None:
    asked = Asked(TEST.audio[::-1].copy(), TEST.asked.rows)
    assert _right(fitted.answer(asked), TEST)["right"].max() < 0.75  # type: ignore[operator]


def test_other_gold_answers_change_no_answer(fitted: FittedSoftPrefix) -> None:
    shuffled = TEST.rows.with_columns(
        pl.col(name).shuffle(seed=1) + ("!" if name == "answer" else "")
        if TEST.rows.schema[name] == pl.String
        else pl.col(name)
        for name in GOLD
    )
    other = QuestionPairs(TEST.audio, shuffled)
    assert not other.rows.equals(TEST.rows)
    assert fitted.answer(other.asked).equals(fitted.answer(TEST.asked))


def test_the_history_tells_every_epoch_and_the_seeds_differ(fitted: FittedSoftPrefix) -> None:
    assert fitted.history.schema == HISTORY
    assert fitted.history["seed"].unique().sort().to_list() == [0, 3]
    first = fitted.history.filter(epoch=1)["train_loss"]
    assert first[0] != first[1]
    assert (fitted.history.filter(epoch=8)["validation_error"] < 0.5).all()


def test_a_seed_s_result_is_that_of_fitting_it_alone(head: SoftPrefixHead) -> None:
    both = head.fit(TRAIN, VALIDATION, Fitting((0, 3), SHORT))
    alone = head.fit(TRAIN, VALIDATION, Fitting((3,), SHORT))
    assert all(
        np.array_equal(array, both.parameters[3][name])
        for name, array in alone.parameters[3].items()
    )


def test_the_best_epoch_is_kept_and_a_seed_stops_that_has_waited(head: SoftPrefixHead) -> None:
    # What it learns from the audio is wrong here: the loss rises again.
    turned = QuestionPairs(-VALIDATION.audio, VALIDATION.rows)
    settings = replace(SETTINGS, learning_rate=0.03, patience=2, max_epochs=9)
    fitted = head.fit(TRAIN, turned, Fitting((0,), settings))
    errors = fitted.history["validation_error"].to_list()
    best = int(np.argmin(errors))
    assert len(errors) == best + 1 + 2 < 9
    until = head.fit(TRAIN, turned, Fitting((0,), replace(settings, max_epochs=best + 1)))
    assert all(
        np.array_equal(array, until.parameters[0][name])
        for name, array in fitted.parameters[0].items()
    )


@pytest.mark.parametrize("rank", [0, 4])
def test_the_language_model_is_not_changed(head: SoftPrefixHead, rank: int) -> None:
    head = replace(head, lora=LoraSettings(rank=rank))
    fitted = head.fit(TRAIN, VALIDATION, Fitting((0,), SHORT))
    before = fitted.model.language.fingerprints["language model"]
    network = fitted.model.language.network
    if rank:
        for _, module in list(network.named_modules()):
            for name, child in list(module.named_children()):
                if hasattr(child, "base_layer"):
                    setattr(module, name, child.base_layer)
    assert digest_tensors(network) == before


def test_several_passes_give_the_step_of_one(head: SoftPrefixHead) -> None:
    still = replace(head, lora=LoraSettings(rank=4, dropout=0.0))
    histories = [
        replace(still, rows_at_a_time=rows).fit(TRAIN, VALIDATION, Fitting((0,), SHORT)).history
        for rows in (16, 3)
    ]
    one, many = (history.select("train_loss", "validation_error") for history in histories)
    assert one.row(0) == pytest.approx(many.row(0), rel=1e-4)


def test_only_what_was_trained_is_saved_and_it_answers_the_same(
    fitted: FittedSoftPrefix, tmp_path: Path
) -> None:
    fitted.save(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [FILE]
    arrays, _ = read_arrays(tmp_path / FILE)
    kinds = {name.split("/")[-1].split(".")[0] for name in arrays}
    assert kinds == {"mapper", "network", "input_mean", "input_factor"}
    assert all("lora_" in name for name in arrays if "/network." in name)
    again = fitted.head.load(tmp_path, [0, 3])
    assert again.answer(TEST.asked).equals(fitted.answer(TEST.asked))
    assert again.history.equals(fitted.history)


def test_another_language_model_or_tokenizer_is_refused(
    fitted: FittedSoftPrefix, tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    fitted.save(tmp_path)
    changed = tiny_model(tmp_path / "weights", "gpt2")
    file = tmp_path / "weights" / "model.safetensors"
    tensors = load_file(file)
    tensors["transformer.ln_f.bias"][0] += 1e-3
    save_file(tensors, file, metadata={"format": "pt"})
    with pytest.raises(UserError, match="was trained with another language model than"):
        replace(fitted.head, language_model=changed).load(tmp_path, [0, 3])
    words = (*[f"word{number}" for number in range(3)],)
    bigger = tiny_model(tmp_path / "words", "gpt2", words=words)
    with pytest.raises(UserError, match="another language model and another tokenizer"):
        replace(fitted.head, language_model=bigger).load(tmp_path, [0, 3])


def test_other_settings_do_not_read_what_was_saved(
    fitted: FittedSoftPrefix, tmp_path: Path
) -> None:
    fitted.save(tmp_path)
    with pytest.raises(UserError, match="does not hold a soft prefix that these settings"):
        replace(fitted.head, prefixes=2).load(tmp_path, [0, 3])
    with pytest.raises(UserError, match="There is no fitted head"):
        fitted.head.load(tmp_path / "nowhere", [0, 3])


def test_frames_of_another_encoder_are_refused(fitted: FittedSoftPrefix) -> None:
    wide = Asked(np.zeros((40, 7), np.float32), TEST.asked.rows)
    with pytest.raises(UserError, match=r"on embeddings of 1 frame\(s\) of width 6, not on 1 of 7"):
        fitted.answer(wide)


@pytest.mark.parametrize("kind", ["linear", "mlp", "transformer"])
def test_every_mapper_hears_frames(head: SoftPrefixHead, kind: Any) -> None:
    head = replace(head, mapper=MapperSettings(kind, hidden=32, attention_heads=2))
    train, test = pairs(20, 0, frames=5), pairs(3, 1, frames=5)
    fitted = head.fit(train, test, Fitting((0,), SHORT))
    assert fitted.answer(test.asked).height == 6


def test_nothing_asked_is_nothing_answered(fitted: FittedSoftPrefix) -> None:
    asked = Asked(TEST.audio, TEST.asked.rows.head(0))
    assert fitted.answer(asked).is_empty()


def test_double_precision_is_trained_saved_and_read(head: SoftPrefixHead, tmp_path: Path) -> None:
    fitted = head.fit(TRAIN, VALIDATION, Fitting((0,), replace(SHORT, precision=64)))
    assert {array.dtype for array in fitted.parameters[0].values()} == {np.dtype(np.float64)}
    fitted.save(tmp_path)
    again = head.load(tmp_path, [0])
    assert again.answer(TEST.asked).equals(fitted.answer(TEST.asked))


def test_faults_of_the_data_are_reported_together(head: SoftPrefixHead) -> None:
    audio = TRAIN.audio.copy()
    audio[3, 1] = np.nan
    empty = QuestionPairs(VALIDATION.audio, VALIDATION.rows.head(0))
    with pytest.raises(UserError) as caught:
        head.fit(QuestionPairs(audio, TRAIN.rows), empty, Fitting((0,), SHORT))
    assert len(caught.value.problems) == 2
    assert "1 of 100 embeddings of the training side hold NaN" in caught.value.problems[0]
    assert "The validation side has 0 questions" in caught.value.problems[1]


def test_training_that_diverges_is_said_to(head: SoftPrefixHead) -> None:
    loud = QuestionPairs(TRAIN.audio * np.float32(1e38), TRAIN.rows)
    settings = replace(SHORT, standardise_inputs=False)
    with pytest.raises(UserError, match="diverged for seed 0"):
        replace(head, mapper=MapperSettings("linear")).fit(loud, loud, Fitting((0,), settings))


def test_too_little_memory_is_said_with_what_to_do(
    head: SoftPrefixHead, monkeypatch: pytest.MonkeyPatch
) -> None:
    def starved(*_: Any) -> None:
        raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 9 bytes")

    monkeypatch.setattr("raqa.answering.soft_prefix.model.SoftPrefixModel.forward", starved)
    with pytest.raises(UserError, match=r"Lower\s+head.rows_at_a_time"):
        head.fit(TRAIN, VALIDATION, Fitting((0,), SHORT))


def test_questions_longer_than_the_model_reads_are_refused_before_training(
    head: SoftPrefixHead,
) -> None:
    rows = TRAIN.rows.with_columns(question=pl.lit("cough " * 60))
    with pytest.raises(UserError, match="200 of 200 questions need more positions"):
        head.fit(QuestionPairs(TRAIN.audio, rows), VALIDATION, Fitting((0,), SHORT))
