"""A folder laid out as RA-QA's published preview, with the same kinds of faults."""

from __future__ import annotations

import csv
import json
from pathlib import Path

KINDS = ("breathing-deep", "cough-heavy", "vowel-a")
PATIENTS = {"p1": "train", "p2": "train", "p3": "val", "p4": "test"}


def write_published(folder: Path, *, faults: bool = True) -> Path:
    """Write metadata.csv and asthma.json; without faults they are as they should be."""
    files = {name: [f"20200101_{name}_{kind}.wav" for kind in KINDS] for name in PATIENTS}
    if faults:
        files["p1"].append("20200101_p1_._cough-heavy.wav")
        files["p4"].pop()
    rows = []
    for number, (patient, names) in enumerate(files.items()):
        split = PATIENTS[patient] if faults else PATIENTS[patient].replace("val", "validation")
        smoker = ("y", "True", "n", "False")[number] if faults else "y"
        ill = "True" if number < 2 else "" if faults else "False"
        rows += [[patient, ill, smoker, split, name] for name in names]
    questions = folder / "questions_answers"
    questions.mkdir(parents=True)
    with (folder / "metadata.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [["Patient ID", "Asthma", "Smoker", "Split", "Audio File"], *rows]
        )
    asked = ("p1", "p2") if faults else tuple(PATIENTS)
    records = [
        {
            "id": number, "question_id": 1, "version": 1, "patient_id": patient,
            "split": "validation" if number else "train", "question_type": "single-verify",
            "question": "Does the patient suffer from asthma?",
            "answers_list": ["Yes." if number < 2 else "No."] * len(KINDS),
            "audio_filename_list": [name for name in files[patient] if "_._" not in name],
            "attribute": "asthma",
        }
        for number, patient in enumerate(asked)
    ]  # fmt: skip
    (questions / "asthma.json").write_text(json.dumps(records), encoding="utf-8")
    (questions / "._asthma.json").write_bytes(b"\x00\x05\x16\x07")
    return folder
