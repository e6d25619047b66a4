"""Who is on the training, validation and test side: by subject, as published, or from a file."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import polars as pl
from pydantic import ConfigDict, Field, field_validator, model_validator
from pydantic.dataclasses import dataclass

from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.base import Recordings
from raqa.errors import UserError, neighbours
from raqa.folders import make_folder
from raqa.regimes.strata import deal
from raqa.tables import SIDES, SetAside, set_aside_table

_STRICT = ConfigDict(extra="forbid")


class Split(ABC):
    """Assigns every recording of a cohort to a side, or to none."""

    leaking: ClassVar[bool] = False  # whether subjects may stay on two sides

    def apply(self, recordings: Recordings) -> Recordings:
        """Give recordings a `side` column, no subject on two sides unless the split leaks.

        A subject that was put on several sides stays on the last of train, validation, test:
        training gives way. Its other recordings are set aside.

        Raises:
            UserError: this split can not be made from these recordings.
        """
        table = self.assign(recordings.table)
        if self.leaking:
            return replace(recordings, table=self.complete(table))
        order = pl.col("side").replace_strict({s: n for n, s in enumerate(SIDES)}, default=None)
        last = order.max().over("corpus", "subject_id")
        apart = table.with_columns(_order=order, _last=last)
        leaving = apart.filter(pl.col("_order") < pl.col("_last"))
        if not leaving.height:
            return replace(recordings, table=self.complete(table))
        rows = [
            SetAside(corpus, "split", recording_id, f"its subject is on the {SIDES[stays]} side "
                     f"too, so it left the {side} side")
            for corpus, recording_id, side, stays in leaving.select(
                "corpus", "recording_id", "side", "_last"
            ).rows()
        ]  # fmt: skip
        kept = apart.with_columns(
            side=pl.when(pl.col("_order") < pl.col("_last")).then(None).otherwise("side")
        ).drop("_order", "_last")
        aside = pl.concat([recordings.set_aside, set_aside_table(rows)])
        return replace(recordings, table=self.complete(kept), set_aside=aside)

    def complete(self, sided: pl.DataFrame) -> pl.DataFrame:
        """Add a side that training needs and the split does not have."""
        return sided

    @abstractmethod
    def assign(self, recordings: pl.DataFrame) -> pl.DataFrame:
        """Give a recordings table a `side` column (null: on no side).

        Raises:
            UserError: this split can not be made from these recordings.
        """


@dataclass(frozen=True, config=_STRICT)
class BySubject(Split):
    """Random by subject, stratified on attributes: quintiles of a number, labels otherwise.

    The split depends on the subjects, these attributes and its own seed, and on nothing else: not
    on the task, the training seeds, or on which audio files happen to be present.

    Args:
        train, validation, test: fractions of subjects, together 1.
        seed: of the split alone.
        stratify: attributes, the most important first; those that a corpus does not have are
            passed over. A subject counts by its median or its most frequent label, and all
            without one form a stratum.
        group_column: keep recordings with the same value there together, instead of subjects.
    """

    train: float = Field(gt=0, lt=1)
    validation: float = Field(gt=0, lt=1)
    test: float = Field(gt=0, lt=1)
    seed: int = Field(ge=0)
    stratify: tuple[str, ...] = ("age",)
    group_column: str = "subject_id"

    @field_validator("stratify")
    @classmethod
    def _are_attributes(cls, stratify: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in stratify if name not in ATTRIBUTES]
        if unknown:
            raise ValueError(f"there is no attribute {unknown[0]!r}. "
                             f"{neighbours(unknown[0], ATTRIBUTES)}")  # fmt: skip
        return stratify

    @model_validator(mode="after")
    def _sum_to_one(self) -> BySubject:
        total = self.train + self.validation + self.test
        if abs(total - 1) > 1e-6:
            raise ValueError(f"train, validation and test add up to {total:g}, not 1")
        return self

    def assign(self, recordings: pl.DataFrame) -> pl.DataFrame:
        """Assign subjects (or groups) so that every stratum has the fractions asked for."""
        column = self.group_column
        if column not in recordings.columns:
            corpus = ", ".join(recordings["corpus"].unique().sort())
            raise UserError(f"split: {corpus} has no column {column!r} to keep together")
        fractions = (self.train, self.validation, self.test)
        named = deal(recordings, column, self.stratify, fractions, self.seed)
        return recordings.join(named, on=column, how="left", maintain_order="left")


@dataclass(frozen=True, config=_STRICT)
class Official(Split):
    """The split that the corpus publishes.

    Args:
        validation: fraction of the training subjects that become the validation side of a corpus
            that publishes none; which epoch is best must not be read off the test side.
        seed: of that choice alone.
        stratify: as in BySubject, for that choice.
    """

    validation: float = Field(default=0.15, gt=0, lt=1)
    seed: int = Field(default=0, ge=0)
    stratify: tuple[str, ...] = ("diagnosis", "murmur", "sex", "age")

    def assign(self, recordings: pl.DataFrame) -> pl.DataFrame:
        """Take the corpus's own split; recordings that it leaves out are on no side."""
        if recordings["split"].is_null().all():
            corpus = ", ".join(recordings["corpus"].unique().sort())
            raise UserError(
                f"{corpus} states no split of its own for these recordings. "
                "Use split=by_subject, or split=from_file with a file of your own."
            )
        return recordings.with_columns(side=pl.col("split"))

    def complete(self, sided: pl.DataFrame) -> pl.DataFrame:
        """Take a validation side out of the training side where none is published."""
        training = sided.filter(pl.col("side") == "train")
        if not training.height or (sided["side"] == "validation").any():
            return sided
        fractions = (1 - self.validation, self.validation, 0.0)
        dealt = deal(training, "subject_id", self.stratify, fractions, self.seed)
        chosen = dealt.filter(pl.col("side") == "validation")["subject_id"].to_list()
        moved = (pl.col("side") == "train") & pl.col("subject_id").is_in(chosen)
        return sided.with_columns(side=pl.when(moved).then(pl.lit("validation")).otherwise("side"))


