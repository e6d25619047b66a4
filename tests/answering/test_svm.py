"""One machine for each corpus and attribute; wording is not seen, asked labels are compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from raqa.answering.base import Fitting, QuestionPairs
from raqa.answering.svm import SVMHead
from raqa.errors import UserError
from raqa.training.settings import TrainerSettings

FITTING = Fitting(seeds=(0, 3), settings=TrainerSettings())
HEAD = SVMHead(workers=1)


def test_specialists_answer_from_the_audio(tones: dict[str, QuestionPairs]) -> None:
    fitted = HEAD.fit(tones["train"], tones["validation"], FITTING)
    assert sorted(fitted.machines) == ["tones/count", "tones/loudness/yes", "tones/pitch/yes"]
    said = fitted.answer(tones["test"].asked).join(
        tones["test"].rows.select("qa_id", truth="label", number="value"), on="qa_id"
    )
    assert (said["label"] == said["truth"]).mean() > 0.95
    assert (said["value"] - said["number"]).abs().mean() < 1.5


def _diagnosed(tones: QuestionPairs) -> QuestionPairs:
    """Open questions about a diagnosis of one or two parts, and yes-or-no questions about both."""
    rows = tones.rows.filter(pl.col("attribute") == "pitch")
    high = pl.col("label") == "yes"
    what = pl.when(high).then(pl.lit("asthma + copd")).otherwise(pl.lit("asthma"))
    named = rows.with_columns(attribute=pl.lit("diagnosis"))
    asked = [
        named.with_columns(
            qa_id=pl.col("qa_id") + "/" + label, asked_label=pl.lit(label),
            label=pl.lit("yes") if label == "asthma" else pl.col("label"),
        )
        for label in ("asthma", "copd")
    ]  # fmt: skip
    open_ended = named.with_columns(
        question_type=pl.lit("open_ended"), asked_label=pl.lit(None, pl.String), label=what
    )
    return replace(tones, rows=pl.concat([open_ended, *asked]))


def test_a_yes_or_no_question_compares_the_label_with_the_asked_one(tones) -> None:
    train, test = _diagnosed(tones["train"]), _diagnosed(tones["test"])
    fitted = HEAD.fit(train, train, FITTING)
    assert sorted(fitted.machines) == ["tones/diagnosis"]
    said = fitted.answer(test.asked).join(
        test.rows.select("qa_id", "asked_label", truth="label"), on="qa_id"
    )
    assert (said["label"] == said["truth"]).mean() > 0.95
    assert set(said.filter(pl.col("asked_label") == "asthma")["label"]) == {"yes"}


def test_questions_without_a_machine_have_an_empty_answer_and_seeds_agree(tones) -> None:
    pitch = tones["train"].rows.filter(pl.col("attribute") == "pitch")
    fitted = HEAD.fit(replace(tones["train"], rows=pitch), tones["validation"], FITTING)
    said = fitted.answer(tones["test"].asked)
    assert said["label"].count() == 2 * 100
    assert (said["response"] == "").sum() == 2 * 200
    first, other = (said.filter(pl.col("seed") == seed).drop("seed") for seed in (0, 3))
    assert first.equals(other)


def test_another_corpus_is_answered_by_the_only_machine_of_its_attribute(tones) -> None:
    fitted = HEAD.fit(tones["train"], tones["validation"], FITTING)
    elsewhere = tones["test"].rows.with_columns(corpus=pl.lit("elsewhere"))
    asked = replace(tones["test"], rows=elsewhere).asked
    assert fitted.answer(asked).equals(fitted.answer(tones["test"].asked))


def test_one_answer_in_training_is_a_constant(tones) -> None:
    same = tones["train"].rows.with_columns(
        label=pl.when(pl.col("label").is_not_null()).then(pl.lit("yes"))
    )
    fitted = HEAD.fit(replace(tones["train"], rows=same), tones["validation"], FITTING)
    assert set(fitted.answer(tones["test"].asked)["label"]) == {"yes", None}


def test_machines_go_to_a_file_and_back_and_nothing_is_executed(tones, tmp_path: Path) -> None:
    fitted = HEAD.fit(tones["train"], tones["validation"], FITTING)
    fitted.save(tmp_path)
    asked = tones["test"].asked
    assert HEAD.load(tmp_path, (0, 3)).answer(asked).equals(fitted.answer(asked))


def test_a_file_with_anything_else_in_it_is_refused(tmp_path: Path) -> None:
    import skops.io

    class Stranger:
        pass

    Stranger.__module__ = "somewhere"
    for content in (b"not a zip", None):
        if content is None:
            skops.io.dump({"a": np.random.PCG64(0)}, tmp_path / "machines.skops")
        else:
            (tmp_path / "machines.skops").write_bytes(content)
        with pytest.raises(UserError, match="not a file of fitted machines"):
            HEAD.load(tmp_path, (0,))
