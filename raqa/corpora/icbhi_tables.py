"""ICBHI's tables of subjects and its list of sides, under the names of both layouts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from raqa.corpora import events
from raqa.corpora.label_table import ROW
from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.corpora.repeated import drop_repeated
from raqa.corpora.split_words import SPLIT_WORDS
from raqa.tables import SetAside, set_aside_table

NAME = re.compile(
    r"(?P<patient>[0-9]+)_(?P<index>[^_]+)_(?P<place>[^_]+)_(?P<mode>[^_]+)_(?P<device>[^_.]+)"
)
"""What a recording is called, without its suffix."""

_DIAGNOSIS = ("icbhi_challenge_diagnosis", "patient_diagnosis")
_DEMOGRAPHICS = ("icbhi_challenge_demographic_information", "demographic_info")
_SPLIT = ("icbhi_challenge_train_test",)
_COLUMNS = {
    _DIAGNOSIS: ("patient", "diagnosis"),
    _DEMOGRAPHICS: ("patient", "age", "sex", "adult BMI", "child weight", "child height"),
    _SPLIT: ("recording", "side"),
}
_LABELS = {
    _DIAGNOSIS: {
        "diagnosis": LabelColumn("diagnosis", values={
            "URTI": "upper_respiratory_infection", "LRTI": "lower_respiratory_infection"}),
    },
    _DEMOGRAPHICS: {
        "age": LabelColumn("age", unit="year"),
        "sex": LabelColumn("sex"),
        "bmi": LabelColumn("adult BMI", unit="kg/m2"),
        "weight": LabelColumn("child weight", unit="kg"),
        "height": LabelColumn("child height", unit="cm"),
    },
}  # fmt: skip


@dataclass(frozen=True)
class IcbhiTables:
    """What the tables say.

    Attributes:
        subjects: subject_id, then diagnosis, age, sex, bmi, weight, height; a row for each subject
            of either table.
        listed: table to the subjects that stand in it.
        split_names: recording to side, as they are written; empty without the list.
        sources: the tables that were read.
        set_aside: SET_ASIDE rows: lines and values that can not be used, tables that are absent.
    """

    subjects: pl.DataFrame
    listed: Mapping[str, frozenset[str]]
    split_names: Mapping[str, str]
    sources: tuple[Path, ...]
    set_aside: pl.DataFrame


def read_tables(files: Mapping[str, Path], *, corpus: str) -> IcbhiTables:
    """Read the tables that are among these files (name without suffix to path)."""
    known = {name.lower(): path for name, path in files.items()}
    subjects = pl.DataFrame(schema={"subject_id": pl.String})
    sources, aside, listed = [], [], {}
    for names, labels in _LABELS.items():
        path = next((known[name] for name in names if name in known), None)
        if path is None:
            reason = f"there is no {names[0]}.txt: {', '.join(labels)} are missing"
            aside.append(set_aside_table([SetAside(corpus, "layout", names[0], reason)]))
            continue
        table, odd = _read(path, _COLUMNS[names], corpus=corpus)
        item = table["patient"]
        values, unusable = read_attributes(table, labels, corpus=corpus, item=item)
        facts = table.select(subject_id="patient").hstack(values)
        subjects = subjects.join(facts, on="subject_id", how="full", coalesce=True)
        sources.append(path)
        listed[path.name] = frozenset(table["patient"])
        aside += [odd, unusable]
    split: dict[str, str] = {}
    path = known.get(_SPLIT[0])
    if path is None:
        reason = f"there is no {_SPLIT[0]}.txt, as in a widely used copy: no official split"
        row = SetAside(corpus, "layout", _SPLIT[0], reason, field="split")
        aside.append(set_aside_table([row]))
    else:
        table, odd = _read(path, _COLUMNS[_SPLIT], corpus=corpus)
        split = dict(table.select("recording", "side").rows())
        sources.append(path)
        aside.append(odd)
    return IcbhiTables(subjects, listed, split, tuple(sources), pl.concat(aside))


def unlisted(tables: IcbhiTables, subjects: pl.Series, *, corpus: str) -> list[SetAside]:
    """Rows for the subjects of recordings who are not in a table."""
    return [
        SetAside(corpus, "label", subject, f"the subject is not in {table}")
        for table, known in tables.listed.items()
        for subject in subjects.unique().sort()
        if subject not in known
    ]


def read_split(
    tables: IcbhiTables, recordings: pl.Series, *, corpus: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The published side of each recording: recording_id, split; and what does not fit.

    A recording that the list does not name takes the side of a name that no recording has and
    that differs in nothing but the device: 226_1b1_Pl_sc_LittC2SE stands there as Meditron.
    """
    aside, sides = [], {}
    present = set(recordings)
    for name, word in tables.split_names.items():
        side = SPLIT_WORDS.get(word.lower())
        if side is None:
            reason = f"{word} is no side of a split"
            aside.append(SetAside(corpus, "split", name, reason, field="split", value=word))
        else:
            sides[name] = side
    extra = {name.rsplit("_", 1)[0]: name for name in sides if name not in present}
    for name in sorted(present - set(sides)) if sides else ():
        other = extra.pop(name.rsplit("_", 1)[0], None)
        reason = "the list of sides does not name it"
        if other is not None:
            sides[name] = sides[other]
            reason = f"the list of sides calls it {other}; that side is used"
        aside.append(SetAside(corpus, "split", name, reason, field="split", value=other))
    aside += [
        SetAside(corpus, "split", name, "stands in the list of sides and is no recording")
        for name in extra.values()
    ]
    known = {name: side for name, side in sides.items() if name in present}
    table = pl.DataFrame(
        {"recording_id": list(known), "split": list(known.values())},
        schema={"recording_id": pl.String, "split": pl.String},
    )
    return table, set_aside_table(aside)


def _read(
    path: Path, columns: tuple[str, ...], *, corpus: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read a table without a header, its first column unique; a header that somebody put is not."""
    separator = r"\s*,\s*" if path.suffix.lower() == ".csv" else r"\s+"
    table = events.read_lines({path.name: path}, columns, separator=separator)
    first = pl.col(columns[0])
    header = (pl.col(ROW) == 1) & (first.is_null() | ~first.str.contains("[0-9]"))
    table = table.filter(~header)
    torn = table.filter(first.is_null())
    aside = set_aside_table(
        SetAside(corpus, "label", path.name, f"the line is not {', '.join(columns)}", row,
                 value=text)
        for row, text in torn.select(ROW, "text").iter_rows()
    )  # fmt: skip
    whole = table.filter(first.is_not_null()).drop("recording_id", "text")
    unique, repeated = drop_repeated(whole, columns[0], corpus=corpus)
    return unique, pl.concat([aside, repeated])
