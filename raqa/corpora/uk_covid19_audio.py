"""The audio of the UK COVID-19 Vocal Audio Dataset: what was recorded and which files are there."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from raqa.corpora.files import AUDIO_SUFFIXES, entries, is_apple_double
from raqa.corpora.label_table import ROW, require_columns
from raqa.corpora.labels import LabelColumn, parse_numbers, read_attributes
from raqa.corpora.uk_covid19_labels import KEY
from raqa.errors import UserError
from raqa.tables import SetAside, set_aside_table

MODALITIES = ("cough", "three_cough", "exhalation", "sentence")
_OPEN = MODALITIES[:3]  # the sentence is in the protected edition only
_WAV_HEADER_BYTES = 44  # up to this the publishers' own checks take nothing to be recorded


def read_audio(
    table: pl.DataFrame, known: set[str], *, corpus: str, path: Path
) -> tuple[pl.DataFrame, set[str], pl.DataFrame]:
    """Turn `audio_metadata.csv`, a row for each participant, into a row for each recording.

    Args:
        known: the participants of `participant_metadata.csv`.
        path: the table's file.

    Returns:
        KEY, recording_id, modality, file and signal_to_noise in the order of participants; the
        files that the table says are empty; and SET_ASIDE rows.

    Raises:
        UserError: it has no column of file names.
    """
    present = [name for name in MODALITIES if f"{name}_file_name" in table.columns]
    if not present:
        raise UserError(require_columns(table, [f"{name}_file_name" for name in _OPEN], path))
    reports = [
        SetAside(corpus, "layout", path.name, f"no column '{name}_file_name': no such recordings",
                 field=f"{name}_file_name")
        for name in _OPEN if name not in present
    ]  # fmt: skip
    stranger = ~table[KEY].is_in(list(known))
    reports += [
        SetAside(
            corpus, "layout", who, f"{path.name} lists nobody of participant_metadata.csv", row
        )
        for who, row in table.filter(stranger).select(KEY, ROW).iter_rows()
    ]
    unheard = len(known - set(table[KEY]))
    if unheard:
        reason = f"{unheard:,} participants stand in no row of it: they have no recording"
        reports.append(SetAside(corpus, "layout", path.name, reason))
    table = table.filter(~stranger).with_row_index("place")
    rows = pl.concat([_modality(table, name) for name in present]).sort(
        "place", maintain_order=True
    )
    unrecorded = rows.filter(pl.col("file").is_null())["modality"].value_counts(sort=True)
    reports += [
        SetAside(corpus, "layout", modality, f"{count:,} participants have no such recording")
        for modality, count in unrecorded.iter_rows()
    ]
    empty = rows.filter(pl.col("file").is_not_null(), pl.col("size") <= _WAV_HEADER_BYTES)
    rows = rows.filter(
        pl.col("file").is_not_null(), (pl.col("size") > _WAV_HEADER_BYTES).fill_null(True)
    )
    values, unusable = read_attributes(
        rows, {"signal_to_noise": LabelColumn("snr")}, corpus=corpus, item=rows["recording_id"]
    )
    aside = pl.concat([set_aside_table(reports), _empty(empty, corpus), unusable])
    recordings = rows.select(KEY, "recording_id", "modality", "file").hstack(values)
    return recordings, set(empty["file"]), aside


def find_files(
    folder: Path, wanted: pl.Series, silent: set[str], *, corpus: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Look once through the folder of audio; nothing is opened.

    Args:
        wanted: the names of the recordings' files.
        silent: names of files that are known to be empty.

    Returns:
        `file` and `there` for those that are there, and SET_ASIDE rows for other audio.
    """
    names = {entry.name for entry in entries(folder) if Path(entry.name).suffix in AUDIO_SUFFIXES}
    expected = set(wanted)
    found = sorted(names & expected)
    strays = set_aside_table(
        SetAside(corpus, "layout", name, "an AppleDouble file of macOS, not audio"
                 if is_apple_double(name) else "audio_metadata.csv does not name this file")
        for name in sorted(names - expected - silent)
    )  # fmt: skip
    table = pl.DataFrame({"file": found}, schema={"file": pl.String})
    return table.with_columns(there=pl.lit(True)), strays


def _modality(table: pl.DataFrame, name: str) -> pl.DataFrame:
    def column(kind: str) -> pl.Series:
        spelt = next((one for one in table.columns if one.lower() == f"{name}_{kind}"), None)
        if spelt is None:
            return pl.repeat(None, table.height, dtype=pl.String, eager=True)
        text = table[spelt].str.strip_chars()
        return text.set(text == "", None)

    return table.select("place", KEY, ROW).with_columns(
        recording_id=table[KEY] + f"_{name}",
        modality=pl.lit(name),
        file=column("file_name"),
        size=parse_numbers(column("size")),
        snr=column("snr"),
    )


def _empty(rows: pl.DataFrame, corpus: str) -> pl.DataFrame:
    return rows.select(
        corpus=pl.lit(corpus),
        stage=pl.lit("layout"),
        item="recording_id",
        row=ROW,
        field=pl.lit(None, pl.String),
        value="file",
        reason=pl.lit("a wav header without samples"),
    )
