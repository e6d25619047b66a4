"""Sitting an exam: its questions are asked, the answers judged, and nothing is learnt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from raqa.answering.base import AUDIO_ROW, FILES, Asked, QuestionHead, QuestionPairs
from raqa.answering.base import Fitting as HeadFitting
from raqa.corpora.base import Recordings
from raqa.exams.convert import questions_of
from raqa.exams.task import ExamTask
from raqa.fitting import Fitting, Outcome
from raqa.question_fitting import unanswered_rows
from raqa.regimes.base import Folds
from raqa.reports.scoring import Examined
from raqa.reports.tracking import RunFacts
from raqa.tables import QUESTIONS, VERDICTS

_KEY = ["corpus", "recording_id"]
_MISSING = "there is no file of the recording"


def sit_exam(
    fitting: Fitting,
    recordings: Sequence[Recordings],
    folds: Folds,
    facts: RunFacts,  # noqa: ARG001
    loggers: Sequence[Any],  # noqa: ARG001
) -> Outcome:
    """Ask an exam's questions about the test side and judge the answers.

    Questions about recordings that are not there stay in the exam, unscored with the reason.
    """
    head, task = fitting.experiment.head, fitting.experiment.task
    assert isinstance(head, QuestionHead)
    assert isinstance(task, ExamTask)
    cohort = pl.concat([one.table for one in recordings], how="diagonal")
    exam = task.questions().join(cohort.select(_KEY), on=_KEY, how="semi").sort("qa_id")
    heard = folds.main.table.select(_KEY).unique().sort(_KEY)
    askable = exam.join(heard, on=_KEY, how="semi").sort("qa_id")
    seeds = fitting.experiment.seeds
    nothing = _no_pairs()
    how = HeadFitting(seeds, fitting.experiment.trainer, fitting.console, stop=fitting.stop)
    fitted = head.fit(nothing, nothing, how)
    said = fitted.answer(_asked(askable, heard, cohort, task))
    verdicts = _judged(fitting, askable, said)
    why = fitted.unanswered()
    verdicts = pl.concat([_with_reasons(verdicts, said, why), _unheard(exam, askable, seeds)])
    return Outcome(
        said, fitted.history, fitted.save,
        examined=Examined(exam, verdicts.sort("seed", "qa_id"), task.bertscore),
        set_aside=unanswered_rows(fitted, askable),
    )  # fmt: skip


def _no_pairs() -> QuestionPairs:
    """What a head that learns nothing is given to learn from."""
    schema = {**QUESTIONS, AUDIO_ROW: pl.Int64}
    return QuestionPairs(np.zeros((0, 0), np.float32), pl.DataFrame(schema=schema))


def _asked(exam: pl.DataFrame, heard: pl.DataFrame, cohort: pl.DataFrame, task: ExamTask) -> Asked:
    """The questions without their answers, pointing into the files of what is heard."""
    files = heard.join(cohort.select(*_KEY, *FILES), on=_KEY, how="left", maintain_order="left")
    places = heard.with_row_index(AUDIO_ROW).cast({AUDIO_ROW: pl.Int64})
    rows = questions_of(exam).join(places, on=_KEY, how="inner")
    chained = exam.filter(pl.col("chain").is_not_null())
    told = dict(chained.select("qa_id", "answer").iter_rows()) if task.carried == "gold" else {}
    nothing = np.zeros((heard.height, 0), np.float32)
    return Asked(nothing, rows, files.select(*FILES), told)


def _judged(fitting: Fitting, exam: pl.DataFrame, said: pl.DataFrame) -> pl.DataFrame:
    """VERDICTS of the chosen judge, or of rules where none is chosen."""
    from raqa.judges.rules import RulesJudge

    judge = fitting.experiment.judge or RulesJudge()
    stop = fitting.stop or (lambda: False)
    return judge.judge(exam, said, console=fitting.console, stop=stop)


def _with_reasons(
    verdicts: pl.DataFrame, said: pl.DataFrame, why: Mapping[str, str]
) -> pl.DataFrame:
    """Where nothing came back, why."""
    silent = said.filter(pl.col("response").is_null()).select("seed", "qa_id").with_columns(
        why=pl.col("qa_id").replace_strict(why, default="nothing came back", return_dtype=pl.String)
    )  # fmt: skip
    joined = verdicts.join(silent, on=["seed", "qa_id"], how="left")
    told = pl.format("not answered: {}", "why")
    return joined.with_columns(reason=pl.coalesce(told, "reason")).select(*VERDICTS)


def _unheard(exam: pl.DataFrame, askable: pl.DataFrame, seeds: Sequence[int]) -> pl.DataFrame:
    """Verdicts on questions that could not be asked."""
    rows = exam.join(askable, on="qa_id", how="anti").select("qa_id")
    each = rows.join(pl.DataFrame({"seed": list(seeds)}, schema={"seed": pl.Int64}), how="cross")
    known = {
        "judge": pl.lit("none"), "version": pl.lit("none"), "outcome": pl.lit("unscored"),
        "reason": pl.lit(_MISSING), "from_store": pl.lit(value=False),
    }  # fmt: skip
    missing = [name for name in VERDICTS if name not in {"seed", "qa_id", *known}]
    nothing = {name: pl.lit(None, VERDICTS[name]) for name in missing}
    return each.with_columns(**known, **nothing).select(*VERDICTS)
