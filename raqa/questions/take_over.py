"""From RA-QA's published form to a collection: what `raqa qa import` does."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa

from raqa.questions.block import SCHEMA
from raqa.questions.collection import Collection, Part, check_out, write
from raqa.questions.published import Published, read_published
from raqa.tables import SIDES

SPLIT_FILE = "split.csv"


def take_over(folder: Path, corpus: str, out: Path) -> Collection:
    """Read published questions and write them as a collection, with split.csv beside it.

    Raises:
        UserError: the published files can not be read, or `out` holds other things.
    """
    check_out(out)
    published = read_published(folder, corpus)
    settings = {"published": str(folder), "corpus": corpus}
    collection = write(out, [_part(published, corpus)], settings, templates="")
    published.split_table().write_csv(out / SPLIT_FILE)
    return collection


def _part(published: Published, corpus: str) -> Part:
    questions, recordings = published.questions, published.recordings
    side = pl.col("split").fill_null("none")
    counts = (
        questions.group_by("attribute", "question_type", side).len()
        .pivot("split", index=["attribute", "question_type"], values="len").fill_null(0)
        .sort("attribute", "question_type")
    )  # fmt: skip
    facts = {
        "recordings": recordings.height,
        "with_audio": 0,
        "subjects": recordings["subject_id"].n_unique(),
        "sides": dict(recordings.group_by(side).len().sort("split").iter_rows()),
        "known": dict(questions.group_by("attribute").len().sort("attribute").iter_rows()),
        "questions": [{**dict.fromkeys((*SIDES, "none"), 0), **row} for row in counts.to_dicts()],
    }
    return Part(corpus, [_arrow(questions)], facts, set_aside=published.set_aside)


def _arrow(questions: pl.DataFrame) -> pa.Table:
    table = questions.to_arrow()
    columns = [table[name].cast(_plain(SCHEMA.field(name).type)) for name in SCHEMA.names]
    return pa.table([
        column.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else column.cast(kind)
        for column, kind in zip(columns, SCHEMA.types, strict=True)
    ], schema=SCHEMA)  # fmt: skip


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type without its dictionary."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return pa.list_(pa.string()) if pa.types.is_list(kind) else kind
