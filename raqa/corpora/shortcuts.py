"""Labels that follow the file format: what a model could learn without hearing anything.

Each label is set against each property of the files. A subject counts once: one of its recordings
is drawn, since the others say nothing new about who is recorded how.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from raqa.corpora.attributes import ATTRIBUTES

SHORTCUTS = {
    "attribute": pl.String,
    "property": pl.String,  # of the files; several where they part the recordings alike
    "recordings": pl.Int64,  # with both known
    "subjects": pl.Int64,  # or different files, where subjects are not known
    "measure": pl.String,  # CRAMERS_V or RANK_ETA
    "strength": pl.Float64,  # 0 none to 1 complete, bias-corrected
    "p_value": pl.Float64,
    "p_corrected": pl.Float64,  # false discovery rate over all tests of the corpus
    "by_format": pl.Float64,  # of one constant for each format, on subjects left out
    "by_constant": pl.Float64,  # of the best constant for everybody (majority, median)
    "score": pl.String,  # what these two are: accuracy, or MAE in the attribute's unit
    "counts": pl.String,  # labels by format, the most frequent ones
    "reason": pl.String,  # why there is no strength, or null
}
"""Columns of the list, a row for each label and property."""

PROPERTIES = ("rate", "channels", "codec", "bytes_per_second", "seconds")
_TEXTS = {
    "rate": "sample rate", "channels": "channels", "codec": "codec",
    "bytes_per_second": "bytes per second", "seconds": "duration", "corpus": "corpus",
}  # fmt: skip
_UNITS = {
    "rate": " Hz",
    "channels": " ch",
    "codec": "",
    "bytes_per_second": " B/s",
    "seconds": " s",
}
CRAMERS_V = "Cramér's V"
RANK_ETA = "rank correlation ratio"

ALPHA = 0.05
NOTABLE = 0.1
"""Strengths below are common to any two columns and too weak to learn from."""

ALIKE = "all files are alike in it"

_FEWEST = 8  # subjects; with fewer no arrangement of two classes is rarer than 1 in 70
_DISTINCT = 6  # values of a number that are taken as they are; more are cut into quarters
_FOLDS = 5
_RESAMPLES = 9_999
_LABELS_SHOWN, _FORMATS_SHOWN = 4, 4


@dataclass
class Shortcut:
    """One row of SHORTCUTS."""

    attribute: str
    property: str
    recordings: int
    subjects: int
    measure: str | None = None
    strength: float = math.nan
    p_value: float = math.nan
    p_corrected: float = math.nan
    by_format: float = math.nan
    by_constant: float = math.nan
    score: str | None = None
    counts: str | None = None
    reason: str | None = None


def find_shortcuts(table: pl.DataFrame, properties: Sequence[str] = PROPERTIES) -> pl.DataFrame:
    """Set every label against every property of the files.

    Args:
        table: usable recordings with the properties, `content` and the attributes they have.
        properties: of PROPERTIES, or `corpus` where recordings of several are in the table.

    Returns:
        SHORTCUTS columns; NaN and a reason where nothing can be said.
    """
    from scipy.stats import false_discovery_control

    known = pl.col("subject_known") & pl.col("subject_id").is_not_null()
    table = table.with_columns(
        unit=pl.when(known).then("subject_id").otherwise("content"),
        **{name: _categories(table[name], _UNITS.get(name, "")) for name in properties},
    ).sample(fraction=1.0, shuffle=True, seed=0)
    groups = _alike(table, properties)
    found = [
        _compare(table, attribute, group)
        for attribute in table.columns
        if attribute in ATTRIBUTES and table[attribute].null_count() < table.height
        for group in groups
    ]
    tested = [one for one in found if not math.isnan(one.p_value)]
    if tested:
        corrected = false_discovery_control([one.p_value for one in tested])
        for one, p_corrected in zip(tested, corrected, strict=True):
            one.p_corrected = float(p_corrected)
    rows = pl.DataFrame([asdict(one) for one in found], schema=SHORTCUTS)
    return rows.sort("strength", descending=True, nulls_last=True, maintain_order=True)


def notable(shortcuts: pl.DataFrame) -> pl.DataFrame:
    """Leave what stands out, strongest first; the recording's own context comes last."""
    families = {name: known.family for name, known in ATTRIBUTES.items()}
    context = pl.col("attribute").replace_strict(families, default=None) == "recording"
    strong = (pl.col("p_corrected") < ALPHA) & (pl.col("strength") >= NOTABLE)
    told = shortcuts.filter(strong & pl.col("strength").is_not_nan())
    return told.sort(context, -pl.col("strength"), maintain_order=True)


