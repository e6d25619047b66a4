"""Tables about a run that sat an exam: its parts, chains, wording and what has no score."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from raqa.display import harmless
from raqa.metrics.exams import ExamPart, ExamScores
from raqa.metrics.number import Number
from raqa.reports.exam_report import PLACES, part_columns, part_text, shown_parts
from raqa.reports.headline import Detail
from raqa.reports.run_tables import Run
from raqa.reports.text import interval_text, number_text, seeds_text
from raqa.tables import CRITERIA

_CASES = 10
"""Disagreements that are shown; the run's metrics.json has more."""
_SAID = 200
"""Characters of a text that are shown in a table."""


def exam_details(run: Run) -> tuple[Detail, ...]:
    """All tables that the run has something for."""
    return (
        _parts(run.exam),
        *chain_detail(run),
        *_criteria(run.exam),
        *_wording(run.exam),
        *_disagreements(run),
        *_reasons(run.exam),
    )


def _parts(scores: ExamScores) -> Detail:
    columns = part_columns(scores)
    rows = tuple(
        (part.by.replace("_", " ") if part.by != "all" else "", part_text(part),
         *(cell(part) for _, cell in columns))
        for part in shown_parts(scores)
    )  # fmt: skip
    return Detail(
        "Parts",
        "Accuracy is over answers that have a score, each counting once, so that all is the parts' "
        "mean weighted by their numbers of answers.",
        ("by", "questions", *(heading for heading, _ in columns)),
        rows,
        (False, False, *(True for _ in columns)),
    )


def chain_detail(run: Run) -> Iterator[Detail]:
    """What later turns of chains make of a wrong first one; nothing where there are no chains."""
    chains = run.exam.chains
    if chains is None:
        return
    names = {"after right": "later turns, first right", "after wrong": "later turns, first wrong"}
    rows = [
        (names.get(one.name, f"turn {one.name}"), f"{one.scored:,}",
         seeds_text(one.accuracy, PLACES), interval_text(one.interval, PLACES))
        for one in chains.turns
    ]  # fmt: skip
    rows.append(
        ("difference", "", number_text(chains.cost, PLACES),
         interval_text(chains.cost_interval, PLACES))
    )  # fmt: skip
    lost = f" {chains.unscored_first:,} later answers follow an unscored first one." if (
        chains.unscored_first) else ""  # fmt: skip
    told = {"own": "the model's own answers", "gold": "the right answers"}
    carried = told.get(str(run.config.get("task", {}).get("carried")), "")
    yield Detail(
        "Chains",
        f"{chains.chains:,} chains of three turns about one recording; later turns were told "
        f"{carried or 'something'} of earlier ones. All turns are right in "
        f"{number_text(chains.whole.mean, PLACES)} of them.{lost}",
        ("chains", "scored", "accuracy", "95 % interval"), tuple(rows), (False, True, True, True),
    )  # fmt: skip


def _criteria(scores: ExamScores) -> Iterator[Detail]:
    graded = [part for part in shown_parts(scores) if part.counts.graded]
    if not graded:
        return
    yield Detail(
        "Open answers",
        "What the judge gave for each criterion, 1 to 3. The accuracy of an open answer is "
        "(mean − 1) ÷ 2, so that 1 on everything is 0 and 3 on everything is 1.",
        ("questions", "graded", *CRITERIA, "mean", "accuracy"),
        tuple(
            (part_text(part), f"{part.counts.graded:,}",
             *(number_text(part.criteria[name].mean) for name in CRITERIA),
             number_text(part.grade.mean), number_text(_share(part.grade.mean), PLACES))
            for part in graded
        ), (False, *(True for _ in range(len(CRITERIA) + 3))),
    )  # fmt: skip


def _share(grade: Number) -> Number:
    """A mean of 1 to 3 as a share of what can be reached."""
    return Number((grade.value - 1) / 2) if grade.defined else grade


def _wording(scores: ExamScores) -> Iterator[Detail]:
    compared = [part for part in shown_parts(scores) if part.likeness.compared]
    if not compared:
        return
    yield Detail(
        "Wording beside judgement",
        "How like their references answers in words are, beside what the judge found. Likeness "
        "rewards fluent errors: the last column counts wrong answers that are at least as like "
        "their reference as half of the right ones are.",
        ("questions", "in words", "judged", "ROUGE-L", "BERTScore", "wrong", "fluent errors"),
        tuple(_worded(part) for part in compared), (False, *(True for _ in range(6))),
    )  # fmt: skip


def _worded(part: ExamPart) -> tuple[str, ...]:
    one = part.likeness
    return (
        part_text(part), f"{one.compared:,}", seeds_text(one.accuracy, PLACES),
        seeds_text(one.rouge_l, PLACES), seeds_text(one.bertscore, PLACES), f"{one.wrong:,}",
        number_text(one.fluent, 0),
    )  # fmt: skip


def _disagreements(run: Run) -> Iterator[Detail]:
    scores = run.exam
    cases = scores.disagreements[:_CASES]
    if not cases or run.examined is None:
        return
    keys = pl.DataFrame(
        [(one.seed, one.qa_id, one.likeness) for one in cases],
        schema={"seed": pl.Int64, "qa_id": pl.String, "likeness": pl.Float64}, orient="row",
    )  # fmt: skip
    verdicts = run.examined.verdicts.select("seed", "qa_id", "reason")
    table = (
        keys.join(run.examined.questions, on="qa_id", maintain_order="left")
        .join(run.predictions, on=["seed", "qa_id"], maintain_order="left")
        .join(verdicts, on=["seed", "qa_id"], maintain_order="left")
    )
    rows = tuple(
        (f"{likeness:.3f}", *(harmless(text or "", _SAID) for text in texts))
        for likeness, *texts in table.select(
            "likeness", "question", "answer", "response", "reason", "qa_id"
        ).iter_rows()
    )
    by = "BERTScore" if scores.text_model else "ROUGE-L"
    yield Detail(
        "Worded like the reference, judged wrong",
        f"The {len(cases)} answers most like their reference ({by}) of those that got less than "
        "half: where likeness and judgement disagree most.",
        (by, "question", "reference", "answer", "why wrong", "qa_id"), rows,
        (True, *(False for _ in range(5))),
    )  # fmt: skip


def _reasons(scores: ExamScores) -> Iterator[Detail]:
    reasons = scores.all.counts.reasons
    if not reasons:
        return
    yield Detail(
        "Unscored",
        "Answers that have no score, and why. They are neither right nor wrong, and left out.",
        ("why", "answers"),
        tuple((harmless(reason, _SAID), f"{count:,}") for reason, count in reasons),
        (False, True),
    )
