"""What labels.py makes of the text that stands in label tables."""

from __future__ import annotations

import polars as pl
import pytest

from raqa.corpora.attributes import ATTRIBUTES, attribute
from raqa.corpora.label_table import ROW
from raqa.corpora.labels import (
    LabelColumn,
    parse,
    parse_numbers,
    read_attributes,
    source_problems,
)


def parsed(text: str | None, name: str = "age", **how: object) -> tuple[object, str | None]:
    values, reasons = parse(pl.Series([text], dtype=pl.String), attribute(name), **how)  # type: ignore[arg-type]
    return values.to_list()[0], reasons[0]


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("35", 35),
        ("35,5", 35.5),
        ("35.5", 35.5),
        (" 35\t", 35),
        ("05", 5),
        ("3.5e1", 35),
        ("0,5", 0.5),
    ],
)
def test_a_number_is_read_whatever_its_decimal_sign_and_spaces(text: str, age: float) -> None:
    assert parsed(text) == (age, None)


@pytest.mark.parametrize(
    "text", ["", " ", "NA", "na", "N/A", "nan", "NaN", "null", "unknown", "-", None]
)
@pytest.mark.parametrize("name", ["age", "sex", "smoker"])
def test_a_missing_label_is_null_without_a_reason(text: str | None, name: str) -> None:
    assert parsed(text, name) == (None, None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0", "age of 0 is outside 0.001-120 year"),
        ("-1", "age of -1 is outside 0.001-120 year"),
        ("−1", "age of −1 is outside 0.001-120 year"),
        ("999", "age of 999 is outside 0.001-120 year"),
        ("inf", "age of inf is outside 0.001-120 year"),
        ("45-50", "age of 45-50 is a range, not a number"),
        ("45 – 50", "age of 45 – 50 is a range, not a number"),
        ("45 to 50", "age of 45 to 50 is a range, not a number"),
        ("35 years", "age of 35 years is not a number"),
        (">89", "age of >89 is not a number"),
        ("1.234,5", "age of 1.234,5 is not a number"),
    ],
)
def test_a_value_that_can_not_be_used_is_null_with_its_reason(text: str, reason: str) -> None:
    assert parsed(text) == (None, reason)


def test_a_number_is_converted_from_its_unit() -> None:
    assert parsed("18", unit="month") == (1.5, None)
    assert parsed("1461", unit="day") == (4, None)
    assert parsed("55", "tb_probability", unit="percent") == (pytest.approx(0.55), None)


def test_a_reason_names_the_unit_that_a_number_was_written_in() -> None:
    assert parsed("9999", unit="month") == (None, "age of 9999 month is outside 0.001-120 year")


def test_a_comma_that_may_part_thousands_is_not_guessed() -> None:
    assert parsed("10,950", unit="day") == (
        None,
        "age of 10,950 day may have a decimal comma or a thousands comma",
    )
    assert parsed("23,456", "bmi") == (23.456, None)  # 23456 is nobody's


@pytest.mark.parametrize("text", ["True", "y", "YES", "1", "t", " yes ", "1.0"])
def test_yes_has_many_spellings(text: str) -> None:
    assert parsed(text, "smoker") == ("yes", None)


@pytest.mark.parametrize("text", ["False", "n", "NO", "0", "f", "0.0"])
def test_no_has_many_spellings(text: str) -> None:
    assert parsed(text, "smoker") == ("no", None)


def test_a_word_that_is_no_label_names_the_labels() -> None:
    assert parsed("sometimes", "smoker") == (None, "smoker of sometimes is none of no, yes")
    assert parsed("1", "sex") == (None, "sex of 1 is none of female, male, other")


@pytest.mark.parametrize(("text", "sex"), [("F", "female"), ("Male", "male"), (" other", "other")])
def test_sex_is_read_from_letters_and_words(text: str, sex: str) -> None:
    assert parsed(text, "sex") == (sex, None)


