"""What is wrong between the questions of a file: names used twice, chains with gaps."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import polars as pl

from raqa.display import harmless
from raqa.exams.faults import Fault, shown
from raqa.exams.row import TURNS

LINE = "line"
"""Column that says where a question stands in its file."""

_PLACE = ("audio", "start_s", "end_s", "subject_id")


def check_all(rows: pl.DataFrame, known: Collection[Fault] = ()) -> Iterator[Fault]:
    """Find faults between questions.

    Args:
        rows: EXAM columns and LINE; null where a field is missing or faulty by itself.
        known: what is faulty by itself; it says nothing about other questions.
    """
    yield from _doubled(rows)
    yield from _recordings(rows, known)
    yield from _chains(rows.filter(pl.col("question_type") == "multi_turn"))


def _doubled(rows: pl.DataFrame) -> Iterator[Fault]:
    known = rows.drop_nulls("qa_id")
    for name, line in known.filter(pl.col("qa_id").is_duplicated()).select("qa_id", LINE).rows():
        yield Fault(line, "qa_id", f"{shown(name)} is the name of more than one question")


def _recordings(rows: pl.DataFrame, known: Collection[Fault]) -> Iterator[Fault]:
    """A recording is one place in one file, and one subject."""
    key = ["corpus", "recording_id"]
    named = rows.drop_nulls(key)
    for name in _PLACE:
        faulty = [one.line for one in known if one.field == name]
        first = pl.col(name).first().over(key)
        sound = named.filter(~pl.col(LINE).is_in(faulty)).with_columns(first=first)
        other = sound.filter(pl.col(name).ne_missing(pl.col("first")))
        for recording, value, one, line in other.select(
            "recording_id", name, "first", LINE
        ).iter_rows():
            yield Fault(
                line, name, f"is {shown(value)}; recording {harmless(recording, 60)} has "
                f"{shown(one)} before"
            )  # fmt: skip


def _chains(rows: pl.DataFrame) -> Iterator[Fault]:
    key = ["benchmark", "chain"]
    for (_, chain), turns in rows.drop_nulls(key).group_by(key, maintain_order=True):
        name, line = harmless(str(chain), 60), int(turns[LINE].min() or 0)  # type: ignore[arg-type]
        found = turns["turn"].drop_nulls()
        missing = [turn for turn in range(1, TURNS + 1) if turn not in found]
        if missing and not turns["turn"].null_count():
            yield Fault(
                line, "turn", f"chain {name} lacks turn {' and '.join(map(str, missing))}; chains "
                f"have {TURNS}"
            )  # fmt: skip
        twice = turns.filter(pl.col("turn").is_not_null() & pl.struct("turn").is_duplicated())
        for turn in twice["turn"].unique().sort():
            yield Fault(line, "turn", f"chain {name} has turn {turn} more than once")
        for column, what in (("corpus", "corpora"), ("recording_id", "recordings")):
            if turns[column].drop_nulls().n_unique() > 1:
                yield Fault(line, column, f"chain {name} is about different {what}")


def cautions(exam: pl.DataFrame) -> Iterator[str]:
    """What is no fault, and must be known before believing scores; a sentence each.

    Args:
        exam: EXAM columns.
    """
    unknown = exam.filter(pl.col("subject_id").is_null()).height
    if unknown:
        yield (
            f"{unknown:,} of {exam.height:,} questions do not say who is heard (subject_id): one "
            "person may be in several recordings, so intervals are too narrow, and whether a "
            "model has heard these people in training can not be told."
        )
    choices = exam.filter((pl.col("benchmark") == "medmosaic") & (pl.col("form") == "choice"))
    other = choices.filter(pl.col("options").list.len() != 10)
    if other.height:
        counts = sorted(set(other["options"].list.len()))
        yield (
            f"{other.height:,} of {choices.height:,} of MedMosaic's choices have "
            f"{', '.join(map(str, counts))} options, not ten: chance is higher or lower there."
        )
