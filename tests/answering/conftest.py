"""Questions about tones that only listening can answer."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from raqa.answering.base import AUDIO_ROW, QuestionPairs
from raqa.tables import QUESTIONS


def tone_questions(
    subjects: int, seed: int, *, heard: bool = True, first: int = 0
) -> QuestionPairs:
    """Three questions about each tone: its pitch, its loudness, and a number.

    The recording decides, the question says about which; `heard=False` shuffles the audio, so
    that nothing in it tells the answers.
    """
    random = np.random.default_rng(seed)
    pitch, loudness = random.integers(0, 2, (2, subjects))
    count = random.normal(10, 3, subjects)
    audio = np.stack([2.0 * pitch - 1, 2.0 * loudness - 1, (count - 10) / 3], axis=1)
    audio = np.concatenate([audio, np.zeros((subjects, 5))], axis=1)
    audio += random.normal(0, 0.2, audio.shape)
    if not heard:
        audio = audio[random.permutation(subjects)]
    rows = []
    for subject in range(subjects):
        name = f"s{first + subject:05d}"
        shared = {"corpus": "tones", "recording_id": name, "subject_id": name,
                  "family": "acoustic", AUDIO_ROW: subject}  # fmt: skip
        for attribute, known in (("pitch", pitch), ("loudness", loudness)):
            rows.append(
                {**shared, "qa_id": f"{name}/{attribute}", "attribute": attribute,
                 "kind": "binary", "question_type": "single_verify",
                 "template_id": f"{attribute}/single_verify/1", "asked_label": "yes",
                 "question": f"does the subject have high {attribute} ?",
                 "answer": "Yes." if known[subject] else "No.",
                 "label": "yes" if known[subject] else "no"}
            )  # fmt: skip
        rows.append(
            {**shared, "qa_id": f"{name}/count", "attribute": "count", "kind": "numeric",
             "question_type": "open_ended", "template_id": "count/open_ended/1",
             "question": "what is the count ?", "answer": f"It is {count[subject]:.1f}.",
             "value": float(count[subject]), "unit": "count"}
        )  # fmt: skip
    schema = {**QUESTIONS, AUDIO_ROW: pl.Int64}
    return QuestionPairs(audio.astype(np.float32), pl.DataFrame(rows, schema=schema))


@pytest.fixture(scope="session")
def tones() -> dict[str, QuestionPairs]:
    """The three sides of a set whose answers are in the audio."""
    return {
        "train": tone_questions(200, 0),
        "validation": tone_questions(50, 1, first=1000),
        "test": tone_questions(100, 2, first=2000),
    }
