"""Reading a file of questions: JSON lines or Parquet, checked whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from raqa.errors import UserError, neighbours
from raqa.exams.check_all import LINE, cautions, check_all
from raqa.exams.check_row import check_row
from raqa.exams.faults import Fault, fault_texts, shown
from raqa.tables import EXAM, check_table

SUFFIXES = (".jsonl", ".parquet")
_BLOCK = 10_000
"""Questions held as Python objects at once; as a table they take a fraction of that."""


@dataclass(frozen=True)
class Exam:
    """A set of questions that are only asked.

    Attributes:
        questions: EXAM columns, in the order of the file.
        cautions: what must be known before believing scores, a sentence each.
    """

    file: Path
    questions: pl.DataFrame
    cautions: tuple[str, ...]


def read_exam(file: Path) -> Exam:
    """Read a file.

    Raises:
        UserError: it is not there, or anything in it is wrong; all faults with their lines.
    """
    table, faults = look(file)
    if faults:
        count = len({(one.line, one.field) for one in faults})
        noun = "fault" if count == 1 else "faults"
        texts = fault_texts(faults, place_name(file))
        raise UserError([f"{file}: {count:,} {noun}; docs/exams.md says what is expected.", *texts])
    return Exam(file, table, tuple(cautions(table)))


def cached_exam(file: Path) -> Exam:
    """The same; a file that is as it was is not read again by this process."""
    try:
        known = file.stat()
    except OSError:
        return read_exam(file)
    return _cached(file.absolute(), known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=2)
def _cached(file: Path, _changed: int, _size: int) -> Exam:
    return read_exam(file)


def look(file: Path) -> tuple[pl.DataFrame, list[Fault]]:
    """Read a file as far as possible.

    Returns:
        EXAM columns, null where something is missing or faulty, and all faults.

    Raises:
        UserError: there is no such file, or it is of a kind that can not be read at all.
    """
    if file.suffix not in SUFFIXES:
        raise UserError(
            f"{file}: expected a file of questions, .jsonl (a JSON object a line) or .parquet."
        )
    if not file.is_file():
        beside = [one.name for one in file.parent.glob("*") if one.suffix in SUFFIXES]
        told = neighbours(file.name, beside) if beside else "docs/exams.md says what it has to be."
        raise UserError(f"There is no file {file}. {told}")
    lines = _json_lines(file) if file.suffix == ".jsonl" else _parquet_rows(file)
    faults: list[Fault] = []
    blocks: list[pl.DataFrame] = []
    rows: list[dict[str, Any]] = []
    schema = {LINE: pl.Int64, **EXAM}
    for number, given in lines:
        if isinstance(given, Fault):
            faults.append(given)
            continue
        values, found = check_row(given, number)
        faults += found
        rows.append({LINE: number, **values})
        if len(rows) == _BLOCK:
            blocks.append(pl.DataFrame(rows, schema=schema))
            rows = []
    table = pl.concat([pl.DataFrame(rows, schema=schema), *blocks]).sort(LINE)
    if not table.height and not faults:
        faults.append(Fault(0, "", "holds no question"))
    faults += list(check_all(table, faults))
    return check_table(table.drop(LINE), EXAM, name="exam").select(*EXAM), sorted(set(faults))


def place_name(file: Path) -> str:
    """What places in a file are called."""
    return "line" if file.suffix == ".jsonl" else "row"


def _json_lines(file: Path) -> Iterator[tuple[int, Mapping[str, Any] | Fault]]:
    with file.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if line.strip():
                yield number, _json_row(line, number)


def _json_row(line: bytes, number: int) -> Mapping[str, Any] | Fault:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return Fault(number, "", f"is no UTF-8 (byte {error.start + 1} of the line)")
    doubled: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        doubled.extend(name for name in names if names.count(name) > 1)
        return dict(pairs)

    try:
        row = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        return Fault(number, "", f"is no JSON: {error.msg} (column {error.colno})")
    except (RecursionError, ValueError) as error:  # nested too deeply, numbers of too many digits
        return Fault(number, "", f"is no JSON that can be read: {str(error).split(';')[0]}")
    if not isinstance(row, dict):
        return Fault(number, "", f"is {shown(row)}; expected a JSON object")
    if doubled:
        return Fault(number, "", f"names {shown(doubled[0])} more than once")
    return row


def _parquet_rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any] | Fault]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(file) as stream:
            for batch in stream.iter_batches(batch_size=_BLOCK):
                for row in batch.to_pylist():
                    number += 1
                    row.pop("form", None)  # which a run's exam.parquet has: it follows
                    yield number, row
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:200]
        yield number + 1, Fault(0, "", f"can not be read as Parquet: {reason}")
