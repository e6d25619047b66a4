"""A tiny Coswara in its published layout, with every column of the real table."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import soundfile

from raqa.corpora.coswara import MODALITIES
from raqa.corpora.coswara_form import BOXES

RATES = (48000, 44100, 16000)  # Hz, side by side as in the download
STATUSES = ("healthy", "positive_mild", "no_resp_illness_exposed", "positive_moderate")
DAYS = ("2020-04-13", "2020-06-12", "2020-11-02", "2021-07-20")


def write(root: Path, *, participants: int = 12) -> None:
    """Write the table, the annotations and half a second for each of the nine recordings.

    The forms are of four versions of the app. The first participant's vowel-o is a header without
    samples, the second's an AppleDouble twin; the date folder is not the recording date.
    """
    (root / "annotations").mkdir(parents=True)
    people = [_participant(number) for number in range(participants)]
    with (root / "combined_data.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(people[0]))
        writer.writeheader()
        writer.writerows(people)
    for modality in MODALITIES:
        marks = (
            f"{one['id']}_{modality},{number // 2 % 4 % 3}" for number, one in enumerate(people)
        )
        (root / "annotations" / f"{modality}_labels.csv").write_text(
            "\n".join(["FILENAME, QUALITY", *marks]) + "\n"
        )
    _write_audio(root / "Extracted_data" / "20200101", [one["id"] for one in people])


def _participant(number: int) -> dict[str, str]:
    form = number % 4  # which version of the app
    ticked = number % 5 in {0, 3}
    return {
        "id": f"p{number}",
        "a": str(18 + 3 * number),
        "covid_status": STATUSES[number // 2 % 4],
        "record_date": DAYS[form],
        "ep": "yn"[number % 2],
        "g": ("male", "female")[number % 2],
        "l_c": "India",
        "l_l": "",
        "l_s": "",
        "rU": "n" if form > 0 else "",
        "smoker": ("n", "y", "False")[number // 4 % 3] if form == 3 else "True" * ticked,
        "um": "yn"[number % 2] if form > 0 else "",
        "test_status": ("p", "n", "na", "ut")[number // 4 % 4] if form > 1 else "",
        "testType": "rtpcr" if form == 3 else "",
        "test_date": "2021-07-15" if form == 3 else "",
        "vacc": ("y", "p", "n")[number // 4 % 3] if form == 3 else "",
        "ctScan": "yn"[number % 2] if form == 3 else "",
        "ctDate": "",
        "ctScore": "",
        **{source.column: "True" * ticked for source in BOXES.values()},
    }


def _write_audio(folder: Path, names: list[str]) -> None:
    generator = np.random.default_rng(0)
    for number, name in enumerate(names):
        (folder / name).mkdir(parents=True)
        rate = RATES[number % 3]
        for modality in MODALITIES:
            soundfile.write(
                folder / name / f"{modality}.wav", generator.normal(0, 0.1, rate // 2), rate
            )
    soundfile.write(folder / names[0] / "vowel-o.wav", np.zeros(0), RATES[0])
    (folder / names[1] / "._vowel-o.wav").write_bytes(bytes(100))
