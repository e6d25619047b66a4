"""From questions to the numbers that the fusion network sees, and from its answers to a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.answering.base import AUDIO_ROW, SHARES, QuestionPairs
from raqa.answering.targets import Targets
from raqa.heads.data import FitData, FloatArray
from raqa.training.scaling import Scaling

if TYPE_CHECKING:
    from raqa.training.settings import TrainerSettings


def answerable(targets: Targets) -> pl.Expr:
    """Whether training had a question of the row's target, be it in another corpus."""
    return targets.name.is_in(list(targets.labels))


def distinct(*tables: pl.DataFrame) -> list[str]:
    """The distinct questions, sorted, so that their order tells nothing."""
    return pl.concat([table["question"] for table in tables]).unique().sort().to_list()


def indices(rows: pl.DataFrame, texts: Sequence[str], targets: Targets) -> NDArray[np.float64]:
    """The inputs of questions: rows of the audio, of the texts and of the targets `[n, 3]`."""
    text = {one: row for row, one in enumerate(texts)}
    target = {name: row for row, name in enumerate(targets.names)}
    return (
        rows.select(
            pl.col(AUDIO_ROW),
            pl.col("question").replace_strict(text, return_dtype=pl.Int64),
            targets.name.replace_strict(target, return_dtype=pl.Int64),
        )
        .to_numpy()
        .astype(np.float64)
    )


def numbered(
    rows: pl.DataFrame, texts: Sequence[str], targets: Targets
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The inputs of questions, and labels by their number or numbers in standard deviations.

    A label that training has not seen can not be learnt from: its question is left out.
    """
    place = {label: number for number, label in enumerate(targets.vocabulary)}
    name = targets.name
    labels = rows.select(
        pl.col("label").replace_strict(place, default=None, return_dtype=pl.Float64),
        value=(pl.col("value") - name.replace_strict(targets.mean, default=None,
                                                     return_dtype=pl.Float64))
        / name.replace_strict(targets.deviation, default=None, return_dtype=pl.Float64),
    )  # fmt: skip
    wanted = labels.select(pl.coalesce("label", "value"))["label"]
    keep = wanted.is_not_null()
    return indices(rows.filter(keep), texts, targets), wanted.filter(keep).to_numpy()


def said(
    seed: int,
    rows: pl.DataFrame,
    *,
    asks_number: NDArray[np.bool_],
    label: NDArray[Any] | None,
    probability: NDArray[np.float64] | None,
    value: NDArray[np.float64],
) -> pl.DataFrame:
    """One seed's answers to some questions."""
    number = pl.Series(asks_number, dtype=pl.Boolean)
    given = pl.DataFrame(
        {
            "label": [None] * rows.height if label is None else list(label),
            "probability": [None] * rows.height if probability is None else probability,
            "value": value,
        },
        schema={"label": pl.String, "probability": pl.Float64, "value": pl.Float64},
    )
    return (
        rows.select("qa_id")
        .hstack(given)
        .with_columns(
            seed=pl.lit(seed, pl.Int64),
            response=pl.lit(None, pl.String),
            label=pl.when(~number).then("label"),
            probability=pl.when(~number).then("probability"),
            value=pl.when(number).then("value"),
        )
        .select("seed", "qa_id", "response", "label", "value", "probability")
    )


def weighed(
    seeds: Sequence[int], rows: pl.DataFrame, shares: NDArray[np.float64], targets: Targets
) -> pl.DataFrame:
    """The probabilities of the labels that are valid for each question, SHARES columns.

    Args:
        shares: `[seeds, labels, questions]`, in the order of the vocabulary.
    """
    place = {label: number for number, label in enumerate(targets.vocabulary)}
    names = rows.select(targets.name).to_series()
    found = [
        (seed, qa_id, label, shares[row, place[label], column])
        for row, seed in enumerate(seeds)
        for column, (qa_id, name) in enumerate(zip(rows["qa_id"], names, strict=True))
        for label in targets.labels[name]
    ]
    return pl.DataFrame(found, schema=dict(SHARES), orient="row")


def one_table(train: QuestionPairs, validation: QuestionPairs) -> tuple[FloatArray, pl.DataFrame]:
    """The audio of both sides as one table, and the validation rows that point into it."""
    if validation.audio is train.audio:
        return train.audio, validation.rows
    both = np.concatenate([train.audio, validation.audio])
    return both, validation.rows.with_columns(pl.col(AUDIO_ROW) + len(train.audio))


def scale(name: str, table: FloatArray, settings: TrainerSettings) -> dict[str, FloatArray]:
    """Mean and factor of a table of embeddings, under names that begin with its own."""
    empty = np.zeros(len(table))
    learnt = Scaling.learn(FitData(table, empty, table, empty), settings)
    return {f"{name}_mean": learnt.input_mean, f"{name}_factor": learnt.input_factor}


def scaled(name: str, table: FloatArray, scales: Mapping[str, FloatArray]) -> FloatArray:
    """A table of embeddings by the scales of its name."""
    scaling = Scaling(
        np.asarray(scales[f"{name}_mean"]), np.asarray(scales[f"{name}_factor"]), 0.0, 1.0
    )
    return scaling.inputs(table)
