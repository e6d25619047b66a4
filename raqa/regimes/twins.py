"""Byte-identical audio on two sides of a split, whoever's it is said to be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from raqa.corpora.base import Recordings
from raqa.embeddings.hashes import HashCache
from raqa.regimes.base import Folds
from raqa.regimes.fold import Fold
from raqa.tables import SIDES, SetAside, set_aside_table

_KEY = ("corpus", "recording_id")
_RANK = {side: rank for rank, side in enumerate(SIDES)}


def twins_across(folds: Folds, recordings: Sequence[Recordings], hashes: HashCache) -> pl.DataFrame:
    """Find recordings of a fold whose file's bytes stand on a later of its sides too.

    As with subjects, training gives way to validation and both give way to test, so that no test
    recording was learnt from.

    Args:
        recordings: the corpora that the folds are made of.
        hashes: knows the contents that embedding has hashed already.

    Returns:
        SET_ASIDE rows of stage "split", one for each recording that has to leave.
    """
    one_sided = all(fold.table["side"].n_unique() < 2 for fold in folds.all)
    if folds.main.as_published or one_sided:
        return set_aside_table()
    files = pl.concat([one.table.select(*_KEY, "path") for one in recordings])
    contents = _contents(
        [fold.table.join(files, on=_KEY, how="left") for fold in folds.all], hashes
    )
    left = [_leaving(fold, files, contents) for fold in folds.all]
    return pl.concat([set_aside_table(), *left]).unique(maintain_order=True)


def _contents(tables: Sequence[pl.DataFrame], hashes: HashCache) -> dict[str, str]:
    """The hash of every file that can be read, by path."""
    paths = pl.concat([table["path"] for table in tables]).unique(maintain_order=True).to_list()
    found = hashes.hash_files([Path(path) for path in paths])
    return {path: one for path, one in zip(paths, found, strict=True) if isinstance(one, str)}


def _leaving(fold: Fold, files: pl.DataFrame, contents: dict[str, str]) -> pl.DataFrame:
    content = pl.col("path").replace_strict(contents, default=None, return_dtype=pl.String)
    rows = (
        fold.table.select("side", *_KEY)
        .join(files, on=_KEY, how="left", maintain_order="left")
        .with_columns(content=content, rank=pl.col("side").replace_strict(_RANK))
        .filter(pl.col("content").is_not_null())
    )
    last = rows.sort("rank", descending=True, maintain_order=True).group_by("content").first()
    torn = rows.join(last, on="content", suffix="_last", maintain_order="left").filter(
        pl.col("rank") < pl.col("rank_last")
    )
    return set_aside_table(
        SetAside(corpus, "split", recording_id, f"the same audio as {twin} on the {stays} side, "
                 f"so it left the {side} side", value=twin)
        for corpus, recording_id, side, twin, stays in torn.select(
            *_KEY, "side", "recording_id_last", "side_last").iter_rows()
    )  # fmt: skip
