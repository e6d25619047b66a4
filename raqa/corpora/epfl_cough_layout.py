"""EPFL's folders: subject, trial, movement, background noise, sound; and who the subjects are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from raqa.corpora.attributes import attribute
from raqa.corpora.files import AUDIO_SUFFIXES, entries, is_apple_double
from raqa.corpora.labels import parse

_MOVEMENTS = {"mov_sit": "sitting", "mov_walk": "walking"}
_NOISES = {
    "background_noise_nothing": "none",
    "background_noise_traffic": "traffic",
    "background_noise_music": "music",
    "background_noise_someone_else_cough": "someone_else_coughing",
}
_SOUNDS = ("cough", "laugh", "deep_breathing", "throat_clearing", "talk")
_FILES = ("body_facing_mic.wav", "outward_facing_mic.wav")


@dataclass(frozen=True)
class Take:
    """One sound by one subject under one condition.

    Attributes:
        folder: where its two wav files are.
        label: the folder below that of all subjects, a stable name.
        movement, noise: canonical labels. sound: what the subject does.
    """

    folder: Path
    label: str
    subject: str
    movement: str
    noise: str
    sound: str

    @property
    def events(self) -> Path:
        """The annotation of its coughs; only recordings of coughs have one."""
        return self.folder / "ground_truth.json"


def find_takes(root: Path) -> tuple[list[Take], list[tuple[str, str]]]:
    """Walk `<subject>/trial_<n>/mov_<...>/background_noise_<...>/<sound>/`.

    Returns:
        the takes in the order of their names, and what lies there and is none, with reasons.
    """
    takes, strays = [], []
    for subject, trial in _trials(root):
        for movement in _folders(trial):
            for noise in _folders(movement):
                for sound in _folders(noise):
                    label = sound.relative_to(root).as_posix()
                    known = (_MOVEMENTS.get(movement.name), _NOISES.get(noise.name))
                    if None in known or sound.name not in _SOUNDS:
                        strays.append((label, "no movement, noise or sound of that name is known"))
                        continue
                    takes.append(Take(sound, label, subject, str(known[0]), str(known[1]),
                                      sound.name))  # fmt: skip
                    strays += _strays(sound, label)
    return takes, strays


def read_subject(folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Read a subject's sex and body mass index from `biodata.json`.

    Returns:
        `sex` and `bmi` (kg/m2), None where they are not said, and what is wrong.
    """
    try:
        found = json.loads((folder / "biodata.json").read_text(encoding="utf-8-sig"))
        written = {str(name).strip().lower(): str(value) for name, value in found.items()}
    except (OSError, ValueError, AttributeError) as error:
        return {"sex": None, "bmi": None}, [f"it can not be read: {type(error).__name__}"]
    values, problems = {}, []
    for name, key in (("sex", "gender"), ("bmi", "bmi")):
        raw = pl.Series([written.get(key)], dtype=pl.String)
        parsed, reason = parse(raw, attribute(name))
        values[name] = parsed[0]
        problems += reason.drop_nulls().to_list()
    return values, problems


def _trials(root: Path) -> Iterator[tuple[str, Path]]:
    for subject in _folders(root):
        for trial in _folders(subject):
            if trial.name.startswith("trial_"):
                yield subject.name, trial


def _folders(root: Path) -> Iterator[Path]:
    return (Path(entry.path) for entry in entries(root) if entry.is_dir())


def _strays(folder: Path, label: str) -> Iterator[tuple[str, str]]:
    for entry in entries(folder):
        if is_apple_double(entry.name):
            yield f"{label}/{entry.name}", "an AppleDouble file of macOS, not audio"
        elif Path(entry.name).suffix.lower() in AUDIO_SUFFIXES and entry.name not in _FILES:
            yield f"{label}/{entry.name}", "neither of the two microphones"
