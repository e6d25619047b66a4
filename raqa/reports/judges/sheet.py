"""A sheet of answers for clinicians to mark: stratified, blind, safe to open in a spreadsheet."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from raqa.display import csv_cell
from raqa.errors import UserError
from raqa.folders import make_folder
from raqa.judges.rules import RULES
from raqa.reports.judges.read import Judged
from raqa.tables import CRITERIA

STRATUM = ("question_type", "outcome", "corpus")
"""What is drawn from: answers with the same of these."""

CORRECT = "correct (0 or 1)"
GRADES: Mapping[str, str] = {name: f"{name} (1 to 3)" for name in CRITERIA}
MARKS: Mapping[str, tuple[int, ...]] = {
    CORRECT: (0, 1),
    **dict.fromkeys(GRADES.values(), (1, 2, 3)),
}
"""Columns to be filled in, and what may stand there."""
NOT_ASKED = "-"
"""Stands where an answer is not marked for this."""
_LONGEST = 5_000
"""Characters of an answer in a cell; a spreadsheet holds 32,767."""


def sampled(judged: Judged) -> pl.DataFrame:
    """The answers that can be drawn, each once however many seeds gave it, with an id of its own.

    Those that rules read by themselves need no clinician; unscored ones have nothing to compare.
    """
    rows = judged.rows.filter(
        pl.col("judge") != RULES.judge, pl.col("score").is_not_null(),
        pl.col("response").is_not_null(),
    ).unique(["qa_id", "response"], keep="first", maintain_order=True)  # fmt: skip
    ids = [_identity(*row) for row in rows.select("qa_id", "question", "answer", "response").rows()]
    return rows.with_columns(id=pl.Series(ids, dtype=pl.String))


def _identity(*texts: str) -> str:
    """Of letters alone, so that no spreadsheet takes it for a number or a date."""
    text = "\0".join(texts).encode(errors="surrogatepass")
    digest = hashlib.blake2b(text, digest_size=5).digest()
    return "".join(chr(ord("a") + half) for byte in digest for half in divmod(byte, 16))


def draw(judged: Judged, per_stratum: int, seed: int) -> pl.DataFrame:
    """Draw answers from each stratum, all of it where it has no more, in no order.

    Raises:
        UserError: there is nothing to draw from.
    """
    rows = sampled(judged)
    if not rows.height:
        raise UserError(
            f"{judged.name}: no answer in free text was judged, so that there is nothing for "
            "clinicians to mark. Run it with judge=language_model."
        )
    random = np.random.default_rng(seed)
    shuffled = rows.sort("id")[random.permutation(rows.height)]
    return shuffled.filter(pl.int_range(pl.len()).over(*STRATUM) < per_stratum)


def write_sheet(rows: pl.DataFrame, path: Path) -> None:
    """Write what was drawn, with empty columns to be filled in; who answered is not in it.

    Raises:
        UserError: there is a file already, which may hold somebody's marks.
    """
    if path.exists():
        raise UserError(f"--out {path} is there already, and may hold marks; name another file.")
    graded = pl.col("form") == "open"
    blank = {CORRECT: ~graded, **dict.fromkeys(GRADES.values(), graded)}
    sheet = rows.select(
        "id",
        recording=pl.format("{}/{}", "corpus", "recording_id"),
        question="question",
        reference="answer",
        answer="response",
        **{
            name: pl.when(asked).then(pl.lit("")).otherwise(pl.lit(NOT_ASKED))
            for name, asked in blank.items()
        },
        comment=pl.lit(""),
    )
    texts = pl.col("recording", "question", "reference", "answer").map_elements(
        lambda text: csv_cell(text, _LONGEST), return_dtype=pl.String
    )
    make_folder(path.parent)
    # With its mark, so that spreadsheets take it for UTF-8.
    sheet.with_columns(texts).write_csv(path, include_bom=True, quote_style="non_numeric")
