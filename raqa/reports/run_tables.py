"""The files of a finished run, and how they are read back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import TypeAdapter, ValidationError

from raqa.corpora.base import Step
from raqa.metrics import AnyScores
from raqa.metrics.bertscore import BertScorer
from raqa.metrics.transfer import TransferScores
from raqa.reports.asked.asking import Asking, read_asking
from raqa.reports.provenance import Provenance
from raqa.reports.scoring import Answered, Examined, Own, Scored, score_own, score_run
from raqa.tables import (
    ANSWERS,
    EXAM,
    FOLD,
    QUESTIONS,
    SET_ASIDE,
    VERDICTS,
    Columns,
    check_table,
    prediction_columns,
)

CONFIG = "config.yaml"
PROVENANCE = "provenance.json"
HEADS = "heads.safetensors"
HEAD_FOLDER = "head"
FOLDS = "fold.parquet"
PREDICTED = "predictions.parquet"
ASKED = "questions.parquet"
PRIOR = "prior.parquet"
EXAM_QUESTIONS = "exam.parquet"
VERDICTS_FOUND = "verdicts.parquet"
OWN_FOLD = "own_fold.parquet"
OWN_PREDICTED = "own_predictions.parquet"
ASIDE = "set_aside.csv"
STEPS = "steps.csv"
HISTORY = "history.csv"
METRICS = "metrics.json"

REQUIRED = (CONFIG, PROVENANCE, FOLDS, PREDICTED, ASIDE, STEPS)
"""Files of every finished run besides METRICS; HEADS and HISTORY depend on the head, OWN_FOLD and
OWN_PREDICTED are those of a run that is tested on another corpus. A run that answers questions has
ASKED and HEAD_FOLDER, and PRIOR where it has a training side; one that sat an exam EXAM_QUESTIONS,
VERDICTS_FOUND and HEAD_FOLDER."""


STEP_COLUMNS: Columns = {"name": pl.String, "recordings": pl.Int64, "subjects": pl.Int64}
SCORES = TypeAdapter[AnyScores](AnyScores)
TRANSFER = TypeAdapter(TransferScores | None)


@dataclass(frozen=True)
class Run(Scored):
    """A finished run, read back.

    Attributes:
        config: the resolved config.
        fold: FOLD columns; age and sex follow where the corpus has them.
        predictions: PREDICTIONS columns, or CLASS_PREDICTIONS of a classification.
        set_aside: SET_ASIDE columns.
        steps: what each step of the cohort left.
        scores: as stored; `rescore(run)` computes them again.
        own: of a run that is tested on another corpus, what it is measured against.
        transfer: the scores of that.
        answered: of a run that answers questions, what was asked; `predictions` are then ANSWERS.
        examined: of a run that sat an exam likewise.
        asking: of a run that asked a model which others trained: whom, given what, at what cost.
    """

    path: Path
    config: dict[str, Any]
    provenance: Provenance
    fold: pl.DataFrame
    predictions: pl.DataFrame
    set_aside: pl.DataFrame
    steps: tuple[Step, ...]
    scores: AnyScores
    own: Own | None = None
    transfer: TransferScores | None = None
    answered: Answered | None = None
    examined: Examined | None = None
    asking: Asking | None = None


def answer_columns(known: Provenance) -> Columns:
    """The columns that a run's predictions have."""
    return ANSWERS if known.kind in {"questions", "exam"} else prediction_columns(known.classes)


def read_own(path: Path, classes: Sequence[str]) -> Own | None:
    """What a run is measured against that is tested on another corpus, where it is."""
    if not (path / OWN_FOLD).is_file():
        return None
    columns = prediction_columns(classes)
    return Own(
        check_table(pl.read_parquet(path / OWN_FOLD), FOLD, name="own fold"),
        check_table(pl.read_parquet(path / OWN_PREDICTED), columns, name="own predictions"),
    )


def read_answered(path: Path, known: Provenance) -> Answered | None:
    """What a run that answers questions was asked, where it is one."""
    if not (path / ASKED).is_file():
        return None
    prior = None
    if (path / PRIOR).is_file():
        prior = check_table(pl.read_parquet(path / PRIOR), ANSWERS, name="prior answers")
    return Answered(
        check_table(pl.read_parquet(path / ASKED), QUESTIONS, name="questions", key=["qa_id"]),
        prior,
        rendered=known.rendered,
        scorer=BertScorer(**known.text_scorer) if known.text_scorer else None,
    )


def read_examined(path: Path, known: Provenance) -> Examined | None:
    """What a run that sat an exam was asked and how it was judged, where it is one."""
    if not (path / EXAM_QUESTIONS).is_file():
        return None
    asked, found = pl.read_parquet(path / EXAM_QUESTIONS), pl.read_parquet(path / VERDICTS_FOUND)
    return Examined(
        check_table(asked, EXAM, name="exam", key=["qa_id"]),
        check_table(found, VERDICTS, name="verdicts", key=["seed", "qa_id"]),
        BertScorer(**known.text_scorer) if known.text_scorer else None,
    )


def read_tables(path: Path) -> Run:
    """Read the files of a run, which were checked before."""
    from omegaconf import OmegaConf

    facts = json.loads((path / PROVENANCE).read_text(encoding="utf-8"))
    stored = json.loads((path / METRICS).read_text(encoding="utf-8"))
    config = OmegaConf.to_container(OmegaConf.load(path / CONFIG))
    if not isinstance(config, dict):
        raise ValueError(f"{CONFIG} is not a mapping")
    aside = pl.read_csv(path / ASIDE, schema=dict(SET_ASIDE))
    steps = pl.read_csv(path / STEPS, schema=dict(STEP_COLUMNS))
    known = Provenance.of(facts, str(path / PROVENANCE))
    predictions = check_table(
        pl.read_parquet(path / PREDICTED), answer_columns(known), name="predictions"
    )
    fold = check_table(pl.read_parquet(path / FOLDS), FOLD, name="fold")
    own, asked = read_own(path, known.classes), read_answered(path, known)
    examined = read_examined(path, known)
    scores, transfer = _scores(
        stored, predictions, fold, known.classes, own=own, asked=asked or examined
    )
    return Run(
        path=path,
        config={str(key): value for key, value in config.items()},
        provenance=known,
        fold=fold,
        predictions=predictions,
        set_aside=aside,
        steps=tuple(Step(**row) for row in steps.iter_rows(named=True)),
        scores=scores,
        own=own,
        transfer=transfer,
        answered=asked,
        examined=examined,
        asking=read_asking(path / HEAD_FOLDER),
    )


def _scores(
    stored: Mapping[str, Any],
    predictions: pl.DataFrame,
    fold: pl.DataFrame,
    classes: Sequence[str],
    *,
    own: Own | None,
    asked: Answered | Examined | None,
) -> tuple[AnyScores, TransferScores | None]:
    """The scores as they were written, or made again where an earlier version knew fewer."""
    try:
        return (
            SCORES.validate_python(stored["scores"]),
            TRANSFER.validate_python(stored.get("transfer")),
        )
    except ValidationError:
        before = stored["scores"]
        if not isinstance(before, dict) or not {"resamples", "bootstrap_seed"} <= before.keys():
            raise
        draws = (int(before["resamples"]), int(before["bootstrap_seed"]))
        return (
            score_run(predictions, fold, classes, draws, asked),
            score_own(predictions, own, classes, draws),
        )