@dataclass(frozen=True, config=_STRICT)
class OfficialAsIs(Official):
    """The split that the corpus publishes, with the subjects that it puts on two sides.

    For comparison with numbers that were made so; every result is marked as leaking.
    """

    leaking: ClassVar[bool] = True


@dataclass(frozen=True, config=_STRICT)
class Auto(Split):
    """The corpus's own split where it has one, else another one.

    Args:
        otherwise: what to do for a corpus that publishes none.
        official: how the own split is taken.
    """

    otherwise: BySubject
    official: Official = Official()

    def assign(self, recordings: pl.DataFrame) -> pl.DataFrame:
        """Delegate to the official split if any recording has one."""
        own = not recordings["split"].is_null().all()
        return (self.official if own else self.otherwise).assign(recordings)

    def complete(self, sided: pl.DataFrame) -> pl.DataFrame:
        """Take a validation side out of training where the corpus publishes none."""
        return self.official.complete(sided)


@dataclass(frozen=True, config=_STRICT)
class FromFile(Split):
    """A split that was written to a file, for example by another lab.

    Args:
        file: CSV with the columns corpus, subject_id, side.
    """

    file: Path | None

    def assign(self, recordings: pl.DataFrame) -> pl.DataFrame:
        """Join the file on corpus and subject; subjects that it does not name are on no side."""
        if self.file is None:
            raise UserError(
                "split=from_file needs split.file=PATH (a CSV: corpus, subject_id, side)"
            )
        if not self.file.is_file():
            raise UserError(f"split.file: there is no file {self.file}")
        try:
            table = pl.read_csv(self.file, infer_schema=False)
        except (pl.exceptions.PolarsError, OSError) as error:
            reason = str(error).partition("\n")[0]
            raise UserError(f"split.file: {self.file} can not be read as a CSV: {reason}") from None
        wanted = ["corpus", "subject_id", "side"]
        absent = [name for name in wanted if name not in table.columns]
        if absent:
            raise UserError(f"{self.file} has no column {', '.join(absent)}; it has: "
                            f"{', '.join(table.columns)}")  # fmt: skip
        strange = sorted(set(table["side"].drop_nulls()) - set(SIDES))
        if strange:
            raise UserError(f"{self.file}: side {strange[0]!r}. {neighbours(strange[0], SIDES)}")
        table = table.select(wanted).unique(maintain_order=True)
        torn = table.filter(table.select("corpus", "subject_id").is_duplicated())
        if torn.height:
            raise UserError(f"{self.file}: subject {torn['subject_id'][0]} stands on two sides")
        return recordings.join(
            table, on=["corpus", "subject_id"], how="left", maintain_order="left"
        )


def write_split(sides: pl.DataFrame, folder: Path) -> Path:
    """Write corpus, subject_id and side to a CSV that other labs can use with split=from_file.

    The name holds a hash of the content: the same split is one file, whatever task made it.
    """
    table = sides.select("corpus", "subject_id", "side").unique().drop_nulls("side")
    text = table.sort("corpus", "subject_id").write_csv()
    corpora = "-".join(table["corpus"].unique().sort())
    path = folder / f"{corpora}-{hashlib.sha256(text.encode()).hexdigest()[:10]}.csv"
    if not path.exists():
        make_folder(folder)
        unfinished = path.with_name(f".{path.name}.{os.getpid()}")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    return path
