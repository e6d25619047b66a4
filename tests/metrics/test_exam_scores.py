"""Scores of an exam: means over what is scored, with everything else counted."""

from __future__ import annotations

import polars as pl
import pytest

from raqa.metrics.exams import ExamPart, ExamScores, score_exam
from raqa.metrics.exams.paired import compare_exams
from raqa.metrics.exams.score import RESAMPLES
from tests.metrics.made_verdicts import asked, fold_of, judged, said


def _scores(exam: pl.DataFrame, *found: object) -> ExamScores:
    return score_exam(exam, said(exam), judged(exam, *found), fold_of(exam), resamples=200)


def _part(scores: ExamScores, by: str, name: str) -> ExamPart:
    part = scores.part(by, name)  # type: ignore[arg-type]
    assert part is not None
    return part


def test_all_is_weighted_by_the_number_of_questions() -> None:
    exam = asked(*[{}] * 3, {"question_type": "mcq_long_form"})
    scores = _scores(exam, True, True, False, False)
    assert scores.all.accuracy.mean.value == pytest.approx(2 / 4)
    assert _part(scores, "question_type", "mcq_speech").accuracy.mean.value == pytest.approx(2 / 3)
    assert _part(scores, "question_type", "mcq_long_form").accuracy.mean.value == 0


@pytest.mark.parametrize("right", [True, False])
def test_a_part_in_which_all_subjects_score_alike_has_no_interval(right: bool) -> None:
    exam = asked(*[{"subject_id": f"s{number}"} for number in range(12)])
    part = _scores(exam, *[right] * 12).all
    assert part.accuracy.mean.value == float(right)
    assert not part.interval.low.defined
    assert "alike" in (part.interval.low.reason or "")


def test_parts_are_by_everything_that_is_said_in_an_order_of_their_own() -> None:
    exam = asked(
        {"difficulty": "hard", "audio_source": "synthetic"}, {"difficulty": "easy"}, {},
        {"benchmark": "carecos", "question_type": "inferred", "corpus": "kauh"},
        {"benchmark": "carecos", "question_type": "explicit", "corpus": "kauh"},
    )  # fmt: skip
    scores = _scores(exam, True, True, False, True, False)
    assert [(part.by, part.name) for part in scores.parts] == [
        ("all", "all"), ("benchmark", "carecos"), ("benchmark", "medmosaic"),
        ("question_type", "explicit"), ("question_type", "inferred"),
        ("question_type", "mcq_speech"), ("corpus", "clinic"), ("corpus", "kauh"),
        ("difficulty", "easy"), ("difficulty", "hard"), ("audio_source", "synthetic"),
    ]  # fmt: skip


def test_unreadable_and_refused_are_wrong_and_unscored_is_left_out() -> None:
    exam = asked(*[{}] * 6)
    scores = _scores(exam, True, False, "refused", "unreadable", "timed out", "garbage")
    counts = scores.all.counts
    assert scores.all.accuracy.mean.value == pytest.approx(1 / 4)
    assert scores.all.answered.mean.value == pytest.approx(1 / 2)
    assert (counts.expected, counts.scored, counts.unscored) == (6, 4, 2)
    assert (counts.right, counts.wrong, counts.refused, counts.unreadable) == (1, 1, 1, 1)
    assert counts.reasons == (("garbage", 1), ("timed out", 1))
    assert scores.remarks[0].startswith(
        "Incomplete: 2 of 6 answers have no score and are left out: garbage (1); timed out (1)."
    )


def test_what_a_judge_said_steers_no_terminal() -> None:
    scores = _scores(asked({}, {}), True, "it says \x1b[31mred\n" + "x" * 999)
    assert "\x1b" not in scores.remarks[0]
    assert len(scores.remarks[0]) < 400


def test_a_question_that_nobody_judged_is_unscored_with_a_reason() -> None:
    exam = asked({}, {})
    verdicts = judged(exam, True, True).head(1)
    counts = score_exam(exam, said(exam), verdicts, fold_of(exam)).all.counts
    assert (counts.scored, counts.reasons) == (1, (("nobody judged it", 1),))


def test_where_nothing_is_scored_there_is_no_number_but_a_reason() -> None:
    scores = _scores(asked({}, {}), "timed out", "timed out")
    assert scores.all.accuracy.mean.reason == "no answer has a score"
    assert scores.all.interval.low.reason == "no answer has a score"
    assert scores.difference.reason == "no choice has a score"


