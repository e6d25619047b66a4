"""Questions of every kind for tests, and files of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

OPTIONS = [f"{n} coughs" for n in ("no", "two", "three", "four", "five", "six", "seven", "eight",
                                   "nine", "ten")]  # fmt: skip


def choice(qa_id: str = "m1", **changes: Any) -> dict[str, Any]:
    """A sound question of MedMosaic's; a change to None leaves a field out."""
    row = {
        "qa_id": qa_id, "benchmark": "medmosaic", "corpus": "clinic", "recording_id": "r1",
        "subject_id": "p1", "audio": "clinic/r1.wav", "question_type": "mcq_sound_cough",
        "question": "How many coughs are there?", "options": OPTIONS, "answer": "three coughs",
        "difficulty": "easy", "audio_source": "real",
    }  # fmt: skip
    return _changed(row, changes)


def chain(
    name: str = "c1", turns: Iterable[int] = (1, 2, 3), **changes: Any
) -> list[dict[str, Any]]:
    """A sound chain."""
    return [
        choice(f"{name}-{turn}", question_type="multi_turn", chain=name, turn=turn, **changes)
        for turn in turns
    ]


def inferred(qa_id: str = "i1", **changes: Any) -> dict[str, Any]:
    """A sound question of CaReCoS."""
    row = {
        "qa_id": qa_id, "benchmark": "carecos", "corpus": "kauh", "recording_id": "k1",
        "subject_id": "k1", "audio": "kauh/k1.wav", "question_type": "inferred",
        "question": "What does this suggest?", "answer": "Narrowed airways.",
    }  # fmt: skip
    return _changed(row, changes)


def labelled(qa_id: str = "q1", **changes: Any) -> dict[str, Any]:
    """A sound question of RA-QA."""
    row = {
        "qa_id": qa_id, "benchmark": "ra_qa", "corpus": "kauh", "recording_id": "k1",
        "subject_id": "k1", "audio": "kauh/k1.wav", "question_type": "open_ended",
        "question": "Which sex has this subject?", "answer": "This subject is male.",
        "attribute": "sex", "family": "profile", "kind": "categorical", "label": "male",
    }  # fmt: skip
    return _changed(row, changes)


def _changed(row: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in (row | changes).items() if value is not None}


def write_lines(file: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write questions as JSON lines."""
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file
