"""The tables that stages hand to each other: their columns, types, units and keys.

Recordings go from corpora to regimes, a fold's sides from regimes to training, predictions
from training to metrics and reports; what was set aside travels beside all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import polars as pl

Columns = Mapping[str, type[pl.DataType] | pl.DataType]
TaskKind = Literal["regression", "classification", "questions", "exam"]

RECORDINGS: Columns = {
    "recording_id": pl.String,  # unique within the corpus, stable over machines
    "corpus": pl.String,
    "subject_id": pl.String,  # unique within the corpus; the upload where subjects are unknown
    "subject_known": pl.Boolean,  # False: two subject_ids may be the same person
    "path": pl.String,  # where the audio is or would be; absolute
    "audio": pl.Boolean,  # whether a file is there
    "start_s": pl.Float64,  # segment start in seconds; null: the whole file
    "end_s": pl.Float64,
    "modality": pl.String,  # cough, breathing, ...; the corpus's own finer name where it has one
    "split": pl.String,  # the corpus's official split (train, validation, test) or null
}
"""Columns every recordings table has; canonical attributes (corpora/attributes.py) follow them."""

SET_ASIDE: Columns = {
    "corpus": pl.String,
    # Where it was noticed: label, layout, audio, split, answer; disagreement: what a second source
    # says against the one that is used.
    "stage": pl.String,
    "item": pl.String,  # the recording_id or file
    "row": pl.Int64,  # line of the label table as a spreadsheet counts (header is 1), or null
    "field": pl.String,  # column, where one value and not the recording is set aside
    "value": pl.String,  # what stood there
    "reason": pl.String,  # a sentence fragment: "age of 999 is outside 0-120 year"
}

FOLD: Columns = {
    "side": pl.String,  # train, validation or test
    "corpus": pl.String,
    "recording_id": pl.String,
    "subject_id": pl.String,
    "subject_known": pl.Boolean,
    "label": pl.Float64,  # in the attribute's canonical unit, or the number of the class
}

PREDICTIONS: Columns = {
    "seed": pl.Int64,
    "corpus": pl.String,
    "recording_id": pl.String,
    "subject_id": pl.String,
    "truth": pl.Float64,  # in the attribute's canonical unit, or the number of the class
    "prediction": pl.Float64,  # likewise; of classes the most probable one
}

CLASS_PREDICTIONS: Columns = {
    **PREDICTIONS,
    "probabilities": pl.List(pl.Float64),  # of every class, in the order of their numbers
}
"""PREDICTIONS of a classification task."""

QUESTIONS: Columns = {
    "qa_id": pl.String,  # the key: stable over runs, machines and the order of files
    "corpus": pl.String,
    "recording_id": pl.String,
    "subject_id": pl.String,
    "split": pl.String,  # train, validation, test, or null where the split leaves a subject out
    "attribute": pl.String,  # canonical name
    "family": pl.String,
    "kind": pl.String,
    "question_type": pl.String,  # open_ended, multiple_choice, single_verify
    "template_id": pl.String,  # attribute/question_type/wording
    "question": pl.String,  # with the options in it where it is multiple-choice
    "asked_label": pl.String,  # the label that a single-verify question asks about, or null
    "answer": pl.String,  # a whole sentence
    "label": pl.String,  # canonical; yes or no for single_verify; several joined by " + "
    "value": pl.Float64,  # of a numeric attribute, in its canonical unit, unrounded
    "unit": pl.String,
    "options": pl.List(pl.String),  # label texts as offered, in the order of the question, or null
}
"""A question about one recording and its answer; a row each."""

GOLD = ("answer", "label", "value")
"""Columns of QUESTIONS that say the answer: nothing that answers may see them."""

ANSWERS: Columns = {
    "seed": pl.Int64,
    "qa_id": pl.String,
    "response": pl.String,  # what was said, to be read; null: nothing came back
    "label": pl.String,  # the label meant, where the model names one itself, else null
    "value": pl.Float64,  # the number meant, likewise, in the attribute's canonical unit
    "probability": pl.Float64,  # that the model gives its answer, or null
}
"""What models answered, a row for each seed and question."""

QUESTION_TYPES = ("open_ended", "multiple_choice", "single_verify")

BENCHMARKS = ("ra_qa", "carecos", "medmosaic")

Form = Literal["choice", "facts", "concept", "open", "label"]

EXAM_FORMS: Mapping[str, Mapping[str, Form]] = {
    "ra_qa": dict.fromkeys(QUESTION_TYPES, "label"),
    "carecos": {"explicit": "facts", "inferred": "concept"},
    "medmosaic": {
        "mcq_sound_cough": "choice", "mcq_sound_heart": "choice", "mcq_sound_lung": "choice",
        "mcq_speech": "choice", "mcq_speech_sound": "choice", "mcq_long_form": "choice",
        "multi_turn": "choice", "oe_speech": "open", "oe_speech_sound": "open",
        "voice_qa": "choice",
    },
}  # fmt: skip
"""What each benchmark asks, and how it is scored. choice: the letter is read; label: the label or
number is read; facts: every fact must agree with the answer; concept: the core of it must; open: 1
to 3 on four criteria. The first two are read by rules, the others need a judge."""

DIFFICULTIES = ("easy", "medium", "hard")
AUDIO_SOURCES = ("real", "synthetic")

EXAM: Columns = {
    "qa_id": pl.String,  # the key
    "benchmark": pl.String,  # of BENCHMARKS
    "corpus": pl.String,
    "recording_id": pl.String,
    "subject_id": pl.String,  # null: unknown
    "audio": pl.String,  # the file, below the folder of the exam's audio, with / between folders
    "start_s": pl.Float64,  # of a segment, in seconds; null: from its start
    "end_s": pl.Float64,
    "question_type": pl.String,  # of EXAM_FORMS[benchmark]
    "form": pl.String,  # how it is scored; follows from the question type
    "question": pl.String,
    "options": pl.List(pl.String),  # in the order in which they are offered; null: none
    "answer": pl.String,  # the right one; of a choice the text of the right option
    "difficulty": pl.String,  # of DIFFICULTIES, or null
    "audio_source": pl.String,  # of AUDIO_SOURCES, or null
    "chain": pl.String,  # of multi_turn, which questions follow each other
    "turn": pl.Int64,  # of multi_turn, 1, 2, 3
    # The rest only of ra_qa, as in QUESTIONS.
    "attribute": pl.String,
    "family": pl.String,
    "kind": pl.String,
    "template_id": pl.String,
    "asked_label": pl.String,
    "label": pl.String,
    "value": pl.Float64,
    "unit": pl.String,
}
"""A question that is only asked, never trained on; a row each."""

EXAM_GOLD = GOLD
"""Columns of EXAM that say the answer: nothing that answers may see them, judges do."""

EXAM_ASKED = ("benchmark", "form", "chain", "turn")
"""Columns of EXAM that decide how a question is put, beside those that it has from QUESTIONS."""

CRITERIA = ("correctness", "relevance", "completeness", "clarity")
"""What an open answer is graded for."""

VERDICTS: Columns = {
    "seed": pl.Int64,
    "qa_id": pl.String,
    "judge": pl.String,  # its name: rules, or that of the model
    "version": pl.String,  # of the rules, or what names the model and its settings
    "rubric": pl.String,  # hash of the words by which it judged; null for rules
    "score": pl.Float64,  # 0 to 1; null: unscored, which is not wrong
    **dict.fromkeys(CRITERIA, pl.Int64),  # 1 to 3 of open answers; null of others
    "outcome": pl.String,  # of VERDICT_OUTCOMES
    "reason": pl.String,  # why it is unscored, or the judge's sentence
    "from_store": pl.Boolean,  # whether it was judged before
}
"""What judges found of answers, a row for each seed and question that was to be judged.

