import math

import polars as pl
import pytest

from raqa.metrics import score_regression
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.reports.run_folder import read_run
from raqa.reports.text import (
    count_text,
    decimals,
    difference_verdict,
    encoder_text,
    interval_text,
    number_text,
    pretraining_overlap,
    seeds_text,
    verdict_text,
    warning_texts,
)


def test_numbers_have_the_decimals_of_their_unit():
    assert number_text(Number(9.1234), decimals("year")) == "9.12"
    assert number_text(Number(0.1234), decimals("probability")) == "0.123"
    assert number_text(Number(-1.0)) == "−1.00"
    assert number_text(Number(-0.001)) == "0.00"
    assert number_text(Number(math.nan, "one seed")) == "n/a"


def test_one_seed_is_shown_without_a_standard_deviation():
    assert seeds_text(OverSeeds.of([Number(2.0)])) == "2.00"
    assert seeds_text(OverSeeds.of([Number(2.0), Number(4.0)])) == "3.00 ± 1.41"


def test_an_undefined_interval_is_said():
    assert interval_text(Interval.undefined("one subject")) == "n/a"
    assert count_text(1, "subject") == "1 subject"
    assert count_text(2561, "subject") == "2,561 subjects"


def test_the_verdict_says_above_only_where_the_interval_excludes_zero(make_run):
    good = read_run(make_run("good", skill=0.6)).scores
    assert verdict_text(good, "year").startswith("Above the training median by ")
    assert "year (95 % interval " in verdict_text(good, "year")
    flat = read_run(make_run("flat", skill=0.02, subjects=60)).scores
    assert verdict_text(flat, "year").startswith("Can not be told from the training median")
    bad = read_run(make_run("bad", skill=-0.6)).scores
    assert verdict_text(bad, "year").startswith("Worse than the training median by ")


@pytest.mark.parametrize(("unit", "named"), [("points", True), ("nat", False), ("year", False)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_points_say_of_what_they_are_since_the_table_shows_another_measure(unit, named, sign):
    ends = Interval(*sorted((Number(sign * 0.1), Number(sign * 0.3)), key=lambda end: end.value))
    text = difference_verdict(
        Number(sign * 0.2), ends, "question prior", compared="error (1 − accuracy)", unit=unit
    )
    assert text.endswith(", by error (1 − accuracy).") == named


def test_a_model_that_says_the_median_is_called_that(make_run):
    run = read_run(make_run())
    median = run.fold.filter(side="train")["label"].median()
    constant = run.predictions.with_columns(prediction=pl.lit(median))
    scores = score_regression(constant, run.fold, resamples=100)
    assert verdict_text(scores, "year") == "Says the training median."


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        ({"subjects": 40}, "Too few"),
        ({"known": False}, "leakage"),
        ({"skill": 0.0}, "Collapsed"),
        ({"weights_real": False, "weights": "random"}, "Random weights"),
    ],
)
def test_what_a_reader_must_know_is_said(make_run, facts, word):
    run = read_run(make_run(**facts))
    (warning,) = warning_texts(run.scores, run.provenance)
    assert word in warning


def test_a_sound_run_has_no_warning_and_a_constant_head_need_not_spread(make_run):
    run = read_run(make_run("sound"))
    assert warning_texts(run.scores, run.provenance) == []
    run = read_run(make_run("median", skill=0.0, head="median"))
    assert warning_texts(run.scores, run.provenance) == []


@pytest.mark.parametrize(
    ("encoder", "corpus", "mark"),
    [("opera_ct", "coughvid", "†"), ("hear", "cidrz", "†"), ("mel_stats", "coughvid", "")],
)
def test_an_encoder_that_saw_the_corpus_before_is_marked(
    make_run, encoder: str, corpus: str, mark: str
) -> None:
    facts = read_run(make_run("seen")).provenance.model_copy(
        update={"encoder": encoder, "corpus": corpus}
    )
    assert encoder_text(facts) == encoder + mark
    assert (pretraining_overlap(facts).status in {"yes", "possibly"}) == bool(mark)
    untrained = facts.model_copy(update={"weights_real": False})
    assert encoder_text(untrained) == f"{encoder} (random weights)"
