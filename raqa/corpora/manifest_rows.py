"""What each row of a user's table says, which rows are no recordings, and contradictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from raqa.corpora.files import is_apple_double
from raqa.corpora.label_table import ROW
from raqa.corpora.labels import parse_numbers
from raqa.corpora.split_words import SPLIT_WORDS
from raqa.tables import SIDES

_UNSAID = ("", "na", "n/a", "nan", "none", "null")
_SHOWN = 10


def read_rows(table: pl.DataFrame, named: Mapping[str, str], modality: str) -> pl.DataFrame:
    """Read what a table says about its recordings, under fixed names.

    Args:
        table: what `read_label_table` returns.
        named: `path`, `subject`, ... to the table's columns; all of them are there.
        modality: what is recorded, where no column says it.

    Returns:
        A row for each of the table's: row, file, recording_id, subject_id, start_s, end_s,
        modality, split (as written where it is no known word), and `unusable`: why the row is no
        recording, else null.
    """

    def said(name: str) -> pl.Series:
        if name not in named:
            return pl.repeat(None, table.height, dtype=pl.String, eager=True)
        text = table[named[name]].str.strip_chars()
        return text.set(text.str.to_lowercase().is_in(_UNSAID).fill_null(False), None)

    start, end = said("start_s"), said("end_s")
    rows = pl.DataFrame({
        "row": table[ROW],
        "file": table[named["path"]].set(said("path").is_null(), None),
        "given_id": said("recording_id"),
        "given_subject": said("subject"),
        "start_text": start,
        "end_text": end,
        "start_s": parse_numbers(start),
        "end_s": parse_numbers(end),
        "modality": said("modality").fill_null(modality),
        "side": said("split"),
    })  # fmt: skip
    segment = pl.format("@{}-{}", pl.col("start_text").fill_null("0"),
                        pl.col("end_text").fill_null("end"))  # fmt: skip
    is_segment = pl.col("start_text").is_not_null() | pl.col("end_text").is_not_null()
    by_file = pl.when(is_segment).then(pl.col("file") + segment).otherwise(pl.col("file"))
    rows = rows.with_columns(
        recording_id=pl.col("given_id") if "recording_id" in named else by_file,
        split=pl.col("side").str.to_lowercase().replace(SPLIT_WORDS),
    )
    subject = pl.col("given_subject" if "subject" in named else "recording_id")
    return rows.with_columns(subject_id=subject, unusable=_unusable(named)).select(
        "row", "file", "recording_id", "subject_id", "start_s", "end_s", "modality", "split",
        "unusable",
    )  # fmt: skip


def _unusable(named: Mapping[str, str]) -> pl.Expr:
    """Why a row is no recording; the first reason that holds."""
    never = pl.lit(False)
    start, end = pl.col("start_s"), pl.col("end_s")
    apple = pl.col("file").map_elements(_names_apple_double, return_dtype=pl.Boolean)
    unread = [
        pl.col(f"{side}_text").is_not_null() & (pl.col(f"{side}_s").is_finite().not_()
                                                | pl.col(f"{side}_s").is_null())
        for side in ("start", "end")
    ]  # fmt: skip
    reasons = (
        (pl.col("file").is_null(), "no path is given"),
        (apple.fill_null(False), "an AppleDouble file of macOS, not audio"),
        (pl.col("given_id").is_null() if "recording_id" in named else never,
         f"{named.get('recording_id')} is empty"),
        (pl.col("given_subject").is_null() if "subject" in named else never,
         f"{named.get('subject')} is empty, so that it may be anybody"),
        (unread[0] | unread[1], "its start or end is not a number of seconds"),
        (((start < 0) | (end <= start.fill_null(0))).fill_null(False),
         "its segment does not end after its start, or starts before 0"),
    )  # fmt: skip
    return pl.coalesce(pl.when(test).then(pl.lit(reason)) for test, reason in reasons)


def _names_apple_double(file: str) -> bool:
    return is_apple_double(file.replace("\\", "/").rsplit("/", 1)[-1])


def contradictions(rows: pl.DataFrame, path: Path) -> list[str]:
    """Say for which reasons a table can not be used at all, with rows.

    A recording id that stands twice, a split of an unknown name, a subject in two splits.
    """
    problems = []
    repeated = rows.filter(pl.col("recording_id").is_duplicated())
    for name, at in _grouped(repeated, "recording_id"):
        problems.append(f"{path}: the recording id {name!r} stands in rows {_listed(at)}")
    strange = rows.filter(pl.col("split").is_in(SIDES).not_())
    for word, at in _grouped(strange, "split"):
        problems.append(
            f"{path}: the split {word!r} (rows {_listed(at)}) is none of train, validation, test"
        )
    split = rows.filter(pl.col("split").is_not_null())
    straddling = split.filter(pl.col("split").n_unique().over("subject_id") > 1)
    for subject, at in _grouped(straddling, "subject_id"):
        sides = straddling.filter(pl.col("subject_id") == subject)["split"].unique().sort()
        problems.append(
            f"{path}: the subject {subject!r} stands in the splits {' and '.join(sides)} "
            f"(rows {_listed(at)}); a subject belongs to one"
        )
    return problems


def _grouped(rows: pl.DataFrame, column: str) -> list[tuple[str, list[int]]]:
    groups = rows.group_by(column, maintain_order=True).agg("row").rows()
    if len(groups) <= _SHOWN:
        return groups
    more = [row for _, at in groups[_SHOWN:] for row in at]
    return [*groups[:_SHOWN], (f"... and {len(groups) - _SHOWN} more", more)]


def _listed(rows: Sequence[int]) -> str:
    shown = ", ".join(str(row) for row in rows[:_SHOWN])
    return shown + (", ..." if len(rows) > _SHOWN else "")
