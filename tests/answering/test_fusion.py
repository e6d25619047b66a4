"""The fusion head learns what the recording says to the question that is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from raqa.answering.base import Fitting, QuestionPairs
from raqa.answering.fusion import FittedFusion, FusionHead
from raqa.answering.text_encoder import TextEncoder
from raqa.errors import UserError
from raqa.training.settings import TrainerSettings

SETTINGS = TrainerSettings(learning_rate=3e-3, max_epochs=20, patience=20)
FITTING = Fitting(seeds=(0, 1), settings=SETTINGS)


@pytest.fixture(scope="module")
def head(tiny_bert: Path) -> FusionHead:
    return FusionHead(TextEncoder(str(tiny_bert)), hidden=(64,), dropout=0.1)


@pytest.fixture(scope="module")
def fitted(head: FusionHead, tones: dict[str, QuestionPairs]) -> FittedFusion:
    return head.fit(tones["train"], tones["validation"], FITTING)


def right(fitted: FittedFusion, test: QuestionPairs) -> pl.DataFrame:
    """The share of right answers by attribute, and the error of the number."""
    said = fitted.answer(test.asked).join(
        test.rows.select("qa_id", "attribute", truth="label", number="value"), on="qa_id"
    )
    return said.group_by("attribute").agg(
        right=(pl.col("label") == pl.col("truth")).mean(),
        error=(pl.col("value") - pl.col("number")).abs().mean(),
        probability=pl.col("probability").mean(),
    ).sort("attribute")  # fmt: skip


def test_the_recording_answers_and_the_question_says_what_about(fitted, tones) -> None:
    shares = {row["attribute"]: row for row in right(fitted, tones["test"]).rows(named=True)}
    assert shares["pitch"]["right"] > 0.95
    assert shares["loudness"]["right"] > 0.95
    assert shares["count"]["error"] < 1.5  # 2.4 for the median
    assert 0.8 < shares["pitch"]["probability"] <= 1
    assert shares["count"]["probability"] is None


def test_without_audio_wording_alone_is_chance(head, tones) -> None:
    deaf = replace(head, audio=False)
    assert not deaf.uses_audio
    shares = right(deaf.fit(tones["train"], tones["validation"], FITTING), tones["test"])
    assert shares.filter(pl.col("attribute") != "count")["right"].max() < 0.65


def test_every_seed_is_what_it_is_alone(head, fitted, tones) -> None:
    alone = head.fit(tones["train"], tones["validation"], replace(FITTING, seeds=(1,)))
    together = fitted.answer(tones["test"].asked).filter(pl.col("seed") == 1).sort("qa_id")
    one = alone.answer(tones["test"].asked).sort("qa_id")
    assert one["label"].equals(together["label"])
    assert np.allclose(one["value"].drop_nulls(), together["value"].drop_nulls(), atol=1e-3)


def test_gold_answers_of_the_test_side_move_no_answer(fitted, tones) -> None:
    test = tones["test"]
    shuffled = test.rows.with_columns(pl.col("answer", "label", "value").shuffle(seed=1))
    assert fitted.answer(replace(test, rows=shuffled).asked).equals(fitted.answer(test.asked))


def test_an_answer_is_a_label_that_the_target_has(head, tones) -> None:
    train = tones["train"].rows.with_columns(
        label=pl.when(pl.col("attribute") == "pitch")
        .then(pl.col("label").replace({"yes": "high", "no": "low"}))
        .otherwise("label")
    )
    train_pairs = replace(tones["train"], rows=train)
    fitted = head.fit(train_pairs, train_pairs, FITTING)
    said = fitted.answer(tones["test"].asked).join(
        tones["test"].rows.select("qa_id", "attribute"), on="qa_id"
    )
    labels = {name: set(part["label"]) for (name,), part in said.group_by("attribute")}
    assert labels == {"pitch": {"high", "low"}, "loudness": {"yes", "no"}, "count": {None}}


def test_a_network_that_has_learnt_nothing_still_answers_with_a_label_of_the_target(
    head, tones
) -> None:
    words = {"pitch": {"yes": "high", "no": "low"}, "loudness": {"yes": "loud", "no": "quiet"}}
    attribute, label = pl.col("attribute"), pl.col("label")
    renamed = (
        pl.when(attribute == "pitch")
        .then(label.replace(words["pitch"]))
        .when(attribute == "loudness")
        .then(label.replace(words["loudness"]))
    )
    train = replace(tones["train"], rows=tones["train"].rows.with_columns(label=renamed))
    untaught = replace(SETTINGS, learning_rate=1e-9, max_epochs=1)
    said = head.fit(train, train, replace(FITTING, settings=untaught)).answer(tones["test"].asked)
    named = said.join(tones["test"].rows.select("qa_id", "attribute"), on="qa_id")
    for name, labels in words.items():
        assert set(named.filter(attribute == name)["label"]) <= set(labels.values())


def test_a_target_that_training_never_had_has_an_empty_answer(fitted, tones) -> None:
    test = tones["test"]
    other = replace(test, rows=test.rows.with_columns(attribute=pl.lit("asthma")))
    said = fitted.answer(other.asked)
    assert said.height == 2 * test.rows.height
    assert said["label"].null_count() == said["value"].null_count() == said.height
    assert set(said["response"]) == {""}


def test_another_corpus_is_answered_from_what_any_corpus_taught(fitted, tones) -> None:
    test = tones["test"]
    other = replace(test, rows=test.rows.with_columns(corpus=pl.lit("elsewhere")))
    assert fitted.answer(other.asked).equals(fitted.answer(test.asked))


def test_it_goes_to_a_file_and_back_without_the_text_encoder(head, fitted, tones, tmp_path) -> None:
    fitted.save(tmp_path / "head")
    asked = tones["test"].asked
    assert head.load(tmp_path / "head", (0, 1)).answer(asked).equals(fitted.answer(asked))
    size = sum(file.stat().st_size for file in (tmp_path / "head").iterdir())
    assert size < 60_000


def test_another_text_encoder_is_refused(head, fitted, tmp_path) -> None:
    fitted.save(tmp_path / "head")
    other = replace(head, text_encoder=replace(head.text_encoder, pooling="first"))
    with pytest.raises(UserError, match="another text encoder"):
        other.load(tmp_path / "head", (0, 1))
