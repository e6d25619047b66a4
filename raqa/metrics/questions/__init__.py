"""Scores of answers to questions."""

from raqa.metrics.questions.flat import DIFFERENCES, SCORES, differences_table, scores_table
from raqa.metrics.questions.judge import JUDGED, OUTCOMES, judge
from raqa.metrics.questions.paired import AnswerDifference, compare_answers
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
    "DIFFERENCES",
    "JUDGED",
    "OUTCOMES",
    "SCORES",
    "AnswerDifference",
    "Counts",
    "LabelScores",
    "NumberScores",
    "PartScores",
    "QuestionScores",
    "TextScores",
    "compare_answers",
    "differences_table",
    "judge",
    "score_questions",
    "scores_table",
]
