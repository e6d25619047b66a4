import numpy as np
import polars as pl
import pytest

from raqa.errors import UserError
from raqa.metrics.compare import Pair, compare, holm, recording_errors
from raqa.metrics.number import Interval, Number
from raqa.tables import PREDICTIONS

SUBJECTS = 150


def model(error: float, seed: int = 0, *, subjects: int = SUBJECTS, seeds: int = 2) -> pl.DataFrame:
    """Predictions whose absolute errors have this mean; hard subjects are hard for all models."""
    names = np.repeat(np.arange(subjects), np.random.default_rng(1).integers(1, 5, size=subjects))
    hard = np.random.default_rng(2).gamma(4.0, 1.0, size=subjects)[names]
    own = np.random.default_rng(seed + 3)
    tables = []
    for one in range(seeds):
        errors = error - 4.0 + hard + own.normal(0, 0.3, size=len(names))
        truth = np.linspace(20, 80, len(names))
        tables.append(
            pl.DataFrame(
                {
                    "seed": [one] * len(names),
                    "corpus": ["demo"] * len(names),
                    "recording_id": [f"r{index:04d}" for index in range(len(names))],
                    "subject_id": [f"s{name:03d}" for name in names],
                    "truth": truth,
                    "prediction": truth + errors * own.choice([-1, 1], size=len(names)),
                },
                schema=dict(PREDICTIONS),
            )
        )
    return pl.concat(tables)


def numbers(*values: float) -> list[Number]:
    return [Number(value) for value in values]


def test_errors_are_absolute_and_averaged_over_seeds(predictions):
    table = recording_errors(predictions)
    assert table["recording_id"].to_list() == ["r5", "r6", "r7"]
    assert table["error"].to_list() == [1.5, 3.0, 4.5]


def test_every_recording_counts_once_and_the_first_minus_the_second_is_shown(predictions):
    better = predictions.with_columns(prediction=pl.col("truth") + 1)
    (pair,) = compare({"a": predictions, "b": better}).pairs
    assert (pair.first, pair.second) == ("a", "b")
    assert pair.difference.value == pytest.approx(3.0 - 1.0)


def test_pairing_sees_a_difference_that_two_intervals_would_not():
    comparison = compare({"a": model(10.0, 1), "b": model(10.2, 2)})
    pair = comparison.pair("a", "b")
    assert pair.better == "a"
    assert pair.interval.high.value < 0
    assert comparison.errors["a"] == pytest.approx(10.0, abs=0.4)
    assert (comparison.subjects, comparison.recordings) == (
        SUBJECTS,
        model(1)["recording_id"].n_unique(),
    )


def test_a_pair_can_be_read_either_way_round():
    comparison = compare({"a": model(10.0, 1), "b": model(10.2, 2)})
    there, back = comparison.pair("a", "b"), comparison.pair("b", "a")
    assert back.difference.value == -there.difference.value
    assert back.interval.low.value == -there.interval.high.value
    assert back.better == there.better == "a"


def test_a_p_value_is_never_zero_and_equal_models_have_one():
    far = compare({"a": model(5.0), "b": model(9.0)}, resamples=999).pairs[0]
    assert far.p.value == pytest.approx(2 / 1000)
    same = compare({"a": model(5.0), "b": model(5.0)}, resamples=999).pairs[0]
    assert same.p.value == 1.0
    assert same.better is None


def test_the_p_value_agrees_with_the_interval():
    for shift in np.linspace(0, 0.2, 9):
        pair = compare({"a": model(5.0, 1), "b": model(5.0 + shift, 2)}, resamples=2000).pairs[0]
        if not 0.04 < pair.p.value < 0.06:  # rounding of the quantile decides there
            assert (pair.p.value < 0.05) == pair.interval.excludes_zero()


def test_equal_models_are_called_different_about_as_often_as_said():
    called = [
        compare({"a": model(5.0, 2 * study), "b": model(5.0, 2 * study + 1)}, resamples=200)
        .pairs[0]
        .p.value
        < 0.05
        for study in range(200)
    ]
    assert np.mean(called) < 0.10


def test_holm_multiplies_the_smallest_by_all_and_never_falls():
    corrected = [number.value for number in holm(numbers(0.01, 0.04, 0.03, 0.005))]
    assert corrected == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [number.value for number in holm(numbers(0.6, 0.9))] == [1.0, 1.0]


def test_holm_leaves_undefined_ones_out_of_the_count():
    corrected = holm([Number(0.02), Number.undefined("one subject"), Number(0.9)])
    assert corrected[0].value == pytest.approx(0.04)
    assert corrected[1].reason == "one subject"


def test_all_pairs_are_corrected_for_together():
    models = {name: model(5 + 0.4 * place, place) for place, name in enumerate("abcd")}
    comparison = compare(models)
    assert len(comparison.pairs) == 6
    assert [one.value for one in holm([pair.p for pair in comparison.pairs])] == [
        pair.p_holm.value for pair in comparison.pairs
    ]


def test_the_best_group_holds_what_can_not_be_told_from_the_smallest_eligible_error():
    comparison = compare(
        {"a": model(5.0, 1), "b": model(5.001, 2), "far": model(6.0, 3), "seen": model(4.0, 4)}
    )
    assert set(comparison.best(["a", "b", "far"])) == {"a", "b"}
    assert comparison.best(["a", "b", "far", "seen"]) == ("seen",)
    assert comparison.best([]) == ()


def test_a_single_subject_has_a_difference_and_no_test():
    comparison = compare({"a": model(5, 1, subjects=1), "b": model(9, 2, subjects=1)})
    (pair,) = comparison.pairs
    assert pair.difference.defined
    assert pair.p.reason == pair.p_holm.reason == "1 subject(s) can not be drawn again"
    assert pair.better is None
    assert len(comparison.best(["a", "b"])) == 2


def test_models_tested_on_other_recordings_are_refused_with_how_many_and_which():
    whole = model(5.0)
    part = whole.filter(~pl.col("recording_id").is_in(["r0003", "r0007"]))
    with pytest.raises(UserError) as refusal:
        compare({"a": whole, "b": part})
    (text,) = refusal.value.problems
    assert "Only a: 2 (demo/r0003, demo/r0007). Only b: 0." in text
    assert f"Both: {part['recording_id'].n_unique()}." in text


def test_the_same_recordings_with_other_labels_are_refused():
    other = model(5.0).with_columns(
        truth=pl.when(recording_id="r0000").then(99.0).otherwise("truth")
    )
    with pytest.raises(UserError, match="different labels: 1 "):
        compare({"a": model(5.0), "b": other})


def test_a_pair_without_a_significant_difference_has_no_better():
    pair = Pair("a", "b", Number(-1), Interval(Number(-2), Number(-0.1)), Number(0.03), Number(0.3))
    assert pair.better is None
