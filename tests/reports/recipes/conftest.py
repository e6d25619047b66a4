"""Cells of recipes with finished runs made without audio or training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from raqa.reports.recipes.cells import TARGET, RecipeFacts, ReportCell
from raqa.reports.run_folder import RunFolder, read_run
from raqa.reports.scoring import Own
from raqa.tables import set_aside_table
from reports.conftest import make_fold, make_predictions, provenance
from reports.question_runs import MakeAnswers, answers_maker

MakeCell = Callable[..., ReportCell]
SUBJECTS = 300
SEEDS = (0, 1, 2)


def cell_maker(folder: Path) -> MakeCell:
    """Make a function that writes a run below a folder and gives its cell."""

    def make(
        encoder: str = "mel_stats",
        *,
        corpus: str = "coswara",
        task: str = "age",
        head: str = "mlp_small",
        skill: float = 0.6,
        own_skill: float = 0.8,
        target: str | None = None,
        size: str | None = None,
        draw: int = 0,
        equal_updates: bool = False,
        unit: str = "year",
        real: bool = True,
        validation: float = 9.0,
        problem: str | None = None,
        drop: int = 0,
        subjects: int = SUBJECTS,
        known: bool = True,
        choices: dict[str, str] | None = None,
        **facts: Any,
    ) -> ReportCell:
        chosen = {"datamodule": corpus, "task": task, "encoder": encoder, "head": head}
        settings: dict[str, Any] = {}
        if target:
            chosen[TARGET] = target
        if size:
            settings = {"size": size, "subset_seed": draw, "equal_updates": equal_updates}
            chosen |= {f"regime.{name}": str(value) for name, value in settings.items()}
        chosen |= choices or {}
        if problem:
            return ReportCell(chosen, None, problem)
        name = "-".join([*chosen.values(), str(skill)])
        fold = _fold(target or corpus, unit, subjects, known).pipe(_less, size, draw, drop)
        own = Own(fold, _predictions(fold, own_skill, 1)) if target else None
        if target:
            learnt = _fold(corpus, unit, subjects, known).filter(pl.col("side") != "test")
            fold = pl.concat([learnt, fold.filter(side="test")])
        known_facts = provenance(
            name, list(SEEDS), corpus=corpus, tested_on=target or corpus, task=task,
            encoder=encoder, head=head, unit=unit, weights_real=real,
            weights="none" if real else "random", regime_settings=settings, **facts,
        )  # fmt: skip
        predictions = _predictions(fold, skill, 2)
        path = _write(folder / name, known_facts, fold, predictions, own, _history(validation))
        return ReportCell(chosen, read_run(path))

    return make


def _write(path: Path, facts: dict[str, Any], fold, predictions, own, history) -> Path:
    run = RunFolder(path)
    with run.draft() as draft:
        draft.write(
            config="{}\n",
            provenance=facts,
            fold=fold,
            predictions=predictions,
            set_aside=set_aside_table(),
            steps=[],
            own=own,
            history=history,
        )
        draft.publish(resamples=500)
    return run.path


def _fold(corpus: str, unit: str, subjects: int, known: bool) -> pl.DataFrame:
    """The same for every run of a corpus."""
    fold = make_fold(subjects, known, unit, np.random.default_rng(sum(map(ord, corpus))))
    return fold.with_columns(corpus=pl.lit(corpus))


def _less(fold: pl.DataFrame, size: str | None, draw: int, drop: int) -> pl.DataFrame:
    """Fewer training subjects, and `drop` test recordings left out."""
    if size and size != "all":
        training = fold.filter(side="train")["subject_id"].unique().sort()
        order = np.random.default_rng(draw).permutation(training)
        kept = pl.Series(order[: int(size)]).implode()
        fold = fold.filter((pl.col("side") != "train") | pl.col("subject_id").is_in(kept))
    left_out = fold.filter(side="test")["recording_id"].head(drop).implode()
    return fold.filter(~pl.col("recording_id").is_in(left_out))


def _predictions(fold: pl.DataFrame, skill: float, seed: int) -> pl.DataFrame:
    return make_predictions(fold, skill, list(SEEDS), np.random.default_rng(seed))


def _history(validation: float) -> pl.DataFrame:
    rows = [(seed, epoch, validation + 1 - epoch) for seed in SEEDS for epoch in (0, 1)]
    return pl.DataFrame(rows, schema=["seed", "epoch", "validation_error"], orient="row")


@pytest.fixture
def make_cell(tmp_path: Path) -> MakeCell:
    """Write a run below tmp_path/runs and give its cell."""
    return cell_maker(tmp_path / "runs")


@pytest.fixture
def make_answers(tmp_path: Path) -> MakeAnswers:
    """Write a run that answers questions below tmp_path/runs and give its cell."""
    return answers_maker(tmp_path / "runs")


@pytest.fixture(scope="session")
def make_cell_in() -> Callable[[Path], MakeCell]:
    """Write runs below a folder of one's choice."""
    return cell_maker


@pytest.fixture
def recipe() -> Callable[..., RecipeFacts]:
    """A recipe's facts: `recipe("within", published=path)`."""
    return lambda layout, published=None, parts=(): RecipeFacts(
        f"demo/{layout}", f"A table of layout {layout}", layout, published, parts
    )
