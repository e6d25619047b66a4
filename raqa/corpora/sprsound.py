"""SPRSound: paediatric lung sounds with a class for each recording and events in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora import events
from raqa.corpora.base import Downloaded, Recordings
from raqa.corpora.label_table import ROW, decode_text
from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.corpora.tree import read_tree
from raqa.errors import UserError
from raqa.tables import SetAside, set_aside_table

_YEAR = "BioCAS2022"
_NAME = r"^(?P<patient>[0-9]+)_(?P<age>[0-9.]+)_(?P<sex>[^_]+)_(?P<place>[^_]+)_(?P<number>[0-9]+)$"
_FROM_NAME = {
    "age": LabelColumn("age", unit="year"),
    "sex": LabelColumn("sex", values={"0": "male", "1": "female"}),
    "chest_location": LabelColumn("place", values={
        "p1": "posterior_left", "p2": "lateral_left", "p3": "posterior_right",
        "p4": "lateral_right"}),
}  # fmt: skip
_CLASS = {
    "lung_sound_class": LabelColumn("class", values={
        "CAS": "continuous", "DAS": "discontinuous", "CAS & DAS": "both",
        "Poor Quality": "poor_quality"}),
}  # fmt: skip
_EVENT = {
    "lung_sounds": LabelColumn("type", values={
        "Rhonchi": "rhonchus", "Coarse Crackle": "coarse_crackle",
        "Fine Crackle": "fine_crackle"}, separator=r"\s*\+\s*"),
}  # fmt: skip
_CRACKLES = ["crackle", "fine_crackle", "coarse_crackle"]
_PARTS = {
    "train2022_json": "train", "train2022_wav": "train",
    "inter_test_json": "inter", "intra_test_json": "intra",
}  # fmt: skip
_EMPTY = {
    "lung_sounds": "no event is annotated, as in recordings of poor quality",
    "crackle": "no event is annotated, as in recordings of poor quality",
    "wheeze": "no event is annotated, as in recordings of poor quality",
}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class SprSound(Downloaded):
    """The official download: `BioCAS2022/` with wav and JSON files of the training and test part.

    Sources: Zhang et al. 2022, doi:10.1109/TBCAS.2022.3204910, and the repository's README.

    Attributes:
        root: the folder of `BioCAS2022`, or that folder itself.
        rows: a row for each recording, or for each event annotated in it.
        test_part: which of the two published test parts is the test side. The children of `intra`
            are in training too, so the split takes them out of training where it is used; the
            part that is not used is on no side.
    """

    root: Path
    rows: Literal["recordings", "events"] = "recordings"
    test_part: Literal["inter", "intra", "both"] = "inter"

    name = "sprsound"
    title = "SPRSound: children's lung sounds with events, from a hospital in Shanghai"
    licence = "CC BY 4.0"
    how_to_get = "git clone https://github.com/SJTU-YONGFU-RESEARCH-GRP/SPRSound"
    attributes = (*_CLASS, *_EVENT, "crackle", "wheeze", *_FROM_NAME)
    missing = _EMPTY

    def read(self) -> Recordings:
        """Read one row for each recording or event, with the audio or without.

        Raises:
            UserError: there is nothing of SPRSound, or events are wanted and none annotated.
        """
        folder = self.root / _YEAR if (self.root / _YEAR).is_dir() else self.root
        tree = read_tree(folder, (".wav", ".json"), corpus=self.name)
        twins = read_tree(self.root / "__MACOSX", (".wav", ".json"), corpus=self.name)
        wavs, notes = tree.files[".wav"], tree.files[".json"]
        if not notes and (self.rows == "events" or not wavs):
            raise UserError(
                f"No SPRSound in {self.root}: there is no annotation such as "
                f"{_YEAR}/train2022_json/65058931_3.4_1_p2_1086.json. "
                f"How to get it: {self.how_to_get}"
            )
        facts, odd_names = self._facts(notes, wavs)
        classes, heard, odd_labels = self._annotations(notes, wavs)
        facts = facts.join(classes, on="recording_id", how="left", maintain_order="left")
        if self.rows == "events":
            rows = events.segment_rows(facts, heard)
        else:
            summed = _summed_up(heard)
            rows = facts.join(summed, on="recording_id", how="left", maintain_order="left")
        silent = sorted((set(wavs) - set(notes)) & set(facts["recording_id"]))
        layout = [
            *tree.set_aside,
            *twins.set_aside,
            *events.not_annotated(silent, corpus=self.name, what="JSON of annotations"),
        ]
        return Recordings(
            corpus=self.name,
            table=events.as_recordings(
                _with_words(rows), self.name, attributes=self.attributes, modality="lung sound"
            ),
            set_aside=pl.concat([set_aside_table(layout), odd_names, odd_labels]),
            sources=tuple(notes.values()),
        )

    def _facts(
        self, notes: Mapping[str, Path], wavs: Mapping[str, Path]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """What names and folders say of every recording, and files whose names say nothing."""
        names = sorted({**notes, **wavs})
        places = [wavs.get(name) or _expected_wav(notes[name]) for name in names]
        table = pl.DataFrame({
            "recording_id": names,
            "path": [str(place) for place in places],
            "audio": [name in wavs for name in names],
            "part": [_PARTS.get(notes.get(name, place).parent.name)
                     for name, place in zip(names, places, strict=True)],
        }, schema_overrides={"part": pl.String, "recording_id": pl.String})  # fmt: skip
        parts = table["recording_id"].str.extract_groups(_NAME).struct.unnest()
        table = table.hstack(parts).with_columns(pl.lit(None, pl.Int64).alias(ROW))
        nameless = pl.col("patient").is_null()
        reason = "its name is not <patient>_<age>_<sex>_<place>_<number>"
        aside = [SetAside(self.name, "layout", name, reason)
                 for name in table.filter(nameless)["recording_id"]]  # fmt: skip
        table = table.filter(~nameless)
        values, unusable = read_attributes(
            table, _FROM_NAME, corpus=self.name, item=table["recording_id"]
        )
        used = ("inter", "intra") if self.test_part == "both" else (self.test_part,)
        left = table.filter(pl.col("part").is_in(["inter", "intra"]) & ~pl.col("part").is_in(used))
        aside += [
            SetAside(self.name, "split", name, f"it is of the {part} test part, which is on no "
                     f"side; datamodule.corpus.test_part={part} or both uses it")
            for name, part in left.select("recording_id", "part").iter_rows()
        ]  # fmt: skip
        side = {"train": "train", **dict.fromkeys(used, "test")}
        split = pl.col("part").replace_strict(side, default=None, return_dtype=pl.String)
        facts = table.select("recording_id", "path", "audio", subject_id="patient", split=split)
        return facts.hstack(values), pl.concat([set_aside_table(aside), unusable])

    def _annotations(
        self, notes: Mapping[str, Path], wavs: Mapping[str, Path]
    ) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
        """Classes of recordings, events that can be used, and what can not be."""
        classes, lines, aside = _read_notes(notes, corpus=self.name)
        item = classes["recording_id"]
        values, no_class = read_attributes(classes, _CLASS, corpus=self.name, item=item)
        lines = lines.with_columns(
            start_s=events.seconds(pl.col("start"), per_second=1000),
            end_s=events.seconds(pl.col("end"), per_second=1000),
        )
        lengths = events.durations({name: wavs[name] for name in notes if name in wavs})
        whole, outside = events.sift(lines, lengths, corpus=self.name, expected="start, end, type")
        item = whole["recording_id"]
        sounds, no_sound = read_attributes(whole, _EVENT, corpus=self.name, item=item)
        heard = whole.drop("start", "end", "type").hstack(sounds)
        classes = classes.select("recording_id").hstack(values)
        aside_all = pl.concat([set_aside_table(aside), no_class, outside, no_sound])
        return classes, heard, aside_all


def _read_notes(
    notes: Mapping[str, Path], *, corpus: str
) -> tuple[pl.DataFrame, pl.DataFrame, list[SetAside]]:
    """The JSON files as two tables of text, and those that are none.

    `record_annotation` is documented as `recording_annotation` in places; both are read.
    """
    classes: list[tuple[str, Any]] = []
    lines: list[tuple[str, int, str, Any, Any, Any]] = []
    aside = []
    for name, path in notes.items():
        try:
            note = json.loads(decode_text(path.read_bytes()))
            found = note.get("event_annotation") or []
            label = note.get("record_annotation", note.get("recording_annotation"))
            rows = [
                (name, place, json.dumps(event), *map(event.get, ("start", "end", "type")))
                for place, event in enumerate(found, start=1)
            ]
        except (ValueError, AttributeError, TypeError):
            reason = "it is not a JSON record of annotations"
            aside.append(SetAside(corpus, "layout", path.name, reason))
            continue
        classes.append((name, _text(label)))
        lines += [(*row[:3], *map(_text, row[3:])) for row in rows]
    text = dict.fromkeys(("start", "end", "type"), pl.String)
    return (
        pl.DataFrame(classes, schema={"recording_id": pl.String, "class": pl.String},
                     orient="row").with_columns(pl.lit(None, pl.Int64).alias(ROW)),
        pl.DataFrame(lines, schema={"recording_id": pl.String, ROW: pl.Int64, "text": pl.String,
                                    **text}, orient="row"),
        aside,
    )  # fmt: skip


def _summed_up(heard: pl.DataFrame) -> pl.DataFrame:
    """All sounds of a recording's events, if all are known; normal only where there is no other."""
    sounds = (
        heard.select("recording_id", "lung_sounds")
        .filter(pl.col("lung_sounds").is_not_null().all().over("recording_id"))
        .explode("lung_sounds")
        .group_by("recording_id")
        .agg(pl.col("lung_sounds").unique().sort())
    )
    others = pl.col("lung_sounds").list.set_difference(pl.lit(["normal"]))
    return sounds.with_columns(
        pl.when(others.list.len() > 0).then(others.list.sort()).otherwise("lung_sounds")
    )


def _with_words(rows: pl.DataFrame) -> pl.DataFrame:
    """Add crackle and wheeze, which the sounds say."""

    def yes_if(labels: list[str]) -> pl.Expr:
        has = pl.col("lung_sounds").list.set_intersection(pl.lit(labels)).list.len() > 0
        word = pl.when(has).then(pl.lit("yes")).otherwise(pl.lit("no"))
        return pl.when(pl.col("lung_sounds").is_not_null()).then(word)

    return rows.with_columns(crackle=yes_if(_CRACKLES), wheeze=yes_if(["wheeze"]))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _expected_wav(note: Path) -> Path:
    """Where the recording of a JSON should be: `..._json/` becomes `..._wav/`."""
    folder = note.parent
    if folder.name in {"inter_test_json", "intra_test_json"}:
        folder = folder.parent
    return folder.with_name(folder.name.replace("_json", "_wav")) / f"{note.stem}.wav"
