"""Which column of the UK COVID-19 Vocal Audio Dataset is which attribute, and its splits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import polars as pl

from raqa.corpora.labels import LabelColumn, parse_numbers
from raqa.corpora.split_words import SPLIT_WORDS

KEY = "participant_identifier"
Official = Literal["standard", "randomised", "matched", "longitudinal", "matched_longitudinal"]

_CURRENT = (
    "Current smoker",
    "Current smoker (1 to 10 cigarettes per day)",
    "Current smoker (11 or more cigarettes per day)",
    "Current smoker (e-cigarettes or vapes only)",
)
PARTICIPANT: Mapping[str, LabelColumn] = {
    "covid_test": LabelColumn("covid_test_result"),
    "covid_test_type": LabelColumn("covid_test_method"),
    "viral_load": LabelColumn("covid_ct_value"),
    "viral_load_category": LabelColumn("covid_viral_load_category"),
    "influenza_a": LabelColumn("influenza_a_test_result"),
    "influenza_b": LabelColumn("influenza_b_test_result"),
    "sex": LabelColumn("gender"),
    "region": LabelColumn("region_name"),
    "source": LabelColumn("recruitment_source"),
    "mask": LabelColumn("wearing_mask"),
    "smoker": LabelColumn("smoker_status", values={
        "Never smoked": "no", "Ex-smoker": "no", **dict.fromkeys(_CURRENT, "yes")}),
    "smoking_status": LabelColumn("smoker_status", values={
        "Never smoked": "never", "Ex-smoker": "former", **dict.fromkeys(_CURRENT, "current")}),
    "asthma": LabelColumn("respiratory_condition_asthma"),
    "other_respiratory_illness": LabelColumn("respiratory_condition_other"),
    "asymptomatic": LabelColumn("symptom_none"),
    "symptom_onset": LabelColumn("symptom_onset", unit="day"),
    "cough": LabelColumn("symptom_cough_any"),
    "new_continuous_cough": LabelColumn("symptom_new_continuous_cough"),
    "runny_nose": LabelColumn("symptom_runny_or_blocked_nose"),
    "breathing_difficulties": LabelColumn("symptom_shortness_of_breath"),
    "sore_throat": LabelColumn("symptom_sore_throat"),
    "abdominal_pain": LabelColumn("symptom_abdominal_pain"),
    "diarrhoea": LabelColumn("symptom_diarrhoea"),
    "fatigue": LabelColumn("symptom_fatigue"),
    "fever": LabelColumn("symptom_fever_high_temperature"),
    "headache": LabelColumn("symptom_headache"),
    "loss_of_smell_taste": LabelColumn("symptom_change_to_sense_of_smell_or_taste"),
    "loss_of_taste": LabelColumn("symptom_loss_of_taste"),
    "other_symptom": LabelColumn("symptom_other"),
}  # fmt: skip
AGE = {"age": LabelColumn("age", unit="year"), "age_band": LabelColumn("age")}
MEANING = {
    "covid_test": "no result was linked, or it is unknown or void",
    "covid_test_type": "no result was linked, or by a method that is not named",
    "viral_load": "no test with a Ct value was linked",
    "viral_load_category": "no viral load was linked",
    "influenza_a": "no influenza test was linked, or its result is unknown or void",
    "influenza_b": "no influenza test was linked, or its result is unknown or void",
    "age": "the open access edition gives bands only",
    "signal_to_noise": "not computed by the publishers",
    "*": "the participant preferred not to say, or the column is empty",
}
_TEST_MEMBERS = {
    "matched": "in_matched_rebalanced_test",
    "matched_longitudinal": "in_matched_rebalanced_long_test",
}
_TRUE = ("true", "1", "1.0", "yes")


def participant_columns(table: pl.DataFrame) -> dict[str, LabelColumn]:
    """The mapping with age as a number or as a band, whichever this copy holds."""
    written = table["age"].drop_nulls() if "age" in table.columns else pl.Series(dtype=pl.String)
    name = "age" if parse_numbers(written).is_not_null().any() else "age_band"
    return {name: AGE[name], **PARTICIPANT}


def split_columns(official: Official) -> tuple[str, ...]:
    """The columns of `train_test_splits.csv` that a split is read from."""
    if official == "randomised":
        return ("naive_splits",)
    return ("splits", *([_TEST_MEMBERS[official]] if official in _TEST_MEMBERS else []))


def read_sides(table: pl.DataFrame, official: Official) -> pl.Series:
    """Read each participant's side: train, validation, test or null.

    standard and randomised are as published. The others train and validate as standard does and
    test on the longitudinal, matched or matched longitudinal participants; standard's own test
    participants then take no part.
    """
    word = pl.col(split_columns(official)[0]).str.strip_chars().str.to_lowercase()
    side = word.replace_strict(SPLIT_WORDS, default=None, return_dtype=pl.String)
    if official not in {"standard", "randomised"}:
        if official == "longitudinal":
            tested = word == "long"
        else:
            member = pl.col(_TEST_MEMBERS[official]).str.strip_chars().str.to_lowercase()
            tested = member.is_in(_TRUE)
        fitted = pl.when(side != "test").then(side)
        side = pl.when(tested.fill_null(False)).then(pl.lit("test")).otherwise(fitted)
    return table.select(side.alias("split")).to_series()
