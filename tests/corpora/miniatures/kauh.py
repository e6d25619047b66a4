"""A tiny KAUH in the layout of the download, with the oddities of its names and workbook."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import soundfile
import xlsxwriter

RATE = 4000  # Hz
HEADER = ("Age", "Gender", "Location", "Sound type", "Diagnosis", None, None,
          "Posterior: P Lower: L Left: L Right R, UPPER: U, ANTERIOR: A, MIDDLE: M")  # fmt: skip
PATIENTS = (
    ("70", "M", "P L L", "I E W", "Asthma"),
    ("52", "F", "P L L ", "E W", "asthma"),
    ("81", "M", "P R L ", "I C B", "Plueral Effusion"),
    ("72", "F", "P R L ", "I C", "Heart Failure + Lung Fibrosis "),  # the name says P L R
    ("90", "M", "A R M", "C", "Asthma and lung fibrosis"),
    ("20", "M", "P R L ", "Crep", "BRON"),
    ("64", "M", "P R L ", "Bronchial", "pneumonia"),
    ("18", "F", "P R M", "N", "N"),  # patient 9's bytes
    ("12", "F", "P L M", "E W", "Asthma"),
    ("40", "M", "A L U", "N", "N"),
    ("41", "F", "P L U", "N", "N"),
    ("42", "F", "P L U", "N", "N"),
    ("43", "M", "A R L", "E W", "Asthma"),
    ("44", "M", "P R U", "N", "N"),  # without audio
)
"""Age, sex, place, sounds and diagnosis; the patient's number is the place in this list."""


def write(root: Path) -> None:
    """Write the workbook of 14 patients and half a second of audio for the filters of 13."""
    root.mkdir(parents=True, exist_ok=True)
    _write_workbook(root / "Data annotation.xlsx")
    audio = root / "Audio Files"
    audio.mkdir()
    draw = np.random.default_rng(0)
    for number, facts in enumerate(PATIENTS[:-1], start=1):
        for letter in "BDE":
            sound = draw.normal(0, 0.1, RATE // 2)
            if "W" in facts[3]:
                sound += 0.2 * np.sin(2 * np.pi * 400 * np.arange(len(sound)) / RATE)
            soundfile.write(audio / file_name(letter, number), sound, RATE)
    shutil.copy(audio / file_name("B", 8), audio / file_name("B", 9))
    (audio / file_name("E", 13)).unlink()
    (audio / f"._{file_name('B', 1)}").write_bytes(b"\x00\x05\x16\x07Mac OS X")
    for stray in ("BP99_N,N,P R M,18,F.wav", "recording 1.wav", "BP01_Asthma,I E W,P L L,70,M.wav"):
        shutil.copy(audio / file_name("B", 1), audio / stray)


def file_name(letter: str, number: int) -> str:
    """Name the file of a filter and a patient."""
    age, sex, place, sounds, diagnosis = PATIENTS[number - 1]
    place = "P L R" if number == 4 else place
    return f"{letter}P{number}_{diagnosis},{sounds},{place},{age},{sex}.wav"


def _write_workbook(path: Path) -> None:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        for row, cells in enumerate((HEADER, *PATIENTS)):
            for column, text in enumerate(cells):
                if text is not None:
                    sheet.write(row, column, int(text) if text.isdigit() else text)
        sheet.write(1, 7, "Insipratory: I, Experiatory: E, Wheezes: W, Crackles: C , N:Normal")
        sheet.write(len(PATIENTS) + 30, 5, 0)  # far below, beside the facts
