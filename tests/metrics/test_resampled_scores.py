"""Pooled F1 and likeness of wording have intervals over subjects, equal to scoring every draw."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import f1_score

from raqa.metrics.bootstrap import resample_counts
from raqa.metrics.questions import judge, score_questions
from raqa.metrics.text import rouge_l
from tests.metrics.made_answers import ASTHMA, asked, crowd, labelled, said

RESAMPLES = 40


def _answers(questions: pl.DataFrame, seeds: int = 2) -> pl.DataFrame:
    """Half of the answers right, the rest drawn from those of the same attribute."""
    made = []
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        shuffled = {
            name: random.permutation(part["answer"].to_numpy())
            for (name,), part in questions.group_by("attribute")
        }
        replies = [
            row["answer"]
            if random.random() < 0.5
            else str(random.choice(shuffled[row["attribute"]]))
            for row in questions.to_dicts()
        ]
        made.append(said(questions, *replies, seed=seed))
    return pl.concat(made)


def _drawn(judged: pl.DataFrame, score: object) -> np.ndarray:
    """The score of every resample of subjects by repeating their rows, averaged over seeds."""
    names = np.array([f"{c}\0{s}" for c, s in judged.select("corpus", "subject_id").iter_rows()])
    distinct, subject = np.unique(names, return_inverse=True)
    found = []
    for block in resample_counts(len(distinct), resamples=RESAMPLES, seed=0):
        for times in block:
            repeated = np.repeat(np.arange(len(judged)), times[subject].astype(int))
            rows = judged[repeated]
            found.append(np.mean([score(one) for one in rows.partition_by("seed")]))
    return np.array(found)


def _pooled(rows: pl.DataFrame) -> float:
    rows = rows.filter(pl.col("truth").is_not_null())
    present = rows["truth"].unique().sort().to_list()
    said_or_nothing = rows["said"].fill_null("(nothing)").to_list()
    return float(
        f1_score(rows["truth"].to_list(), said_or_nothing, labels=present, average="macro",
                 zero_division=0)
    )  # fmt: skip


def _likeness(rows: pl.DataFrame) -> float:
    pairs = rows.select("response", "answer").iter_rows()
    return float(np.mean([rouge_l(*pair) for pair in pairs]))


@pytest.fixture(scope="module")
def made() -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Training and test questions of two corpora, and two seeds' answers."""
    train, test = crowd(8, seed=1).with_columns(split=pl.lit("train")), crowd(12)
    return train, test, _answers(test)


@pytest.mark.parametrize(
    ("section", "name", "score"),
    [("labels", "pooled_f1", _pooled), ("text", "rouge_l", _likeness)],
)
@pytest.mark.parametrize("part", [("all", "all"), ("corpus", "there")])
def test_intervals_are_those_of_scoring_every_draw_of_subjects(
    made: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame],
    section: str,
    name: str,
    score: object,
    part: tuple[str, str],
) -> None:
    train, test, answers = made
    scores = score_questions(train, test, answers, resamples=RESAMPLES)
    judged = judge(train, test, answers)
    # Every corpus's subjects are drawn together, so the draws are those of all.
    inside = judged if part[0] == "all" else None
    found = getattr(scores.part(*part), section)
    interval = getattr(found, f"{name}_interval")
    mean = np.mean([score(one) for one in judged.filter(
        pl.lit(value=True) if inside is not None else pl.col("corpus") == part[1]
    ).partition_by("seed")])  # fmt: skip
    assert getattr(found, name).mean.value == pytest.approx(mean, abs=1e-12)
    drawn = _drawn(judged, lambda rows: score(
        rows if inside is not None else rows.filter(pl.col("corpus") == part[1])
    ))  # fmt: skip
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert interval.low.value == pytest.approx(low, abs=1e-6)
    assert interval.high.value == pytest.approx(high, abs=1e-6)


def test_a_label_of_another_group_that_is_said_counts_against_its_own_in_the_pool() -> None:
    train = asked(*labelled(ASTHMA, a="yes", b="no")).with_columns(split=pl.lit("train"))
    test = asked(*labelled(ASTHMA, a="yes", b="no", c="no", d="yes"))
    scores = score_questions(train, test, said(test, "yes", "yes", "no", "no"))
    assert scores.all.labels is not None
    assert scores.all.labels.pooled_f1.mean.value == pytest.approx(0.5)


def test_a_measure_without_a_model_has_no_interval_and_says_why(
    made: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame],
) -> None:
    text = score_questions(*made, resamples=RESAMPLES).all.text
    assert np.isnan(text.bertscore_interval.low.value)
    assert text.bertscore_interval.low.reason == text.bertscore.mean.reason
