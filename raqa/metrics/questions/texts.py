"""What was said compared with the reference answers, every distinct pair once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.bertscore import BertScorer
from raqa.metrics.text import exact_match, is_empty, rouge_l
from raqa.questions.reading.read import LONGEST

_PAIR = ["response", "answer"]
_VALUES = ("exact_match", "rouge_l", "bertscore", "bertscore_rescaled", "empty", "truncated")


@dataclass(frozen=True, eq=False)
class Compared:
    """Comparisons of JUDGED rows in their order.

    Attributes:
        values: `[rows]` by name, NaN where there is no text or no model.
        said: `[rows]`, whether there is a text.
        reasons: why all of a measure is undefined, by its name.
    """

    values: Mapping[str, NDArray[np.float64]]
    said: NDArray[np.bool_]
    reasons: Mapping[str, str]


def compare_texts(judged: pl.DataFrame, scorer: BertScorer | None) -> Compared:
    """Compare every response with its reference answer, of an endless one only the beginning.

    Args:
        judged: JUDGED columns.
        scorer: None: without BERTScore.
    """
    said = judged["response"].is_not_null() & judged["answer"].is_not_null()
    pairs = judged.filter(said).select(_PAIR).unique(maintain_order=True)
    texts = [text[:LONGEST] for text in pairs["response"]]
    references = pairs["answer"].to_list()
    columns = {
        "exact_match": [float(exact_match(*pair)) for pair in zip(texts, references, strict=True)],
        "rouge_l": [rouge_l(*pair) for pair in zip(texts, references, strict=True)],
        "empty": [float(is_empty(text)) for text in texts],
    }
    reasons = dict.fromkeys(("bertscore", "bertscore_rescaled"), "no model was chosen for it")
    if scorer is not None and texts:
        scores = scorer.score(texts, references)
        columns |= {"bertscore": scores.f1.tolist(), "truncated": scores.truncated.tolist()}
        if scores.rescaled is not None:
            columns["bertscore_rescaled"] = scores.rescaled.tolist()
        reasons = {} if scores.rescaled is not None else {
            "bertscore_rescaled": scorer.no_baseline or ""}  # fmt: skip
    pairs = pairs.with_columns(
        pl.Series(name, columns.get(name, [None] * pairs.height), pl.Float64) for name in _VALUES
    )
    joined = judged.select(_PAIR).join(pairs, on=_PAIR, how="left", maintain_order="left")
    return Compared(
        {name: joined[name].fill_null(np.nan).to_numpy() for name in _VALUES},
        said.to_numpy(),
        reasons,
    )
