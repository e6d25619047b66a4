"""A collection of questions as a corpus: the recordings of all its corpora together."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.base import Corpus, Recordings
from raqa.corpora.files import present
from raqa.errors import UserError
from raqa.questions.collection import FACTS, RECORDINGS_FILE, Collection, read_recordings
from raqa.tables import RECORDINGS, SetAside, set_aside_table

QUESTIONS_ASKED = "questions"
"""What a task about questions predicts, in place of an attribute."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class QuestionCorpus(Corpus):
    """What `raqa qa build` wrote: recordings of one or more corpora, on the sides it put them.

    Attributes:
        folder: the collection.
        data: where corpora are on this machine; recordings that were found in another place when
            the collection was built are looked for here.
    """

    folder: Path | None
    data: Path | None = None
    name: str = "questions"

    title = "a collection of questions about recordings, with the recordings of all its corpora"
    licence = "that of the corpora it was built from"
    how_to_get = "`raqa qa build CORPUS... --out DIR`, then datamodule.corpus.folder=DIR"

    @property
    def attributes(self) -> tuple[str, ...]:  # type: ignore[override]
        """What can be asked for: the questions, or any attribute that its corpora know."""
        return (QUESTIONS_ASKED, *ATTRIBUTES)

    @property
    def synthetic(self) -> bool:  # type: ignore[override]
        """Whether any of its corpora is: what is learnt of it then says nothing about people."""
        if self.folder is None or not (self.folder / FACTS).is_file():
            return False
        return bool(Collection.open(self.folder).facts["settings"].get("synthetic"))

    @property
    def place(self) -> Path | None:
        """The collection's folder."""
        return self.folder

    def read(self) -> Recordings:
        """Read the recordings; look for their files.

        Raises:
            UserError: there is no collection, or it was written without its recordings.
        """
        if self.folder is None:
            raise UserError(
                "datamodule=questions needs a collection: give datamodule.corpus.folder=DIR. "
                f"How to get one: {self.how_to_get}"
            )
        collection = Collection.open(self.folder)
        file = self.folder / RECORDINGS_FILE
        recordings = read_recordings(self.folder)
        if recordings is None:
            raise UserError(f"{self.folder} has no {RECORDINGS_FILE}: build the collection again.")
        table = self._placed(recordings, collection)
        there = pl.Series(present(table["path"]), dtype=pl.Boolean)
        table = table.with_columns(audio=there, split="side").drop("side")
        gone = table.filter(~pl.col("audio")).select("corpus", "recording_id", "path").iter_rows()
        aside = set_aside_table(
            SetAside(corpus, "layout", name, f"there is no file {path}", value=path)
            for corpus, name, path in gone
        )
        attributes = [name for name in table.columns if name in ATTRIBUTES]
        return Recordings(
            self.name, table.select(*RECORDINGS, *attributes), aside,
            sources=(self.folder / FACTS, file),
        )  # fmt: skip

    def _placed(self, table: pl.DataFrame, collection: Collection) -> pl.DataFrame:
        """Paths as they are on this machine."""
        before = collection.facts["settings"].get("data")
        if self.data is None or before is None or Path(before) == self.data.absolute():
            return table
        moved = [
            str(self.data.absolute() / Path(path).relative_to(before))
            if Path(path).is_relative_to(before)
            else path
            for path in table["path"]
        ]
        return table.with_columns(path=pl.Series(moved, dtype=pl.String))
