"""Which recordings of a corpus take part: filters from the config, counted at every step."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Annotated, Self

import polars as pl
from pydantic import BaseModel, ConfigDict, Discriminator, Tag, model_validator
from pydantic.dataclasses import dataclass

from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.base import Recordings, Step
from raqa.errors import UserError, neighbours

Scalar = str | bool | int | float


class Between(BaseModel):
    """A closed range over a numeric attribute or the ordered labels of an ordinal one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    min: Scalar | None = None
    max: Scalar | None = None

    @model_validator(mode="after")
    def _has_a_bound(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("a range needs min, max or both")
        numbers = [end for end in (self.min, self.max) if isinstance(end, int | float)]
        if len(numbers) == 2 and numbers[0] > numbers[1]:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def __str__(self) -> str:
        if self.min is None:
            return f"at most {self.max}"
        return f"at least {self.min}" if self.max is None else f"{self.min} to {self.max}"


_LISTED = 50  # more choices than this are not worth reading


def _kind(rule: object) -> str:
    if isinstance(rule, Mapping | Between):
        return "range"
    return "list" if isinstance(rule, list | tuple) else "value"


Filter = Annotated[
    Annotated[Between, Tag("range")]
    | Annotated[list[Scalar], Tag("list")]
    | Annotated[Scalar | None, Tag("value")],
    Discriminator(_kind),  # or a misspelt bound is answered with a complaint of every kind
]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Cohort:
    """Filters over columns of the recordings table; a missing value passes none of them.

    Attributes:
        filters: column to one allowed value, a list of them, or `{min:, max:}`; applied in the
            given order. A null switches a filter off.
    """

    filters: Mapping[str, Filter] = field(default_factory=dict)

    def apply(self, recordings: Recordings) -> Recordings:
        """Keep the recordings that pass every filter.

        Returns:
            The kept rows, with one step for the label tables and one for each filter.

        Raises:
            UserError: a filter names a column or a value that this corpus does not have; all
                problems together, each with its neighbours.
        """
        asked = {column: rule for column, rule in self.filters.items() if rule is not None}
        tests: dict[str, pl.Expr] = {}
        problems: list[str] = []
        for column, rule in asked.items():
            try:
                tests[_name(column, rule)] = _test(recordings, column, rule)
            except UserError as error:
                problems += error.problems
        if problems:
            raise UserError(problems)
        kept = with_step(recordings, "in the label tables")
        for name, test in tests.items():
            kept = with_step(replace(kept, table=kept.table.filter(test)), name)
        return kept


def audio_present(recordings: Recordings) -> Recordings:
    """Keep the recordings whose file is there, as a step of its own."""
    return with_step(
        replace(recordings, table=recordings.table.filter(pl.col("audio"))), "audio present"
    )


def with_step(recordings: Recordings, name: str) -> Recordings:
    """Count what the last thing that was done to these recordings left."""
    table = recordings.table
    step = Step(name, table.height, table.select("corpus", "subject_id").n_unique())
    return replace(recordings, steps=(*recordings.steps, step))


def _name(column: str, rule: Filter) -> str:
    known = ATTRIBUTES.get(column)
    unit = f" {known.unit}" if known and known.unit else ""
    values = rule if isinstance(rule, list) else [rule]
    return f"{column} {' or '.join(_word(value) for value in values)}{unit}"


def _word(value: object) -> str:
    if isinstance(value, bool):  # what YAML makes of an unquoted yes or no
        return "yes" if value else "no"
    return str(value)


def _test(recordings: Recordings, column: str, rule: Filter) -> pl.Expr:
    table = recordings.table
    if column not in table.columns:
        raise UserError(
            f"The cohort filters on {column!r}, which {recordings.corpus} does not have. "
            f"{neighbours(column, table.columns)}"
        )
    numeric = table.schema[column].is_numeric()
    if isinstance(rule, Between):
        return _between_numbers(column, rule) if numeric else _between_labels(column, rule)
    allowed = rule if isinstance(rule, list) else [rule]
    if numeric:
        return pl.col(column).is_in([_number(column, value) for value in allowed])
    if table.schema[column] == pl.Boolean:
        return pl.col(column).is_in([value in {True, "true", "yes"} for value in allowed])
    words = [_word(value) for value in allowed]
    _require_values(recordings, column, words)
    if table.schema[column] == pl.List:  # one of several labels is enough
        return pl.col(column).list.set_intersection(words).list.len() > 0
    return pl.col(column).is_in(words)


def _between_numbers(column: str, rule: Between) -> pl.Expr:
    test = pl.col(column).is_not_null()
    if rule.min is not None:
        test &= pl.col(column) >= _number(column, rule.min)
    if rule.max is not None:
        test &= pl.col(column) <= _number(column, rule.max)
    return test


def _between_labels(column: str, rule: Between) -> pl.Expr:
    known = ATTRIBUTES.get(column)
    if known is None or known.kind != "ordinal":
        raise UserError(
            f"The cohort asks for {column} {rule}, but {column} has no order; give a list of values"
        )
    order = list(known.labels)
    for end in (rule.min, rule.max):
        if end is not None and _word(end) not in order:
            raise UserError(f"{column} has no value {_word(end)!r}. {neighbours(str(end), order)}")
    first = 0 if rule.min is None else order.index(_word(rule.min))
    last = len(order) if rule.max is None else order.index(_word(rule.max)) + 1
    return pl.col(column).is_in(order[first:last])


def _number(column: str, value: Scalar | None) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UserError(f"The cohort's filter on {column} takes numbers, not {value!r}")
    return float(value)


def _require_values(recordings: Recordings, column: str, words: list[str]) -> None:
    known = ATTRIBUTES.get(column)
    present = recordings.table[column].drop_nulls()
    present = (present.explode() if present.dtype == pl.List else present).unique()
    if present.is_empty() and recordings.table.height:
        why = recordings.set_aside.filter(pl.col("field") == column)["reason"].unique()
        because = f" ({why[0]})" if len(why) == 1 else ""
        raise UserError(
            f"The cohort filters on {column}, but no recording of {recordings.corpus} has "
            f"one{because}. datamodule.cohort.filters.{column}=null switches the filter off."
        )
    choices = {*present, *(known.labels if known else ())}
    unknown = [word for word in words if word not in choices]
    if unknown:
        name = recordings.corpus
        hints = {word: _hint(word, choices) for word in unknown}
        raise UserError(
            [f"No recording of {name} has the {column} {word!r}. {hints[word]}" for word in unknown]
        )


def _hint(word: str, choices: set[str]) -> str:
    if len(choices) > _LISTED:
        choices = set(difflib.get_close_matches(word, choices))
    return neighbours(word, choices)
