"""An exam as a corpus: the recordings that its questions are about, all on the test side."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Corpus, Recordings
from raqa.corpora.files import locate, present
from raqa.errors import UserError
from raqa.exams.read import cached_exam
from raqa.tables import RECORDINGS, SetAside, set_aside_table

EXAM_TASK = "exam"
"""What a task about an exam is called, in place of an attribute."""

_SYNTHETIC = "demo"
"""Begins the names of corpora that raqa makes itself."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ExamCorpus(Corpus):
    """A file of questions that are only asked, with the recordings that they are about.

    Attributes:
        file: the questions, .jsonl or .parquet (docs/exams.md).
        data: the folder that their paths of audio are below.
        called: how results call it; None: as the file is called.
    """

    file: Path | None
    data: Path
    called: str | None = None

    title = "an exam: questions of RA-QA, CaReCoS, MedMosaic or your own that are only asked"
    licence = "that of the corpora it is about"
    how_to_get = "a file of questions, see docs/exams.md; `raqa exam demo --out DIR` makes one"
    attributes = (EXAM_TASK,)

    @property
    def name(self) -> str:  # type: ignore[override]
        """How results call it."""
        given = self.called or (EXAM_TASK if self.file is None else self.file.stem)
        return re.sub(r"\W+", "_", given.lower()).strip("_") or EXAM_TASK

    @property
    def synthetic(self) -> bool:  # type: ignore[override]
        """Whether any recording is one that raqa made: results then say nothing about people."""
        if self.file is None or not self.file.is_file():
            return False
        return bool(cached_exam(self.file).questions["corpus"].str.starts_with(_SYNTHETIC).any())

    @property
    def place(self) -> Path | None:
        """The file."""
        return self.file

    def read(self) -> Recordings:
        """Read the questions, and look for the files that they are about.

        Raises:
            UserError: there is no file, or anything in it is wrong.
        """
        if self.file is None:
            raise UserError(
                "datamodule=exam needs a file of questions: give datamodule.corpus.file=FILE. "
                f"How to get one: {self.how_to_get}"
            )
        asked = cached_exam(self.file).questions
        key = ["corpus", "recording_id"]
        counts = asked.group_by(key, maintain_order=True).agg(
            pl.len(), pl.col("audio", "start_s", "end_s", "subject_id").first()
        )
        paths, there = self._files(counts["audio"].to_list())
        table = counts.with_columns(
            subject_known=pl.col("subject_id").is_not_null(),
            subject_id=pl.coalesce("subject_id", "recording_id"),
            path=pl.Series(paths, dtype=pl.String),
            audio=pl.Series(there, dtype=pl.Boolean),
            modality=pl.lit("recording"),
            split=pl.lit("test"),
        )
        gone = table.filter(~pl.col("audio")).select(*key, "path", "len").iter_rows()
        aside = set_aside_table(
            SetAside(corpus, "layout", name, f"there is no file {path} ({count} questions)",
                     value=path)
            for corpus, name, path, count in gone
        )  # fmt: skip
        return Recordings(self.name, table.select(*RECORDINGS), aside, sources=(self.file,))

    def _files(self, names: list[str]) -> tuple[list[str], list[bool]]:
        """Where files are, and whether; other spellings of accents are tried."""
        root = self.data.absolute()
        paths = [str(root / name) for name in names]
        there = present(paths)
        for number, (name, here) in enumerate(zip(names, there, strict=True)):
            if not here:
                place, there[number] = locate(root, name)
                paths[number] = str(place)
        return paths, there