def test_open_answers_are_graded_and_their_mean_stands_beside_the_score() -> None:
    exam = asked(
        {"question_type": "oe_speech", "options": None}, {"question_type": "oe_speech"}, {}
    )
    scores = _scores(exam, (3, 3, 2, 2), (1, 1, 1, 1), True)
    part = _part(scores, "question_type", "oe_speech")
    assert part.accuracy.mean.value == pytest.approx((0.75 + 0) / 2)
    assert part.grade.mean.value == pytest.approx((2.5 + 1) / 2)
    assert part.criteria["correctness"].mean.value == pytest.approx(2)
    assert _part(scores, "question_type", "mcq_speech").grade.mean.reason is not None


def test_chance_is_of_choices_only() -> None:
    exam = asked({}, {"options": ["a", "b"]}, {"question_type": "oe_speech"})
    scores = _scores(exam, True, True, (1, 1, 1, 1))
    assert _part(scores, "question_type", "mcq_speech").chance.value == pytest.approx(0.375)
    assert scores.all.chance.reason is not None
    assert scores.difference.value == pytest.approx(0.375 - 1)


def test_a_model_that_is_right_is_above_chance_and_one_that_guesses_is_not() -> None:
    exam = asked(*[{}] * 80)
    right = _scores(exam, *[True] * 60, *[False] * 20)
    guessing = _scores(exam, *[True] * 20, *[False] * 60)
    assert (right.against_baseline, guessing.against_baseline) == ("above", "undecided")


def test_intervals_are_over_subjects_with_all_their_recordings() -> None:
    alone = asked(*[{"subject_id": f"s{n}"} for n in range(40)])
    pairs = asked(*[{"subject_id": f"s{n // 10}"} for n in range(40)])
    found = [n < 20 for n in range(40)]
    wide, narrow = (_scores(exam, *found).all.interval for exam in (pairs, alone))
    assert wide.high.value - wide.low.value > 2 * (narrow.high.value - narrow.low.value)
    one = asked(*[{"subject_id": "s"}] * 4)
    assert _scores(one, True, True, False, False).all.interval.low.reason == (
        "1 subject(s) have no interval"
    )


def test_recordings_of_unknown_subjects_count_as_subjects_and_it_is_told() -> None:
    exam = asked(*[{"subject_id": None, "recording_id": f"r{n // 2}"} for n in range(4)])
    scores = _scores(exam, True, True, False, False)
    assert scores.all.counts.subjects == 2
    assert not scores.subject_known


def test_equal_names_in_two_corpora_are_two_subjects() -> None:
    exam = asked({"subject_id": "1"}, {"subject_id": "1", "corpus": "other"})
    assert _scores(exam, True, False).all.counts.subjects == 2


def test_seeds_are_averaged_each_over_what_it_has_scored() -> None:
    exam = asked({}, {}, {})
    answers = pl.concat([said(exam), said(exam, seed=1)])
    verdicts = pl.concat(
        [judged(exam, True, False, "late"), judged(exam, True, True, True, seed=1)]
    )
    scores = score_exam(exam, answers, verdicts, fold_of(exam), resamples=50)
    assert [one.value for one in scores.all.accuracy.by_seed] == [0.5, 1.0]
    assert scores.all.accuracy.mean.value == pytest.approx(0.75)
    assert scores.all.counts.expected == 6


def test_the_same_draw_gives_the_same_interval_whatever_the_order_of_rows() -> None:
    exam = asked(*[{} for _ in range(20)])
    verdicts = judged(exam, *[n % 3 == 0 for n in range(20)])
    first = score_exam(exam, said(exam), verdicts, fold_of(exam))
    other = score_exam(exam.reverse(), said(exam).reverse(), verdicts.reverse(), fold_of(exam))
    assert first == other
    assert first.resamples == RESAMPLES


def test_medmosaic_choices_with_other_than_ten_options_are_told() -> None:
    scores = _scores(asked({}, {"options": list("abcdefghij")}), True, True)
    assert scores.odd_choices == 1
    assert any(one.startswith("Not ten options: 1 of") for one in scores.remarks)


def test_tables_that_do_not_belong_together_are_refused() -> None:
    exam, other = asked({}), asked({}, {})
    with pytest.raises(ValueError, match=r"1 verdict\(s\) of no question, as q1"):
        score_exam(exam, said(exam), judged(other, True, True), fold_of(exam))
    wrong = judged(exam, True).with_columns(score=pl.lit(None, pl.Float64))
    with pytest.raises(ValueError, match="unscored or has a score"):
        score_exam(exam, said(exam), wrong, fold_of(exam))


def test_two_models_that_score_every_subject_alike_differ_by_nothing() -> None:
    exam = asked(*[{"subject_id": f"s{number}"} for number in range(12)])
    page = (said(exam), judged(exam, *[True, False] * 6))
    (everything, *_) = compare_exams(exam, page, page, resamples=200)
    assert everything.difference.value == 0
    assert (everything.interval.low.value, everything.interval.high.value) == (0, 0)
    assert everything.better is None
