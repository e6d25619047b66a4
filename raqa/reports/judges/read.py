"""What a run was asked, what it said and how it was judged, in a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from raqa.errors import UserError
from raqa.judges.rules import RulesJudge
from raqa.reports.run_folder import RunFolder, read_run
from raqa.reports.run_tables import EXAM_QUESTIONS, PREDICTED, VERDICTS_FOUND
from raqa.tables import ANSWERS, EXAM, VERDICTS, check_table


@dataclass(frozen=True)
class Judged:
    """A run's answers with their verdicts.

    Attributes:
        name: what it is called.
        exam, answers, verdicts: EXAM, ANSWERS and VERDICTS columns.
    """

    name: str
    exam: pl.DataFrame
    answers: pl.DataFrame
    verdicts: pl.DataFrame

    @property
    def by_rules(self) -> Judged:
        """The same answers as rules judge them."""
        verdicts = RulesJudge().judge(self.exam, self.answers)
        return replace(self, name="rules", verdicts=verdicts)

    @property
    def judges(self) -> str:
        """Who judged, in words."""
        known = self.verdicts.select("judge", "version").unique().sort("judge", "version")
        return ", ".join(f"{judge} ({version})" for judge, version in known.iter_rows())

    @property
    def rows(self) -> pl.DataFrame:
        """A row for each answer: VERDICTS, response, and of EXAM what tells questions apart.

        `subject` is whose recording it is about, or the recording where that is unknown.
        """
        known, whose = pl.col("subject_id").is_not_null(), pl.coalesce("subject_id", "recording_id")
        subject = pl.format("{}\0{}\0{}", "corpus", known, whose)
        asked = self.exam.select(
            "qa_id", "corpus", "recording_id", "question_type", "form", "question", "answer",
            subject=subject,
        )  # fmt: skip
        said = self.answers.select("seed", "qa_id", "response")
        return (
            self.verdicts.select(*VERDICTS)
            .join(said, on=["seed", "qa_id"], how="left")
            .join(asked, on="qa_id", how="left")
            .sort("seed", "qa_id")
        )


def read_judged(place: Path) -> Judged:
    """Read a run's folder, or any folder with its three tables.

    Raises:
        UserError: there is none, it sat no exam, or a table is damaged.
    """
    if RunFolder(place).finished:
        run = read_run(place)
        if run.examined is None:
            raise UserError(f"{place} sat no exam (task=exam), so that nothing was judged in it.")
        return Judged(place.name, run.examined.questions, run.predictions, run.examined.verdicts)
    files = [place / name for name in (EXAM_QUESTIONS, PREDICTED, VERDICTS_FOUND)]
    if missing := [file.name for file in files if not file.is_file()]:
        raise UserError(f"{place} is no finished run of task=exam: it lacks {', '.join(missing)}.")
    try:
        exam, answers, verdicts = (pl.read_parquet(file) for file in files)
        check_table(exam, EXAM, name=EXAM_QUESTIONS, key=["qa_id"])
        check_table(answers, ANSWERS, name=PREDICTED, key=["seed", "qa_id"])
        check_table(verdicts, VERDICTS, name=VERDICTS_FOUND, key=["seed", "qa_id"])
    except (ValueError, OSError, pl.exceptions.PolarsError) as error:
        raise UserError(f"{place} can not be read: {' '.join(str(error).split())}") from error
    return Judged(place.name, exam, answers, verdicts)
