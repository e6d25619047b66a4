"""Questions about recordings, and how tests ask them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import soundfile

from raqa.answering.base import AUDIO_ROW, Asked
from raqa.embeddings.hashes import HashCache
from raqa.responders.base import Input, Pace, Responder
from raqa.responders.evaluate import Evaluated, evaluate
from raqa.responders.hearing import Hearing
from raqa.responders.openai import OpenAIResponder
from raqa.responders.store import ResponseStore
from raqa.tables import EXAM, EXAM_ASKED, GOLD, QUESTIONS
from tests.responders.fake_server import MODEL

QUICK = Pace(concurrency=16, attempts=8, first_wait_s=0.001)


def question(name: str, audio_row: int = 0, **changes: Any) -> dict[str, Any]:
    """A yes-or-no question; `changes` make it another."""
    return {
        "qa_id": name, "corpus": "tones", "recording_id": f"r{audio_row}",
        "subject_id": f"r{audio_row}", "split": "test", "attribute": "wheeze",
        "family": "acoustic", "kind": "binary", "question_type": "single_verify",
        "template_id": "wheeze/single_verify/1", "question": f"Is there a wheeze ({name})?",
        "asked_label": "yes", "unit": None, "options": None, AUDIO_ROW: audio_row, **changes,
    }  # fmt: skip


def choice(name: str, audio_row: int = 0, **changes: Any) -> dict[str, Any]:
    """A question of an exam with two options; `changes` make it another."""
    row = question(name, audio_row, attribute=None, family=None, kind=None, asked_label=None)
    return {
        **row, "question_type": "mcq_speech", "question": f"Which is it ({name})?",
        "options": ["a wheeze", "a cough"], "benchmark": "medmosaic", "form": "choice",
        "chain": None, "turn": None, **changes,
    }  # fmt: skip


def asked(
    rows: Sequence[dict[str, Any]],
    paths: Sequence[Path] = (),
    told: Mapping[str, str] | None = None,
) -> Asked:
    """Questions about the recordings at these paths; `told` as in Asked."""
    columns = {name: kind for name, kind in QUESTIONS.items() if name not in GOLD}
    if "benchmark" in rows[0]:
        columns |= {name: EXAM[name] for name in EXAM_ASKED}
    table = pl.DataFrame(rows, schema={**columns, AUDIO_ROW: pl.Int64})
    files = pl.DataFrame(
        {"path": [str(path) for path in paths], "start_s": None, "end_s": None},
        schema={"path": pl.String, "start_s": pl.Float64, "end_s": pl.Float64},
    )
    return Asked(np.zeros((len(paths), 1), np.float32), table, files, told or {})


def tone(path: Path, hertz: float, seconds: float = 0.3) -> Path:
    """Write a tone."""
    time = np.arange(round(seconds * 8000)) / 8000
    soundfile.write(path, 0.5 * np.sin(2 * np.pi * hertz * time), 8000)
    return path


def openai(url: str, **changes: Any) -> OpenAIResponder:
    """A responder that asks the fake server."""
    settings: dict[str, Any] = {"model": MODEL, "pace": QUICK, "timeout_s": 5.0, **changes}
    return OpenAIResponder(base_url=url, **settings)


def ask(
    questions: Asked, responder: Responder, folder: Path, given: Input = "none", **changes: Any
) -> Evaluated:
    """One evaluation with its own opening of the store, as a new process would do it."""
    with ResponseStore(folder) as store:
        hearing = Hearing(given=given, **changes)
        return evaluate(questions, responder, hearing, store, HashCache(folder / "hashes"))


def outcomes(found: Evaluated) -> dict[str, int]:
    """How many questions had each outcome."""
    return dict(found.usage["outcome"].value_counts().iter_rows())