def _categories(values: pl.Series, unit: str) -> pl.Series:
    """Name each value; a number with many values is cut at its quartiles."""
    name = values.name
    if not values.dtype.is_numeric():
        return values
    if values.n_unique() <= _DISTINCT:
        texts = [None if one is None else f"{one:,.6g}{unit}" for one in values]
        return pl.Series(name, texts, dtype=pl.String)
    cuts = {float(values.quantile(share) or 0) for share in (0.25, 0.5, 0.75)}
    edges = sorted(cuts - {values.max()})
    texts = [f"{edge:,.3g}" if edge < 100 else f"{edge:,.0f}" for edge in edges]
    between = (f"{low} to {high}{unit}" for low, high in pairwise(texts))
    names = [f"up to {texts[0]}{unit}", *between, f"over {texts[-1]}{unit}"]
    places = values.to_frame().select(
        pl.sum_horizontal((pl.col(name) > edge).cast(pl.Int64) for edge in edges).alias(name)
    )[name]
    texts_by_place = [None if value is None else names[place]
                      for value, place in zip(values, places, strict=True)]  # fmt: skip
    return pl.Series(name, texts_by_place, dtype=pl.String)


def _alike(table: pl.DataFrame, properties: Sequence[str]) -> list[tuple[str, ...]]:
    """Group the properties that part the recordings in the same way: one test for all of them."""
    groups: list[tuple[str, ...]] = []
    for name in properties:
        parts = table[name].n_unique()
        for place, group in enumerate(groups):
            both = table.select(group[0], name).n_unique()
            if both == parts == table[group[0]].n_unique():
                groups[place] = (*group, name)
                break
        else:
            groups.append((name,))
    return groups


def _compare(table: pl.DataFrame, attribute: str, properties: Sequence[str]) -> Shortcut:
    label = pl.col(attribute)
    if table.schema[attribute] == pl.List:
        label = label.list.join(" + ")
    form = pl.concat_str(properties, separator=", ")
    rows = table.select("unit", label=label, form=form).drop_nulls(["label", "form"])
    drawn = rows.unique("unit", keep="first", maintain_order=True)
    titles = " + ".join(_TEXTS[name] for name in properties)
    found = Shortcut(attribute, titles, rows.height, drawn.height)
    numeric = ATTRIBUTES[attribute].kind == "numeric"
    found.reason = _undefined(drawn, numeric=numeric)
    if found.reason is None:
        measure = _numbers if numeric else _labels
        found.measure = RANK_ETA if numeric else CRAMERS_V
        found.strength, found.p_value = measure(drawn)
        found.by_format, found.by_constant = _rule(rows, numeric=numeric)
        found.score = f"MAE in {ATTRIBUTES[attribute].unit}" if numeric else "accuracy"
        found.counts = _counts(rows, numeric=numeric)
    return found


def _undefined(drawn: pl.DataFrame, *, numeric: bool) -> str | None:
    if drawn["form"].n_unique() == 1:
        return ALIKE
    if drawn.height < _FEWEST:
        return f"only {drawn.height} subjects have both; {_FEWEST} are needed"
    if drawn["label"].n_unique() < 2:
        return "everybody has the same label"
    unique = ["form"] if numeric else ["form", "label"]
    if any(drawn[name].n_unique() == drawn.height for name in unique):
        return "no two subjects have it in common"
    return None


