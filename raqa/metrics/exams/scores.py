"""Scores of an exam as plain data: for every part how well, on how many, and what has no score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from raqa.display import harmless
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.scores import Scores

By = Literal["all", "benchmark", "question_type", "corpus", "difficulty", "audio_source"]
PARTS: tuple[By, ...] = (
    "all", "benchmark", "question_type", "corpus", "difficulty", "audio_source"
)  # fmt: skip

_REASONS = 3
_SHOWN = 200
"""Characters of a reason that are repeated; what models say may stand in it."""


@dataclass(frozen=True, kw_only=True)
class ExamCounts:
    """Answers of all seeds.

    Attributes:
        questions, recordings, subjects: how many there are; a recording whose subject is unknown
            is a subject of its own.
        expected: answers, one for every seed and question.
        scored: those with a score; unreadable and refused ones have one, which is 0.
        graded: those that were given 1 to 3.
        reasons: why others are unscored, with how many, the most frequent first.
    """

    questions: int
    recordings: int
    subjects: int
    expected: int
    scored: int
    right: int
    wrong: int
    graded: int
    unreadable: int
    refused: int
    unscored: int
    reasons: tuple[tuple[str, int], ...]


@dataclass(frozen=True, kw_only=True)
class Likeness:
    """How like the reference the wording of answers is; it rewards fluent errors.

    Attributes:
        accuracy: of these answers, those that have a score.
        compared: answers in words, to questions that have no options.
        wrong: of these, those that were judged and got less than half.
        fluent: of these, those that are at least as like as half of the right ones are.
    """

    accuracy: OverSeeds
    rouge_l: OverSeeds
    bertscore: OverSeeds
    compared: int
    wrong: int
    fluent: Number


@dataclass(frozen=True, kw_only=True)
class ExamPart:
    """One part of the questions.

    Attributes:
        accuracy: mean score over what is scored. All parts together are so weighted by their
            numbers of questions.
        interval: 95 %, over subjects.
        answered: the same over answers that were neither refused nor unreadable.
        chance: of guessing among what is offered; undefined where a question offers nothing.
        grade: mean of open answers' criteria, 1 to 3; `criteria` has them one by one.
    """

    by: By
    name: str
    counts: ExamCounts
    accuracy: OverSeeds
    interval: Interval
    answered: OverSeeds
    chance: Number
    grade: OverSeeds
    criteria: Mapping[str, OverSeeds]
    likeness: Likeness


@dataclass(frozen=True, kw_only=True)
class TurnScore:
    """Some of the turns of chains.

    Attributes:
        name: "1", "2", "3", "after right" or "after wrong": later turns whose first was so.
        scored: answers, of all seeds.
    """

    name: str
    scored: int
    accuracy: OverSeeds
    interval: Interval


@dataclass(frozen=True, kw_only=True)
class ChainScores:
    """What an early error does to later turns.

    Attributes:
        chains: how many there are.
        turns: see TurnScore.
        whole: share of chains with all turns right.
        cost: accuracy of later turns after a right first one minus after a wrong one.
        unscored_first: later answers, of all seeds, that are in neither.
    """

    chains: int
    turns: tuple[TurnScore, ...]
    whole: OverSeeds
    cost: Number
    cost_interval: Interval
    unscored_first: int


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """An answer that is worded like the reference and was judged wrong.

    Attributes:
        likeness: BERTScore, or ROUGE-L where there is no model.
    """

    seed: int
    qa_id: str
    likeness: float
    score: float


@dataclass(frozen=True, kw_only=True)
class ExamScores(Scores):
    """What a model reached in an exam.

    The difference is of errors over choices: chance minus accuracy; below 0 is better than
    guessing.

    Attributes:
        parts: everything first, then by what PARTS says.
        chains: None where there are none.
        disagreements: the answers most like the reference that were judged wrong.
        text_model: behind BERTScore, or None.
        judges: names of the judges, with version and rubric.
        odd_choices: MedMosaic's choices that have not ten options.
    """

    kind: Literal["exam"] = "exam"
    baseline: ClassVar[str] = "chance level"
    compared: ClassVar[str] = "error (1 − accuracy over choices)"
    difference_unit: ClassVar[str | None] = "points"
    unknown_subjects: ClassVar[str] = (
        "Subjects unknown: some questions do not say who is heard. One person may be in several "
        "recordings, so the intervals are too narrow; whether a model was trained on these people "
        "can not be told."
    )
    parts: tuple[ExamPart, ...]
    chains: ChainScores | None
    disagreements: tuple[Disagreement, ...]
    text_model: str | None
    judges: tuple[str, ...]
    odd_choices: int

    @property
    def all(self) -> ExamPart:
        """Over all questions."""
        return self.parts[0]

    def part(self, by: By, name: str) -> ExamPart | None:
        """The part of a name, or None."""
        return next((one for one in self.parts if (one.by, one.name) == (by, name)), None)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What must be known before believing the numbers, a sentence each."""
        counts, found = self.all.counts, []
        if counts.unscored:
            first = counts.reasons[:_REASONS]
            told = "; ".join(f"{harmless(reason, _SHOWN)} ({n:,})" for reason, n in first)
            more = "; ..." if len(counts.reasons) > _REASONS else ""
            found.append(
                f"Incomplete: {counts.unscored:,} of {counts.expected:,} answers have no score and "
                f"are left out: {told}{more}."
            )
        if self.odd_choices:
            found.append(
                f"Not ten options: {self.odd_choices:,} of MedMosaic's choices have more or fewer, "
                "so that chance differs from the paper's."
            )
        return tuple(found)
