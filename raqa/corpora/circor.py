"""CirCor DigiScope: heart sounds of children with murmurs described and heart phases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora import events
from raqa.corpora.base import Downloaded, Recordings
from raqa.corpora.circor_children import contradictions, one_id_per_child
from raqa.corpora.label_table import ROW, read_label_table, require_columns
from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.corpora.repeated import drop_repeated
from raqa.corpora.tree import read_tree
from raqa.errors import UserError
from raqa.tables import SET_ASIDE, SetAside, set_aside_table

_LABELS = {
    "murmur": LabelColumn("Murmur"),
    "murmur_locations": LabelColumn("Murmur locations", separator=r"\+"),
    "murmur_loudest": LabelColumn("Most audible location"),
    "systolic_timing": LabelColumn("Systolic murmur timing", values={
        "Early-systolic": "early_systolic", "Mid-systolic": "mid_systolic",
        "Late-systolic": "late_systolic"}),
    "systolic_shape": LabelColumn("Systolic murmur shape"),
    "systolic_grade": LabelColumn("Systolic murmur grading"),
    "systolic_pitch": LabelColumn("Systolic murmur pitch"),
    "systolic_quality": LabelColumn("Systolic murmur quality"),
    "diastolic_timing": LabelColumn("Diastolic murmur timing", values={
        "Early-diastolic": "early_diastolic", "Mid-diastolic": "mid_diastolic"}),
    "diastolic_shape": LabelColumn("Diastolic murmur shape"),
    "diastolic_grade": LabelColumn("Diastolic murmur grading"),
    "diastolic_pitch": LabelColumn("Diastolic murmur pitch"),
    "diastolic_quality": LabelColumn("Diastolic murmur quality"),
    "heart_outcome": LabelColumn("Outcome"),
    "age_group": LabelColumn("Age"),
    "sex": LabelColumn("Sex"),
    "height": LabelColumn("Height", unit="cm"),
    "weight": LabelColumn("Weight", unit="kg"),
    "pregnancy": LabelColumn("Pregnancy status"),
}  # fmt: skip
_ID, _OTHER_ID, _PLACES = "Patient ID", "Additional ID", "Recording locations:"
_PLACE = {"heart_location": LabelColumn("place")}
_SEGMENT = ("start", "end", "phase")
_PHASE = {"heart_phase": LabelColumn("phase", values={
    "1": "s1", "2": "systole", "3": "s2", "4": "diastole"})}  # fmt: skip
_UNANNOTATED = "0"
_EMPTY = {
    "*": "no murmur is heard, or it is unknown, or there is none in this half of the heart cycle",
    "murmur_here": "whether there is a murmur is unknown",
    "age_group": "nan in the table, as of all who are pregnant",
    **dict.fromkeys(("height", "weight"), "nan in the table"),
    "heart_phase": "the row is a recording (rows=phases has phases)",
}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class CirCor(Downloaded):
    """The official download: `training_data.csv`, and `training_data/` with wav and tsv files.

    A child that took part in both campaigns has two ids in the table; its recordings have one
    subject_id, the smaller of the two.

    Sources: Oliveira et al. 2022, doi:10.1109/JBHI.2021.3137048.

    Attributes:
        root: the folder of `training_data.csv`, or the one above it.
        rows: a row for each recording, or for each annotated phase of the heart cycle.
    """

    root: Path
    rows: Literal["recordings", "phases"] = "recordings"

    name = "circor"
    title = "CirCor DigiScope: children's heart sounds, murmurs described, heart phases"
    licence = "ODC-By 1.0"
    how_to_get = "download it from https://physionet.org/content/circor-heart-sound/1.0.3/"
    attributes = ("murmur", "murmur_here", *list(_LABELS)[1:], *_PLACE, *_PHASE)
    missing = _EMPTY

    def read(self) -> Recordings:
        """Read one row for each recording of the table or phase, with the audio or without.

        Raises:
            UserError: training_data.csv is not there or lacks columns.
        """
        source = self._table()
        table = read_label_table(source)
        columns = (_ID, _OTHER_ID, _PLACES, *(label.column for label in _LABELS.values()))
        problems = require_columns(table, columns, source)
        if problems:
            raise UserError(problems)
        people, repeated = drop_repeated(table, _ID, corpus=self.name)
        values, unusable = read_attributes(people, _LABELS, corpus=self.name, item=people[_ID])
        people = people.with_columns(subject_id=one_id_per_child(people, _ID, _OTHER_ID))
        listed, no_place = self._listed(
            people.select(_ID, "subject_id", _PLACES, ROW).hstack(values)
        )
        tree = read_tree(source.parent, (".wav", ".tsv"), corpus=self.name)
        facts, strays = self._with_audio(listed, tree.files[".wav"], source.parent)
        aside = [repeated, unusable, no_place, set_aside_table([*tree.set_aside, *strays]),
                 contradictions(people, _ID, ("Murmur", "Outcome"), corpus=self.name)]  # fmt: skip
        sources = [source]
        if self.rows == "phases":
            notes = {name: path for name, path in tree.files[".tsv"].items()
                     if name in set(facts["recording_id"])}  # fmt: skip
            if not notes:
                raise UserError(
                    f"CirCor in {self.root} has no heart phases (training_data/*.tsv). "
                    f"datamodule.corpus.rows=recordings works without them. "
                    f"How to get it: {self.how_to_get}"
                )
            silent = sorted(set(facts.filter("audio")["recording_id"]) - set(notes))
            phases, outside = self._phases(notes, tree.files[".wav"])
            unnoted = events.not_annotated(silent, corpus=self.name, what="tsv of heart phases")
            aside += [outside, set_aside_table(unnoted)]
            facts = events.segment_rows(facts, phases)
            sources += notes.values()
        rows = events.as_recordings(
            facts, self.name, attributes=self.attributes, modality="heart sound"
        )
        return Recordings(self.name, rows, pl.concat(aside), tuple(sources))

    def _table(self) -> Path:
        for pattern in ("training_data.csv", "*/training_data.csv"):
            for path in sorted(self.root.glob(pattern)):
                return path
        raise UserError(
            f"No CirCor in {self.root}: training_data.csv is not there. "
            f"How to get it: {self.how_to_get}"
        )

    def _listed(self, people: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """A row for each recording that the table lists: `<id>_<place>`, `_1`, `_2` if several."""
        rows = (
            people.with_columns(place=pl.col(_PLACES).str.split("+"))
            .explode("place")
            .with_columns(pl.col("place").str.strip_chars())
            .with_columns(
                times=pl.len().over(_ID, "place"),
                number=pl.int_range(1, pl.len() + 1).over(_ID, "place"),
            )
        )
        once = pl.format("{}_{}", _ID, "place")
        many = pl.format("{}_{}_{}", _ID, "place", "number")
        rows = rows.filter(pl.col("place").is_not_null()).with_columns(
            recording_id=pl.when(pl.col("times") > 1).then(many).otherwise(once), split=None
        )
        places, aside = read_attributes(rows, _PLACE, corpus=self.name, item=rows["recording_id"])
        rows = rows.hstack(places)
        here = pl.col("murmur_locations").list.contains(pl.col("heart_location"))
        heard = (
            pl.when(pl.col("murmur") == "absent")
            .then(pl.lit("no"))
            .when((pl.col("murmur") == "present") & here)
            .then(pl.lit("yes"))
            .when((pl.col("murmur") == "present") & ~here)
            .then(pl.lit("no"))
        )
        dropped = [_ID, _PLACES, ROW, "place", "times", "number"]
        return rows.with_columns(murmur_here=heard).drop(dropped), aside

    def _with_audio(
        self, listed: pl.DataFrame, wavs: Mapping[str, Path], folder: Path
    ) -> tuple[pl.DataFrame, list[SetAside]]:
        expected = folder.absolute() / "training_data"
        names = listed["recording_id"].to_list()
        facts = listed.with_columns(
            path=pl.Series([str(wavs.get(name, expected / f"{name}.wav")) for name in names],
                           dtype=pl.String),
            audio=pl.Series([name in wavs for name in names], dtype=pl.Boolean),
        )  # fmt: skip
        reason = "training_data.csv lists no recording of that id and place"
        strays = [SetAside(self.name, "layout", wavs[name].name, reason)
                  for name in sorted(set(wavs) - set(names))]  # fmt: skip
        return facts, strays

    def _phases(
        self, notes: Mapping[str, Path], wavs: Mapping[str, Path]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The phases that can be used; stretches without annotation are counted by recording."""
        lines = events.read_lines(notes, _SEGMENT).with_columns(
            start_s=events.seconds(pl.col("start")), end_s=events.seconds(pl.col("end"))
        )
        lengths = events.durations({name: wavs[name] for name in notes if name in wavs})
        whole, outside = events.sift(lines, lengths, corpus=self.name, expected="start, end, phase")
        unannotated = pl.col("phase") == _UNANNOTATED
        phases = whole.filter(~unannotated)
        item = phases["recording_id"]
        values, unusable = read_attributes(phases, _PHASE, corpus=self.name, item=item)
        return phases.drop(_SEGMENT).hstack(values), pl.concat(
            [outside, unusable, self._gaps(whole.filter(unannotated))]
        )

    def _gaps(self, gaps: pl.DataFrame) -> pl.DataFrame:
        seconds = (pl.col("end_s") - pl.col("start_s")).sum().round(1)
        return (
            gaps.group_by("recording_id", maintain_order=True)
            .agg(value=pl.format("{} s", seconds))
            .select(
                corpus=pl.lit(self.name),
                stage=pl.lit("label"),
                item="recording_id",
                row=pl.lit(None, pl.Int64),
                field=pl.lit("heart_phase"),
                value="value",
                reason=pl.lit("stretches of it are not annotated (phase 0)"),
            )
            .cast(dict(SET_ASIDE))  # type: ignore[arg-type]
        )
