"""A paper's numbers, read from the CSV beside a recipe, to stand beside ours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from raqa.errors import UserError

_LONG = ("corpus", "target", "encoder", "mae_mean")
_WIDE = ("corpus", "target", "head")
_CROSS = ("train_on", "test_on", "encoder", "cross_mae", "within_mae", "gap")
_ANSWERS = ("question_type", "metric", "head", "value")
_ABOUT = ("corpus", "attribute")
_EXAM = ("model", "by", "part", "percent")
_SHAPES = (_CROSS, _LONG, (*_WIDE, "one column per encoder"), _ANSWERS, _EXAM)


@dataclass(frozen=True)
class PublishedError:
    """A mean absolute error as printed; `sd` over seeds where the paper gives it."""

    mean: float
    sd: float | None = None

    def text(self, places: int = 2) -> str:
        """The mean with the decimals that it was printed with, `places` at least."""
        return published_text(self.mean, places)


@dataclass(frozen=True)
class PublishedDirection:
    """Trained here, tested there, as printed: the encoder that the paper shows, and its errors."""

    encoder: str
    cross: float
    within: float
    gap: float


@dataclass(frozen=True)
class Published:
    """All numbers of one table.

    Attributes:
        errors: by corpus, task, head ("" where the table has one head) and encoder.
        directions: by training and tested corpus.
        answers: of answers to questions, by part (a question type, or "corpus / attribute /
            question type"), metric and head.
        exams: per cent by model, what it was given ("" where the table does not say), by what and
            part of an exam.
    """

    errors: Mapping[tuple[str, str, str, str], PublishedError] = field(default_factory=dict)
    directions: Mapping[tuple[str, str], PublishedDirection] = field(default_factory=dict)
    answers: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    exams: Mapping[tuple[str, str, str, str], float] = field(default_factory=dict)

    def exam(self, model: str, given: str, by: str, part: str) -> float | None:
        """The paper's number for a model and a part of an exam, where it has one."""
        exact = self.exams.get((model, given, by, part))
        return self.exams.get((model, "", by, part)) if exact is None else exact

    def error(self, corpus: str, task: str, head: str, encoder: str) -> PublishedError | None:
        """The paper's number for a cell, where it has one."""
        exact = self.errors.get((corpus, task, head, encoder))
        return exact or self.errors.get((corpus, task, "", encoder))


def published_text(value: float, places: int = 2) -> str:
    """A published number with its own decimals, `places` at least."""
    decimals = len(repr(value).partition(".")[2])
    return f"{value:.{max(places, decimals)}f}".replace("-", "−")


def read_published(path: Path | None) -> Published:
    """Read a table; nothing is published where there is no path.

    The columns say which table it is: a row per cell (corpus, target, encoder, mae_mean and
    mae_std), a row per corpus, target and head with a column per encoder, or a row per direction
    (train_on, test_on, encoder, cross_mae, within_mae, gap). Of answers to questions a row per
    number (question_type, metric, head, value), with corpus and attribute where it is of one. Of
    exams a row per number as well (model, by, part, percent), with `given` where it is said.

    Raises:
        UserError: it can not be read, or has none of these shapes.
    """
    if path is None:
        return Published()
    try:
        table = pl.read_csv(path)
        _check(path, table)
        if set(_CROSS) <= set(table.columns):
            return Published(directions=_directions(table))
        if set(_ANSWERS) <= set(table.columns):
            return Published(answers=_answers(table))
        if set(_EXAM) <= set(table.columns):
            return Published(exams=_exams(table))
        if set(_LONG) <= set(table.columns):
            return Published(errors=_long(table))
        if set(_WIDE) <= set(table.columns):
            return Published(errors=_wide(table))
    except (OSError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise UserError(f"{path} can not be read as published numbers: {error}") from error
    shapes = "; or ".join(", ".join(shape) for shape in _SHAPES)
    raise UserError(f"{path} has columns {', '.join(table.columns)}; expected are {shapes}.")


def _check(path: Path, table: pl.DataFrame) -> None:
    """Refuse numbers that are none and rows that say the same thing twice.

    Raises:
        UserError: naming the line of each.
    """
    columns, optional = set(table.columns), True
    names: Sequence[str]
    numbers: Sequence[str]
    if set(_CROSS) <= columns:
        names, numbers, optional = _CROSS[:2], _CROSS[3:], False
    elif set(_ANSWERS) <= columns:
        names, numbers, optional = (*_ABOUT, *_ANSWERS[:-1]), _ANSWERS[-1:], False
    elif set(_EXAM) <= columns:
        names, numbers, optional = (*_EXAM[:-1], "given"), _EXAM[-1:], False
    elif set(_LONG) <= columns:
        names, numbers = (*_WIDE, "encoder"), ("mae_mean", "mae_std")
    elif set(_WIDE) <= columns:
        names, numbers = _WIDE, tuple(name for name in table.columns if name not in _WIDE)
    else:
        return
    problems, first = [], dict[tuple[str, ...], int]()
    for line, row in enumerate(table.iter_rows(named=True), start=2):
        problems += [
            f"{path}, line {line}: {name}={row[name]} is no number."
            for name in numbers
            if name in row and not ((row[name] is None and optional) or _finite(row[name]))
        ]
        key = tuple(str(row[name]) for name in names if name in row)
        if first.setdefault(key, line) != line:
            problems.append(
                f"{path}, line {line}: {', '.join(key)} stands in line {first[key]} too."
            )
    if problems:
        raise UserError(problems)


def _finite(value: str | float | None) -> bool:
    try:
        return value is not None and math.isfinite(float(value))
    except ValueError:
        return False


def _long(table: pl.DataFrame) -> dict[tuple[str, str, str, str], PublishedError]:
    return {
        (row["corpus"], row["target"], row.get("head") or "", row["encoder"]): PublishedError(
            float(row["mae_mean"]), None if row.get("mae_std") is None else float(row["mae_std"])
        )
        for row in table.iter_rows(named=True)
        if row["mae_mean"] is not None
    }


def _wide(table: pl.DataFrame) -> dict[tuple[str, str, str, str], PublishedError]:
    encoders = [name for name in table.columns if name not in _WIDE]
    return {
        (row["corpus"], row["target"], row["head"], encoder): PublishedError(float(row[encoder]))
        for row in table.iter_rows(named=True)
        for encoder in encoders
        if row[encoder] is not None
    }


def _answers(table: pl.DataFrame) -> dict[tuple[str, str, str], float]:
    """By part, metric and head."""
    found = {}
    for row in table.iter_rows(named=True):
        about = [row[name] for name in _ABOUT if row.get(name)]
        part = " / ".join([*about, row["question_type"]])
        found[part, row["metric"], row["head"]] = float(row["value"])
    return found


def _exams(table: pl.DataFrame) -> dict[tuple[str, str, str, str], float]:
    """By model, what it was given, by what and part."""
    return {
        (row["model"], row.get("given") or "", row["by"], row["part"]): float(row["percent"])
        for row in table.iter_rows(named=True)
    }


def _directions(table: pl.DataFrame) -> dict[tuple[str, str], PublishedDirection]:
    return {
        (row["train_on"], row["test_on"]): PublishedDirection(
            row["encoder"], float(row["cross_mae"]), float(row["within_mae"]), float(row["gap"])
        )
        for row in table.iter_rows(named=True)
    }
