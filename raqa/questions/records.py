"""RA-QA's JSON records of a collection: one file an attribute, one record a subject and question.

The form of the published preview: lists that run in parallel, one entry for each recording.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from raqa.embeddings.atomic import WRITING
from raqa.folders import make_folder
from raqa.questions.collection import RECORDS, Collection

RECORD = ("id", "question_id", "version", "patient_id", "split", "question_type", "question",
          "answers_list", "audio_filename_list", "attribute")  # fmt: skip
_CHUNK = 5_000


def write_records(
    collection: Collection,
    suffixes: Mapping[str, Mapping[str, str]] | None = None,
    advance: Callable[[], None] = lambda: None,
) -> list[Path]:
    """Write a collection's questions as RA-QA's records beside its Parquet files.

    Files are `raqa_json/CORPUS/questions_answers/ATTRIBUTE.json`. Audio files are called after
    their recording_id. `question_id` counts an attribute's questions (question type and asked
    label), `version` their wordings.

    Args:
        suffixes: by corpus and recording_id what ends the file's name, `.wav` where it is not
            known.

    Raises:
        UserError: files of the collection are missing or damaged.
    """
    written = []
    questions = collection.scan()
    for corpus in collection.facts["corpora"]:
        known = (suffixes or {}).get(corpus, {})
        place = collection.folder / RECORDS / corpus / "questions_answers"
        one = questions.filter(pl.col("corpus") == corpus)
        for attribute in one.select(pl.col("attribute").unique().sort()).collect()["attribute"]:
            rows = one.filter(pl.col("attribute") == attribute).collect()
            path = place / f"{attribute}.json"
            _write(path, _records(rows, known))
            written.append(path)
            advance()
    return written


def _records(rows: pl.DataFrame, suffixes: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    name = pl.col("recording_id")
    suffix = name.replace_strict(dict(suffixes), default=".wav") if suffixes else pl.lit(".wav")
    asked = rows.select("question_type", "asked_label").unique().sort(pl.all())
    numbered = rows.join(
        asked.with_row_index("question_id", 1), on=["question_type", "asked_label"],
        nulls_equal=True, maintain_order="left",
    )  # fmt: skip
    records = (
        numbered.sort("question_id", "template_id", "subject_id", "question", "recording_id")
        .with_columns(file=pl.concat_str(name, suffix))
        .group_by("question_id", "template_id", "subject_id", "question", maintain_order=True)
        .agg(
            pl.col("question_type", "split", "attribute").first(),
            answers_list="answer",
            audio_filename_list="file",
        )
        .with_row_index("id")
        .with_columns(
            version=pl.col("template_id").str.extract(r"(\d+)$").cast(pl.Int64),
            patient_id="subject_id",
            question_type=pl.col("question_type").str.replace("_", "-"),
        )
        .select(RECORD)
    )
    for chunk in records.iter_slices(_CHUNK):
        yield from chunk.iter_rows(named=True)


def _write(path: Path, records: Iterator[dict[str, Any]]) -> None:
    """Write record by record, so that a file may be larger than memory; whole or not at all."""
    make_folder(path.parent)
    unfinished = path.with_name(f"{WRITING}{path.name}")
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            before = "["
            for record in records:
                file.write(f"{before}\n{json.dumps(record, ensure_ascii=False, indent=1)}")
                before = ","
            file.write("\n]\n")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
