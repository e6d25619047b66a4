"""No model answers better than it can know, and each that listens answers what can be heard."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tone_runs import HEADS, Tones, write_tones

from raqa.metrics.questions import LabelScores
from raqa.questions.collection import Collection, Part, write
from raqa.reports.run_tables import Run
from raqa.tables import GOLD

LISTENING = ("svm", "fusion", "soft_prefix")


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory, tiny_bert: Path) -> Tones:
    return write_tones(tmp_path_factory.mktemp("heard"), tiny_bert, heard=True)


@pytest.fixture(scope="module")
def unheard(tmp_path_factory: pytest.TempPathFactory, tiny_bert: Path) -> Tones:
    return write_tones(tmp_path_factory.mktemp("unheard"), tiny_bert, heard=False)


def labels(run: Run) -> LabelScores:
    found = run.answering.answers.all.labels
    assert found is not None
    return found


@pytest.mark.slow  # a language model is trained
@pytest.mark.parametrize("head", LISTENING)
def test_what_can_be_heard_is_answered_about_what_is_asked(head: str, heard: Tones) -> None:
    run = heard.run(head)
    assert labels(run).macro_f1.mean.value > 0.9
    by_attribute = [part for part in run.answering.answers.parts if part.by == "attribute"]
    assert len(by_attribute) == 2
    for part in by_attribute:
        assert part.labels is not None
        assert part.labels.macro_f1.mean.value > 0.9
    assert run.answering.difference_interval.high.value < 0  # an error: below the prior's


def test_wording_alone_is_chance(heard: Tones) -> None:
    run = heard.run("text_only")
    interval = run.answering.difference_interval
    assert interval.low.value <= 0 <= interval.high.value
    assert labels(run).accuracy.mean.value == pytest.approx(0.5, abs=0.1)


@pytest.mark.slow  # a language model is trained
@pytest.mark.parametrize("head", [head for head in HEADS if head != "question_prior"])
def test_what_can_not_be_heard_is_answered_as_well_as_the_prior_does(
    head: str, unheard: Tones
) -> None:
    interval = unheard.run(head).answering.difference_interval
    assert interval.low.value <= 0 <= interval.high.value


@pytest.mark.slow  # two language models are trained
@pytest.mark.parametrize("head", HEADS)
def test_shuffled_gold_answers_of_the_test_side_move_no_byte_of_any_answer(
    head: str, heard: Tones
) -> None:
    plain = heard.folder / "collection"
    if not plain.is_dir():
        _shuffle(heard.build("collection"), heard.folder / "shuffled")
    first, second = (
        heard.run(head, "datamodule=questions", f"datamodule.corpus.folder={folder}")
        for folder in (plain, heard.folder / "shuffled")
    )
    assert first.answered is not None
    assert second.answered is not None
    assert not first.answered.questions.equals(second.answered.questions)
    before, after = ((run.path / "predictions.parquet").read_bytes() for run in (first, second))
    assert before == after


def _shuffle(folder: Path, out: Path) -> None:
    """The same collection with the test side's gold answers in another order."""
    source = Collection.open(folder)
    questions = source.scan().collect()
    held = questions["split"] == "test"
    test = questions.filter(held)
    order = test.select(pl.int_range(pl.len()).shuffle(seed=1).over("attribute", "question_type"))
    mixed = test.with_columns(test.select(GOLD)[order.to_series()])
    assert (mixed["label"] != test["label"]).any()
    table = pl.concat([questions.filter(~held), mixed]).select(*questions.columns)
    from raqa.questions.block import SCHEMA

    part = Part(
        "manifest",
        [table.to_arrow().select(SCHEMA.names).cast(SCHEMA)],
        recordings=pl.read_parquet(folder / "recordings.parquet"),
    )
    write(out, [part], source.facts["settings"], source.facts["templates"])


@pytest.mark.parametrize(
    ("head", "task"),
    [
        ("fusion", "age"),
        ("soft_prefix", "sex"),
        *(
            pytest.param(head, task, marks=pytest.mark.slow)
            for head, task in (
                ("fusion", "sex"), ("soft_prefix", "age"), ("svm", "age"), ("svm", "sex"),
                ("text_only", "age"), ("text_only", "sex"),
            )
        ),
    ],
)  # fmt: skip
def test_every_head_that_can_learn_can_be_asked_for_a_label(
    head: str, task: str, heard: Tones
) -> None:
    run = heard.run(head, f"task={task}", "trainer.max_epochs=1")
    recordings = run.scores.recordings["test"]
    assert run.predictions.height == recordings
    unreadable = run.set_aside.filter(pl.col("stage") == "answer")
    if head != "soft_prefix":
        assert unreadable.is_empty()
        return
    # One epoch teaches a tiny model few numbers: what is not one is counted, not dropped.
    assert 0 <= unreadable.height <= recordings
    assert unreadable["item"].is_in(run.predictions["recording_id"].to_list()).all()
