"""All finished runs below a folder as one table, a row each; nothing is dropped silently."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from raqa.errors import UserError
from raqa.metrics.transfer import TransferScores
from raqa.reports.asked.asking import asking_row
from raqa.reports.headline import kind_of
from raqa.reports.provenance import Provenance
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import CONFIG, METRICS, Run
from raqa.reports.text import pretraining_overlap
from raqa.reports.values import ends, mean_and_sd, value
from raqa.tables import SIDES, Columns

RESULTS: Columns = {
    "run": pl.String,  # the run's identity
    "corpus": pl.String,
    "synthetic": pl.Boolean,
    "task": pl.String,
    "kind": pl.String,  # regression, classification, questions, exam; columns of others are null
    "classes": pl.List(pl.String),
    "unit": pl.String,  # of every error below
    "encoder": pl.String,
    "weights_real": pl.Boolean,
    "pretraining_overlap": pl.String,  # yes, possibly, none found, not examined
    "head": pl.String,
    "regime": pl.String,
    "tested_on": pl.String,  # the corpus of the test side; `corpus` is the training one
    "split": pl.String,
    "size": pl.String,  # low_n: training subjects asked for, or all
    "subset_seed": pl.Int64,  # low_n: which draw
    "equal_updates": pl.Boolean,  # low_n: epochs as long as with all subjects
    "clip": pl.String,
    "seeds": pl.Int64,  # how many
    "mae_mean": pl.Float64,
    "mae_sd": pl.Float64,  # over seeds, ddof 1
    "mae_low": pl.Float64,  # 95 % over subjects
    "mae_high": pl.Float64,
    "mae_median_baseline": pl.Float64,
    "mae_mean_baseline": pl.Float64,
    "mad": pl.Float64,
    "difference": pl.Float64,  # of MAE or cross-entropy: model - baseline; negative is better
    "difference_low": pl.Float64,
    "difference_high": pl.Float64,
    "against_median": pl.String,  # above, below or undecided
    "own_mae_mean": pl.Float64,  # cross: of a model trained on the tested corpus itself
    "own_mae_median_baseline": pl.Float64,  # cross: of that corpus's training median
    "own_cross_entropy_mean": pl.Float64,  # the same two of classes
    "own_cross_entropy_prior": pl.Float64,
    "gap": pl.Float64,  # cross: error - own error, MAE or cross-entropy; above 0 transfer costs
    "gap_low": pl.Float64,
    "gap_high": pl.Float64,
    "r2_mean": pl.Float64,
    "r2_sd": pl.Float64,
    "spearman_mean": pl.Float64,
    "spearman_sd": pl.Float64,
    "auroc_mean": pl.Float64,
    "auroc_sd": pl.Float64,
    "auroc_low": pl.Float64,  # 95 % over subjects
    "auroc_high": pl.Float64,
    "auprc_mean": pl.Float64,
    "auprc_sd": pl.Float64,
    "macro_f1_mean": pl.Float64,
    "macro_f1_sd": pl.Float64,
    "balanced_accuracy_mean": pl.Float64,
    "balanced_accuracy_sd": pl.Float64,
    "cross_entropy_mean": pl.Float64,  # nat
    "cross_entropy_sd": pl.Float64,
    "cross_entropy_low": pl.Float64,  # 95 % over subjects
    "cross_entropy_high": pl.Float64,
    "cross_entropy_prior": pl.Float64,
    "calibration_error_mean": pl.Float64,
    "calibration_error_sd": pl.Float64,
    "against_prior": pl.String,  # above, below or undecided
    "accuracy_mean": pl.Float64,  # questions; macro-F1 and balanced accuracy stand above
    "accuracy_sd": pl.Float64,
    "relative_mae_mean": pl.Float64,  # questions about numbers: MAE ÷ that of the training median
    "relative_mae_sd": pl.Float64,
    "headline_low": pl.Float64,  # questions: 95 % over subjects of macro-F1, or of the relative MAE
    "headline_high": pl.Float64,
    "headline_prior": pl.Float64,  # questions: the same of the question prior
    "questions": pl.Int64,  # on the test side
    "answers_expected": pl.Int64,  # one for every seed and question
    "answers_unreadable": pl.Int64,
    "answers_refused": pl.Int64,
    "answers_unscored": pl.Int64,  # never came back; above 0 the run is incomplete
    "chance": pl.Float64,  # exams: of guessing among what is offered
    "against_chance": pl.String,  # above, below or undecided; of choices
    "grade_mean": pl.Float64,  # exams: of open answers, 1 to 3
    "grade_sd": pl.Float64,
    "rouge_l_mean": pl.Float64,  # exams: likeness of the wording to the reference's
    "rouge_l_sd": pl.Float64,
    "bertscore_mean": pl.Float64,
    "bertscore_sd": pl.Float64,
    "responder": pl.String,  # of a run that asked: the model, or who answered without one
    "given": pl.String,  # of a recording: audio, spectrogram, both, none
    "prompts": pl.Int64,  # questions that share a response count once
    "unanswered": pl.Int64,  # questions that nothing came back for, whatever the reason
    "tokens": pl.Int64,  # of prompts and responses; null where nobody counts them
    "cost": pl.Float64,  # in the currency of responder.prices; null where they are not set
    "latency_s": pl.Float64,  # median over prompts
    "spread_mean": pl.Float64,
    "spread_sd": pl.Float64,
    **{f"n_{side}": pl.Int64 for side in SIDES},  # recordings
    **{f"subjects_{side}": pl.Int64 for side in SIDES},
    "set_aside": pl.Int64,
    "few_subjects": pl.Boolean,
    "subject_known": pl.Boolean,
    "subjects_on_two_sides": pl.Int64,  # more than 0 with split=official_as_is: leaking
    "collapsed": pl.Boolean,
    "finished_at": pl.String,
    "path": pl.String,
}
"""Columns of `load_results`; a number that is undefined is null."""


@dataclass(frozen=True)
class Found:
    """Run folders below some paths: finished ones, and what is wrong with the others."""

    finished: tuple[Path, ...]
    problems: tuple[str, ...]


def load_results(folder: str | Path = "runs") -> pl.DataFrame:
    """Load every finished run below a folder.

    Runs that are unfinished or damaged are named in a warning.

    Returns:
        RESULTS columns, a row per run, sorted by corpus, task, regime and error.

    Raises:
        UserError: there is no such folder.

    Example:
        ``raqa.load_results("runs").filter(task="age").to_pandas()``
    """
    found = find_runs([folder])
    runs, problems = [], list(found.problems)
    for path in found.finished:
        try:
            runs.append(result_row(read_run(path)))
        except UserError as error:
            problems.append(error.problems[0])
    if problems:
        text = "\n  ".join(problems)
        warnings.warn(f"{len(problems)} run(s) left out:\n  {text}", stacklevel=2)
    return results_table(runs)


def find_runs(paths: Iterable[str | Path]) -> Found:
    """Look for run folders at and below the paths; files are not opened.

    Raises:
        UserError: a path is not a folder; all such are named.
    """
    folders = [Path(path).absolute() for path in paths]
    missing = [folder for folder in folders if not folder.is_dir()]
    if missing:
        raise UserError([f"There is no folder {folder} to look for runs in." for folder in missing])
    finished: dict[Path, None] = {}  # a set that keeps its order
    problems: dict[str, None] = {}
    for start in folders:
        for path, is_finished in _walk(start):
            if is_finished:
                finished[path] = None
            else:
                problems[f"{path} is unfinished: still running, or interrupted"] = None
    return Found(tuple(finished), tuple(problems))


def result_row(run: Run) -> dict[str, Any]:
    """A run as one row of the RESULTS table."""
    facts, scores = run.provenance, run.scores
    return {
        **dict.fromkeys(RESULTS),
        **{name: getattr(facts, name) for name in RESULTS if hasattr(facts, name)},
        "classes": None,
        "tested_on": facts.tested_on or facts.corpus,
        **_regime_settings(facts),
        **_gap(run.transfer),
        "pretraining_overlap": pretraining_overlap(facts).status,
        "seeds": len(scores.seeds),
        "difference": value(scores.difference),
        **ends("difference", scores.difference_interval),
        **mean_and_sd("spread", scores.spread),
        **kind_of(run).row(run),
        **asking_row(run.asking),
        **{f"n_{side}": scores.recordings[side] for side in SIDES},
        **{f"subjects_{side}": scores.subjects[side] for side in SIDES},
        "set_aside": run.set_aside.height,
        "few_subjects": scores.few_subjects,
        "subject_known": scores.subject_known,
        "collapsed": bool(scores.collapsed_seeds),
        "path": str(run.path),
    }


def results_table(rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    """Rows as the RESULTS table, sorted by corpus, task, regime and error."""
    table = pl.DataFrame(list(rows), schema=dict(RESULTS))
    return table.sort(
        "corpus", "task", "regime", "mae_mean", -pl.col("auroc_mean"), "run", nulls_last=True
    )


def _walk(path: Path) -> Iterator[tuple[Path, bool]]:
    for folder, folders, files in os.walk(path):
        folders.sort()
        here = Path(folder)
        hidden = here.name.startswith(".") and here != path
        if hidden and here.name.endswith((".partial", ".old")):
            yield here, False
        elif not hidden and METRICS in files:
            yield here, True
        elif not hidden and CONFIG in files:
            yield here, False
        elif not hidden:
            continue
        folders.clear()  # a run has no runs inside


def _regime_settings(facts: Provenance) -> dict[str, Any]:
    settings = dict(facts.regime_settings)
    size = settings.get("size")
    return {**settings, "size": None if size is None else str(size)}


def _gap(scores: TransferScores | None) -> dict[str, float | None]:
    if scores is None:
        return {}
    return {"gap": value(scores.gap.mean), **ends("gap", scores.gap_interval)}
