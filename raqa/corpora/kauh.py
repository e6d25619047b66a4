"""KAUH: lung sounds of 112 patients, each through three filters of an electronic stethoscope."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Downloaded, Recordings
from raqa.corpora.disagreements import Source, read_both
from raqa.corpora.files import AUDIO_SUFFIXES, entries, is_apple_double
from raqa.corpora.label_table import ROW, read_label_table, require_columns
from raqa.corpora.labels import LabelColumn
from raqa.errors import UserError
from raqa.tables import SetAside, set_aside_table

FILTERS = {"B": "bell", "D": "diaphragm", "E": "extended"}
_WORKBOOK = "Data annotation.xlsx"
_FACTS = ("Age", "Gender", "Location", "Sound type", "Diagnosis")  # workbook's columns
_NAME = re.compile(
    r"(?P<filter>[BDE])P(?P<patient>\d+)_(?P<Diagnosis>.*),(?P<sound>[^,]*),(?P<Location>[^,]*),"
    r"(?P<Age>[^,]*),(?P<Gender>[^,]*)"
)
_HEIGHTS = {"u": "upper", "m": "middle", "l": "lower"}
_PLACES: dict[str | bool | int | float, str | bool] = {
    f"{view[0]} {side[0]} {letter}": f"{view}_{side}_{height}"
    for view in ("anterior", "posterior")
    for side in ("left", "right")
    for letter, height in _HEIGHTS.items()
}
_LABELS = {
    "diagnosis": LabelColumn(
        "Diagnosis",
        values={
            "n": "healthy", "bron": "bronchitis", "plueral effusion": "pleural_effusion",
            "pleural effusion": "pleural_effusion", "heart failure": "heart_failure",
            "lung fibrosis": "lung_fibrosis",
        },
        separator=r"\s*\+\s*|\s+(?i:and)\s+",
    ),
    "lung_sounds": LabelColumn(
        "sounds",
        values={"n": "normal", "w": "wheeze", "c": "crackle", "crep": "crepitation",
                "b": "bronchial"},
        separator=r"\s+",
    ),
    "breath_phase": LabelColumn(
        "phases", values={"i": "inspiration", "e": "expiration"}, separator=r"\s+"
    ),
    "chest_location": LabelColumn("Location", values=_PLACES),
    "age": LabelColumn("Age", unit="year"),
    "sex": LabelColumn("Gender"),
}  # fmt: skip
_MISSING = {
    "breath_phase": "neither the workbook nor the file name says in which phase it is heard",
    "*": "neither the workbook nor the file name says it",
}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Kauh(Downloaded):
    """The official download: `Audio Files/` and the workbook `Data annotation.xlsx` in `root`.

    Sources: Fraiwan et al. 2021, doi:10.1016/j.dib.2021.106913 (BRON is bronchitis, B bronchial);
    the letters from the legend in the workbook's header row. The workbook has no patient number:
    its row is the number.
    """

    root: Path

    name = "kauh"
    title = "KAUH: lung sounds of 112 patients of King Abdullah University Hospital, three filters"
    licence = "CC BY 4.0"
    how_to_get = (
        "download it from https://data.mendeley.com/datasets/jwyy9np4gv/3 "
        "and unpack Audio Files.zip"
    )
    attributes = (*_LABELS, "filter")
    missing = _MISSING

    def read(self) -> Recordings:
        """Read three rows for each patient of the workbook, with the audio or without.

        The workbook is used where the file name says something else: all its places follow the
        legend's order (view, side, height), some of the file names' do not.

        Raises:
            UserError: the workbook is not there or lacks columns.
        """
        workbook, patients = self._read_workbook()
        named, strays = self._read_names(set(patients["patient"]))
        rows = patients.join(pl.DataFrame({"letter": list(FILTERS)}), how="cross").with_columns(
            recording_id=pl.col("letter") + pl.col("patient")
        )
        names = rows.select("recording_id", ROW).join(
            named, on="recording_id", how="left", maintain_order="left"
        )
        values, disputed = read_both(
            Source("the workbook", rows, _LABELS), Source("the file name", names, _LABELS),
            corpus=self.name, item=rows["recording_id"],
        )  # fmt: skip
        return Recordings(
            corpus=self.name,
            table=self._recordings(rows.with_columns(found=names["found"]), values),
            set_aside=pl.concat([disputed, set_aside_table(strays)]),
            sources=(workbook,),
        )

    @property
    def _audio(self) -> Path:
        return self.root / "Audio Files"

    def _read_workbook(self) -> tuple[Path, pl.DataFrame]:
        """Return the workbook's path, and its patients by the number of their row."""
        path = self.root / _WORKBOOK
        if not path.is_file():
            raise UserError(
                f"No KAUH in {self.root}: {_WORKBOOK} is not there. "
                f"How to get it: {self.how_to_get}"
            )
        table = read_label_table(path)
        problems = require_columns(table, _FACTS, path)
        if problems:
            raise UserError(problems)
        said = pl.any_horizontal(pl.col(_FACTS).str.strip_chars().fill_null("") != "")
        patients = table.filter(said).select(*_FACTS, ROW)  # cells beside the facts are no patient
        number = pl.format("P{}", pl.col(ROW) - 1)
        return path, _tidied(patients).with_columns(patient=number)

    def _read_names(self, known: set[str]) -> tuple[pl.DataFrame, list[SetAside]]:
        """Read the facts that file names state."""
        facts: dict[str, dict[str, str]] = {}
        strays = []
        for entry in entries(self._audio.absolute()):
            path = Path(entry.path)
            if path.suffix.lower() not in AUDIO_SUFFIXES:
                continue
            match = _NAME.fullmatch(path.stem.strip())
            said = match.groupdict("") if match else {}
            recording_id = f"{said['filter']}P{int(said['patient'])}" if match else ""
            if is_apple_double(entry.name):
                strays.append((entry.name, "an AppleDouble file of macOS, not audio"))
            elif not match:
                strays.append((entry.name, "not <filter>P<patient>_<diagnosis>,<sound>,<place>,"
                               "<age>,<sex>"))  # fmt: skip
            elif recording_id[1:] not in known:
                strays.append((entry.name, f"{_WORKBOOK} has no row {int(said['patient']) + 1}"))
            elif recording_id in facts:
                strays.append((entry.name, f"the recording is already in "
                               f"{Path(facts[recording_id]['found']).name}"))  # fmt: skip
            else:
                facts[recording_id] = {**said, "recording_id": recording_id, "found": entry.path}
        columns = ("recording_id", "found", *_FACTS)
        rows = [{**said, "Sound type": said["sound"]} for said in facts.values()]
        table = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String))
        return _tidied(table), [SetAside(self.name, "layout", name, why) for name, why in strays]

    def _recordings(self, rows: pl.DataFrame, values: pl.DataFrame) -> pl.DataFrame:
        expected = pl.format(
            "{}/{}_{},{},{},{},{}.wav", pl.lit(str(self._audio.absolute())), "recording_id",
            *(pl.col(name).fill_null("") for name in
              ("Diagnosis", "Sound type", "Location", "Age", "Gender")),
        )  # fmt: skip
        return rows.select(
            "recording_id",
            corpus=pl.lit(self.name),
            subject_id="patient",
            subject_known=pl.lit(True),
            path=pl.coalesce("found", expected),
            audio=pl.col("found").is_not_null(),
            start_s=pl.lit(None, pl.Float64),
            end_s=pl.lit(None, pl.Float64),
            modality=pl.lit("lung"),
            split=pl.lit(None, pl.String),
            filter=pl.col("letter").replace_strict(FILTERS, return_dtype=pl.String),
        ).hstack(values)


def _tidied(table: pl.DataFrame) -> pl.DataFrame:
    """Part the sounds from the phases of breathing: `I C E W` is both."""
    letters = pl.col("Sound type").str.strip_chars().str.replace("(?i)bronchial", "B")
    return table.with_columns(
        sounds=letters.str.replace_all(r"(?i)\b[IE]\b", "").str.strip_chars(),
        phases=letters.str.extract_all(r"(?i)\b[IE]\b").list.join(" "),
        Location=pl.col("Location").str.strip_chars().str.replace_all(r"\s+", " "),
    )
