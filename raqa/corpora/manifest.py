"""A corpus that is a table of the user's own: which column is what stands in the config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.base import Corpus, Recordings
from raqa.corpora.files import locate
from raqa.corpora.label_table import read_label_table, require_columns
from raqa.corpora.labels import LabelColumn, read_attributes, source_problems
from raqa.corpora.manifest_rows import contradictions, read_rows
from raqa.errors import UserError
from raqa.tables import RECORDINGS, SetAside, set_aside_table

_MENTIONED = 20


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ManifestColumns:
    """Which column of the table says what; null: the table does not say it.

    Attributes:
        path: the audio file, absolute or below `audio_root`.
        subject: who is heard; without it every recording counts as a subject of its own.
        recording_id: a unique name; without it the path is the name.
        split: train, validation or test (val, valid, dev, eval are understood).
        start_s, end_s: a segment of the file, in seconds.
    """

    path: str = "path"
    subject: str | None = None
    recording_id: str | None = None
    split: str | None = None
    modality: str | None = None
    start_s: str | None = None
    end_s: str | None = None

    def named(self) -> dict[str, str]:
        """The columns that the table has, by what they say."""
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: column.strip() for name, column in given.items() if column is not None}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Manifest(Corpus):
    """A CSV, TSV, Excel, Parquet or JSON table with a row for each recording or segment.

    Attributes:
        table: the file.
        audio_root: the folder that paths are relative to; null: the table's own.
        columns: which column is what.
        attributes: canonical attribute to its column, unit and words.
        modality: what is recorded, where no column says it.
    """

    name: str
    table: Path | None = None
    audio_root: Path | None = None
    columns: ManifestColumns = field(default_factory=ManifestColumns)
    attributes: Mapping[str, LabelColumn] = field(default_factory=dict)
    modality: str = "recording"
    title: str = "a table of your own: recordings, subjects and labels by a column mapping"
    licence: str = "as its owner states"
    how_to_get: str = "it is yours: set datamodule.corpus.table to its file"

    @property
    def subject_known(self) -> bool:
        """Whether the mapping names a column of subjects."""
        return self.columns.subject is not None

    @property
    def place(self) -> Path | None:
        """The table's file."""
        return self.table

    def read(self) -> Recordings:
        """Read the table; look for the files.

        Raises:
            UserError: no table is set, or the mapping and the table do not fit; all problems
                together. Values that can not be used are set aside instead.
        """
        path = self._require_table()
        sources = {name: source.stripped() for name, source in self.attributes.items()}
        problems = [text for name in sources for text in source_problems(name, sources[name])]
        table = read_label_table(path)
        named = self.columns.named()
        wanted = [*named.values(), *(source.column for source in sources.values())]
        lacking = require_columns(table, dict.fromkeys(wanted), path)
        if lacking:  # without them nothing can be said about the rows
            raise UserError([*problems, *lacking])
        rows = read_rows(table, named, self.modality)
        usable = rows["unusable"].is_null()
        problems += contradictions(rows.filter(usable), path)
        fit = {
            name: source for name, source in sources.items() if not source_problems(name, source)
        }
        values, unparsed = read_attributes(
            table.filter(usable), fit, corpus=self.name, item=rows.filter(usable)["recording_id"]
        )
        located = self._locate(rows.filter(usable), path)
        aside = pl.concat([self._dropped(rows.filter(~usable)), self._absent(located), unparsed])
        if problems:
            raise UserError([*problems, *_mention(aside)])
        return Recordings(
            self.name, self._recordings(located).hstack(values), aside, sources=(path,)
        )

    def form(self) -> str:
        """Say which columns the table needs, and how to map others."""
        facts = [f"{column} ({name})" if column != name else column
                 for name, column in self.columns.named().items()]  # fmt: skip
        labels = [_label_column(name, self.attributes[name]) for name in self.attributes]
        return (
            f"a row for each recording, with the columns {', '.join([*facts, *labels])}. "
            "Other names go under datamodule.corpus.columns and datamodule.corpus.attributes, "
            "where null says that the table does not have it"
        )

    def _require_table(self) -> Path:
        if self.table is None:
            raise UserError(
                f"datamodule={self.name} reads a table of your own and none is set: give "
                "datamodule.corpus.table=/path/to/table.csv, and say under "
                "datamodule.corpus.columns and datamodule.corpus.attributes which column is what"
            )
        if not self.table.is_file():
            raise UserError(
                f"There is no table {self.table}. How to get it: {self.how_to_get}\n"
                f"How the table has to look: {self.form()}"
            )
        return self.table

    def _locate(self, rows: pl.DataFrame, table: Path) -> pl.DataFrame:
        root = (self.audio_root or table.parent).absolute()
        places = [locate(root, file) for file in rows["file"]]
        return rows.with_columns(
            path=pl.Series([str(place) for place, _ in places], dtype=pl.String),
            audio=pl.Series([there for _, there in places], dtype=pl.Boolean),
        )

    def _recordings(self, rows: pl.DataFrame) -> pl.DataFrame:
        known = pl.lit(self.subject_known)
        return rows.select(*RECORDINGS.keys() - {"corpus", "subject_known"},
                           corpus=pl.lit(self.name), subject_known=known)  # fmt: skip

    def _dropped(self, rows: pl.DataFrame) -> pl.DataFrame:
        return set_aside_table(
            SetAside(self.name, "layout", name or file or f"row {row}", reason, row, value=file)
            for name, file, row, reason in rows.select(
                "recording_id", "file", "row", "unusable"
            ).iter_rows()
        )

    def _absent(self, rows: pl.DataFrame) -> pl.DataFrame:
        absent = rows.filter(~pl.col("audio")).select("recording_id", "path", "row", "file")
        column = self.columns.path.strip()
        return set_aside_table(
            SetAside(self.name, "layout", name, f"there is no file {path}", row, column, file)
            for name, path, row, file in absent.iter_rows()
        )


def _label_column(name: str, source: LabelColumn) -> str:
    what = [name] if source.column != name else []
    if name in ATTRIBUTES and (unit := source.unit or ATTRIBUTES[name].unit):
        what.append(f"in {unit}")
    elif name in ATTRIBUTES and (words := [*source.words] or [*ATTRIBUTES[name].labels]):
        what.append("/".join(words))
    return f"{source.column} ({', '.join(what)})" if what else source.column


def _mention(aside: pl.DataFrame) -> list[str]:
    """Name what would be set aside too, so that a table can be mended in one go."""
    lines = [f"row {row}: {reason}" for row, reason in aside.select("row", "reason").iter_rows()]
    if not lines:
        return []
    more = [f"  ... and {len(lines) - _MENTIONED} more"] if len(lines) > _MENTIONED else []
    return [
        f"Besides, {len(lines)} would only be set aside:",
        *(f"  {line}" for line in lines[:_MENTIONED]),
        *more,
    ]
