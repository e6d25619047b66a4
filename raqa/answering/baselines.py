"""Answers without listening: what any model of questions about recordings must beat."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked

from raqa.answering.base import (
    SHARES,
    Asked,
    FittedQuestionHead,
    Fitting,
    QuestionHead,
    QuestionPairs,
    learnt_answers,
)
from raqa.errors import UserError
from raqa.folders import make_folder
from raqa.tables import TaskKind
from raqa.training.history import HISTORY

_FILE = "answers.parquet"
_ALL = ("corpus", "attribute", "question_type", "asked_label")

Keys = Sequence[Sequence[str]]
"""Columns that answers are looked up by: the first that training knows, one after the other."""


@dataclass(frozen=True)
class Lookup(FittedQuestionHead):
    """What was frequent in training, for keys from narrow to wide.

    Attributes:
        table: `level` (Int64), the columns of _ALL (null where the level does not look at them),
            `labels` and `shares` (lists, the most frequent first), `median`.
    """

    keys: Keys
    table: pl.DataFrame
    seeds: tuple[int, ...]
    history: pl.DataFrame

    @classmethod
    def learn(cls, keys: Keys, rows: pl.DataFrame, seeds: Sequence[int]) -> Self:
        """Count the labels of every key, and take the median of numbers."""
        levels = [_counted(rows, columns, level) for level, columns in enumerate(keys)]
        empty = pl.DataFrame(schema=dict(HISTORY))
        return cls(keys, pl.concat(levels), tuple(seeds), empty)

    def found(self, asked: pl.DataFrame) -> pl.DataFrame:
        """Labels, shares and median for each question from the narrowest key that is known.

        Returns:
            qa_id, labels, shares, median in the order of `asked`; null where no key is known.
        """
        rows = asked.select("qa_id", "kind", "options", *_ALL)
        found = rows.select("qa_id")
        columns = ["labels", "shares", "median"]
        for level, key in enumerate(self.keys):
            part = self.table.filter(pl.col("level") == level).select(*key, *columns)
            here = rows.join(part, on=list(key), how="left", nulls_equal=True,
                             maintain_order="left").select(columns)  # fmt: skip
            if level == 0:
                found = found.hstack(here)
                continue
            known = found["labels"].is_not_null()
            found = found.with_columns(
                pl.when(known).then(found[name]).otherwise(here[name]).alias(name)
                for name in columns
            )
        return found

    def answer(self, asked: Asked) -> pl.DataFrame:
        """The most frequent label with its share, or the median: the same for every seed."""
        found = self.found(asked.rows)
        label = pl.col("labels").list.first()
        one = found.select(
            "qa_id",
            response=pl.lit(None, pl.String),
            label=label,
            value=pl.when(label.is_null()).then("median"),
            probability=pl.col("shares").list.first(),
        )
        return _for_seeds(one, self.seeds)

    def shares(self, asked: Asked) -> pl.DataFrame | None:
        """How frequent every label was in training: the same for every seed."""
        found = self.found(asked.rows).filter(pl.col("labels").list.len() > 0)
        one = found.select("qa_id", label="labels", probability="shares").explode(
            "label", "probability"
        )
        seeds = pl.DataFrame({"seed": self.seeds}, schema={"seed": pl.Int64})
        return seeds.join(one, how="cross").select(*SHARES)

    def save(self, folder: Path) -> None:
        """Write the counts."""
        make_folder(folder)
        self.table.write_parquet(folder / _FILE)


class RandomLookup(Lookup):
    """Answers drawn evenly from the labels that training has of the question's target."""

    def shares(self, asked: Asked) -> None:
        """Nothing: a draw names one label, and all were equally probable."""

    def answer(self, asked: Asked) -> pl.DataFrame:
        """A label for each question; where a number is asked for, the median.

        A draw depends on the seed and the question's id alone, so no other question moves it.
        """
        found = self.found(asked.rows)
        counts = found["labels"].list.len().fill_null(0).to_numpy()
        drawn = []
        for seed in self.seeds:
            chosen = (_draws(seed, found["qa_id"]) * counts).astype(np.int64)
            labels = found.with_columns(chosen=pl.Series(chosen))
            label = pl.col("labels").list.get(pl.col("chosen"), null_on_oob=True)
            drawn.append(
                labels.select(
                    qa_id="qa_id",
                    seed=pl.lit(seed, pl.Int64),
                    response=pl.lit(None, pl.String),
                    label=label,
                    value=pl.when(label.is_null()).then("median"),
                    probability=pl.when(label.is_not_null()).then(1 / pl.col("labels").list.len()),
                )
            )
        return learnt_answers(pl.concat(drawn))