def _labels(drawn: pl.DataFrame) -> tuple[float, float]:
    """Cramér's V with the bias correction of Bergsma 2013 (doi:10.1016/j.jkss.2012.10.002)."""
    from scipy.stats import MonteCarloMethod, chi2_contingency
    from scipy.stats.contingency import crosstab

    table = crosstab(drawn["label"].to_numpy(), drawn["form"].to_numpy()).count
    chi2, p_value, _, expected = chi2_contingency(table, correction=False)
    if expected.min() < 5:  # the usual limit of the chi-squared approximation: permute instead
        method = MonteCarloMethod(n_resamples=_RESAMPLES, rng=np.random.default_rng(0))
        p_value = chi2_contingency(table, correction=False, method=method).pvalue
    n, (rows, columns) = table.sum(), table.shape
    excess = max(0.0, chi2 / n - (rows - 1) * (columns - 1) / (n - 1))
    sides = (side - (side - 1) ** 2 / (n - 1) for side in (rows, columns))
    return min(1.0, math.sqrt(excess / (min(sides) - 1))), float(p_value)


def _numbers(drawn: pl.DataFrame) -> tuple[float, float]:
    """Correlation ratio of the ranks, eta with the bias taken off, from Kruskal and Wallis's H."""
    from scipy.stats import kruskal

    groups = [rows["label"].to_numpy() for _, rows in drawn.group_by("form", maintain_order=True)]
    h, p_value = kruskal(*groups)
    explained = (h - len(groups) + 1) / (drawn.height - len(groups))
    return math.sqrt(max(0.0, explained)), float(p_value)


def _rule(rows: pl.DataFrame, *, numeric: bool) -> tuple[float, float]:
    """Score one constant for each format on subjects that it has not seen, and one for all.

    The one for all has seen everybody, so that it is never beaten by chance alone.
    """
    from sklearn.metrics import accuracy_score, mean_absolute_error
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    labels, units = rows["label"], rows["unit"]
    constant = labels.median() if numeric else labels.value_counts(sort=True)["label"][0]
    tree: Any
    if numeric:  # a tree over the formats alone holds one constant for each
        tree = DecisionTreeRegressor(criterion="absolute_error", random_state=0)
        score = mean_absolute_error
    else:
        tree, score = DecisionTreeClassifier(random_state=0), accuracy_score
    predicted = cross_val_predict(
        make_pipeline(OneHotEncoder(handle_unknown="ignore"), tree),
        rows.select("form").to_numpy(), labels.to_numpy(), groups=units.to_numpy(),
        cv=GroupKFold(min(_FOLDS, units.n_unique())),
    )  # fmt: skip
    truth = labels.to_numpy()
    return float(score(truth, predicted)), float(score(truth, [constant] * len(truth)))


def _counts(rows: pl.DataFrame, *, numeric: bool) -> str:
    """Say how the labels are spread over the most frequent formats, lowest number first."""
    told = []
    formats = rows.group_by("form").agg("label", pl.len()).sort("len", "form", descending=True)
    shown = formats.head(_FORMATS_SHOWN).sort(
        _first_number("form"), "form", descending=[False, True]
    )
    for form, labels, count in shown.iter_rows():
        values = pl.Series("label", labels)
        if numeric:
            told.append(f"{form}: median {float(np.median(labels)):.4g} of {count:,}")
            continue
        frequent = values.value_counts().sort("count", "label", descending=[True, False])
        words = ", ".join(f"{label} {n:,}" for label, n in frequent.head(_LABELS_SHOWN).rows())
        told.append(f"{form}: {words}{', ...' if frequent.height > _LABELS_SHOWN else ''}")
    if formats.height > _FORMATS_SHOWN:
        told.append(f"and {formats.height - _FORMATS_SHOWN} more")
    return "; ".join(told)


def _first_number(column: str) -> pl.Expr:
    digits = pl.col(column).str.replace_all(",", "", literal=True).str.extract(r"([0-9.]+)")
    return digits.cast(pl.Float64, strict=False)
