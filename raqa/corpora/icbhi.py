"""ICBHI 2017: breathing cycles with crackles and wheezes, 920 recordings of 126 subjects."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora import events
from raqa.corpora.base import Downloaded, Recordings
from raqa.corpora.icbhi_tables import NAME, IcbhiTables, read_split, read_tables, unlisted
from raqa.corpora.label_table import ROW
from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.corpora.tree import read_tree
from raqa.errors import UserError
from raqa.tables import SetAside, set_aside_table

_LINE = ("start", "end", "crackles", "wheezes")
_CYCLE = {"crackle": LabelColumn("crackles"), "wheeze": LabelColumn("wheezes")}
_FROM_NAME = {
    "chest_location": LabelColumn("place", values={
        "Tc": "trachea", "Al": "anterior_left", "Ar": "anterior_right", "Pl": "posterior_left",
        "Pr": "posterior_right", "Ll": "lateral_left", "Lr": "lateral_right"}),
    "acquisition": LabelColumn("mode", values={"sc": "single", "mc": "multi"}),
    "device": LabelColumn("device", values={
        "AKGC417L": "AKG C417L microphone", "LittC2SE": "Littmann Classic II SE stethoscope",
        "Litt3200": "Littmann 3200 stethoscope", "Meditron": "WelchAllyn Meditron stethoscope"}),
}  # fmt: skip

_EMPTY = {
    "bmi": "NA, or a child: only weight and height are given, and bmi is not derived from them",
    "height": "an adult: only bmi is given",
    "weight": "an adult: only bmi is given",
}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Icbhi(Downloaded):
    """The official download, or the copy that is widely used (it has no official split).

    Official are `ICBHI_final_database/` and tables beside it, the copy has `audio_and_txt_files/`,
    `patient_diagnosis.csv` and `demographic_info.txt`. Files are found wherever below `root`.

    Sources: Rocha et al. 2019, doi:10.1088/1361-6579/ab03ea; the meaning of the file names from
    https://bhichallenge.med.auth.gr.

    Attributes:
        root: the folder of the download.
        rows: a row for each breathing cycle, or for each recording, in which a crackle or wheeze
            is heard if it is heard in any cycle.
    """

    root: Path
    rows: Literal["cycles", "recordings"] = "cycles"

    name = "icbhi"
    title = "ICBHI 2017: lung sounds with crackles and wheezes by breathing cycle"
    licence = "free for research, as its site says; no licence is named"
    how_to_get = (
        "download ICBHI_final_database.zip, the train/test list, diagnosis and demographic "
        "information from https://bhichallenge.med.auth.gr/ICBHI_2017_Challenge"
    )
    attributes = (*_CYCLE, "lung_sound_class", "diagnosis", "age", "sex", "bmi", "height",
                  "weight", *_FROM_NAME)  # fmt: skip
    missing = _EMPTY

    def read(self) -> Recordings:
        """Read one row for each cycle or recording, with the audio or without.

        Raises:
            UserError: nothing of ICBHI is there, or cycles are wanted and none are annotated.
        """
        tree = read_tree(self.root, (".wav", ".txt", ".csv"), corpus=self.name)
        written = {**tree.files[".csv"], **tree.files[".txt"]}
        notes = {name: path for name, path in written.items() if NAME.fullmatch(name)}
        tables = read_tables(written, corpus=self.name)
        names, strays = self._recordings(notes, tree.files[".wav"], tables)
        named, odd_names = self._from_names(names)
        strays += unlisted(tables, named["subject_id"], corpus=self.name)
        split, odd_split = read_split(tables, names["recording_id"], corpus=self.name)
        facts = named.join(tables.subjects, on="subject_id", how="left", maintain_order="left")
        facts = facts.join(split, on="recording_id", how="left", maintain_order="left")
        cycles, unusable = self._cycles(notes, tree.files[".wav"])
        by_cycle = self.rows == "cycles"
        rows = events.segment_rows(facts, cycles) if by_cycle else _summed_up(facts, cycles)
        rows = rows.with_columns(lung_sound_class=_class_of(pl.col("crackle"), pl.col("wheeze")))
        layout = set_aside_table([*tree.set_aside, *strays])
        return Recordings(
            corpus=self.name,
            table=events.as_recordings(
                rows, self.name, attributes=self.attributes, modality="lung sound"
            ),
            set_aside=pl.concat([layout, odd_names, tables.set_aside, odd_split, unusable]),
            sources=(*tables.sources, *notes.values()),
        )

    def _recordings(
        self, notes: Mapping[str, Path], wavs: Mapping[str, Path], tables: IcbhiTables
    ) -> tuple[pl.DataFrame, list[SetAside]]:
        """Every recording that is annotated or heard: recording_id, path, audio."""
        strays = [
            SetAside(self.name, "layout", path.name,
                     "its name is not <patient>_<index>_<place>_<mode>_<device>")
            for name, path in wavs.items() if not NAME.fullmatch(name)
        ]  # fmt: skip
        heard = {name: path for name, path in wavs.items() if NAME.fullmatch(name)}
        if not notes and (self.rows == "cycles" or not (heard or tables.sources)):
            alone = bool(heard or tables.sources)
            hint = " datamodule.corpus.rows=recordings works without them." if alone else ""
            raise UserError(
                f"No ICBHI in {self.root}: there is no file of breathing cycles such as "
                f"ICBHI_final_database/101_1b1_Al_sc_Meditron.txt.{hint} "
                f"How to get it: {self.how_to_get}"
            )
        silent = set(heard) - set(notes)
        what = "file of breathing cycles (.txt)"
        strays += events.not_annotated(sorted(silent), corpus=self.name, what=what)
        folder = self.root.absolute() / "ICBHI_final_database"
        beside = {name: path.with_suffix(".wav") for name, path in notes.items()}
        listed = {} if notes or heard else {n: folder / f"{n}.wav" for n in tables.split_names}
        paths = {**listed, **beside, **heard}
        ids = sorted(paths)
        table = pl.DataFrame(
            {
                "recording_id": ids,
                "path": [str(paths[name]) for name in ids],
                "audio": [name in heard for name in ids],
            },
            schema={"recording_id": pl.String, "path": pl.String, "audio": pl.Boolean},
        )
        return table, strays

    def _from_names(self, names: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        parts = names["recording_id"].str.extract_groups(NAME.pattern).struct.unnest()
        table = names.hstack(parts).with_columns(pl.lit(None, pl.Int64).alias(ROW))
        item = table["recording_id"]
        values, aside = read_attributes(table, _FROM_NAME, corpus=self.name, item=item)
        return table.select(*names.columns, subject_id="patient").hstack(values), aside

    def _cycles(
        self, notes: Mapping[str, Path], wavs: Mapping[str, Path]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The cycles that can be used: recording_id, ROW, text, start_s, end_s, crackle, wheeze."""
        lines = events.read_lines(notes, _LINE).with_columns(
            start_s=events.seconds(pl.col("start")), end_s=events.seconds(pl.col("end"))
        )
        lengths = events.durations({name: wavs[name] for name in notes if name in wavs})
        cycles, outside = events.sift(
            lines, lengths, corpus=self.name, expected="start, end, crackles, wheezes"
        )
        item = cycles["recording_id"]
        values, unusable = read_attributes(cycles, _CYCLE, corpus=self.name, item=item)
        return cycles.drop(_LINE).hstack(values), pl.concat([outside, unusable])


def _summed_up(facts: pl.DataFrame, cycles: pl.DataFrame) -> pl.DataFrame:
    """A row for each recording: what is heard in any of its cycles."""
    heard = cycles.group_by("recording_id").agg(**{name: events.any_yes(name) for name in _CYCLE})
    return facts.join(heard, on="recording_id", how="left", maintain_order="left")


def _class_of(crackle: pl.Expr, wheeze: pl.Expr) -> pl.Expr:
    """The challenge's four classes: neither, crackles, wheezes, both."""
    return (
        pl.when(crackle.is_null() | wheeze.is_null())
        .then(None)
        .when((crackle == "yes") & (wheeze == "yes"))
        .then(pl.lit("both"))
        .when(crackle == "yes")
        .then(pl.lit("discontinuous"))
        .when(wheeze == "yes")
        .then(pl.lit("continuous"))
        .otherwise(pl.lit("normal"))
    )
