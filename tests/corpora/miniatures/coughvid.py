"""A tiny CoughVID in its published layout: uploads as Opus, three experts, no subjects."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import soundfile

RATE = 48000  # Hz
STATUSES = ("healthy", "symptomatic", "COVID-19", "")
BOXES = ("dyspnea", "wheezing", "stridor", "choking", "congestion", "nothing")


def write(root: Path, *, uploads: int = 24) -> None:
    """Write `public_dataset/` with a second for each upload, and a split in `split.csv`.

    The last upload has no label at all and its audio is absent; an AppleDouble twin lies beside.
    """
    folder = root / "public_dataset"
    folder.mkdir(parents=True)
    rows = [_upload(number, told=number < uploads - 1) for number in range(uploads)]
    with (folder / "metadata_compiled.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    generator = np.random.default_rng(0)
    for row in rows[:-1]:
        soundfile.write(folder / f"{row['uuid']}.ogg", generator.normal(0, 0.1, RATE), RATE,
                        format="OGG", subtype="OPUS")  # fmt: skip
    (folder / f"._{rows[0]['uuid']}.ogg").write_bytes(bytes(100))
    sides = [f"{row['uuid']},{('train', 'val', 'test')[n // 3 % 3]}" for n, row in enumerate(rows)]
    (root / "split.csv").write_text("\n".join(["uuid,split", *sides]) + "\n")


def _upload(number: int, *, told: bool) -> dict[str, str]:
    row = {
        "uuid": f"{number:08d}-0000-4000-8000-000000000000",
        "datetime": f"2020-04-{1 + number:02d}T21:30:00.25+00:00",
        "cough_detected": "0.9",
        "latitude": "",
        "longitude": "",
        "age": str(20 + number),
        "gender": ("male", "female", "other")[number % 3],
        "respiratory_condition": str(number % 4 == 0),
        "fever_muscle_pain": str(number % 5 == 0),
        "status": STATUSES[number % 3],
    }
    if not told:
        row |= dict.fromkeys([*row][5:], "")
    for expert in (1, 2, 3):  # each hears a third, and all hear the first
        heard = told and (number == 0 or number % 3 == expert - 1)
        row |= {
            f"quality_{expert}": "good" * heard,
            f"cough_type_{expert}": ("dry", "wet")[number % 2] * heard,
            **{f"{box}_{expert}": str(number % 2 == 0) * heard for box in BOXES},
            f"diagnosis_{expert}": ("COVID-19", "healthy_cough")[expert % 2] * heard,
            f"severity_{expert}": "mild" * heard,
        }
    return row
