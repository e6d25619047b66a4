"""Between collections of RA-QA's questions and exams: nothing is lost but the side of the split."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal

import polars as pl

from raqa.errors import UserError
from raqa.questions.collection import RECORDINGS_FILE, read_recordings, scan
from raqa.tables import EXAM, EXAM_ASKED, QUESTIONS, SIDES, check_table

Side = Literal["train", "validation", "test", "all"]
_KEY = ["corpus", "recording_id"]


@dataclass(frozen=True)
class Exported:
    """A collection as an exam.

    Attributes:
        questions: EXAM columns, sorted by qa_id.
        audio: the folder that its audio is below.
    """

    questions: pl.DataFrame
    audio: Path


def exam_of_collection(folder: Path, side: Side = "all", audio: Path | None = None) -> Exported:
    """Take the questions of a collection (`raqa qa build`, `raqa qa sample`).

    Args:
        side: which of them; all also takes those on no side.
        audio: the folder that paths are to be relative to; None: the nearest one that holds all.

    Raises:
        UserError: there is no whole collection, nothing on that side, or files lie elsewhere.
    """
    found = scan(folder).collect()
    recordings = read_recordings(folder)
    if recordings is None:
        raise UserError(f"{folder} has no {RECORDINGS_FILE}: build the collection again.")
    if side != "all":
        found = found.filter(pl.col("split") == side)
    if not found.height:
        raise UserError(f"{folder} has no question on the {side} side. Sides: {', '.join(SIDES)}.")
    texts = found.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    rows = check_table(texts, QUESTIONS, name="questions", key=["qa_id"]).drop("split")
    asked = recordings.join(rows.select(_KEY).unique(), on=_KEY, how="semi")
    root = audio.absolute() if audio is not None else _common(asked["path"].to_list())
    places = asked.select(
        *_KEY, "start_s", "end_s", known="subject_known",
        audio=pl.Series([_below(path, root) for path in asked["path"]], dtype=pl.String),
    )  # fmt: skip
    outside = asked.filter(places["audio"].is_null())["path"]
    if outside.len():
        raise UserError(
            f"{outside.len():,} recordings are not below {root}, such as {outside[0]}: name a "
            "folder that holds all of them (--audio)."
        )
    exam = rows.join(places, on=_KEY, how="left").with_columns(
        subject_id=pl.when("known").then("subject_id"),
        benchmark=pl.lit("ra_qa"), form=pl.lit("label"),
        difficulty=pl.lit(None, pl.String), audio_source=pl.lit(None, pl.String),
        chain=pl.lit(None, pl.String), turn=pl.lit(None, pl.Int64),
    )  # fmt: skip
    return Exported(exam.select(*EXAM).sort("qa_id"), root)


def questions_of(exam: pl.DataFrame) -> pl.DataFrame:
    """An exam's questions in the columns of QUESTIONS, then EXAM_ASKED, all on the test side.

    Args:
        exam: EXAM columns.
    """
    rows = exam.with_columns(
        split=pl.lit("test"),
        subject_id=pl.coalesce("subject_id", "recording_id"),
    )
    return check_table(rows, QUESTIONS, name="questions", key=["qa_id"]).select(
        *QUESTIONS, *EXAM_ASKED
    )


def _common(paths: list[str]) -> Path:
    try:
        place = Path(os.path.commonpath(paths))
    except ValueError as error:  # on different drives
        raise UserError("The recordings lie on several drives: name --audio.") from error
    return place if len(set(paths)) > 1 else place.parent


def _below(path: str, root: Path) -> str | None:
    pure = PurePath(path)
    return pure.relative_to(root).as_posix() if pure.is_relative_to(root) else None
