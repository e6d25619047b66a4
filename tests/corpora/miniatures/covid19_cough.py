"""A tiny covid19-cough in the layout of its repository: metadata, and MP3 of two kinds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

CALLS, MESSAGES = 24, 24


def name(number: int) -> str:
    """Name the recording of a number."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def write(root: Path) -> None:
    """Write 48 coughs: most positives by telephone (8 kHz stereo), most negatives by messenger.

    Recording 1 has recording 0's bytes and the other label, 2 is a tag without audio, 3 has no
    file; 4 has times, 5 has times that end before they start. A twin and a stray lie beside them.
    """
    raw = root / "raw"
    raw.mkdir(parents=True)
    draw = np.random.default_rng(0)
    records: list[dict[str, Any]] = []
    for number in range(CALLS + MESSAGES):
        call = number < CALLS
        positive = (number % 4 != 1) == call
        record: dict[str, Any] = {"filename": f"{name(number)}.mp3", "covid19": positive,
                                  "comment": None,
                                  "source": "call-center" if call else "telegram"}  # fmt: skip
        if positive:
            record |= {"verified": call, "asymptomatic": number % 3 == 0}
        records.append(record)
        rate, channels = (8000, 2) if call else (48000, 1)
        sound = draw.normal(0, 0.1, (rate, channels))
        soundfile.write(raw / record["filename"], sound, rate, format="MP3")
    records[4] |= {"start_at": 0.2, "end_at": 0.7}
    records[5] |= {"start_at": 0.7, "end_at": 0.2}
    (root / "metadata.json").write_text(json.dumps(records, indent=1))
    shutil.copy(raw / f"{name(0)}.mp3", raw / f"{name(1)}.mp3")
    (raw / f"{name(2)}.mp3").write_bytes(b"ID3\x04\x00\x00\x00\x00\x00\x7f" + bytes(127))
    (raw / f"{name(3)}.mp3").unlink()
    (raw / f"._{name(0)}.mp3").write_bytes(b"\x00\x05\x16\x07Mac OS X")
    shutil.copy(raw / f"{name(0)}.mp3", raw / "stray.mp3")
