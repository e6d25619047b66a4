"""Runs that sat an exam, made without audio, a model or a judge."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from metrics.made_verdicts import asked, fold_of, judged, said

from raqa.corpora.base import Step
from raqa.reports.recipes.cells import ReportCell
from raqa.reports.run_folder import RunFolder, read_run
from raqa.reports.scoring import Examined
from raqa.tables import set_aside_table
from reports.conftest import provenance
from reports.question_runs import head_files

MakeExam = Callable[..., ReportCell]
TYPES = ("mcq_speech", "mcq_sound_heart", "oe_speech", "voice_qa", "multi_turn")
TEN = [f"option {letter}" for letter in "abcdefghij"]


def medmosaic(subjects: int) -> pl.DataFrame:
    """Every subject is asked a question of each of TYPES; chains have three."""
    rows: list[dict[str, Any]] = []
    for number in range(subjects):
        base = {
            "subject_id": f"s{number:03}", "recording_id": f"r{number:03}", "answer": TEN[1],
            "difficulty": ("easy", "medium", "hard")[number % 3],
            "audio_source": ("real", "synthetic")[number % 2],
        }  # fmt: skip
        for name in TYPES:
            one = {**base, "question_type": name, "qa_id": f"{name}-{number:03}"}
            if name == "multi_turn":
                rows += [{**one, "qa_id": f"{name}-{number:03}-{turn}", "chain": f"c{number}",
                          "turn": turn, "options": TEN} for turn in (1, 2, 3)]  # fmt: skip
            else:
                rows.append({**one, "options": None if name == "oe_speech" else TEN})
    return asked(*rows)


def carecos(subjects: int, corpora: tuple[str, ...] = ("circor", "icbhi")) -> pl.DataFrame:
    """Every subject of each corpus is asked an explicit and an inferred question."""
    return asked(
        *(
            {"benchmark": "carecos", "corpus": corpus, "question_type": name,
             "subject_id": f"s{number:03}", "recording_id": f"r{number:03}",
             "qa_id": f"{corpus}-{name}-{number:03}", "question": "What is heard?",
             "answer": "There is a wheeze in the second half."}
            for corpus in corpora for number in range(subjects) for name in ("explicit", "inferred")
        )
    )  # fmt: skip


def exam_maker(folder: Path) -> MakeExam:
    """Make a function that writes a run below a folder and gives its cell.

    The run is right with a share `skill`; open answers get 3 or 1 everywhere; of `refused` it
    declines, of `unscored` the judge failed.
    """

    def make(
        head: str = "zero_shot_model_audio",
        *,
        exam: pl.DataFrame | None = None,
        skill: float = 0.6,
        refused: float = 0.0,
        unscored: float = 0.0,
        seed: int = 0,
        problem: str | None = None,
        words: str = "There is a crackle in the second half.",
        chosen: dict[str, str] | None = None,
        given: str | None = None,
        **facts: Any,
    ) -> ReportCell:
        cell = {"datamodule": "exam", "task": "exam", "head": head, **(chosen or {})}
        if problem:
            return ReportCell(cell, None, problem)
        questions = medmosaic(60) if exam is None else exam
        if given:
            cell["head.hearing.given"] = given
        path = folder / f"exam-{head}-{skill}-{seed}-{refused}-{unscored}-{questions.height}"
        known = provenance(
            path.name, [0], **{"corpus": "exam", "task": "exam", "unit": None, "kind": "exam",
                               "head": head, "encoder": "none", **facts},
        )  # fmt: skip
        random = np.random.default_rng(seed)
        found = [_found(form, random, skill, refused, unscored) for form in questions["form"]]
        replies = _replies(questions, found, words)
        with RunFolder(path).draft() as draft:
            draft.write(
                config="task:\n  carried: own\n", provenance=known, fold=fold_of(questions),
                predictions=said(questions, replies), set_aside=set_aside_table(),
                steps=[Step("asked", questions["recording_id"].n_unique(), 60)],
                examined=Examined(questions, judged(questions, *found)),
                save_heads=head_files(questions, given, "listener", 0) if given else None,
                in_words=given is not None,
            )  # fmt: skip
            draft.publish(resamples=200)
        return ReportCell(cell, read_run(path))

    return make


def _found(
    form: str, random: np.random.Generator, skill: float, refused: float, unscored: float
) -> Any:
    luck, right = random.random(), random.random() < skill
    if luck < unscored:
        return "the judge timed out"
    if luck < unscored + refused:
        return "refused"
    return ((3, 3, 3, 3) if right else (1, 1, 1, 1)) if form == "open" else right


def _replies(questions: pl.DataFrame, found: list[Any], words: str) -> dict[str, str]:
    """Answers in words: the reference where it is right, else `words`."""
    worded = {"facts", "concept", "open"}
    return {
        name: answer if one is True or one == (3, 3, 3, 3) else words
        for (name, answer, form), one in zip(
            questions.select("qa_id", "answer", "form").iter_rows(), found, strict=True
        )
        if form in worded
    }
