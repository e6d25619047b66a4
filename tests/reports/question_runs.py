"""Cells whose runs answer questions, made without audio or training."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from metrics.made_answers import crowd, named

from raqa.corpora.base import Step
from raqa.reports.recipes.cells import ReportCell
from raqa.reports.run_folder import RunFolder, read_run
from raqa.reports.scoring import Answered
from raqa.responders.base import Response
from raqa.responders.usage import FACTS_FILE, USAGE_FILE, usage_table, write_usage
from raqa.tables import FOLD, set_aside_table
from reports.conftest import provenance

MakeAnswers = Callable[..., ReportCell]
CONSTANT = {"asthma": "no", "expert_cough_type": "dry", "expert_severity": "mild"}
"""What the question prior says; numbers are answered with 50."""


def answers_maker(folder: Path) -> MakeAnswers:
    """Make a function that writes a run below a folder and gives its cell.

    The run says the truth to a share `skill` of the questions, else what the prior says; of
    `refused` it says that it can not tell. With `given` it asked a model; the first `unanswered`
    questions were never answered. Everybody is asked about asthma (to be verified), two
    kinds of cough (open-ended) and age.
    """

    def make(
        head: str = "fusion",
        *,
        skill: float = 0.7,
        refused: float = 0.0,
        subjects: int = 80,
        corpora: tuple[str, ...] = ("here", "there"),
        seeds: tuple[int, ...] = (0, 1),
        encoder: str = "mel_stats",
        problem: str | None = None,
        rendered: bool = True,
        given: str | None = None,
        responder: str = "constant",
        unanswered: int = 0,
        **facts: Any,
    ) -> ReportCell:
        chosen = {"datamodule": "questions", "task": "qa", "encoder": encoder, "head": head}
        if problem:
            return ReportCell(chosen, None, problem)
        questions = _questions(subjects, corpora)
        test = questions.filter(split="test")
        if given:
            chosen["head.hearing.given"] = given
        path = folder / "-".join([*chosen.values(), str(skill), str(subjects), responder])
        known = provenance(
            path.name, list(seeds), corpus="questions", task="qa", unit=None, kind="questions",
            head=head, encoder=encoder, rendered=rendered, **facts,
        )  # fmt: skip
        said = [_answers(test, skill, refused, seed) for seed in seeds]
        with RunFolder(path).draft() as draft:
            draft.write(
                config=_config(responder if given else None), provenance=known,
                fold=_fold(questions), set_aside=set_aside_table(),
                predictions=pl.concat(_without(one, unanswered) for one in said),
                steps=[Step("asked", test.height, subjects)],
                answered=Answered(questions, named(test, _constant), rendered=rendered),
                save_heads=head_files(test, given, responder, unanswered) if given else None,
                in_words=given is not None,
            )  # fmt: skip
            draft.publish(resamples=200)
        return ReportCell(chosen, read_run(path))

    return make


def _questions(subjects: int, corpora: tuple[str, ...]) -> pl.DataFrame:
    """Every second subject is learnt from."""
    number = pl.col("subject_id").str.slice(1).cast(pl.Int64)
    side = pl.when(number % 2 == 0).then(pl.lit("train")).otherwise(pl.lit("test"))
    return crowd(subjects, corpora=corpora).with_columns(split=side)


def _fold(questions: pl.DataFrame) -> pl.DataFrame:
    return questions.select(
        "corpus", "recording_id", "subject_id",
        side="split", subject_known=pl.lit(value=True), label=pl.lit(1.0),
    ).select(*FOLD)  # fmt: skip


def _constant(question: dict[str, Any]) -> str | float:
    return 50.0 if question["kind"] == "numeric" else CONSTANT[question["attribute"]]


def _answers(test: pl.DataFrame, skill: float, refused: float, seed: int) -> pl.DataFrame:
    random = np.random.default_rng(seed)

    def say(question: dict[str, Any]) -> str | float:
        truth = question["value"] if question["kind"] == "numeric" else question["label"]
        return truth if random.random() < skill else _constant(question)

    answers = named(test, say, seed)
    silent = pl.Series(random.random(test.height) < refused)
    return answers.with_columns(
        label=pl.when(silent).then(None).otherwise("label"),
        value=pl.when(silent).then(None).otherwise("value"),
        response=pl.when(silent).then(pl.lit("I cannot answer that.")).otherwise("response"),
    )


def _without(answers: pl.DataFrame, count: int) -> pl.DataFrame:
    lost = pl.int_range(pl.len()) < count
    return answers.sort("qa_id").with_columns(
        pl.when(~lost).then(pl.col(name)) for name in ("label", "value", "response")
    )


def _config(responder: str | None) -> str:
    if responder is None:
        return "{}\n"
    kinds = {"constant": "plain.ConstantResponder", "local": "transformers.TransformersResponder"}
    kind = kinds.get(responder, "openai.OpenAIResponder")
    return f"head: {{responder: {{_target_: raqa.responders.{kind}}}}}\n"


def head_files(
    test: pl.DataFrame, given: str, responder: str, unanswered: int
) -> Callable[[Path], None]:
    """Writes what a zero-shot head leaves: every two questions share a prompt."""

    def save(folder: Path) -> None:
        folder.mkdir()
        identity = {"responder": responder, "model": responder}
        facts = {"responder": identity, "hearing": {"given": given}}
        (folder / FACTS_FILE).write_text(json.dumps(facts))
        names = test["qa_id"].sort().to_list()
        rows = [
            (name, f"{number // 2}", Response(None, "failed", "cut") if number < unanswered else
             Response("yes", tokens_in=10, tokens_out=2, cost=0.5, latency_s=2.0), False)
            for number, name in enumerate(names)
        ]  # fmt: skip
        write_usage(usage_table(rows), folder / USAGE_FILE)

    return save
