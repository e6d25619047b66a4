"""covid19-cough: induced coughs from a call centre and a messenger; uploads, not subjects."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Downloaded, Recordings
from raqa.corpora.files import AUDIO_SUFFIXES, entries, is_apple_double, locate
from raqa.corpora.label_table import ROW, read_label_table, require_columns
from raqa.corpora.labels import LabelColumn, parse_numbers, read_attributes
from raqa.corpora.repeated import drop_repeated
from raqa.errors import UserError
from raqa.tables import SetAside, set_aside_table

_TIMES = ("start_at", "end_at")  # optional fields, as are those marked below
_LABELS = {
    "covid_status": LabelColumn("covid19", values={"true": "positive", "false": "negative"}),
    "asymptomatic": LabelColumn("asymptomatic"),  # optional
    "verified": LabelColumn("verified"),  # optional
    "source": LabelColumn("source"),
}
_MISSING = {
    "asymptomatic": "the field is absent, as it is for all negatives: nobody said so",
    "verified": "the field is absent: nobody said whether a laboratory confirmed the status",
}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Covid19Cough(Downloaded):
    """The official repository: `metadata.json` and `raw/*.mp3` in `root`.

    Source: the README of github.com/covid19-cough/dataset.

    Attributes:
        root: the folder of the repository.
        rows: `recordings` are whole files; `coughs` are the induced cough of each file, from its
            `start_at` to its `end_at`, where the metadata says them.
    """

    root: Path
    rows: Literal["recordings", "coughs"] = "recordings"

    name = "covid19_cough"
    title = "covid19-cough: 1,324 induced coughs by telephone or messenger; uploads, not subjects"
    licence = "CC0 1.0"
    how_to_get = "git clone https://github.com/covid19-cough/dataset"
    attributes = tuple(_LABELS)
    missing = _MISSING

    @property
    def subject_known(self) -> bool:
        """False: one person may have called several times."""
        return False

    def read(self) -> Recordings:
        """Read one row for each file of the metadata, with the audio or without.

        Raises:
            UserError: metadata.json is not there or lacks fields; `rows` is coughs and no
                recording has usable times.
        """
        metadata = self.root / "metadata.json"
        if not metadata.is_file():
            raise UserError(
                f"No covid19-cough in {self.root}: metadata.json is not there. "
                f"How to get it: {self.how_to_get}"
            )
        table = read_label_table(metadata)
        problems = require_columns(table, ["filename", "covid19"], metadata)
        if problems:
            raise UserError(problems)
        optional = {*_TIMES, *(source.column for source in _LABELS.values())} - {*table.columns}
        table = table.with_columns(pl.lit(None, pl.String).alias(name) for name in optional)
        table, repeated = drop_repeated(table, "filename", corpus=self.name)
        item = table["filename"].str.replace(r"\.[^.]*$", "")
        values, unusable = read_attributes(table, _LABELS, corpus=self.name, item=item)
        said = table.select("filename", ROW, *_TIMES, recording_id=item)
        rows = self._located(said.hstack(values))
        rows, untimed = self._with_times(rows)
        return Recordings(
            corpus=self.name,
            table=self._recordings(rows),
            set_aside=pl.concat([repeated, unusable, untimed, self._strays(table)]),
            sources=(metadata,),
        )

    @property
    def _audio(self) -> Path:
        return self.root.absolute() / "raw"

    def _located(self, rows: pl.DataFrame) -> pl.DataFrame:
        places = [locate(self._audio, name) for name in rows["filename"]]
        return rows.with_columns(
            path=pl.Series([str(path) for path, _ in places], dtype=pl.String),
            audio=pl.Series([there for _, there in places], dtype=pl.Boolean),
        )

    def _with_times(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Add start_s and end_s; leave the recordings without them out where coughs are asked."""
        start, end = (parse_numbers(rows[name]) for name in _TIMES)
        usable = (start.is_finite() & end.is_finite() & (start >= 0) & (end > start)).fill_null(
            False
        )
        silent = start.is_null() & end.is_null() & rows.select(
            pl.all_horizontal(pl.col(_TIMES).is_null())).to_series()  # fmt: skip
        coughs = self.rows == "coughs"
        if coughs and not usable.any():
            raise UserError(
                f"{self.root}: no recording has a start_at and an end_at, so that there are no "
                "coughs to take out of them; datamodule.corpus.rows=recordings takes whole files"
            )
        faulty = ~usable & (~silent | coughs)
        aside = set_aside_table(
            SetAside(self.name, "label", name, "its start_at and end_at are no segment"
                     if begins or ends else "it has no start_at and end_at", row,
                     "start_at", f"{begins} to {ends}" if begins or ends else None)
            for name, row, begins, ends in
            rows.filter(faulty).select("recording_id", ROW, *_TIMES).iter_rows()
        )  # fmt: skip
        if not coughs:
            nothing = pl.lit(None, pl.Float64)
            return rows.with_columns(start_s=nothing, end_s=nothing), aside
        return rows.with_columns(start_s=start, end_s=end).filter(usable), aside

    def _recordings(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.select(
            "recording_id",
            corpus=pl.lit(self.name),
            subject_id="recording_id",
            subject_known=pl.lit(False),
            path="path",
            audio="audio",
            start_s="start_s",
            end_s="end_s",
            modality=pl.lit("cough"),
            split=pl.lit(None, pl.String),
            **{name: name for name in self.attributes},
        )

    def _strays(self, table: pl.DataFrame) -> pl.DataFrame:
        """Set aside the files that are no row of the metadata."""
        known, strays = set(table["filename"]), []
        for entry in entries(self._audio):
            if Path(entry.name).suffix.lower() not in AUDIO_SUFFIXES or entry.name in known:
                continue
            apple = is_apple_double(entry.name)
            why = "an AppleDouble file of macOS, not audio" if apple else "not in metadata.json"
            strays.append(SetAside(self.name, "layout", entry.name, why))
        return set_aside_table(strays)