class _LookupHead(QuestionHead):
    kinds: ClassVar[tuple[TaskKind, ...]] = ("questions",)
    uses_audio: ClassVar[bool] = False
    fitted: ClassVar[type[Lookup]] = Lookup

    @property
    @abstractmethod
    def keys(self) -> Keys:
        """From narrow to wide."""

    def fit(self, train: QuestionPairs, validation: QuestionPairs, fitting: Fitting) -> Lookup:  # noqa: ARG002
        """Count; the validation side is not needed."""
        return self.fitted.learn(self.keys, train.rows, fitting.seeds)

    def load(self, folder: Path, seeds: Sequence[int]) -> Lookup:
        """Read the counts."""
        file = folder / _FILE
        if not file.is_file():
            raise UserError(f"There is no fitted head at {folder}.")
        return self.fitted(
            self.keys, pl.read_parquet(file), tuple(seeds), pl.DataFrame(schema=dict(HISTORY))
        )


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class MajorityHead(_LookupHead):
    """The most frequent training label of the target: corpus, attribute and question type."""

    @property
    def keys(self) -> Keys:
        """The target, or the attribute in any corpus."""
        return (
            ("corpus", "attribute", "question_type"),
            ("attribute", "question_type"),
            ("question_type",),
        )


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class RandomHead(MajorityHead):
    """Any of the target's valid labels, each as probable as the others."""

    fitted: ClassVar[type[Lookup]] = RandomLookup


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class QuestionPriorHead(_LookupHead):
    """The most frequent training label of what was asked, whoever is heard.

    Keyed on attribute, question type and asked label: it knows what a question gives away.
    """

    @property
    def keys(self) -> Keys:
        """What is asked, then the attribute and type, then the type."""
        return (
            ("attribute", "question_type", "asked_label"),
            ("attribute", "question_type"),
            ("question_type",),
        )


def _counted(rows: pl.DataFrame, columns: Sequence[str], level: int) -> pl.DataFrame:
    """Labels and their shares for each value of some columns, the most frequent label first."""
    named = (
        rows.filter(pl.col("label").is_not_null())
        .group_by(*columns, "label")
        .len()
        .sort(*columns, "len", "label", descending=[False] * len(columns) + [True, False])
        .group_by(columns, maintain_order=True)
        .agg(labels="label", shares=pl.col("len") / pl.col("len").sum())
    )
    medians = rows.group_by(columns).agg(median=pl.col("value").median())
    found = medians.join(named, on=list(columns), how="left", nulls_equal=True)
    absent = [pl.lit(None, pl.String).alias(name) for name in _ALL if name not in columns]
    return (
        found.with_columns(
            *absent,
            level=pl.lit(level, pl.Int64),
            labels=pl.col("labels").fill_null([]),
            shares=pl.col("shares").fill_null([]),
        )
        .select("level", *_ALL, "labels", "shares", "median")
        .sort(*_ALL)
    )


def _draws(seed: int, names: pl.Series) -> NDArray[np.float64]:
    """A number in [0, 1) for each name, evenly spread and the same on every machine."""
    digests = b"".join(
        hashlib.blake2b(f"{seed} {name}".encode(), digest_size=8).digest() for name in names
    )
    return (np.frombuffer(digests, "<u8") >> np.uint64(11)) / 2.0**53


def _for_seeds(one: pl.DataFrame, seeds: Sequence[int]) -> pl.DataFrame:
    return learnt_answers(
        pl.concat([one.with_columns(seed=pl.lit(seed, pl.Int64)) for seed in seeds])
    )
