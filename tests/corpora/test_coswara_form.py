"""Coswara's form: what is asked when, and what an empty check-box means."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.coswara import Coswara
from raqa.corpora.coswara_form import BOXES, FIRST_TICK, LABELS
from raqa.corpora.label_table import read_label_table

HEADER = "id,a,covid_status,record_date,g,smoker,asthma,others_resp,um,vacc,test_status,testType,ep"
ROWS = """
first,30,healthy,2020-04-13,male,,,,,,,,y
early,30,healthy,2020-05-01,male,True,True,,,,,,n
late,30,healthy,2021-07-01,male,False,,,y,y,na,,y
ill,30,positive_mild,2021-07-02,male,n,,True,n,p,p,rtpcr,y
waits,30,under_validation,2022-01-02,male,y,,,n,n,ut,False,y
unsent,30,,2021-07-03,male,,,,,,,,
undated,30,healthy,,male,,,,,,,,
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A table of a few columns, a row for each thing that can happen."""
    (tmp_path / "combined_data.csv").write_text(HEADER + ROWS)
    return tmp_path


def told(root: Path, name: str, missing: str = "form") -> dict[str, str | None]:
    table = Coswara(root=root, missing=missing).read().table  # type: ignore[call-arg]
    rows = table.filter(pl.col("modality") == "vowel-a").select("subject_id", name)
    return dict(rows.iter_rows())


def test_a_box_that_was_not_ticked_is_a_no_where_the_form_had_it(root: Path) -> None:
    assert told(root, "asthma") == {
        "first": "no", "early": "yes", "late": "no", "ill": "no", "waits": "no",
        "unsent": None, "undated": None,
    }  # fmt: skip


def test_it_is_missing_on_a_form_from_before_anybody_ticked_it(root: Path) -> None:
    asked = told(root, "other_respiratory_illness")
    assert [asked[name] for name in ("first", "early", "late", "ill")] == [None, None, "no", "yes"]


def test_a_question_that_was_not_asked_yet_is_missing_not_no(root: Path) -> None:
    assert told(root, "mask") == {
        "first": None, "early": None, "late": "yes", "ill": "no", "waits": "no",
        "unsent": None, "undated": None,
    }  # fmt: skip


def test_smoking_is_a_box_first_and_a_question_later(root: Path) -> None:
    smoker = told(root, "smoker")
    assert [smoker[name] for name in ("first", "early", "late", "ill", "waits", "unsent")] == [
        "no", "yes", "no", "no", "yes", None,
    ]  # fmt: skip


def test_drop_leaves_every_empty_cell_missing(root: Path) -> None:
    assert set(told(root, "asthma", "drop").values()) == {"yes", None}
    assert Coswara(root=root, missing="drop").read().assumed == ()  # type: ignore[call-arg]
    assert "decides nothing" in Coswara(root=root, missing="drop").missing["asthma"]  # type: ignore[call-arg]


def test_the_codes_of_the_legend_are_read(root: Path) -> None:
    test, dose = told(root, "covid_test"), told(root, "vaccination")
    assert (test["late"], test["ill"], test["waits"]) == ("not_taken", "positive", "pending")
    assert (dose["late"], dose["ill"], dose["waits"]) == ("full", "partial", "none")
    assert told(root, "covid_test_type")["ill"] == "pcr"


def test_what_was_read_by_rule_is_counted_and_what_has_no_meaning_is_set_aside(root: Path) -> None:
    recordings = Coswara(root=root).read()
    counts = {one.attribute: one.count for one in recordings.assumed}
    assert counts == {"asthma": 4, "other_respiratory_illness": 2, "smoker": 1}
    strange = recordings.set_aside.filter(pl.col("field") == "testType")
    assert strange.select("item", "value").rows() == [("waits", "False")]


def test_columns_that_a_copy_lacks_are_reported_and_their_attributes_missing(root: Path) -> None:
    recordings = Coswara(root=root).read()
    assert recordings.table["diabetes"].null_count() == recordings.table.height
    lacking = recordings.set_aside.filter(pl.col("reason").str.starts_with("no column"))
    assert "no column 'diabetes': diabetes is missing" in lacking["reason"].to_list()


def test_the_first_ticks_are_those_of_the_real_table(test_data: Path) -> None:
    table = read_label_table(test_data / "coswara" / "combined_data.csv")
    ticked = {
        name: table.filter(pl.col(LABELS[name].column) == "True")["record_date"].min()
        for name in FIRST_TICK
    }
    assert ticked == {name: day.isoformat() for name, day in FIRST_TICK.items()}


def test_every_column_of_the_real_table_is_an_attribute_or_known_to_be_none(
    test_data: Path,
) -> None:
    table = read_label_table(test_data / "coswara" / "combined_data.csv")
    used = {source.column for source in LABELS.values()}
    assert set(table.columns) - used == {
        "id", "record_date", "l_l", "l_s", "ctDate", "test_date", "(row)",
    }  # fmt: skip


def test_the_real_boxes_are_decided_and_counted(test_data: Path) -> None:
    recordings = Coswara(root=test_data / "coswara").read()
    counts = {one.attribute: one.count for one in recordings.assumed}
    assert set(counts) == {*BOXES, "smoker"}
    assert (counts["asthma"], counts["smoker"], counts["other_condition"]) == (2612, 1660, 841)
    asthma = recordings.table.unique("subject_id")["asthma"].value_counts().rows()
    assert sorted(asthma) == [("no", 2612), ("yes", 134)]


def test_drop_gives_the_labels_of_the_published_preview(test_data: Path) -> None:
    preview = pl.read_csv(test_data / "raqa_preview" / "metadata.csv", infer_schema=False)
    ours = Coswara(root=test_data / "coswara", missing="drop").read().table  # type: ignore[call-arg]
    both = preview.unique("Patient ID").join(
        ours.unique("subject_id"), left_on="Patient ID", right_on="subject_id"
    )
    assert both.height == 2746
    titles = {"Asthma": "asthma", "Breathing Difficulties": "breathing_difficulties",
              "Smoker": "smoker", "COVID Test": "covid_test", "Using Mask": "mask",
              "Vaccination": "vaccination", "Fatigue": "fatigue",
              "Other pre-existing conditions": "other_condition"}  # fmt: skip
    for title, name in titles.items():
        assert both[title].is_null().equals(both[name].is_null(), check_names=False), title
    assert set(both.select("Asthma", "asthma").unique().iter_rows()) == {
        ("True", "yes"), (None, None),
    }  # fmt: skip


def test_a_date_that_is_none_is_told_and_its_boxes_stay_missing(root: Path) -> None:
    table = root / "combined_data.csv"
    text = table.read_text()
    table.write_text(text.replace("late,30,healthy,2021-07-01", "late,30,healthy,July"))
    aside = Coswara(root=root).read().set_aside.filter(pl.col("field") == "record_date")
    assert aside.select("item", "value").rows() == [("late", "July")]
    assert told(root, "asthma")["late"] is None
