"""Numbers from predictions, with intervals."""

from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.regression import RegressionScores, score_regression

__all__ = ["Interval", "Number", "OverSeeds", "RegressionScores", "score_regression"]
