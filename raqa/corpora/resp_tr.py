"""RespiratoryDatabase@TR: twelve channels of lung sounds of 42 patients with or at risk of COPD."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Downloaded, Recordings
from raqa.corpora.files import AUDIO_SUFFIXES, is_apple_double
from raqa.corpora.label_table import read_label_table, require_columns
from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.corpora.repeated import drop_repeated
from raqa.errors import UserError
from raqa.tables import SetAside, set_aside_table

CHANNELS = tuple(f"{side}{number}" for side in "LR" for number in range(1, 7))
_TABLES = ("Labels.xlsx", "Labels.csv")  # the download's workbook before its text copy
_LABELS = {
    "copd_severity": LabelColumn("Diagnosis", values={f"COPD{n}": str(n) for n in range(5)}),
}
_MISSING = {"copd_severity": "the patient's cell is empty or none of COPD0 to COPD4"}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class RespTr(Downloaded):
    """The official download: `Labels.xlsx` in `root`, and `<patient>_<channel>.wav` below it.

    Sources: Altan et al. 2017, doi:10.28978/nesciences.349282. It says that the channels cover
    upper, middle and lower lung and costophrenic angle, in front and behind, left and right; which
    number is which place could not be verified, so `channel` is kept as it is written.
    """

    root: Path

    name = "resp_tr"
    title = "RespiratoryDatabase@TR: lung sounds, 12 channels of 42 patients, COPD0 to COPD4"
    licence = "CC BY 4.0"
    how_to_get = (
        "download RespiratoryDatabase@TR from https://data.mendeley.com/datasets/p9z4h98s6j/1 "
        "and put Labels.xlsx beside the unpacked wav files"
    )
    attributes = (*_LABELS, "channel")
    missing = _MISSING

    def read(self) -> Recordings:
        """Read twelve rows for each patient of the label table, with the audio or without.

        Raises:
            UserError: the label table is not there or lacks columns.
        """
        labels = self._label_table()
        table = read_label_table(labels)
        problems = require_columns(table, ["Patient ID", "Diagnosis"], labels)
        if problems:
            raise UserError(problems)
        extra = [name for name in table.columns if not name]  # a comma at the end of every line
        patients, repeated = drop_repeated(table.drop(extra), "Patient ID", corpus=self.name)
        values, unusable = read_attributes(
            patients, _LABELS, corpus=self.name, item=patients["Patient ID"]
        )
        files, strays = self._find_files(set(patients["Patient ID"]))
        rows = (
            patients.select("Patient ID").hstack(values)
            .join(pl.DataFrame({"channel": CHANNELS}), how="cross")
            .with_columns(recording_id=pl.format("{}_{}", "Patient ID", "channel"))
            .join(files, on="recording_id", how="left", maintain_order="left")
        )  # fmt: skip
        return Recordings(
            corpus=self.name,
            table=self._recordings(rows),
            set_aside=pl.concat([repeated, unusable, set_aside_table(strays)]),
            sources=(labels,),
        )

    def _label_table(self) -> Path:
        for name in _TABLES:
            if (self.root / name).is_file():
                return self.root / name
        raise UserError(
            f"No RespiratoryDatabase@TR in {self.root}: neither {' nor '.join(_TABLES)} is there. "
            f"How to get it: {self.how_to_get}"
        )

    def _find_files(self, known: set[str]) -> tuple[pl.DataFrame, list[SetAside]]:
        """Index the wav files, in `root` or any folder below it."""
        found: dict[str, Path] = {}
        strays = []
        for path in _audio_below(self.root.absolute()):
            patient, _, channel = path.stem.rpartition("_")
            recording_id = f"{patient}_{channel}"
            if is_apple_double(path.name):
                strays.append((path, "an AppleDouble file of macOS, not audio"))
            elif channel not in CHANNELS:
                strays.append((path, "not <patient>_<channel> with a channel L1 to L6, R1 to R6"))
            elif patient not in known:
                strays.append((path, "nobody of that id is in the label table"))
            elif recording_id in found:
                strays.append((path, f"the recording is already in {found[recording_id]}"))
            else:
                found[recording_id] = path
        table = pl.DataFrame(
            {"recording_id": list(found), "found": [str(path) for path in found.values()]},
            schema={"recording_id": pl.String, "found": pl.String},
        )
        return table, [
            SetAside(self.name, "layout", str(path.relative_to(self.root.absolute())), why)
            for path, why in strays
        ]

    def _recordings(self, rows: pl.DataFrame) -> pl.DataFrame:
        expected = pl.format("{}/{}.wav", pl.lit(str(self.root.absolute())), "recording_id")
        return rows.select(
            "recording_id",
            corpus=pl.lit(self.name),
            subject_id="Patient ID",
            subject_known=pl.lit(True),
            path=pl.coalesce("found", expected),
            audio=pl.col("found").is_not_null(),
            start_s=pl.lit(None, pl.Float64),
            end_s=pl.lit(None, pl.Float64),
            modality=pl.lit("lung"),
            split=pl.lit(None, pl.String),
            **{name: name for name in self.attributes},
        )


def _audio_below(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if Path(name).suffix.lower() in AUDIO_SUFFIXES:
                yield Path(folder) / name
