"""Scores of exams."""

from raqa.metrics.exams.score import score_exam
from raqa.metrics.exams.scores import (
    By,
    ChainScores,
    Disagreement,
    ExamCounts,
    ExamPart,
    ExamScores,
    Likeness,
    TurnScore,
)

__all__ = [
    "By",
    "ChainScores",
    "Disagreement",
    "ExamCounts",
    "ExamPart",
    "ExamScores",
    "Likeness",
    "TurnScore",
    "score_exam",
]
