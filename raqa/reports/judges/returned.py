"""A sheet that clinicians have marked, and how far the judge agrees with them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from raqa.display import harmless
from raqa.errors import UserError
from raqa.reports.judges.compared import Part, kinds, part
from raqa.reports.judges.read import Judged
from raqa.reports.judges.sheet import CORRECT, GRADES, MARKS, NOT_ASKED, STRATUM, sampled
from raqa.tables import CRITERIA

_MOST = 20
"""Faults that a message lists."""
_COLUMNS = {"score": CORRECT, **GRADES}
"""What is compared, and the sheet's column of it."""
_MARKED = {name: f"{name}_marked" for name in _COLUMNS}


@dataclass(frozen=True)
class Returned:
    """A marked sheet.

    Attributes:
        rows: of the sheet.
        unmarked: those with nothing filled in.
        empty: cells of the others that were to be filled in and are not.
        unseen: answers of the run that are in strata of which nothing was marked.
        on_sheet: agreement of the judge with the clinicians on what was marked, by kind.
        in_run: the same with each answer standing for as many as its stratum has in the run.
    """

    judged: Judged
    rows: int
    unmarked: int
    empty: int
    unseen: int
    on_sheet: tuple[Part, ...]
    in_run: tuple[Part, ...]


def read_returned(judged: Judged, path: Path) -> Returned:
    """Read a sheet and compare its marks with the judge's.

    Raises:
        UserError: it can not be read, ids are not of this run or stand twice, or marks are not
            what may stand there, all named; or nothing is filled in.
    """
    known = sampled(judged)
    marks, faults = _marks(_lines(path), dict(known.select("id", "form").iter_rows()))
    if faults:
        more = [f"and {len(faults) - _MOST:,} more faults"] if len(faults) > _MOST else []
        raise UserError([*(f"{path}, {fault}" for fault in faults[:_MOST]), *more])
    schema = {"id": pl.String, **dict.fromkeys(_MARKED.values(), pl.Int64)}
    rows = known.join(pl.DataFrame(marks, schema=schema, orient="row"), on="id")
    filled = rows.select(pl.sum_horizontal(pl.col(_MARKED.values()).is_not_null())).to_series()
    if not filled.sum():
        raise UserError(f"{path}: no cell is filled in; the columns are: {', '.join(MARKS)}.")
    marked = rows.filter(filled > 0)
    wanted = marked.select(pl.when(form="open").then(len(CRITERIA)).otherwise(1)).to_series()
    sizes = known.group_by(STRATUM).len("size")
    seen = sizes.join(marked, on=STRATUM, how="semi")
    return Returned(
        judged=judged,
        rows=rows.height,
        unmarked=rows.height - marked.height,
        empty=int(wanted.sum()) - int(filled.sum()),
        unseen=known.height - int(seen["size"].sum()),
        on_sheet=tuple(_parts(marked, None)),
        in_run=tuple(_parts(marked, sizes)),
    )


def _parts(marked: pl.DataFrame, sizes: pl.DataFrame | None) -> Iterator[Part]:
    """The judge against the clinicians; with the strata's sizes as it would be in the run."""
    for name, rows, column in kinds(marked, _MARKED):
        stands = None
        if sizes is not None:
            sized = rows.join(sizes, on=STRATUM, maintain_order="left")
            stands = sized.select(pl.col("size") / pl.len().over(STRATUM)).to_series().to_numpy()
        yield part(name, rows, column, _MARKED[column], stands)


def _lines(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Rows of a CSV file as spreadsheets write them: any delimiter, Unicode or Windows."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} can not be opened: {error.strerror}.") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    first = text.split("\n", 1)[0]
    reader = csv.DictReader(
        io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), restval=""
    )
    try:
        names = [name.strip() for name in reader.fieldnames or ()]
        reader.fieldnames = names
        lines = [
            (reader.line_num, {name: value.strip() for name, value in row.items() if name})
            for row in reader
        ]
    except csv.Error as error:
        raise UserError(f"{path} is no CSV file: {error}.") from None
    if missing := [name for name in ("id", *MARKS) if name not in names]:
        raise UserError(
            f"{path} is no sheet of `raqa judge sheet`: it lacks the columns {', '.join(missing)}."
        )
    return [(line, row) for line, row in lines if any(row.values())]


def _marks(
    lines: Sequence[tuple[int, Mapping[str, str]]], forms: Mapping[str, str]
) -> tuple[list[list[str | int | None]], list[str]]:
    """Id and marks of each row, and everything that is wrong."""
    found: list[list[str | int | None]] = []
    faults: list[str] = []
    first: dict[str, int] = {}
    for line, row in lines:
        name = row["id"]
        if name not in forms:
            faults.append(f"line {line}: the id {harmless(name, 40)!r} is of no answer of this run")
        elif name in first:
            faults.append(f"line {line}: the id {name} stands in line {first[name]} already")
        first.setdefault(name, line)
        marks: list[str | int | None] = [name]
        for column, heading in _COLUMNS.items():
            asked = (forms.get(name) == "open") == (column != "score")
            mark, fault = _mark(row[heading], heading, asked=asked or name not in forms)
            marks.append(mark)
            faults += [f"line {line}: {fault}"] if fault else []
        found.append(marks)
    return found, faults


def _mark(cell: str, heading: str, *, asked: bool) -> tuple[int | None, str | None]:
    """The mark in a cell, or None; and what is wrong with it."""
    if cell in {"", NOT_ASKED}:
        return None, None
    shown = f"{heading} is {harmless(cell, 40)!r}"
    if not asked:
        return None, f"{shown}, but the answer is not marked for that: leave {NOT_ASKED}"
    try:
        value = float(cell.replace(",", "."))
    except ValueError:
        value = -1.0
    if value not in MARKS[heading]:
        *others, last = map(str, MARKS[heading])
        return None, f"{shown}; it has to be {', '.join(others)} or {last}"
    return int(value), None