def test_a_spreadsheet_number_is_an_ordinal_label() -> None:
    assert parsed("2.0", "quality") == ("2", None)
    assert parsed("3", "quality") == (None, "quality of 3 is none of 0, 1, 2")


def test_free_labels_stay_as_they_are() -> None:
    assert parsed(" Positive_mild ", "covid_status") == ("Positive_mild", None)


def test_words_of_the_table_are_translated_and_others_left() -> None:
    words = LabelColumn("g", values={1: "male", "K": "female"}).words
    assert parsed("1", "sex", words=words) == ("male", None)
    assert parsed("k", "sex", words=words) == ("female", None)
    assert parsed("Other", "sex", words=words) == ("other", None)
    assert parsed("Mild", "covid_status", words={"x": "y"}) == ("Mild", None)


def test_truth_values_of_yaml_are_understood_as_words() -> None:
    words = LabelColumn("s", values={True: True, "never": False}).words
    assert words == {"true": "yes", "never": "no"}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_every_attribute_parses_an_empty_column_and_one_of_nulls(name: str) -> None:
    for raw in (pl.Series([], dtype=pl.String), pl.Series([None], dtype=pl.Null)):
        values, reasons = parse(raw, attribute(name))
        assert values.dtype == attribute(name).dtype
        assert values.null_count() == reasons.null_count() == len(raw)


def test_no_value_is_ever_nan() -> None:
    odd = pl.Series(["nan", "NaN", "-nan", "inf", "-inf", "1e400", "x"])
    values, _ = parse(odd, attribute("age"))
    assert values.is_nan().any() is False
    assert parse_numbers(odd).is_nan().any() is False


def test_a_table_gives_values_and_what_was_set_aside_with_rows() -> None:
    table = pl.DataFrame({"id": ["a", "b"], "years": ["30", "-1"], ROW: [2, 7]})
    values, aside = read_attributes(
        table, {"age": LabelColumn("years")}, corpus="c", item=table["id"]
    )
    assert values["age"].to_list() == [30, None]
    assert aside.rows() == [
        ("c", "label", "b", 7, "years", "-1", "age of -1 is outside 0.001-120 year")
    ]


def test_a_mapping_is_refused_for_its_attribute_unit_and_labels() -> None:
    assert "Did you mean age?" in source_problems("aeg", LabelColumn("x"))[0]
    assert source_problems("age", LabelColumn("x", unit="yr")) == [
        "age can not be read in the unit 'yr'. Did you mean year? Choices: day, month, year"
    ]
    assert "It has no unit" in source_problems("sex", LabelColumn("x", unit="year"))[0]
    assert "'fem'" in source_problems("sex", LabelColumn("x", values={"1": "fem"}))[0]
    assert source_problems("age", LabelColumn("x", unit="month")) == []


@pytest.mark.parametrize(
    ("written", "labels"),
    [
        ("COPD", ["copd"]),
        ("Heart Failure + COPD", ["copd", "heart_failure"]),
        ("heart failure+copd ", ["copd", "heart_failure"]),
        ("asthma; asthma", ["asthma"]),
        ("asthma,", ["asthma"]),
        ("N", ["healthy"]),
        (" + ", None),
        ("", None),
        ("nan", None),
    ],
)
def test_several_labels_in_a_cell_are_parted_and_put_in_order(
    written: str, labels: list[str] | None
) -> None:
    words = {"heart failure": "heart_failure", "n": "healthy"}
    assert parsed(written, "diagnosis", words=words) == (labels, None)


def test_a_cell_with_one_label_of_no_meaning_is_set_aside_whole() -> None:
    value, reason = parsed("asthma + lupus", "diagnosis")
    assert value is None
    assert reason is not None
    assert "lupus" in reason


def test_several_labels_may_be_parted_by_a_word() -> None:
    assert parsed("Asthma and COPD", "diagnosis", separator=r"\s+and\s+") == (
        ["asthma", "copd"], None)  # fmt: skip
