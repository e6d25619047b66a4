"""An order that looks random and is the same everywhere: by hash, never by row, thread or clock."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
import polars as pl


def hashed(values: pl.Series, salt: str) -> pl.Series:
    """A 64-bit number for each string, by BLAKE2b; another salt gives another order.

    Polars' own hashes may change with its version, these can not.
    """
    key = blake2b(salt.encode(), digest_size=32).digest()
    digests = (blake2b(value.encode(), digest_size=8, key=key).digest() for value in values)
    return pl.Series(values.name, np.frombuffer(b"".join(digests), "<u8").astype(np.uint64))


def hashed_names(values: pl.Series, salt: str) -> pl.Series:
    """Like `hashed`, for a column that repeats its values: each is hashed once."""
    names = values.unique()
    return values.replace_strict(names, hashed(names, salt), return_dtype=pl.UInt64)


def by_attribute(
    questions: pl.LazyFrame, columns: list[str]
) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Read a collection one attribute of one corpus at a time, so that few rows are in memory.

    Args:
        columns: the columns to read; those of strings come as strings, not as categories.

    Yields:
        corpus, attribute and their rows; in alphabetical order.
    """
    pairs = questions.select(pl.col("corpus", "attribute").cast(pl.String)).unique()
    for corpus, attribute in sorted(pairs.collect(engine="streaming").iter_rows()):
        chosen = questions.filter(pl.col("corpus") == corpus, pl.col("attribute") == attribute)
        yield corpus, attribute, _read(chosen.select(columns))  # not kept while it waits


def _read(rows: pl.LazyFrame) -> pl.DataFrame:
    return rows.collect(engine="streaming").with_columns(pl.selectors.categorical().cast(pl.String))
