import math

import pytest

from raqa.metrics.number import Interval, Number, OverSeeds


def test_an_undefined_number_is_nan_with_a_reason_and_never_zero():
    number = Number.undefined("one seed")
    assert math.isnan(number.value)
    assert number.reason == "one seed"
    assert not number.defined


def test_nan_without_a_reason_is_refused():
    with pytest.raises(ValueError, match="finite or has a reason"):
        Number(math.nan)
    with pytest.raises(ValueError, match="finite or has a reason"):
        Number(1.0, "but why")


def test_numbers_undefined_for_the_same_reason_are_equal():
    assert Number.undefined("x") == Number.undefined("x") != Number.undefined("y")
    assert len({Number.undefined("x"), Number.undefined("x"), Number(1.0)}) == 2


def test_seeds_are_summarised_with_the_sample_standard_deviation():
    summary = OverSeeds.of([Number(2.0), Number(4.0)])
    assert summary.mean == Number(3.0)
    assert summary.sd.value == pytest.approx(math.sqrt(2))


def test_one_seed_has_a_mean_and_no_standard_deviation():
    summary = OverSeeds.of([Number(2.0)])
    assert summary.mean == Number(2.0)
    assert summary.sd.reason == "one seed has no standard deviation"


def test_an_undefined_seed_leaves_the_mean_undefined_with_its_reason():
    summary = OverSeeds.of([Number(2.0), Number.undefined("all predictions are equal")])
    assert summary.mean.reason == "all predictions are equal"


@pytest.mark.parametrize(
    ("low", "high", "excluded"), [(-2, -1, True), (1, 2, True), (-1, 1, False), (0, 0, False)]
)
def test_an_interval_excludes_zero_only_with_both_ends_on_one_side(low, high, excluded):
    assert Interval(Number(low), Number(high)).excludes_zero() is excluded
    assert not Interval.undefined("one subject").excludes_zero()
