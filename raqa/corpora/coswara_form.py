"""Coswara's form: which column is which attribute, and what an empty cell of it means.

Its check-boxes are True or empty, never False, and the form grew over two years. Every row has a
health status, which the form demands, so that every form was sent. A box that was not ticked on a
form that had it is a no; on a form from before the box existed it is missing. When a box came is
not documented: the day on which anybody first ticked it is the earliest that is certain.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Literal

import polars as pl

from raqa.corpora.label_table import ROW
from raqa.corpora.labels import LabelColumn
from raqa.corpora.missing import Assumed, read_unticked
from raqa.corpora.optional_columns import present, read_optional
from raqa.tables import SetAside, set_aside_table

Missing = Literal["form", "drop"]

REQUIRED: Mapping[str, LabelColumn] = {
    "age": LabelColumn("a", unit="year"),
    "sex": LabelColumn("g"),
    "covid_status": LabelColumn("covid_status"),
    "smoker": LabelColumn("smoker"),
}
ANSWERED: Mapping[str, LabelColumn] = {
    "country": LabelColumn("l_c"),
    "english_proficient": LabelColumn("ep"),
    "returning_user": LabelColumn("rU"),
    "mask": LabelColumn("um"),
    "covid_test": LabelColumn("test_status", values={
        "p": "positive", "n": "negative", "na": "not_taken", "ut": "pending"}),
    "covid_test_type": LabelColumn("testType", values={"rtpcr": "pcr", "rat": "antigen"}),
    "vaccination": LabelColumn("vacc", values={"y": "full", "p": "partial", "n": "none"}),
    "ct_scan": LabelColumn("ctScan"),
    "ct_score": LabelColumn("ctScore"),
}  # fmt: skip
BOXES: Mapping[str, LabelColumn] = {
    "asthma": LabelColumn("asthma"),
    "chronic_lung_disease": LabelColumn("cld"),
    "pneumonia": LabelColumn("pneumonia"),
    "other_respiratory_illness": LabelColumn("others_resp"),
    "hypertension": LabelColumn("ht"),
    "ischemic_heart_disease": LabelColumn("ihd"),
    "diabetes": LabelColumn("diabetes"),
    "other_condition": LabelColumn("others_preexist"),
    "cough": LabelColumn("cough"),
    "cold": LabelColumn("cold"),
    "fever": LabelColumn("fever"),
    "sore_throat": LabelColumn("st"),
    "breathing_difficulties": LabelColumn("bd"),
    "fatigue": LabelColumn("ftg"),
    "muscle_pain": LabelColumn("mp"),
    "diarrhoea": LabelColumn("diarrhoea"),
    "loss_of_smell_taste": LabelColumn("loss_of_smell"),
}
# The first day with a tick in the official table of 2,746 participants. `smoker` was a box until
# 2021-06-08 and a question with y and n since then.
FIRST_TICK: Mapping[str, date] = {
    "smoker": date(2020, 4, 13),
    "asthma": date(2020, 4, 13),
    "chronic_lung_disease": date(2020, 4, 14),
    "pneumonia": date(2020, 5, 5),
    "other_respiratory_illness": date(2021, 6, 28),
    "hypertension": date(2020, 4, 13),
    "ischemic_heart_disease": date(2020, 4, 14),
    "diabetes": date(2020, 4, 13),
    "other_condition": date(2021, 6, 15),
    "cough": date(2020, 4, 30),
    "cold": date(2020, 4, 23),
    "fever": date(2020, 4, 13),
    "sore_throat": date(2020, 6, 11),
    "breathing_difficulties": date(2020, 5, 28),
    "fatigue": date(2020, 7, 12),
    "muscle_pain": date(2020, 7, 14),
    "diarrhoea": date(2020, 10, 31),
    "loss_of_smell_taste": date(2020, 5, 5),
}
LABELS: Mapping[str, LabelColumn] = {**REQUIRED, **ANSWERED, **BOXES}

_WHY = (
    "the form was sent (it has a health status) on or after the day on which anybody first ticked "
    "that box"
)
_TICKED = "not ticked, on a form from before anybody ticked it: the box may not have existed"
_DROPPED = "not ticked, which may mean no or not asked (missing: drop decides nothing)"
_MEANING: Mapping[str, str] = {
    "returning_user": "not asked before 2020-04-20",
    "mask": "not asked before 2020-05-27",
    "covid_test": "not asked before 2020-10-15",
    "covid_test_type": "no test was taken, or not asked before 2021-06-08",
    "vaccination": "not asked before 2021-06-08",
    "ct_scan": "not asked before 2021-06-08",
    "ct_score": "no CT scan was taken, or not asked before 2021-06-08",
    "quality": "nobody annotated the recording",
    "*": "the participant did not say",
}


def meanings(missing: Missing) -> dict[str, str]:
    """What a missing value means, by attribute."""
    meaning = _TICKED if missing == "form" else _DROPPED
    return {**dict.fromkeys(FIRST_TICK, meaning), **_MEANING}


def read_form(
    subjects: pl.DataFrame, missing: Missing, *, corpus: str, path: Path
) -> tuple[pl.DataFrame, pl.DataFrame, tuple[Assumed, ...]]:
    """Read every attribute of `combined_data.csv`, a row for each participant.

    Args:
        missing: form reads a box that was not ticked as no where the form had it; drop leaves
            every empty cell missing, as the published preview of RA-QA does.

    Returns:
        The attributes' columns, SET_ASIDE rows, and the empty cells that were read as no.
    """
    values, aside = read_optional(subjects, LABELS, corpus=corpus, item=subjects["id"], path=path)
    assumed: list[Assumed] = []
    if missing == "form":
        day = pl.col("record_date").str.strip_chars().str.to_date("%Y-%m-%d", strict=False)
        aside = pl.concat([aside, _undated(subjects, day, corpus)])
        sent = pl.col("covid_status").str.strip_chars().fill_null("") != ""
        for name, source in present(subjects, {box: LABELS[box] for box in FIRST_TICK}).items():
            asked = sent & (day >= FIRST_TICK[name])
            values, cells = read_unticked(
                values, subjects, {name: source}, filled_in=asked, why=_WHY
            )
            assumed += cells
    return values, aside, tuple(assumed)


def _undated(subjects: pl.DataFrame, day: pl.Expr, corpus: str) -> pl.DataFrame:
    """Dates that are written and none: what was not ticked on such a form stays missing."""
    written = pl.col("record_date").str.strip_chars().fill_null("") != ""
    rows = subjects.filter(written & day.is_null()).select("id", ROW, "record_date").iter_rows()
    return set_aside_table(
        SetAside(corpus, "label", name, f"record_date of {text} is no date, so that boxes which "
                 "were not ticked stay missing", row, "record_date", text)
        for name, row, text in rows
    )  # fmt: skip
