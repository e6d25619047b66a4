"""What can be answered: the labels of each kind of question as training has seen them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

TARGET = ("corpus", "attribute", "question_type")
"""Questions of one target have the same valid answers."""

NAME = "target"
"""Column that `Targets.name` adds: the target's name."""


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
        """Collect them from training rows, QUESTIONS columns."""
        groups = (
            rows.select(target_name(), "label", "value")
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

    def mask(self) -> np.ndarray:
        """Which label is valid for which target: bool `[targets, labels]`."""
        place = {label: number for number, label in enumerate(self.vocabulary)}
        valid = np.zeros((len(self.labels), len(place)), dtype=np.bool_)
        for row, labels in enumerate(self.labels.values()):
            valid[row, [place[label] for label in labels]] = True
        return valid


def target_name() -> pl.Expr:
    """The name of each row's target: corpus/attribute/question_type."""
    return pl.concat_str(TARGET, separator="/").alias(NAME)


def unlearnt(rows: pl.DataFrame, targets: Targets) -> Sequence[str]:
    """Targets of these rows that training had no question of, sorted."""
    asked = rows.select(target_name())[NAME].unique()
    return sorted(set(asked) - set(targets.labels))
