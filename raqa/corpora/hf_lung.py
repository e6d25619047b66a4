"""HF_Lung_V1: 9,765 lung sounds of 15 s with breath phases and adventitious sounds as events."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora import events
from raqa.corpora.base import Downloaded, Recordings
from raqa.corpora.label_table import ROW
from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.corpora.tree import read_tree
from raqa.errors import UserError
from raqa.tables import SET_ASIDE, SetAside, set_aside_table

_SUFFIX = "_label"
_LINE = ("label", "start", "end")
_PHASES = {"i": "inspiration", "e": "expiration"}
_SOUNDS = {"d": "discontinuous", "wheeze": "wheeze", "stridor": "stridor", "rhonchi": "rhonchus"}
_NAME = (
    r"^(?P<kind>steth|trunc)_"
    r"(?P<day>[0-9]{4}-?[0-9]{2}-?[0-9]{2})[_-](?P<clock>[0-9]{2}[_-][0-9]{2}[_-][0-9]{2})"
    r"(?:-(?P<place>[A-Za-z]+[0-9]*)_(?P<part>[0-9]+))?$"
)
_FROM_NAME = {
    "device": LabelColumn("kind", values={
        "steth": "Littmann 3200 stethoscope", "trunc": "HF-Type-1 multichannel recorder"}),
    "chest_location": LabelColumn("place", values={
        "L1": "anterior_right", "L2": "anterior_right", "L3": "lateral_right",
        "L4": "lateral_right", "L5": "anterior_left", "L6": "anterior_left",
        "L7": "lateral_left", "L8": "lateral_left", "Tc": "trachea"}),
}  # fmt: skip
_HEARD = ("lung_sounds", "crackle", "wheeze", "inhalations", "exhalations")
_EMPTY = {
    "chest_location": "a stethoscope's recording: its name does not say it",
    "lung_sounds": "nothing is annotated, or the row is the event of a breath phase",
    "breath_phase": "the row is a recording (rows=events has events), or another sound",
    **dict.fromkeys(_HEARD[1:], "nothing is annotated, or the row is an event"),
}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class HfLung(Downloaded):
    """The official download: `train/` and `test/` with a wav and a `_label.txt` each.

    Who is heard is not published. What can be said is that recordings which a multichannel
    device cut out of one session are of one person; they share a subject_id, every other recording
    is one of its own, and recordings of one device and day share an `upload_group`.

    Sources: Hsu et al. 2021, doi:10.1371/journal.pone.0254134 (D are crackles; places L1 to L8).

    Attributes:
        root: the folder of the download.
        rows: a row for each recording, or for each event annotated in it.
    """

    root: Path
    rows: Literal["recordings", "events"] = "recordings"

    name = "hf_lung"
    title = "HF Lung V1: breath phases and adventitious sounds as events; subjects not published"
    licence = "CC BY 4.0"
    how_to_get = (
        "git clone https://gitlab.com/techsupportHF/HF_Lung_V1, then unpack train.7z.001 and "
        "test.7z.001 there (7z x)"
    )
    attributes = (*_HEARD, "breath_phase", *_FROM_NAME)
    missing = _EMPTY

    @property
    def subject_known(self) -> bool:
        """False: one person may have been recorded in several sessions."""
        return False

    def read(self) -> Recordings:
        """Read one row for each recording or event; `upload_group` comes last.

        Raises:
            UserError: there is no label file of HF Lung.
        """
        tree = read_tree(self.root, (".wav", ".txt"), corpus=self.name)
        wavs = tree.files[".wav"]
        notes = {name.removesuffix(_SUFFIX): path for name, path in tree.files[".txt"].items()
                 if name.endswith(_SUFFIX)}  # fmt: skip
        if not notes:
            packed = sorted(path.name for path in self.root.glob("*.7z.001"))
            hint = f" {' and '.join(packed)} are not unpacked yet." if packed else ""
            raise UserError(
                f"No HF Lung in {self.root}: there is no label file such as "
                f"train/steth_20180814_09_37_11_label.txt.{hint} "
                f"How to get it: {self.how_to_get}"
            )
        facts, odd_names = self._facts(notes, wavs)
        heard, outside = self._events(notes, wavs)
        if self.rows == "events":
            rows = events.segment_rows(facts, _of_events(heard))
        else:
            summed = _summed_up(heard)
            rows = facts.join(summed, on="recording_id", how="left", maintain_order="left")
        silent = sorted(set(wavs) - set(notes))
        empty = sorted(set(notes) - set(heard["recording_id"]))
        layout = [
            *tree.set_aside,
            *events.not_annotated(silent, corpus=self.name, what=f"{_SUFFIX}.txt"),
            *(SetAside(self.name, "label", name, "nothing is annotated in it") for name in empty),
        ]
        return Recordings(
            corpus=self.name,
            table=events.as_recordings(
                rows, self.name, attributes=self.attributes, modality="lung sound",
                subject_known=False, more=["upload_group"],
            ),
            set_aside=pl.concat([set_aside_table(layout), odd_names, outside]),
            sources=tuple(notes.values()),
        )  # fmt: skip

    def _facts(
        self, notes: Mapping[str, Path], wavs: Mapping[str, Path]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """What the names and folders say of every annotated recording."""
        paths = [wavs.get(name, path.with_name(f"{name}.wav")) for name, path in notes.items()]
        table = pl.DataFrame({
            "recording_id": list(notes),
            "path": [str(path) for path in paths],
            "audio": [name in wavs for name in notes],
            "split": [_side(path) for path in notes.values()],
        }, schema_overrides={"split": pl.String}).sort("recording_id")  # fmt: skip
        parts = table["recording_id"].str.extract_groups(_NAME).struct.unnest()
        table = table.hstack(parts).with_columns(pl.lit(None, pl.Int64).alias(ROW))
        values, aside = read_attributes(
            table, _FROM_NAME, corpus=self.name, item=table["recording_id"]
        )
        session = pl.format("trunc_{}-{}", "day", "clock")
        day = pl.format("{}_{}", "kind", pl.col("day").str.replace_all("-", "", literal=True))
        table = table.with_columns(
            subject_id=pl.when(pl.col("kind") == "trunc").then(session).otherwise("recording_id"),
            upload_group=pl.coalesce(day, "recording_id"),
        )
        return table.drop(parts.columns, ROW).hstack(values), aside

    def _events(
        self, notes: Mapping[str, Path], wavs: Mapping[str, Path]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The events that can be used, with `phase` or `sound`, and what can not."""
        lines = events.read_lines(notes, _LINE).with_columns(
            start_s=events.clock_seconds(pl.col("start")),
            end_s=events.clock_seconds(pl.col("end")),
        )
        lengths = events.durations({name: wavs[name] for name in notes if name in wavs})
        whole, outside = events.sift(lines, lengths, corpus=self.name, expected="label, start, end")
        code = pl.col("label").str.to_lowercase()
        named = whole.with_columns(
            phase=code.replace_strict(_PHASES, default=None, return_dtype=pl.String),
            sound=code.replace_strict(_SOUNDS, default=None, return_dtype=pl.String),
        )
        strange = pl.col("phase").is_null() & pl.col("sound").is_null()
        known = "I, E, D, Wheeze, Stridor, Rhonchi"
        unknown = named.filter(strange).select(
            corpus=pl.lit(self.name),
            stage=pl.lit("label"),
            item="recording_id",
            row=pl.col(ROW),
            field=pl.lit("label"),
            value="label",
            reason=pl.format("{} is none of {}", "label", pl.lit(known)),
        )
        aside = pl.concat([outside, unknown.cast(dict(SET_ASIDE))])  # type: ignore[arg-type]
        return named.filter(~strange).drop(_LINE), aside