The score of an open answer is (mean of its four criteria - 1) / 2.
"""

VERDICT_OUTCOMES = ("right", "wrong", "graded", "unreadable", "refused", "unscored")
"""unreadable and refused answers score 0; of unscored ones nothing is known: nothing came back, or
the judge failed."""

SIDES = ("train", "validation", "test")


def prediction_columns(classes: Sequence[str]) -> Columns:
    """The columns that predictions have, given the task's classes (none: a number is predicted)."""
    return CLASS_PREDICTIONS if classes else PREDICTIONS


@dataclass(frozen=True)
class SetAside:
    """One row of the SET_ASIDE table."""

    corpus: str
    stage: str
    item: str
    reason: str
    row: int | None = None
    field: str | None = None
    value: str | None = None


def set_aside_table(rows: Iterable[SetAside] = ()) -> pl.DataFrame:
    """Collect set-aside rows into the SET_ASIDE table."""
    return pl.DataFrame([asdict(row) for row in rows], schema=dict(SET_ASIDE))


def check_table(
    table: pl.DataFrame, columns: Columns, *, name: str, key: Sequence[str] = ()
) -> pl.DataFrame:
    """Return the table with its required columns first and cast, or say what is wrong with it.

    Args:
        key: columns that together must be non-null and unique.

    Raises:
        ValueError: a required column is missing or of another type, a key is null or repeated.
            This is a fault of the stage that made the table, not of the user.
    """
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise ValueError(f"{name} table lacks {', '.join(missing)}; it has {table.columns}")
    wrong = [
        f"{column} is {table.schema[column]}, not {kind}"
        for column, kind in columns.items()
        if table.schema[column] != kind and table.schema[column] != pl.Null
    ]
    if wrong:
        raise ValueError(f"{name} table: {'; '.join(wrong)}")
    casts: list[Any] = [pl.col(column).cast(kind) for column, kind in columns.items()]
    extra = [column for column in table.columns if column not in columns]
    table = table.select(*casts, *extra)
    for column in key:
        if table[column].null_count():
            raise ValueError(f"{name} table: {table[column].null_count()} null {column}")
    if key and table.select(key).is_duplicated().any():
        repeated = table.filter(table.select(key).is_duplicated()).select(key).row(0)
        raise ValueError(f"{name} table: {repeated} stands more than once")
    return table
