"""What can be answered: the labels of each kind of question as training has seen them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

NAME = "target"
"""Column with a target's name: corpus/attribute/question_type."""

ANY = "*"
"""Stands for the corpus where training did not ask this of the question's own."""


@dataclass(frozen=True)
class Targets:
    """Every target of the training questions.

    Attributes:
        labels: target's name to its valid labels, sorted; empty where a number is asked for.
        mean, deviation: of a number in training, by target's name.
    """

    labels: Mapping[str, tuple[str, ...]]
    mean: Mapping[str, float]
    deviation: Mapping[str, float]

    @classmethod
    def learn(cls, rows: pl.DataFrame) -> Targets:
        """Collect them from training rows, QUESTIONS columns; of each corpus and of ANY."""
        anywhere = rows.with_columns(corpus=pl.lit(ANY))
        groups = (
            pl.concat(part.select(_own_name(), "label", "value") for part in (rows, anywhere))
            .group_by(NAME)
            .agg(
                labels=pl.col("label").drop_nulls().unique().sort(),
                mean=pl.col("value").mean(),
                deviation=pl.col("value").std(ddof=0),
            )
            .sort(NAME)
        )
        labels: dict[str, tuple[str, ...]] = {}
        mean: dict[str, float] = {}
        deviation: dict[str, float] = {}
        for name, known, average, spread in groups.iter_rows():
            labels[name] = tuple(known)
            if not known:
                mean[name], deviation[name] = average, spread or 1.0
        return cls(labels, mean, deviation)

    @property
    def names(self) -> tuple[str, ...]:
        """The targets in order."""
        return tuple(self.labels)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Every label of any target, sorted."""
        return tuple(sorted({label for labels in self.labels.values() for label in labels}))

    @cached_property
    def numeric(self) -> tuple[str, ...]:
        """The attributes that are numbers, sorted: one output each, whatever the corpus."""
        return tuple(sorted({name.split("/")[1] for name in self.mean}))

    @property
    def name(self) -> pl.Expr:
        """The name of each row's target: that of its own corpus, or of any where it has none."""
        own, anywhere = _own_name(), _name_in(pl.lit(ANY))
        return pl.when(own.is_in(list(self.labels))).then(own).otherwise(anywhere).alias(NAME)

    def mask(self) -> np.ndarray:
        """Which label is valid for which target: bool `[targets, labels]`."""
        place = {label: number for number, label in enumerate(self.vocabulary)}
        valid = np.zeros((len(self.labels), len(place)), dtype=np.bool_)
        for row, labels in enumerate(self.labels.values()):
            valid[row, [place[label] for label in labels]] = True
        return valid


def _own_name() -> pl.Expr:
    return _name_in(pl.col("corpus"))


def _name_in(corpus: pl.Expr) -> pl.Expr:
    return pl.concat_str(corpus, "attribute", "question_type", separator="/").alias(NAME)
