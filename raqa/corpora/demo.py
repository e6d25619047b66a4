"""The demo: a synthetic corpus, made on the spot, so that everything runs without a download."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import wave
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Corpus, Recordings
from raqa.corpora.cough_synthesis import RATE, cough_clips, draw_person
from raqa.corpora.label_table import read_label_table
from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.folders import make_folder

_VERSION = 1  # raise when the same settings begin to make other clips
_MADE = 1_577_836_800  # 2020-01-01: files made twice must not look like other files
_MISSING_RATE = 0.04


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Demo(Corpus):
    """Synthetic coughs, written under `root` when they are first read.

    Attributes:
        tilt_db: slope of the pretended microphone in dB per octave; another slope and seed make
            another corpus, to try transfer between corpora.
        youngest, oldest: years; ages are drawn evenly between them.
    """

    root: Path
    name: str = "demo"
    subjects: Annotated[int, Field(ge=10, le=20_000)] = 300
    clips_per_subject: Annotated[int, Field(ge=1, le=100)] = 3
    seed: Annotated[int, Field(ge=0)] = 0
    tilt_db: Annotated[float, Field(ge=-12, le=12)] = 0.0
    youngest: Annotated[float, Field(ge=1, le=110)] = 18.0
    oldest: Annotated[float, Field(ge=1, le=110)] = 85.0

    @model_validator(mode="after")
    def _ages_in_order(self) -> Self:
        if self.youngest >= self.oldest:
            raise ValueError(f"youngest {self.youngest:g} is not below oldest {self.oldest:g}")
        return self

    title = "SYNTHETIC cough-like clips, made on the spot; says nothing about people"
    licence = "CC0 1.0 (synthetic)"
    how_to_get = "nothing to get: it is made when it is first read"
    synthetic = True
    attributes = ("age", "bmi", "sex")

    @property
    def place(self) -> Path:
        """The folder that these settings' clips are in."""
        facts = [_VERSION, self.subjects, self.clips_per_subject, self.seed, self.tilt_db,
                 self.youngest, self.oldest]  # fmt: skip
        digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:8]
        return self.root.absolute() / f"synthetic-v{_VERSION}-{digest}"

    def read(self) -> Recordings:
        """Read the clips' labels, after making the clips if they are not there."""
        if not self.place.is_dir():
            self._make()
        source = self.place / "labels.csv"
        table = read_label_table(source)
        sources = {name: LabelColumn(name) for name in self.attributes}
        values, aside = read_attributes(
            table, sources, corpus=self.name, item=table["recording_id"]
        )
        recordings = table.select(
            "recording_id",
            "subject_id",
            corpus=pl.lit(self.name),
            subject_known=pl.lit(True),
            path=pl.format("{}/{}", pl.lit(str(self.place)), "path"),
            audio=pl.lit(True),
            start_s=pl.lit(None, pl.Float64),
            end_s=pl.lit(None, pl.Float64),
            modality=pl.lit("cough"),
            split=pl.lit(None, pl.String),
        ).hstack(values)
        return Recordings(self.name, recordings, aside, sources=(source,))

    def _make(self) -> None:
        """Make all clips in a folder beside, and rename it once it is whole."""
        make_folder(self.root)
        draft = Path(tempfile.mkdtemp(dir=self.root, prefix=".making-"))
        try:
            labels = [row for subject in range(self.subjects) for row in self._make_subject(
                subject, draft)]  # fmt: skip
            pl.DataFrame(labels).write_csv(draft / "labels.csv")
            os.utime(draft / "labels.csv", (_MADE, _MADE))
            draft.chmod(0o755)
            try:
                draft.rename(self.place)
            except OSError:
                if not self.place.is_dir():  # else another process was quicker
                    raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def _make_subject(self, subject: int, folder: Path) -> list[dict[str, Any]]:
        draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, subject])))
        person = draw_person(draw, self.youngest, self.oldest)
        age_told, bmi_told = draw.random(2) >= _MISSING_RATE
        labels = {
            "age": round(person.age, 1) if age_told else None,
            "bmi": round(person.bmi, 1) if bmi_told else None,
            "sex": "male" if person.male else "female",
        }
        rows = []
        clips = cough_clips(person, self.clips_per_subject, draw, self.tilt_db)
        for number, samples in enumerate(clips, start=1):
            recording = f"s{subject:04d}_{number}"
            _write_wav(folder / f"{recording}.wav", samples)
            rows.append({"recording_id": recording, "path": f"{recording}.wav",
                         "subject_id": f"s{subject:04d}", **labels})  # fmt: skip
        return rows


def _write_wav(path: Path, samples: NDArray[np.int16]) -> None:
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        file.writeframes(samples.astype("<i2").tobytes())
    os.utime(path, (_MADE, _MADE))
