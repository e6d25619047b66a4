"""A subset in which every label is asked about equally often, and subjects count alike.

Within each stratum (split, corpus, attribute, question type) all labels get the same number of
questions; yes/no pairs are balanced for every question text, so that its wording tells nothing.
Numeric attributes have no labels and stay as they are distributed: quantile bins are equally full
by definition, balancing over them would change nothing. A combination of several labels is a label.
Subjects are drawn by hash and give their questions in rounds, one each before anybody's second.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.questions.order import by_attribute, hashed, hashed_names
from raqa.tables import SIDES

STRATUM = ["split", "corpus", "attribute", "question_type"]

LIMITS = {
    "split": pl.String,
    "corpus": pl.String,
    "attribute": pl.String,
    "question_type": pl.String,
    "questions": pl.Int64,  # in the collection
    "subjects": pl.Int64,  # in the collection
    "labels": pl.Int64,  # that are balanced; 0 for a numeric attribute
    "labels_left_out": pl.Int64,  # that too few subjects have
    "rarest": pl.String,  # of the balanced labels, by questions within the cap
    "rarest_subjects": pl.Int64,  # subjects that have it; of a numeric attribute all subjects
    "within_cap": pl.Int64,  # the most questions that could be balanced
    "taken": pl.Int64,
    "limit": pl.String,  # what kept it from being more, see `_limit`
}
"""Columns of the table that says what limited each attribute."""

FEW_SUBJECTS = 20
"""With fewer subjects than that a label's questions say more about them than about the label."""

_KEYS = ["qa_id", "subject_id", "split", "question_type", "question", "label", "kind"]


@dataclass(frozen=True)
class Balance:
    """How many questions are wanted of each split, and on what terms.

    Sizes are those of RA-QA's evaluation subset.

    Attributes:
        per_subject: the most questions of one subject in a stratum.
        least: a label with fewer training subjects (in validation and test a fifth of that) is
            left out, for it would take all other labels down with it; so is one that training
            lacks.
        seed: another one draws other subjects.
    """

    train: int = 100_000
    validation: int = 15_000
    test: int = 15_000
    per_subject: int = 5
    least: int = 5
    seed: int = 0

    def target(self, split: str) -> int:
        """How many questions of a split are wanted."""
        return {"train": self.train, "validation": self.validation, "test": self.test}[split]


@dataclass(frozen=True)
class Subset:
    """Which questions are chosen.

    Attributes:
        chosen: corpus and qa_id.
        limits: LIMITS columns.
    """

    chosen: pl.DataFrame
    limits: pl.DataFrame


def balanced(questions: pl.LazyFrame, settings: Balance) -> Subset:
    """Choose a label-balanced subset.

    Args:
        questions: QUESTIONS columns, in any order.
    """
    return _choose(questions, settings, by_label=True)


def natural(questions: pl.LazyFrame, settings: Balance) -> Subset:
    """Choose test questions whose labels are as frequent as in the collection.

    Subjects are capped and drawn as for the balanced subset. Yes/no questions are as frequent as
    the collection asks them, which is half and half by its making.
    """
    return _choose(questions.filter(pl.col("split") == "test"), settings, by_label=False)


def _choose(questions: pl.LazyFrame, settings: Balance, *, by_label: bool) -> Subset:
    strata: list[pl.DataFrame] = []
    places: list[pl.DataFrame] = []
    limits = pl.DataFrame(schema=LIMITS)
    wanted = [split for split in SIDES if settings.target(split)]
    known = questions.filter(pl.col("split").is_in(wanted))
    for corpus, attribute, rows in by_attribute(known, _KEYS):
        ordered = _in_order(rows, corpus, attribute, settings, by_label=by_label)
        stratum, placed = _balance_attribute(ordered, settings)
        placed = placed.with_columns(qa_id=rows["qa_id"].gather(placed["row"])).drop("row")
        del rows, ordered  # or they would stay while the next attribute is read
        strata.append(stratum)
        limits = _with_shares(pl.concat(strata), settings)
        # More strata only make shares smaller: what is above today's share is never taken.
        places = [_below_share(one, limits) for one in [*places, placed]]
    if not strata:
        return Subset(pl.DataFrame(schema={"corpus": pl.String, "qa_id": pl.String}), limits)
    chosen = _share_texts(pl.concat(places), limits)
    taken = chosen.group_by(STRATUM).agg(taken=pl.len().cast(pl.Int64))
    limits = limits.join(taken, on=STRATUM, how="left").with_columns(pl.col("taken").fill_null(0))
    limits = limits.with_columns(limit=_limit()).select(list(LIMITS)).sort(STRATUM)
    return Subset(chosen.select("corpus", "qa_id").sort("corpus", "qa_id"), limits)


