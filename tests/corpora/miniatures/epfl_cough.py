"""A tiny EPFL multimodal cough corpus in its published layout."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import soundfile

RATE = 16000  # Hz
COUGHS = {"start_times": [0.5, 0.1, 1.3], "end_times": [0.8, 0.4, 1.5]}  # not in order


def write(root: Path, *, subjects: int = 3) -> None:
    """Write `public_dataset/` with two seconds for each microphone and sound.

    The first subject has an AppleDouble twin, a cough without annotation, and one with an end
    that is missing; the second's sex is not told.
    """
    generator = np.random.default_rng(0)
    for number in range(subjects):
        subject = root / "public_dataset" / f"{14287 + number}"
        subject.mkdir(parents=True)
        about = {"Gender": ["Male", "", "Female"][number % 3], "BMI": 22.5 + number}
        (subject / "biodata.json").write_text(json.dumps(about))
        for noise in ("nothing", "someone_else_cough"):
            for sound in ("cough", "laugh"):
                take = subject / "trial_1" / "mov_sit" / f"background_noise_{noise}" / sound
                take.mkdir(parents=True)
                (take / "imu.csv").write_text("Accel x,Accel y,Accel z\n")
                for file in ("body_facing_mic.wav", "outward_facing_mic.wav"):
                    soundfile.write(take / file, generator.normal(0, 0.1, 2 * RATE), RATE)
                if sound == "cough":
                    times = {name: times[: 3 - number % 2] for name, times in COUGHS.items()}
                    (take / "ground_truth.json").write_text(json.dumps(times))
    _spoil(root / "public_dataset" / "14287" / "trial_1" / "mov_sit")


def _spoil(folder: Path) -> None:
    quiet = folder / "background_noise_nothing"
    (quiet / "cough" / "._body_facing_mic.wav").write_bytes(bytes(100))
    (quiet / "laugh" / "outward_facing_mic.wav").unlink()
    (quiet / "humming").mkdir()
    for noise in ("music", "traffic"):
        take = folder / f"background_noise_{noise}" / "cough"
        take.mkdir(parents=True)
        soundfile.write(take / "body_facing_mic.wav", np.zeros(RATE), RATE)
    broken = {"start_times": [0.1, 0.2], "end_times": [0.3]}
    (folder / "background_noise_music" / "cough" / "ground_truth.json").write_text(
        json.dumps(broken)
    )
