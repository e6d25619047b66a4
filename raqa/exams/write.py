"""Writing questions to a file that `read_exam` reads back equal."""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl

from raqa.embeddings.atomic import write_atomically
from raqa.errors import UserError
from raqa.exams.read import SUFFIXES
from raqa.exams.row import FIELDS
from raqa.tables import EXAM, check_table


def write_exam(questions: pl.DataFrame, file: Path, *, replace: bool = False) -> None:
    """Write a file whole or not at all; the same questions give the same bytes.

    Args:
        questions: EXAM columns.
        file: .jsonl, a question a line without fields that are null; or .parquet.

    Raises:
        UserError: it is of another kind, or there already.
    """
    if file.suffix not in SUFFIXES:
        raise UserError(f"{file}: expected a name that ends in {' or '.join(SUFFIXES)}.")
    if file.exists() and not replace:
        raise UserError(f"{file} is there already; name another file, or add --force.")
    rows = check_table(questions, EXAM, name="exam", key=["qa_id"]).select(*FIELDS)
    if file.suffix == ".parquet":
        buffer = io.BytesIO()
        rows.write_parquet(buffer)
        write_atomically(file, buffer.getvalue())
        return
    lines = (
        json.dumps(
            {name: value for name, value in row.items() if value is not None},
            ensure_ascii=False, allow_nan=False,
        )
        for row in rows.iter_rows(named=True)
    )  # fmt: skip
    write_atomically(file, "".join(f"{line}\n" for line in lines).encode())
