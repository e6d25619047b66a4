"""Label files of any usual kind (CSV, TSV, Excel, Parquet, JSON) as one table of text."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from raqa.errors import UserError, neighbours

ROW = "(row)"
"""The column that tells where a row stands, as a spreadsheet counts: the header is row 1."""

_DELIMITERS = ",;\t|"
_ENCODINGS = ("utf-8-sig", "cp1252", "latin-1")  # the last one decodes anything
_SHOWN = 5


def read_label_table(path: Path) -> pl.DataFrame:
    """Read a label file with every cell as text, column names stripped, blank rows left out.

    A CSV's delimiter is taken from its header (comma, semicolon, tab or bar); text is UTF-8, with
    or without byte order mark, UTF-16 with one, or else Western European. JSON is a list of
    records, or one record a line.

    Returns:
        String columns in the file's order, then ROW (Int64).

    Raises:
        UserError: there is no such file, it is not a table, two columns have the same name, or
            rows have more cells than the header (they are named).
    """
    if not path.is_file():
        raise UserError(f"There is no table {path}")
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        ".csv": _read_csv,
        ".tsv": _read_csv,
        ".txt": _read_csv,
        ".json": _read_json,
        ".jsonl": _read_json,
        ".parquet": pl.read_parquet,
        ".xlsx": _read_excel,
        ".xls": _read_excel,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"{path}: a table's name ends with {', '.join(readers)}")
    try:
        table = reader(path)
    except (pl.exceptions.PolarsError, ValueError, OSError, csv.Error) as error:
        raise UserError(f"{path} can not be read as a table: {_first_line(error)}") from error
    return _tidy(table, path)


def require_columns(table: pl.DataFrame, columns: Iterable[str], path: Path) -> list[str]:
    """Return one problem for every column that the table lacks, with its neighbours."""
    present = [column for column in table.columns if column != ROW]
    return [
        f"{path} has no column {column!r}. {neighbours(column, present)}"
        for column in columns
        if column not in present
    ]


def decode_text(data: bytes) -> str:
    """Decode text of unknown encoding; never fails."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    for encoding in _ENCODINGS[:-1]:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode(_ENCODINGS[-1])


def _read_csv(path: Path) -> pl.DataFrame:
    text = decode_text(path.read_bytes()).lstrip("\r\n")
    header_line = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=header_line.count)
    header = next(csv.reader(io.StringIO(text), delimiter=delimiter), [])
    if not any(name.strip() for name in header):
        raise ValueError("it is empty")
    _refuse_repeated(header)
    try:
        return pl.read_csv(io.StringIO(text), separator=delimiter, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
        long = [(row, len(cells)) for row, cells in enumerate(rows, 1) if len(cells) > len(header)]
        if not long:
            return _with_stray_quotes(rows, text, error)
        shown = ", ".join(f"row {row} has {cells}" for row, cells in long[:_SHOWN])
        raise ValueError(
            f"{len(long)} rows have more cells than the header's {len(header)} ({shown}); "
            "text with the delimiter in it, such as a decimal comma, needs quotes"
        ) from error


def _with_stray_quotes(
    rows: list[list[str]], text: str, error: pl.exceptions.PolarsError
) -> pl.DataFrame:
    """A table in which a quotation mark stands within a cell, as in a height of 5'11".

    Raises:
        ValueError: one opens a cell and is never closed, so that cells can not be told apart.
    """
    lines = text.splitlines()
    if len(rows) != len(lines):
        odd = [str(row) for row, line in enumerate(lines, 1) if line.count('"') % 2]
        if not odd:
            raise error
        raise ValueError(
            f"a quotation mark has no other one: lines {', '.join(odd[:_SHOWN])}"
        ) from error
    header, *cells = rows
    padded = [[cell or None for cell in row] + [None] * (len(header) - len(row)) for row in cells]
    return pl.DataFrame(padded, schema=dict.fromkeys(header, pl.String), orient="row")


def _read_excel(path: Path) -> pl.DataFrame:
    import fastexcel

    try:  # an empty row must stay for now, or rows below it would be counted wrongly
        return pl.read_excel(path, engine="calamine", infer_schema_length=0,
                             drop_empty_rows=False, drop_empty_cols=False)  # fmt: skip
    except fastexcel.FastExcelError as error:
        raise ValueError("it is not a workbook") from error


def _read_json(path: Path) -> pl.DataFrame:
    text = decode_text(path.read_bytes())
    if path.suffix.lower() == ".jsonl":
        records = [json.loads(line) for line in text.splitlines() if line.strip()]
    else:
        records = json.loads(text)
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise ValueError("it is not a list of records")
    columns = list(dict.fromkeys(name for record in records for name in record))
    cells = {name: [_as_text(record, name) for record in records] for name in columns}
    return pl.DataFrame(cells, schema=dict.fromkeys(columns, pl.String))


def _as_text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)


def _tidy(table: pl.DataFrame, path: Path) -> pl.DataFrame:
    names = [name.strip() for name in table.columns]
    try:
        _refuse_repeated(names)
    except ValueError as error:
        raise UserError(f"{path} can not be read as a table: {error}") from error
    table = table.select(
        _cell_text(table[column]).alias(name)
        for column, name in zip(table.columns, names, strict=True)
    )
    rows = pl.int_range(2, table.height + 2, dtype=pl.Int64, eager=True).alias(ROW)
    blank = pl.all_horizontal(pl.all().is_null())
    keep = ~table.select(blank).to_series() if table.width else rows.is_null()
    return table.with_columns(rows).filter(keep)


def _cell_text(column: pl.Series) -> pl.Series:
    if column.dtype.is_nested() or column.dtype in {pl.Binary, pl.Object}:
        return column.map_elements(str, return_dtype=pl.String)
    return column.cast(pl.String)


def _refuse_repeated(names: Iterable[str]) -> None:
    counts = Counter(name.strip() for name in names)
    repeated = [repr(name) for name, count in counts.items() if count > 1 and name]
    if repeated:
        raise ValueError(f"more than one column is named {' and '.join(repeated)}")


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0] or type(error).__name__
