"""Scores of answers to questions."""

from raqa.metrics.questions.judge import JUDGED, OUTCOMES, judge
from raqa.metrics.questions.score import score_questions
from raqa.metrics.questions.scores import (
    Counts,
    LabelScores,
    NumberScores,
    PartScores,
    QuestionScores,
    TextScores,
)

__all__ = [
    "JUDGED",
    "OUTCOMES",
    "Counts",
    "LabelScores",
    "NumberScores",
    "PartScores",
    "QuestionScores",
    "TextScores",
    "judge",
    "score_questions",
]
