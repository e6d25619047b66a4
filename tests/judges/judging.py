"""Questions of exams and answers to them, and a fake judge that says what it is told to."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from raqa.judges.language_model import LanguageModelJudge
from raqa.tables import ANSWERS, EXAM, EXAM_FORMS
from tests.responders.asking import openai
from tests.responders.fake_server import FakeServer, Reply

RIGHT = '{"reason": "same facts", "verdict": "right"}'
WRONG = '{"reason": "another grade", "verdict": "wrong"}'
GRADES = '{"reason": "fine", "correctness": 3, "relevance": 2, "completeness": 2, "clarity": 3}'
_BENCHMARK = {kind: name for name, kinds in EXAM_FORMS.items() for kind in kinds}


def item(name: str, question_type: str = "explicit", **changes: Any) -> dict[str, Any]:
    """A question about a murmur; `changes` make it another."""
    benchmark = _BENCHMARK[question_type]
    row = dict.fromkeys(EXAM)
    return {
        **row, "qa_id": name, "benchmark": benchmark, "corpus": "tones", "recording_id": name,
        "subject_id": name, "audio": f"{name}.wav", "question_type": question_type,
        "form": EXAM_FORMS[benchmark][question_type],
        "question": "What murmur is heard, and where?",
        "answer": "A grade II/VI murmur, loudest at the apex.", **changes,
    }  # fmt: skip


def exam(*rows: Mapping[str, Any]) -> pl.DataFrame:
    """EXAM columns."""
    return pl.DataFrame(list(rows), schema=dict(EXAM))


def answers(said: Mapping[str, str | None], seeds: Sequence[int] = (0,)) -> pl.DataFrame:
    """ANSWERS columns: the same responses by question for every seed."""
    rows = [
        {"seed": seed, "qa_id": name, "response": response, "label": None, "value": None,
         "probability": None}
        for seed in seeds
        for name, response in said.items()
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=dict(ANSWERS))


def judge_of(server: FakeServer, folder: Path, **changes: Any) -> LanguageModelJudge:
    """A judge that asks the fake server."""
    settings: dict[str, Any] = {"responder": openai(server.url), **changes}
    return LanguageModelJudge(folder=folder, **settings)


def fenced(prompt: str) -> tuple[str, str]:
    """The mark of a prompt and the candidate as it is quoted between the marks."""
    found = re.search(r"^([a-p]{12}) BEGIN\n(.*)\n\1 END$", prompt, re.MULTILINE)
    assert found is not None, prompt
    return found[1], found[2]


def candidate(prompt: str) -> str:
    """What the candidate said, read back out of a prompt."""
    text: str = json.loads(fenced(prompt)[1].split(" (cut: ")[0])
    return text


def saying(verdicts: Mapping[str, str]) -> Any:
    """A script of the fake server: replies by what the candidate said."""
    return lambda text, _: Reply(text=verdicts[candidate(text)])
