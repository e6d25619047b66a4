"""A label task put as a question, and its answers read back as numbers or classes."""

from __future__ import annotations

import polars as pl

from raqa.display import csv_cell
from raqa.questions.reading import Vocabulary, read_answers
from raqa.questions.sentences import fill, say_numbers
from raqa.questions.templates import AttributeTemplates, Wording, load_templates
from raqa.regimes.fold import Fold
from raqa.regimes.task import Task
from raqa.tables import (
    QUESTIONS,
    SetAside,
    prediction_columns,
    set_aside_table,
)

_KEY = ("corpus", "recording_id")
SHARE = 0.5
"""What a class is thought to be worth where the model gives no probability with it."""


def ask_for_labels(task: Task, fold: Fold) -> pl.DataFrame:
    """One open question about the task's label for every recording of a fold.

    It is worded as the attribute's first open-ended template; classes that a task makes of
    several labels are named as the task names them.

    Returns:
        QUESTIONS columns.
    """
    known = task.attribute
    templates = load_templates().by_attribute.get(known.name)
    wording = templates.of_type("open_ended")[0] if templates and templates.wordings else None
    question = wording.question if wording else f"What is the {known.text}?"
    classes = list(fold.classes)
    label = pl.col("label").cast(pl.Int64).replace_strict(
        dict(enumerate(classes)), default=None, return_dtype=pl.String
    ) if classes else pl.lit(None, pl.String)  # fmt: skip
    rows = fold.table.select(
        *_KEY, "subject_id",
        qa_id=pl.concat_str(*_KEY, separator="/"),
        split="side",
        attribute=pl.lit(known.name),
        family=pl.lit(known.family),
        kind=pl.lit("categorical" if classes else "numeric"),
        question_type=pl.lit("open_ended"),
        template_id=pl.lit(wording.template_id if wording else f"{known.name}/open_ended/task"),
        question=pl.lit(question),
        asked_label=pl.lit(None, pl.String),
        label=label,
        value=pl.lit(None, pl.Float64) if classes else pl.col("label"),
        unit=pl.lit(None if classes else known.unit, pl.String),
        options=pl.lit(classes or None, pl.List(pl.String)),
    )  # fmt: skip
    answers = [_sentence(templates, wording, name, number)
               for name, number in rows.select("label", "value").iter_rows()]  # fmt: skip
    return rows.with_columns(answer=pl.Series(answers, dtype=pl.String)).select(*QUESTIONS)


def _sentence(
    templates: AttributeTemplates | None, wording: Wording | None, label: str | None,
    number: float | None,
) -> str:  # fmt: skip
    if label is not None:
        return f"The answer is: {label}."
    import numpy as np

    decimals = templates.decimals if templates else None
    said = say_numbers(np.asarray([number], np.float64), decimals)[0]
    if templates is None or wording is None:
        return f"The answer is {said}."
    return fill(next(iter(wording.answers.values())), value=said, unit=templates.unit_after(said))


def read_predictions(
    answers: pl.DataFrame, questions: pl.DataFrame, task: Task, fold: Fold
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read numbers or classes out of answers.

    An answer without one is replaced by what training would guess, its median or its most
    frequent class, so that it counts neither for nor against the model more than a guess does.

    Args:
        answers: ANSWERS columns, about the test side.

    Returns:
        PREDICTIONS or CLASS_PREDICTIONS, and a SET_ASIDE row for each answer that was replaced.
    """
    classes = list(fold.classes)
    vocabulary = Vocabulary({task.attribute.name: tuple(classes)})
    read = read_answers(answers, questions, vocabulary)
    train = fold.side("train")["label"]
    guess = train.median() if not classes else train.mode().sort()[0]
    number = pl.col("read_value")
    if classes:
        number = pl.col("read_label").replace_strict(
            {name: float(place) for place, name in enumerate(classes)},
            default=None, return_dtype=pl.Float64,
        )  # fmt: skip
    asked = fold.side("test").select(
        *_KEY, "subject_id", qa_id=pl.concat_str(*_KEY, separator="/"), truth="label"
    )
    table = asked.join(read.with_columns(said=number), on="qa_id").sort("seed", *_KEY)
    aside = set_aside_table(
        SetAside(corpus, "answer", recording_id, f"seed {seed}: the answer is "
                 f"{'no class of the task' if outcome == 'readable' else outcome}; "
                 "what training would guess stands in", field=task.target,
                 value=None if response is None else csv_cell(response))
        for corpus, recording_id, seed, outcome, response in table.filter(
            pl.col("said").is_null()
        ).select(*_KEY, "seed", "outcome", "response").iter_rows()
    )  # fmt: skip
    table = table.with_columns(prediction=pl.col("said").fill_null(guess))
    if classes:
        table = table.with_columns(probabilities=_shares(len(classes)))
    columns = prediction_columns(classes)
    return table.select(*columns).cast(pl.Schema(columns)), aside


def _shares(classes: int) -> pl.Expr:
    """The probability given with an answer for its class, the rest evenly for the others."""
    own = pl.col("probability").fill_null(SHARE).clip(1e-6, 1 - 1e-6)
    rest = (1 - own) / (classes - 1)
    return pl.concat_list(
        pl.when(pl.col("prediction") == place).then(own).otherwise(rest) for place in range(classes)
    )