def _of_events(heard: pl.DataFrame) -> pl.DataFrame:
    sound = pl.col("sound")
    return heard.select(
        "recording_id",
        ROW,
        "text",
        "start_s",
        "end_s",
        lung_sounds=pl.when(sound.is_not_null()).then(pl.concat_list("sound")),
        breath_phase=pl.when(sound.is_null()).then(pl.concat_list("phase")),
    )


def _summed_up(heard: pl.DataFrame) -> pl.DataFrame:
    """A row for each recording: its breaths, and normal where no other sound is annotated."""
    sounds = pl.col("sound").drop_nulls().unique().sort()
    summed = heard.group_by("recording_id").agg(
        lung_sounds=sounds,
        inhalations=(pl.col("phase") == "inspiration").sum().cast(pl.Float64),
        exhalations=(pl.col("phase") == "expiration").sum().cast(pl.Float64),
    )

    def yes_if(label: str) -> pl.Expr:
        has = pl.col("lung_sounds").list.contains(label)
        return pl.when(has).then(pl.lit("yes")).otherwise(pl.lit("no"))

    normal = pl.lit(["normal"], dtype=pl.List(pl.String))
    return summed.with_columns(
        crackle=yes_if("discontinuous"),
        wheeze=yes_if("wheeze"),
        lung_sounds=pl.when(pl.col("lung_sounds").list.len() == 0)
        .then(normal)
        .otherwise("lung_sounds"),
    )


def _side(path: Path) -> str | None:
    """The published side: the nearest folder that is named like one."""
    named = (part for part in reversed(path.parts[:-1]) if part in {"train", "test"})
    return next(named, None)