def _in_order(
    rows: pl.DataFrame, corpus: str, attribute: str, settings: Balance, *, by_label: bool
) -> pl.DataFrame:
    """Rows by hash, with what is balanced: `label` ("" for anything) within `text`."""
    salt = f"{settings.seed}/{corpus}/{attribute}"
    verify = (pl.col("question_type") == "single_verify") & by_label
    free = (pl.col("kind") == "numeric") | (not by_label)
    return (
        rows.select(
            pl.int_range(pl.len()).cast(pl.UInt32).alias("row"),
            # Codes instead of texts: what follows sorts and groups hundreds of thousands of rows.
            pl.col("split", "question_type", "subject_id").cast(pl.Categorical),
            corpus=pl.lit(corpus).cast(pl.Categorical),
            attribute=pl.lit(attribute).cast(pl.Categorical),
            text=pl.when(verify).then("question").otherwise(pl.lit("")).cast(pl.Categorical),
            label=pl.when(free).then(pl.lit("")).otherwise("label").cast(pl.Categorical),
            row_order=hashed(rows["qa_id"], salt),
            subject_order=hashed_names(rows["subject_id"], salt),
        )
        .sort("row_order")
        .with_columns(
            turn=pl.int_range(pl.len()).over("split", "question_type", "subject_id").cast(pl.Int32)
        )
    )


def _balance_attribute(rows: pl.DataFrame, settings: Balance) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One attribute's strata (LIMITS without the end) and its questions in order of choice."""
    capped = rows.filter(pl.col("turn") < settings.per_subject)
    labels = _frequent_labels(capped, settings.least)
    pool = capped.join(labels, on=[*STRATUM, "label"], how="semi")
    layers = _layers(pool)
    every = _layers(rows.join(labels, on=[*STRATUM, "label"], how="semi"))
    rarest = (
        pool.group_by(*STRATUM, "label")
        .agg(asked=pl.len(), rarest_subjects=pl.col("subject_id").n_unique().cast(pl.Int64))
        .sort("asked", "label")
        .group_by(STRATUM, maintain_order=True)
        .agg(rarest=pl.first("label"), rarest_subjects=pl.first("rarest_subjects"),
             labels=pl.len().cast(pl.Int64))
    )  # fmt: skip
    strata = (
        rows.group_by(STRATUM)
        .agg(
            questions=pl.len().cast(pl.Int64),
            subjects=pl.col("subject_id").n_unique().cast(pl.Int64),
            all_labels=pl.col("label").n_unique().cast(pl.Int64),
            free=(pl.col("label") == "").all(),
        )
        .join(rarest, on=STRATUM, how="left")
        .join(_summed(layers, "layers"), on=STRATUM, how="left")
        .join(_summed(every, "layers_without_cap"), on=STRATUM, how="left")
        .with_columns(pl.col("labels", "layers", "layers_without_cap").fill_null(0))
        .with_columns(
            width=pl.col("labels").clip(lower_bound=1),
            labels_left_out=pl.col("all_labels") - pl.col("labels"),
            labels=pl.when("free").then(0).otherwise("labels"),
            rarest=pl.when(~pl.col("free")).then("rarest"),
        )
        .with_columns(within_cap=pl.col("layers") * pl.col("width"))
        .sort(STRATUM)
    )
    texts = pl.selectors.categorical().cast(pl.String)
    return strata.with_columns(texts), _placed(pool, layers).with_columns(texts)


