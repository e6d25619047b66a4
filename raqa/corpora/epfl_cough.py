"""EPFL's multimodal cough corpus: 15 subjects, two microphones, every cough annotated in time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.attributes import attribute
from raqa.corpora.base import Downloaded, Recordings
from raqa.corpora.cough_events import Coughs, read_coughs
from raqa.corpora.epfl_cough_layout import Take, find_takes, read_subject
from raqa.errors import UserError
from raqa.tables import RECORDINGS, SetAside, set_aside_table

_MICROPHONES = {"body": "body_facing_mic.wav", "outward": "outward_facing_mic.wav"}
_MEANING = {
    "cough_count": "the recording of coughs has no usable ground_truth.json",
    "cough_duration": "there is no cough, or its events are not known",
    "cough_interval": "there are fewer than two coughs, or their events are not known",
    "*": "biodata.json does not say",
}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class EpflCough(Downloaded):
    """The official download, `public_dataset/<subject>/trial_<n>/...` in `root`.

    Sources: Orlandic et al. 2023, doi:10.1109/EMBC40787.2023.10340413; the layout as
    esl-epfl.github.io/roar/dataset and github.com/esl-epfl/edge-ai-cough-count state it.

    Attributes:
        root: the folder of `public_dataset`, or that folder itself.
        rows: recordings, or coughs: a segment for every annotated cough.
    """

    root: Path
    rows: Literal["recordings", "coughs"] = "recordings"

    name = "epfl_cough"
    title = "EPFL multimodal cough: coughs and other sounds at two microphones, with event times"
    licence = "as its record at Zenodo states"
    how_to_get = "download public_dataset.zip from https://zenodo.org/records/7562332 and unpack it"
    attributes = (
        "cough_count", "cough_duration", "cough_interval", "microphone", "noise", "movement",
        "sex", "bmi",
    )  # fmt: skip
    missing = _MEANING

    def read(self) -> Recordings:
        """Read two rows for each take, one for each microphone, or as many for each cough.

        Raises:
            UserError: there is no folder of a subject with trials.
        """
        folder = self.root / "public_dataset"
        folder = (folder if folder.is_dir() else self.root).absolute()
        takes, strays = find_takes(folder)
        if not takes:
            raise UserError(
                f"No EPFL cough corpus in {self.root}: there is no "
                "public_dataset/<subject>/trial_<n>/mov_<...>/background_noise_<...>/<sound>/. "
                f"How to get it: {self.how_to_get}"
            )
        aside = [SetAside(self.name, "layout", item, reason) for item, reason in strays]
        subjects: dict[str, dict[str, Any]] = {}
        for name in dict.fromkeys(take.subject for take in takes):
            subjects[name], problems = read_subject(folder / name)
            aside += [SetAside(self.name, "label", f"{name}/biodata.json", why) for why in problems]
        rows: list[dict[str, Any]] = []
        for take in takes:
            coughs, problem = self._coughs(take)
            if problem:
                aside.append(SetAside(self.name, "label", take.label, problem))
            rows += self._take_rows(take, coughs, subjects[take.subject])
        schema = {**RECORDINGS, **{name: attribute(name).dtype for name in self.attributes}}
        return Recordings(
            corpus=self.name,
            table=pl.DataFrame(rows, schema=schema),
            set_aside=set_aside_table(aside),
            sources=tuple(
                path
                for path in (
                    *(folder / name / "biodata.json" for name in subjects),
                    *(take.events for take in takes),
                )
                if path.is_file()
            ),
        )

    def _coughs(self, take: Take) -> tuple[Coughs | None, str | None]:
        """The coughs of a take; none in one of another sound, which has no annotation."""
        if take.events.is_file():
            return read_coughs(take.events)
        if take.sound != "cough":
            return Coughs((), ()), None
        return None, "no ground_truth.json: its coughs are not known"

    def _take_rows(
        self, take: Take, coughs: Coughs | None, subject: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        for microphone, file in _MICROPHONES.items():
            path = take.folder / file
            row = {
                "recording_id": f"{take.label}/{microphone}",
                "corpus": self.name,
                "subject_id": take.subject,
                "subject_known": True,
                "path": str(path),
                "audio": path.is_file(),
                "modality": take.sound,
                "microphone": microphone,
                "noise": take.noise,
                "movement": take.movement,
                **subject,
            }
            if self.rows == "recordings":
                yield row | {
                    "cough_count": None if coughs is None else float(coughs.count),
                    "cough_duration": None if coughs is None else coughs.duration,
                    "cough_interval": None if coughs is None else coughs.interval,
                }
                continue
            for number, (start, end) in enumerate(coughs.times if coughs else (), start=1):
                name = f"{row['recording_id']}/{number}"
                yield row | {"recording_id": name, "start_s": start, "end_s": end,
                             "cough_duration": end - start}  # fmt: skip
