"""Numbers from predictions, with intervals."""

from raqa.metrics.classification import ClassificationScores, score_classification
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.regression import RegressionScores, score_regression
from raqa.metrics.score import AnyScores, score
from raqa.metrics.scores import Scores

__all__ = [
    "AnyScores",
    "ClassificationScores",
    "Interval",
    "Number",
    "OverSeeds",
    "RegressionScores",
    "Scores",
    "score",
    "score_classification",
    "score_regression",
]