def _frequent_labels(capped: pl.DataFrame, least: int) -> pl.DataFrame:
    """Labels that enough subjects of a stratum have and, where there is training, it has too."""
    counts = capped.group_by(*STRATUM, "label").agg(pl.col("subject_id").n_unique())
    needed = pl.when(pl.col("split") == "train").then(least).otherwise(max(1, least // 5))
    frequent = counts.filter((pl.col("subject_id") >= needed) | (pl.col("label") == ""))
    trained = frequent.filter(pl.col("split") == "train").select("question_type", "label")
    types = capped.filter(pl.col("split") == "train")["question_type"].unique().implode()
    untrained = frequent.filter(~pl.col("question_type").is_in(types))
    return pl.concat([frequent.join(trained, on=["question_type", "label"], how="semi"), untrained])


def _layers(rows: pl.DataFrame) -> pl.DataFrame:
    """How often every label of a text can be asked: as often as the rarest of them."""
    cells = rows.group_by(*STRATUM, "text", "label").agg(asked=pl.len().cast(pl.Int64))
    several = (pl.len() > 1) | (pl.col("label") == "").all()
    layers = pl.when(several).then(pl.col("asked").min()).otherwise(0)
    return cells.group_by(*STRATUM, "text").agg(layers=layers)


def _summed(layers: pl.DataFrame, name: str) -> pl.DataFrame:
    return layers.group_by(STRATUM).agg(pl.col("layers").sum().alias(name))


def _placed(pool: pl.DataFrame, layers: pl.DataFrame) -> pl.DataFrame:
    """Number every label's questions in rounds over subjects; below `layers` all have one."""
    cell = [*STRATUM, "text", "label"]
    return (
        pool.with_columns(round=pl.int_range(pl.len()).over(*cell, "subject_id"))
        .sort("round", "subject_order", "row_order")
        .with_columns(place=pl.int_range(pl.len()).over(cell))
        .join(layers, on=[*STRATUM, "text"])
        .filter(pl.col("place") < pl.col("layers"))
        .select(*STRATUM, "text", "layers", "place", "row")
    )


def _with_shares(strata: pl.DataFrame, settings: Balance) -> pl.DataFrame:
    """Add `share`, the layers a stratum gives when strata give as equally as they can."""
    shared = []
    for split in SIDES:
        rows = strata.filter(pl.col("split") == split).sort(STRATUM)
        given = equal_shares(rows["within_cap"].to_numpy(), settings.target(split))
        layers = np.minimum(np.maximum(1, given // rows["width"].to_numpy()), rows["layers"])
        shared.append(rows.with_columns(share=pl.Series(layers, dtype=pl.Int64)))
    return pl.concat(shared)


def _below_share(places: pl.DataFrame, limits: pl.DataFrame) -> pl.DataFrame:
    shares = limits.select(*STRATUM, "share")
    joined = places.join(shares, on=STRATUM).filter(pl.col("place") < pl.col("share"))
    return joined.drop("share")


def _share_texts(places: pl.DataFrame, limits: pl.DataFrame) -> pl.DataFrame:
    """Share a stratum's layers among its texts, then take what is below."""
    texts = places.select(*STRATUM, "text", "layers").unique().sort(*STRATUM, "text")
    texts = texts.join(limits.select(*STRATUM, "share"), on=STRATUM)
    taken = [
        group.with_columns(
            take=pl.Series(equal_shares(group["layers"].to_numpy(), group["share"][0]))
        )
        for _, group in texts.group_by(STRATUM, maintain_order=True)
    ]
    if not taken:
        return places
    takes = pl.concat(taken).select(*STRATUM, "text", "take")
    return places.join(takes, on=[*STRATUM, "text"]).filter(pl.col("place") < pl.col("take"))


def equal_shares(most: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Share a total among those who can take at most so much, as equally as they can.

    Returns:
        integers that add up to the total, or `most` where all together can take less.
    """
    if most.sum() <= total:
        return most.astype(np.int64)
    low, high = 0, int(most.max())  # of levels that fit: low does, high does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if np.minimum(most, middle).sum() <= total else (low, middle)
    shares = np.minimum(most, low).astype(np.int64)
    rest = np.flatnonzero(most > low)[: total - int(shares.sum())]
    shares[rest] += 1
    return shares


def _limit() -> pl.Expr:
    """Say why there are no more questions of a stratum."""
    return (
        pl.when((pl.col("layers") == 0) & (pl.col("labels_left_out") > 0))
        .then(pl.lit("labels too rare"))
        .when(pl.col("layers") == 0)
        .then(pl.lit("one label"))
        .when(pl.col("taken") < pl.col("within_cap"))
        .then(pl.lit("target reached"))
        .when(pl.col("rarest_subjects") < FEW_SUBJECTS)
        .then(pl.lit("few subjects"))
        .when(pl.col("layers_without_cap") > pl.col("layers"))
        .then(pl.lit("cap per subject"))
        .when("free")
        .then(pl.lit("all taken"))
        .otherwise(pl.lit("rarest label"))
    )
