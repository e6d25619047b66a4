"""A tiny UK COVID-19 Vocal Audio Dataset, open access edition, in the published layout."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

RATE = 16000  # Hz
OPEN = ("exhalation", "cough", "three_cough")
SYMPTOMS = (
    "none", "cough_any", "new_continuous_cough", "runny_or_blocked_nose", "shortness_of_breath",
    "sore_throat", "abdominal_pain", "diarrhoea", "fatigue", "fever_high_temperature", "headache",
    "change_to_sense_of_smell_or_taste", "loss_of_taste", "other",
)  # fmt: skip
BANDS = ("18-44", "45-64", "65+")
SMOKING = ("Never smoked", "Ex-smoker", "Current smoker (1 to 10 cigarettes per day)",
           "Prefer not to say")  # fmt: skip


def write(root: Path, *, participants: int = 12, audio: bool = True) -> None:
    """Write the three tables and, if wanted, `audio/` with one second for each recording.

    Participant 0 has no three_cough, participant 1's exhalation is a header without samples,
    participant 2 was only tested later (`long`), `._` twins and an unknown file lie beside.
    """
    (root / "audio").mkdir(parents=True, exist_ok=True)
    people, sounds, splits = [], [], []
    for number in range(participants):
        name = f"{1000 + number}"
        people.append(_participant(name, number))
        sounds.append(_audio(name, number))
        splits.append(_split(name, number))
    _table(root / "participant_metadata.csv", people)
    _table(root / "audio_metadata.csv", sounds)
    _table(root / "train_test_splits.csv", splits)
    if audio:
        _write_audio(root / "audio", sounds)


def _participant(name: str, number: int) -> dict[str, Any]:
    positive = number % 3 == 1
    return {
        "participant_identifier": name,
        "recruitment_source": "Test and Trace" if positive else "REACT-1 round 16",
        "age": BANDS[number % 3],
        "gender": "" if number == 3 else ("Female", "Male")[number % 2],
        "region_name": "London",
        "smoker_status": SMOKING[number % 4],
        "wearing_mask": "",
        "respiratory_condition_asthma": number % 3 // 2,
        "respiratory_condition_other": 0,
        "symptom_onset": number if positive else "",
        **{f"symptom_{what}": int(positive == (what != "none")) for what in SYMPTOMS},
        "covid_test_method": "PCR",
        "covid_test_result": "Unknown/Void" if number == 4 else ("Negative", "Positive")[positive],
        "covid_ct_value": 17.5 if positive else "",
        "covid_viral_load_category": "High" if positive else "",
        "influenza_a_test_result": "",
        "influenza_b_test_result": "Negative",
    }


def _audio(name: str, number: int) -> dict[str, Any]:
    row: dict[str, Any] = {"participant_identifier": name, "missing_audio": number in {0, 1}}
    for modality in OPEN:
        absent = number == 0 and modality == "three_cough"
        row[f"{modality}_file_name"] = "" if absent else f"{name}_{modality}.wav"
        row[f"{modality}_size"] = 44.0 if (number, modality) == (1, "exhalation") else 32044.0
        row[f"{modality}_snr"] = "" if absent else round(10 + number + len(modality) / 10, 3)
    return row


def _split(name: str, number: int) -> dict[str, Any]:
    side = "long" if number == 2 else ("train", "val", "test")[(0, 0, 1, 2)[number % 4]]
    return {
        "participant_identifier": name,
        "splits": side,
        "naive_splits": ("train", "val", "test")[(0, 1, 2, 0)[number % 4]],
        "in_matched_rebalanced_test": side == "test" and number % 8 == 3,
        "in_matched_rebalanced_long_test": side == "long",
    }


def _write_audio(folder: Path, sounds: list[dict[str, Any]]) -> None:
    generator = np.random.default_rng(0)
    for row in sounds:
        for modality in OPEN:
            file = row[f"{modality}_file_name"]
            empty = row[f"{modality}_size"] <= 44
            if file:
                samples = generator.normal(0, 0.1, 0 if empty else RATE)
                soundfile.write(folder / file, samples, RATE)
    first = sounds[0]["cough_file_name"]
    (folder / f"._{first}").write_bytes(bytes(100))
    (folder / "9999_cough.wav").write_bytes((folder / first).read_bytes())


def _table(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
