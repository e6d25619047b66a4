"""The interval covers what it promises, and is refused where it can not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from raqa.metrics.conformal import conformal, half_width, subject_errors


def predictions(errors: dict[str, list[float]], seeds: tuple[int, ...] = (0,)) -> pl.DataFrame:
    """Recordings of each subject with a truth of 50 that are off by so much."""
    rows = [
        {"seed": seed, "corpus": "here", "recording_id": f"{subject}-{number}",
         "subject_id": subject, "truth": 50.0, "prediction": 50.0 + error}
        for subject, own in errors.items()
        for number, error in enumerate(own)
        for seed in seeds
    ]  # fmt: skip
    return pl.DataFrame(rows)


def many(count: int, first: int = 0) -> dict[str, list[float]]:
    return {f"s{first + number}": [float(number + 1)] for number in range(count)}


def test_the_quantile_is_the_finite_sample_one():
    errors = np.arange(1.0, 31.0)
    assert half_width(errors, level=0.9).value == 28.0  # ceil(31 * 0.9) = 28
    assert half_width(errors, level=0.5).value == 16.0
    assert half_width(np.arange(1.0, 20.0).repeat(1)[:19], level=0.9).reason is not None


@pytest.mark.parametrize("count", [20, 39, 100])
@pytest.mark.parametrize("level", [0.8, 0.9])
def test_new_subjects_are_covered_as_often_as_was_promised(count, level):
    random = np.random.default_rng(count)
    covered = [
        np.mean(np.abs(random.standard_t(3, 50)) <= half_width(held, level=level).value)
        for held in np.abs(random.standard_t(3, (4000, count)))
    ]
    exact = np.ceil(round((count + 1) * level, 9)) / (count + 1)
    assert exact >= level
    assert np.mean(covered) == pytest.approx(exact, abs=0.005)


def test_below_20_subjects_there_is_none_and_the_reason_is_given():
    found = conformal(predictions(many(19)), predictions(many(5)))
    assert found.half_width.reason == "19 subject(s) were held back; at least 20 are needed"
    assert found.coverage.reason == found.half_width.reason
    assert conformal(predictions(many(20)), predictions(many(5))).half_width.value == 19.0


def test_a_level_that_needs_more_subjects_than_there_are_is_refused():
    reason = half_width(np.ones(30), level=0.99).reason
    assert reason == "a level of 0.99 needs 99 held-back subjects; there are 30"


def test_a_subject_counts_once_whatever_its_recordings_and_by_the_mean_over_seeds():
    table = predictions({"a": [1.0, 2.0, 3.0], "b": [4.0]})
    errors = subject_errors(table)
    assert len(errors) == 2
    assert errors[0] in {1.0, 2.0, 3.0}
    assert subject_errors(table.reverse()).tolist() == errors.tolist()
    opposite = table.with_columns(seed=pl.lit(1), prediction=100 - pl.col("prediction"))
    both = pl.concat([table, opposite], how="vertical_relaxed")
    assert subject_errors(both).tolist() == [0.0, 0.0]


def test_which_recording_counts_does_not_depend_on_its_error():
    subjects = {f"s{number}": [1.0, 5.0] for number in range(400)}
    assert subject_errors(predictions(subjects)).mean() == pytest.approx(3.0, abs=0.3)


def test_coverage_of_the_test_subjects_is_counted_with_an_exact_interval():
    found = conformal(predictions(many(39)), predictions(many(50, first=100)), level=0.9)
    assert found.half_width.value == 36.0
    assert (found.coverage.value, found.test_subjects) == (36 / 50, 50)
    assert found.coverage_interval.low.value == pytest.approx(0.5751, abs=1e-3)
    assert found.coverage_interval.high.value == pytest.approx(0.8377, abs=1e-3)
