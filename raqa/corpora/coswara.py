"""Coswara: crowdsourced breathing, cough, voice and counting of 2,746 participants."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Downloaded, Recordings
from raqa.corpora.coswara_form import LABELS, REQUIRED, Missing, meanings, read_form
from raqa.corpora.files import AUDIO_SUFFIXES, entries, is_apple_double
from raqa.corpora.label_table import ROW, read_label_table, require_columns
from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.corpora.repeated import drop_repeated
from raqa.errors import UserError
from raqa.tables import SetAside, set_aside_table

MODALITIES = (
    "breathing-deep",
    "breathing-shallow",
    "cough-heavy",
    "cough-shallow",
    "counting-fast",
    "counting-normal",
    "vowel-a",
    "vowel-e",
    "vowel-o",
)
WAV_HEADER_BYTES = 44  # of the smallest wav file; the download has some that end there
_QUALITY = {"quality": LabelColumn("QUALITY")}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Coswara(Downloaded):
    """The official download, `combined_data.csv`, `annotations/` and `Extracted_data/` in `root`.

    Sources: Bhattacharya et al. 2023, doi:10.1038/s41597-023-02266-0; the meaning of the columns
    from its `csv_labels_legend.json`; 2, 1, 0 in the annotations are excellent, good, bad.

    Attributes:
        root: the folder of the download.
        unticked: the setting `missing`. form: a check-box that was not ticked is a no where the
            form had it and was sent; drop: every empty cell is missing.
    """

    root: Path
    unticked: Missing = Field("form", alias="missing")

    name = "coswara"
    title = "Coswara: breathing, cough, voice and counting, crowdsourced in India and elsewhere"
    licence = "CC BY 4.0"
    how_to_get = "git clone https://github.com/iiscleap/Coswara-Data, then run its extract_data.py"
    attributes = (*LABELS, "quality")

    @property
    def missing(self) -> Mapping[str, str]:
        """What a missing value means."""
        return meanings(self.unticked)

    def read(self) -> Recordings:
        """Read one row for each participant and modality, with the audio or without.

        Raises:
            UserError: the label tables are not there or lack columns.
        """
        labels = self.root / "combined_data.csv"
        if not labels.is_file():
            raise UserError(
                f"No Coswara in {self.root}: combined_data.csv is not there. "
                f"How to get it: {self.how_to_get}"
            )
        subjects, repeated = drop_repeated(
            _read(labels, ["id", "record_date", *(source.column for source in REQUIRED.values())]),
            "id", corpus=self.name)  # fmt: skip
        values, aside, assumed = read_form(subjects, self.unticked, corpus=self.name, path=labels)
        quality, quality_aside, annotations = self._read_annotations(set(subjects["id"]))
        files, strays = self._find_files(set(subjects["id"]))
        table = (
            subjects.select("id", "record_date").hstack(values)
            .join(pl.DataFrame({"modality": MODALITIES}), how="cross")
            .with_columns(recording_id=pl.format("{}_{}", "id", "modality"))
            .join(quality, on="recording_id", how="left", maintain_order="left")
            .join(files, on="recording_id", how="left", maintain_order="left")
        )  # fmt: skip
        return Recordings(
            corpus=self.name,
            table=self._recordings(table),
            set_aside=pl.concat([repeated, aside, quality_aside, set_aside_table(strays)]),
            sources=(labels, *annotations),
            assumed=assumed,
        )

    def notes(self) -> tuple[str, ...]:
        """Say which parts of the download are still packed."""
        packed = {path.name[:8] for path in self.root.glob("*/*.tar.gz.a*")}
        waiting = sorted(packed - {entry.name for entry in entries(self._audio)})
        if not waiting:
            return ()
        shown = ", ".join(waiting[:3]) + (", ..." if len(waiting) > 3 else "")
        return (
            f"{len(waiting)} parts of the download are not extracted ({shown}): "
            f"run extract_data.py in {self.root}",
        )

    @property
    def _audio(self) -> Path:
        return self.root / "Extracted_data"

    def _recordings(self, table: pl.DataFrame) -> pl.DataFrame:
        day = pl.col("record_date").str.replace_all("-", "", literal=True).fill_null("unknown")
        expected = pl.format(
            "{}/{}/{}/{}.wav", pl.lit(str(self._audio.absolute())), day, "id", "modality"
        )
        return table.select(
            "recording_id",
            corpus=pl.lit(self.name),
            subject_id="id",
            subject_known=pl.lit(True),
            path=pl.coalesce("found", expected),
            audio=pl.col("found").is_not_null(),
            start_s=pl.lit(None, pl.Float64),
            end_s=pl.lit(None, pl.Float64),
            modality="modality",
            split=pl.lit(None, pl.String),
            **{name: name for name in self.attributes},
        )

    def _read_annotations(self, known: set[str]) -> tuple[pl.DataFrame, pl.DataFrame, list[Path]]:
        """Return quality by recording_id, what was set aside, and the files that were read."""
        found, aside, sources = [], [], []
        for modality in MODALITIES:
            path = self.root / "annotations" / f"{modality}_labels.csv"
            if not path.is_file():
                reason = f"no annotations of {modality}: its quality is missing"
                aside.append(set_aside_table([SetAside(self.name, "layout", path.name, reason)]))
                continue
            table, repeated = drop_repeated(
                _read(path, ["FILENAME", "QUALITY"]), "FILENAME", corpus=self.name
            )
            values, unusable = read_attributes(
                table, _QUALITY, corpus=self.name, item=table["FILENAME"]
            )
            strange = ~pl.col("FILENAME").str.strip_suffix(f"_{modality}").is_in(known)
            aside += [repeated, unusable, set_aside_table(
                SetAside(self.name, "layout", name, f"{path.name} annotates a recording of nobody "
                         "in combined_data.csv", row)
                for name, row in table.filter(strange).select("FILENAME", ROW).iter_rows()
            )]  # fmt: skip
            found.append(table.select(recording_id="FILENAME").hstack(values))
            sources.append(path)
        empty = pl.DataFrame(schema={"recording_id": pl.String, "quality": pl.String})
        return pl.concat([empty, *found]), pl.concat([set_aside_table(), *aside]), sources

    def _find_files(self, known: set[str]) -> tuple[pl.DataFrame, list[SetAside]]:
        """Index `Extracted_data/<date>/<id>/`: the date is mostly not the recording's."""
        found: dict[str, str] = {}
        strays = []
        for day in entries(self._audio.absolute()):
            for participant in entries(Path(day.path)):
                if not participant.is_dir():
                    continue
                if participant.name not in known:
                    strays.append((participant.path, "nobody of that id is in combined_data.csv"))
                    continue
                strays += _index(Path(participant.path), found)
        table = pl.DataFrame(
            {"recording_id": list(found), "found": list(found.values())},
            schema={"recording_id": pl.String, "found": pl.String},
        )
        return table, [
            SetAside(self.name, "layout", str(Path(path).relative_to(self.root.absolute())), reason)
            for path, reason in strays
        ]


def _index(folder: Path, found: dict[str, str]) -> list[tuple[str, str]]:
    """Add a participant's recordings to `found`; return the files that are none, with reasons."""
    strays = []
    for entry in entries(folder):
        stem, suffix = Path(entry.name).stem, Path(entry.name).suffix
        recording_id = f"{folder.name}_{stem}"
        if suffix.lower() not in AUDIO_SUFFIXES:
            continue
        if is_apple_double(entry.name):
            strays.append((entry.path, "an AppleDouble file of macOS, not audio"))
        elif suffix != ".wav" or stem not in MODALITIES:
            strays.append((entry.path, "not one of the nine recordings"))
        elif entry.stat().st_size <= WAV_HEADER_BYTES:
            strays.append((entry.path, "a wav header without samples"))
        elif recording_id in found:
            strays.append((entry.path, f"stands already in {found[recording_id]}"))
        else:
            found[recording_id] = entry.path
    return strays


def _read(path: Path, columns: list[str]) -> pl.DataFrame:
    table = read_label_table(path)
    problems = require_columns(table, columns, path)
    if problems:
        raise UserError(problems)
    return table
