"""UK COVID-19 Vocal Audio Dataset: coughs and exhalations of 72,999 participants with a test."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Downloaded, Recordings
from raqa.corpora.label_table import ROW, read_label_table, require_columns
from raqa.corpora.optional_columns import read_optional
from raqa.corpora.repeated import drop_repeated
from raqa.corpora.uk_covid19_audio import find_files, read_audio
from raqa.corpora.uk_covid19_labels import (
    AGE,
    KEY,
    MEANING,
    PARTICIPANT,
    Official,
    participant_columns,
    read_sides,
    split_columns,
)
from raqa.errors import UserError
from raqa.tables import SetAside, set_aside_table


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class UkCovid19(Downloaded):
    """Three tables and `audio/` in `root`, as published.

    Sources: Budd et al. 2024, doi:10.1038/s41597-024-03492-w; columns and values as the
    publishers' own notebooks and tests use them (github.com/alan-turing-institute/
    Turing-RSS-Health-Data-Lab-Biomedical-Acoustic-Markers).

    Attributes:
        root: the folder of the download.
        official: which of the published splits is the official one.
    """

    root: Path
    official: Official = "standard"

    name = "uk_covid19"
    title = "UK COVID-19 Vocal Audio Dataset: coughs and exhalations with a linked test result"
    licence = "Open Government Licence v3.0 (open access edition)"
    how_to_get = (
        "download the three tables and all parts of covid_data.zip from "
        "https://zenodo.org/records/10043978, unpack them, and put audio/ beside the tables"
    )
    attributes = (*AGE, *PARTICIPANT, "signal_to_noise")
    missing = MEANING

    def read(self) -> Recordings:
        """Read one row for each participant and modality that was recorded.

        Raises:
            UserError: a table is not there, or lacks the participants or every file name.
        """
        people_file = self.root / "participant_metadata.csv"
        audio_file = self.root / "audio_metadata.csv"
        people, repeated = self._read_table(people_file)
        columns = participant_columns(people)
        values, unusable = read_optional(
            people, columns, corpus=self.name, item=people[KEY], path=people_file
        )
        audio_table, audio_repeated = self._read_table(audio_file)
        audio, silent, audio_aside = read_audio(
            audio_table, set(people[KEY]), corpus=self.name, path=audio_file
        )
        split, split_aside, sources = self._read_split(set(people[KEY]))
        folder = (self.root / "audio" if (self.root / "audio").is_dir() else self.root).absolute()
        files, strays = find_files(folder, audio["file"], silent, corpus=self.name)
        rows = (
            audio.join(people.select(KEY).hstack(values), on=KEY, maintain_order="left")
            .join(split, on=KEY, how="left", maintain_order="left")
            .join(files, on="file", how="left", maintain_order="left")
        )  # fmt: skip
        return Recordings(
            corpus=self.name,
            table=self._recordings(rows, folder),
            set_aside=pl.concat(
                [repeated, unusable, audio_repeated, audio_aside, split_aside, strays]
            ),
            sources=(people_file, audio_file, *sources),
        )

    def _read_table(self, path: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
        if not path.is_file():
            raise UserError(
                f"No UK COVID-19 Vocal Audio Dataset in {self.root}: {path.name} is not there. "
                f"How to get it: {self.how_to_get}"
            )
        table = read_label_table(path)
        problems = require_columns(table, [KEY], path)
        if problems:
            raise UserError(problems)
        return drop_repeated(table, KEY, corpus=self.name)

    def _read_split(self, known: set[str]) -> tuple[pl.DataFrame, pl.DataFrame, tuple[Path, ...]]:
        path = self.root / "train_test_splits.csv"
        nothing = pl.DataFrame(schema={KEY: pl.String, "split": pl.String})
        if not path.is_file():
            reason = "the table of splits is not there: no recording has an official split"
            return nothing, set_aside_table([SetAside(self.name, "split", path.name, reason)]), ()
        table, repeated = self._read_table(path)
        problems = require_columns(table, split_columns(self.official), path)
        if problems:
            reason = f"datamodule.corpus.official={self.official} needs a column that is not there"
            raise UserError([*problems, reason])
        sides = table.select(KEY).with_columns(read_sides(table, self.official))
        reason = "stands in the split and not in participant_metadata.csv"
        strangers = table.filter(~table[KEY].is_in(list(known))).select(KEY, ROW)
        aside = set_aside_table(
            SetAside(self.name, "split", who, reason, row) for who, row in strangers.iter_rows()
        )
        return sides, pl.concat([repeated, aside]), (path,)

    def _recordings(self, rows: pl.DataFrame, folder: Path) -> pl.DataFrame:
        given = [name for name in self.attributes if name in rows.columns]
        return rows.select(
            "recording_id",
            corpus=pl.lit(self.name),
            subject_id=KEY,
            subject_known=pl.lit(True),
            path=pl.format("{}/{}", pl.lit(str(folder)), "file"),
            audio=pl.col("there").is_not_null(),
            start_s=pl.lit(None, pl.Float64),
            end_s=pl.lit(None, pl.Float64),
            modality="modality",
            split="split",
            **{name: name for name in given},
        )
