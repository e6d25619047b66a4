"""Macro-F1 over the labels of all groups in one pool."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def pooled_f1(judged: pl.DataFrame, questions: NDArray[np.bool_]) -> Floats:
    """Mean F1 over labels that the truth has, a yes of one attribute being a yes of another.

    How the RA-QA paper pools labels is not stated; this is the other reading of its table.

    Args:
        judged: JUDGED rows sorted by seed and qa_id.
        questions: which of a seed's questions.

    Returns:
        `[seeds]`, NaN where the truth has fewer than two labels.
    """
    names = judged["truth"].unique().drop_nulls().sort()
    codes = {name: place for place, name in enumerate(names)}
    truth = _coded(judged["truth"], codes).reshape(-1, len(questions))
    said = _coded(judged["said"], codes).reshape(truth.shape)
    scored = (judged["outcome"] != "unscored").to_numpy().reshape(truth.shape)
    return np.array(
        [
            _macro_f1(true[mask], answer[mask], len(codes))
            for true, answer, mask in zip(truth, said, scored & questions, strict=True)
        ]
    )


def _coded(labels: pl.Series, codes: dict[str, int]) -> NDArray[np.int64]:
    return labels.replace_strict(codes, default=-1, return_dtype=pl.Int64).fill_null(-1).to_numpy()


def _macro_f1(truth: NDArray[np.int64], said: NDArray[np.int64], classes: int) -> float:
    named = truth >= 0
    truth, said = truth[named], said[named]
    true = np.bincount(truth, minlength=classes)
    hits = np.bincount(truth[truth == said], minlength=classes)
    answered = np.bincount(said[said >= 0], minlength=classes)
    present = true > 0
    if present.sum() < 2:
        return float("nan")
    return float((2 * hits[present] / (true + answered)[present]).mean())
