"""From recordings to questions and answers, a bounded number of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as validated

from raqa.questions.block import People, build_block
from raqa.questions.columns import Column, read_column
from raqa.questions.keys import text_keys
from raqa.questions.templates import Templates
from raqa.questions.units import Unit, balance, units_of
from raqa.tables import SIDES

BLOCK_ROWS = 400_000
"""Rows that are made at a time: a row group of the file, and about 150 MB while it is made."""

_SPLITS: tuple[str | None, ...] = (*SIDES, None)


@validated(frozen=True, config=ConfigDict(extra="forbid"))
class QuestionSettings:
    """How questions are made of recordings.

    Attributes:
        wordings: with how many wordings of a question type a recording is asked, chosen by hash;
            or all of them.
        balance: keep as many single_verify cases with yes as with no, for each question text,
            corpus and split, unless the template says otherwise.
        most_options: that a multiple-choice question offers.
        seed: of the choice of wordings and of the order of options; ids do not depend on it.
    """

    wordings: Literal["all"] | Annotated[int, Field(ge=1)] = 1
    balance: bool = True
    most_options: Annotated[int, Field(ge=2)] = 8
    seed: Annotated[int, Field(ge=0)] = 0


@dataclass(frozen=True)
class Dropped:
    """Questions that could have been asked and were not, and why.

    Attributes:
        rows: how many; of an attribute as a whole, how many recordings have a value.
    """

    corpus: str
    attribute: str
    reason: str
    rows: int
    question_type: str | None = None
    template_id: str | None = None
    asked_label: str | None = None
    split: str | None = None


class Generator:
    """The questions of one corpus.

    Args:
        table: RECORDINGS columns, attributes, and `side` (train, validation, test or null). The
            order of its rows has no influence.
        advance: is told which fraction of the recordings was done since the last time.

    Attributes:
        dropped: what could have been asked and is not.
        counts: questions in train, validation, test and none, by attribute and question type.
    """

    def __init__(
        self,
        table: pl.DataFrame,
        templates: Templates,
        settings: QuestionSettings,
        advance: Callable[[float], None] = lambda _: None,
    ) -> None:
        table = table.sort("recording_id")
        self._settings = settings
        self._advance = advance
        self.dropped: list[Dropped] = []
        self.counts: dict[tuple[str, str], NDArray[np.int64]] = {}
        self.people = _people(table)
        self.columns = self._read(table, templates)
        self._units = [replace(unit, limits=self._limits(unit)) for unit in self._candidates()]
        self._rows = self._count()

    @property
    def rows(self) -> int:
        """How many questions there are."""
        return int(self._rows.sum())

    def blocks(self, most: int = BLOCK_ROWS) -> Iterator[pa.Table]:
        """Make the questions, recording by recording, at most so many rows at a time.

        Yields:
            tables of `raqa.questions.block.SCHEMA`; a single recording is never divided.
        """
        ends = np.cumsum(self._rows)
        start, recordings = 0, len(ends)
        while start < recordings:
            before = ends[start - 1] if start else 0
            stop = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
            block = build_block(self._units, self.people, slice(start, stop))
            if block.num_rows:
                yield block
            self._advance((stop - start) / recordings)
            start = stop

    def _read(self, table: pl.DataFrame, templates: Templates) -> list[Column]:
        corpus, columns = self.people.corpus, []
        for name, given in templates.by_attribute.items():
            if name not in table.columns:
                continue
            if given.excluded:
                known = table.height - table[name].null_count()
                reason = f"excluded by the templates: {given.excluded}"
                self.dropped += [Dropped(corpus, name, reason, known)] * (known > 0)
                continue
            column = read_column(table[name], given)
            self.dropped += [Dropped(corpus, name, *case) for case in column.unsayable]
            columns.append(column)
        return columns

    def _candidates(self) -> Iterator[Unit]:
        wordings = self._settings.wordings
        for column in self.columns:
            choices = column.templates.of_type("multiple_choice")
            if choices and len(column.labels) == 1:
                self.dropped.append(Dropped(
                    self.people.corpus, column.name, f"{column.labels[0]!r} is the only label in "
                    "the corpus: nothing to choose from", column.known, "multiple_choice",
                ))  # fmt: skip
            yield from units_of(
                column, wordings=None if wordings == "all" else wordings,
                most_options=self._settings.most_options, seed=self._settings.seed,
            )  # fmt: skip

    def _limits(self, unit: Unit) -> Any:
        wording = unit.wording
        if wording.question_type != "single_verify" or not wording.balance:
            return None
        if not self._settings.balance:
            return None
        people = self.people
        limits, surplus = balance(unit, people.keys, people.split, len(_SPLITS))
        for side, answer in np.argwhere(surplus):
            more, fewer = ("yes", "no") if answer else ("no", "yes")
            self.dropped.append(Dropped(
                people.corpus, unit.column.name, f"more answers are {more} than {fewer}",
                int(surplus[side, answer]), wording.question_type, wording.template_id,
                unit.asked_label, _SPLITS[side],
            ))  # fmt: skip
        return limits

    def _count(self) -> NDArray[np.int64]:
        """How many questions each recording gets; fills `counts` on the way."""
        people, everybody = self.people, slice(None)
        rows = np.zeros(len(people.keys), dtype=np.int64)
        for unit in self._units:
            kept = unit.kept(people.keys, everybody, people.split)
            rows += kept
            name = (unit.column.name, unit.wording.question_type)
            counts = np.bincount(people.split[kept], minlength=len(_SPLITS))
            self.counts[name] = self.counts.get(name, np.zeros_like(counts)) + counts
        return rows


def _people(table: pl.DataFrame) -> People:
    corpus = str(table["corpus"][0]) if table.height else ""
    recordings = table["recording_id"].to_list()
    places = {side: place for place, side in enumerate(SIDES)}
    split = table["side"].replace_strict(places, default=len(SIDES), return_dtype=pl.Int8)
    return People(
        corpus, recordings, table["subject_id"].to_list(),
        split.fill_null(len(SIDES)).to_numpy().astype(np.int8),
        text_keys([f"{corpus}\0{one}" for one in recordings]) if recordings
        else np.empty((0, 2), dtype=np.uint64),
    )  # fmt: skip
