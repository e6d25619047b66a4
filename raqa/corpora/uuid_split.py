"""CoughVID's split by upload, as OPERA published it or as a CSV."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from raqa.corpora.label_table import ROW, read_label_table, require_columns
from raqa.corpora.object_array import read_text_array
from raqa.corpora.split_words import SPLIT_WORDS
from raqa.errors import UserError

# datasets/coughvid in github.com/evelyn0414/OPERA. The cough-regression benchmark tests on the
# list of OPERA's sex task; the one of its COVID-19 task is another.
OPERA_FILES = {
    "train": "coughvid__train_uuids.npy",
    "validation": "coughvid__val_uuids.npy",
    "test": "coughvid_gender_test_uuids.npy",
}


def read_uuid_split(place: Path) -> tuple[pl.DataFrame, tuple[Path, ...]]:
    """Read a split from OPERA's folder of arrays, or from a CSV with the columns uuid and split.

    Returns:
        `uuid` and `split`, and the files that were read.

    Raises:
        UserError: there is neither, a side has an unknown name, or an upload stands on two sides.
    """
    sources: tuple[Path, ...] = (place,)
    if place.is_file():
        split = _read_csv(place)
    else:
        sources = tuple(place / name for name in OPERA_FILES.values())
        absent = [path.name for path in sources if not path.is_file()]
        if absent:
            raise UserError(
                f"No split in {place}: {', '.join(absent)} are not there. Expected a CSV with the "
                "columns uuid and split, or the folder datasets/coughvid of "
                "https://github.com/evelyn0414/OPERA"
            )
        split = pl.concat(
            pl.DataFrame({"uuid": read_text_array(path)}, schema={"uuid": pl.String})
            .with_columns(split=pl.lit(side))
            for side, path in zip(OPERA_FILES, sources, strict=True)
        )  # fmt: skip
    _refuse_straddling(split, place)
    return split.unique(maintain_order=True), sources


def _read_csv(path: Path) -> pl.DataFrame:
    table = read_label_table(path)
    problems = require_columns(table, ["uuid", "split"], path)
    if problems:
        raise UserError(problems)
    side = pl.col("split").str.strip_chars().str.to_lowercase()
    table = table.with_columns(
        pl.col("uuid").str.strip_chars(),
        side=side.replace_strict(SPLIT_WORDS, default=None, return_dtype=pl.String),
    )
    strange = table.filter(pl.col("side").is_null())
    if strange.height:
        row, word = strange.select(ROW, "split").row(0)
        raise UserError(
            f"{path}: the split {word!r} (row {row}; {strange.height} such rows) is none of "
            "train, validation, test"
        )
    return table.select("uuid", split="side")


def _refuse_straddling(split: pl.DataFrame, place: Path) -> None:
    twice = split.filter(pl.col("split").n_unique().over("uuid") > 1)
    if twice.height:
        names = twice["uuid"].unique(maintain_order=True)
        raise UserError(f"{place}: {len(names)} uploads stand on two sides, first {names[0]}")
