"""A tiny RespiratoryDatabase@TR in the layout of the download."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

RATE = 4000  # Hz
CHANNELS = [f"{side}{number}" for side in "LR" for number in range(1, 7)]
PATIENTS = {f"H{number:03d}": f"COPD{number % 5}" for number in range(2, 17)}


def write(root: Path, *, audio: bool = True) -> None:
    """Write `Labels.csv` of 15 patients and, if wanted, 0.3 s for each of their channels.

    H016 has no wav, H017 a wav and no label; an AppleDouble twin and an unknown channel lie
    beside them. Every line of the table ends with a comma, as in the download.
    """
    root.mkdir(parents=True, exist_ok=True)
    lines = ["Patient ID,Diagnosis,", *(f"{name},{label}," for name, label in PATIENTS.items())]
    (root / "Labels.csv").write_text("\n".join(lines), encoding="utf-8-sig")
    if not audio:
        return
    folder = root / "RespiratoryDatabase@TR"
    folder.mkdir()
    draw = np.random.default_rng(0)
    for patient in [*PATIENTS][:-1]:
        for channel in CHANNELS:
            sound = draw.normal(0, 0.1, 3 * RATE // 10)
            soundfile.write(folder / f"{patient}_{channel}.wav", sound, RATE)
    soundfile.write(folder / "H017_L1.wav", draw.normal(0, 0.1, RATE), RATE)
    soundfile.write(folder / "H002_X1.wav", draw.normal(0, 0.1, RATE), RATE)
    (folder / "._H002_L1.wav").write_bytes(b"\x00\x05\x16\x07Mac OS X")
