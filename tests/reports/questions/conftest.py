"""Recordings with their files and questions about them, some of whose names are hostile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import soundfile

from raqa.tables import QUESTIONS

HOSTILE = '</script><img src=x onerror="document.title=1"> & "quotes"'


@pytest.fixture
def recordings(tmp_path: Path) -> pl.DataFrame:
    """Six recordings: plain, 24-bit, too loud, a segment, one that is empty, one without file."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    random = np.random.default_rng(0)
    sound = random.normal(0, 0.1, 8000)
    soundfile.write(folder / "plain & <b>.wav", sound, 8000, subtype="PCM_16")
    soundfile.write(folder / "deep.wav", sound, 8000, subtype="PCM_24")
    soundfile.write(folder / "loud.wav", 20 * sound, 8000, subtype="FLOAT")
    (folder / "empty.wav").write_bytes(b"")
    rows = [
        ("plain", "plain & <b>.wav", None, None),
        ("deep", "deep.wav", None, None),
        ("loud", "loud.wav", None, None),
        ("part", "plain & <b>.wav", 0.25, 0.5),
        (HOSTILE, "empty.wav", None, None),
        ("absent", "absent.wav", None, None),
    ]
    return pl.DataFrame([
        {"corpus": "here", "recording_id": name, "path": str(folder / file),
         "audio": name != "absent", "start_s": start, "end_s": end}
        for name, file, start, end in rows
    ])  # fmt: skip


@pytest.fixture
def questions(recordings: pl.DataFrame) -> pl.LazyFrame:
    """Sixty questions about them: fifty open-ended, ten to be verified."""
    names = recordings["recording_id"].to_list()
    rows: list[dict[str, Any]] = []
    for number in range(60):
        verify = number >= 50
        label = ("yes", "no")[number % 2]
        rows.append({
            "qa_id": f"{number:04x}", "corpus": "here", "recording_id": names[number % len(names)],
            "subject_id": f"s{number % 12}", "split": ("train", "train", "test")[number % 3],
            "attribute": "asthma", "family": "profile", "kind": "binary",
            "question_type": "single_verify" if verify else "open_ended",
            "template_id": "asthma/open_ended/0",
            "question": f"Is there asthma {HOSTILE if number == 7 else verify}?",
            "answer": f"It is {label}.", "label": label,
        })  # fmt: skip
    return pl.DataFrame(rows, schema=dict(QUESTIONS)).lazy()
