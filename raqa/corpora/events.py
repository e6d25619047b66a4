"""Annotated segments of recordings: cycles, events, phases with a start and an end.

An events table has `recording_id`, (row) as label tables have it (line or place in the file),
`text` (the line as it stands there), `start_s` and `end_s`, then what is annotated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.label_table import ROW, decode_text
from raqa.tables import SET_ASIDE, SetAside

TOLERANCE_S = 0.1
"""How far a segment may reach beyond its audio: annotators' tools round."""

_CLOCK = r"^(?:(?:([0-9]+):)?([0-9]+):)?([0-9]+(?:\.[0-9]*)?)$"


def read_lines(
    files: Mapping[str, Path], columns: Sequence[str], *, separator: str = r"\s+"
) -> pl.DataFrame:
    """Read small text files with the same columns and without a header.

    Args:
        files: recording_id to file.
        columns: the names of their columns.
        separator: a regular expression that parts the cells; by default blanks and tabs.

    Returns:
        recording_id, ROW, text and `columns` as String; all of `columns` are null in a line that
        has another number of cells. Empty lines are left out.
    """
    texts = [decode_text(path.read_bytes()) for path in files.values()]
    lines = (
        pl.DataFrame({"recording_id": list(files), "text": texts},
                     schema={"recording_id": pl.String, "text": pl.String})
        .with_columns(text=pl.col("text").str.replace_all(r"\r\n?", "\n").str.split("\n"))
        .with_columns(pl.int_ranges(1, pl.col("text").list.len() + 1, dtype=pl.Int64).alias(ROW))
        .explode("text", ROW)
        .with_columns(pl.col("text").str.strip_chars())
        .filter(pl.col("text") != "")
    )  # fmt: skip
    cells = pl.col("text").str.replace_all(separator, "\t").str.split("\t")
    lines = lines.with_columns(cells=cells)
    whole = pl.col("cells").list.len() == len(columns)
    named = [
        pl.when(whole).then(pl.col("cells").list.get(place, null_on_oob=True)).alias(name)
        for place, name in enumerate(columns)
    ]
    return lines.select("recording_id", ROW, "text", *named)


def seconds(text: pl.Expr, *, per_second: float = 1.0) -> pl.Expr:
    """Times as numbers in seconds, null where there is none.

    Args:
        per_second: 1000 for milliseconds.
    """
    number = (text.str.strip_chars().cast(pl.Float64, strict=False) / per_second).round(6)
    return pl.when(number.is_finite()).then(number)


def clock_seconds(text: pl.Expr) -> pl.Expr:
    """Times as h:m:s, m:s or s in seconds, null where there is none."""
    parts = [text.str.strip_chars().str.extract(_CLOCK, group) for group in (1, 2, 3)]
    hours, minutes, rest = (part.cast(pl.Float64, strict=False) for part in parts)
    return hours.fill_null(0) * 3600 + minutes.fill_null(0) * 60 + rest


def durations(files: Mapping[str, Path]) -> pl.DataFrame:
    """Read how long recordings are from their headers: recording_id and duration_s.

    Those that can not be read are not in the table; decoding will say why.
    """
    import soundfile

    found = {}
    for recording_id, path in files.items():
        try:
            header = soundfile.info(str(path))
        except (soundfile.SoundFileError, OSError):
            continue
        found[recording_id] = header.frames / header.samplerate
    return pl.DataFrame(
        {"recording_id": list(found), "duration_s": list(found.values())},
        schema={"recording_id": pl.String, "duration_s": pl.Float64},
    )


def sift(
    events: pl.DataFrame, lengths: pl.DataFrame, *, corpus: str, expected: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Part the events that lie within their recording from those that do not.

    Args:
        events: recording_id, ROW, text, start_s and end_s; null where the line can not be read.
        lengths: what `durations` returns.
        expected: what a line holds, in words, for example "start, end, crackles, wheezes".

    Returns:
        The events that can be used, and SET_ASIDE rows for the others.
    """
    start, end, length = pl.col("start_s"), pl.col("end_s"), pl.col("duration_s")
    reason = (
        pl.when(start.is_null() | end.is_null())
        .then(pl.lit(f"the line is not {expected}"))
        .when(start < 0)
        .then(pl.lit("begins before the recording"))
        .when(end <= start)
        .then(pl.lit("ends where it begins or before"))
        .when(start >= length)
        .then(pl.lit("begins after the end of the audio"))
        .when(end > length + TOLERANCE_S)
        .then(pl.lit("reaches beyond the end of the audio"))
    )
    judged = events.join(
        lengths, on="recording_id", how="left", maintain_order="left"
    ).with_columns(reason=reason)
    aside = judged.filter(pl.col("reason").is_not_null()).select(
        corpus=pl.lit(corpus),
        stage=pl.lit("label"),
        item="recording_id",
        row=pl.col(ROW),
        field=pl.lit("segment"),
        value=pl.when(end > length)
        .then(pl.format("{} in {} s of audio", "text", length.round(2)))
        .otherwise("text"),
        reason="reason",
    )
    good = judged.filter(pl.col("reason").is_null()).drop("reason", "duration_s")
    return good, aside.cast(dict(SET_ASIDE))  # type: ignore[arg-type]


def segment_rows(recordings: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """A row for each event in the order of time, with the facts of its recording.

    Args:
        recordings: recording_id and facts that hold for the whole recording.
        events: what `sift` returns, and columns of labels.

    Returns:
        The columns of `recordings`, start_s, end_s and the labels. The recording_id is
        `<recording>-<row>`, the event's place in its file, so that it does not depend on which
        other events can be used.
    """
    joined = recordings.join(events, on="recording_id", how="inner", maintain_order="left")
    return (
        joined.sort("recording_id", "start_s", ROW)
        .with_columns(recording_id=pl.format("{}-{}", "recording_id", ROW))
        .drop(ROW, "text")
    )


def any_yes(column: str) -> pl.Expr:
    """Of several segments: yes if one is yes, no if all are no, null if that is not known."""
    label = pl.col(column)
    return (
        pl.when((label == "yes").any())
        .then(pl.lit("yes"))
        .when((label == "no").all() & (pl.len() > 0) & label.is_not_null().all())
        .then(pl.lit("no"))
        .otherwise(None)
    )


def as_recordings(
    rows: pl.DataFrame,
    corpus: str,
    *,
    attributes: Sequence[str],
    modality: str,
    subject_known: bool = True,
    more: Sequence[str] = (),
) -> pl.DataFrame:
    """Put rows into the form of RECORDINGS, with whole files where no segments were made.

    Args:
        rows: recording_id, subject_id, path, audio and split, perhaps start_s and end_s.
        attributes: follow in this order; null where only rows of another kind have them.
        more: columns of `rows` that come last.
    """
    whole = pl.lit(None, pl.Float64)
    return rows.select(
        "recording_id",
        "subject_id",
        "path",
        "audio",
        "split",
        corpus=pl.lit(corpus),
        subject_known=pl.lit(subject_known),
        modality=pl.lit(modality),
        start_s="start_s" if "start_s" in rows.columns else whole,
        end_s="end_s" if "end_s" in rows.columns else whole,
        **{
            name: name if name in rows.columns else pl.lit(None, ATTRIBUTES[name].dtype)
            for name in attributes
        },
        **{name: name for name in more},
    )


def not_annotated(names: Iterable[str], *, corpus: str, what: str) -> list[SetAside]:
    """Rows for recordings that have no file of annotations."""
    return [SetAside(corpus, "layout", name, f"there is no {what} for it") for name in names]
