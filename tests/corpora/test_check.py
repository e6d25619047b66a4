"""What `raqa corpora check` and `raqa corpora list` print."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from raqa.corpora.check import (
    check_attribute,
    check_corpus,
    print_check,
    print_list,
    set_aside_lines,
)
from raqa.corpora.cohort import Cohort
from raqa.corpora.coswara import Coswara
from raqa.corpora.demo import Demo
from raqa.corpora.manifest import Manifest
from raqa.tables import SetAside, set_aside_table


def printed(corpus: object, cohort: Cohort) -> str:
    out = io.StringIO()
    print_check(check_corpus(corpus, cohort), Console(file=out, width=100))  # type: ignore[arg-type]
    return out.getvalue()


def mine(folder: Path) -> Manifest:
    (folder / "a.wav").write_bytes(b"")
    (folder / "t.csv").write_text("path,age,g\na.wav,30,f\nb.wav,50,m\nc.wav,999,m\nd.wav,,\n")
    return Manifest(
        name="mine", table=folder / "t.csv", licence="secret [draft]",
        attributes={"age": {"column": "age"}, "sex": {"column": "g"}},  # type: ignore[dict-item]
    )  # fmt: skip


def test_a_numeric_attribute_is_described_in_numbers() -> None:
    check = check_attribute(pl.Series("age", [10.0, 20.0, 60.0, None]))
    assert (check.given, check.missing, check.unit) == (3, 1, "year")
    assert (check.low, check.high, check.mean) == (10, 60, 30)
    assert check.sd == pytest.approx(700**0.5)
    assert check.mad == pytest.approx(20)


def test_other_attributes_are_counted_by_label() -> None:
    check = check_attribute(pl.Series("sex", ["male", "male", "female", None]))
    assert check.labels == (("male", 2), ("female", 1))
    assert check.mean is None


@pytest.mark.parametrize("ages", [[], [None]])
def test_an_attribute_that_nobody_has_is_described_without_numbers(ages: list[None]) -> None:
    check = check_attribute(pl.Series("age", ages, dtype=pl.Float64))
    assert (check.given, check.low, check.mean, check.sd, check.mad) == (0, None, None, None, None)


def test_a_check_says_what_is_there_and_what_is_not(tmp_path: Path) -> None:
    text = printed(mine(tmp_path), Cohort(filters={"age": {"min": 18}}))  # type: ignore[dict-item]
    assert "secret [draft]" in text
    assert "unknown: leakage between splits is possible" in text
    assert "in the label tables" in text
    assert "age at least 18 year" in text
    assert "audio present: 1 of 2 recordings of the cohort (1 of 4 in the label tables)" in text
    assert "sex: female 1, male 1, missing 0" in text
    assert "c.wav (row 4): age of 999 is outside 0.001-120 year" in text
    assert "label: age of … is outside 0.001-120 year" in text


def test_a_check_counts_missing_labels(tmp_path: Path) -> None:
    check = check_corpus(mine(tmp_path), Cohort())
    assert {one.name: one.missing for one in check.attributes} == {"age": 2, "sex": 1}


def test_a_thousand_rows_of_one_kind_are_one_line_with_examples() -> None:
    rows = [SetAside("c", "label", f"r{n}", f"age of {n} is outside", n, "age", str(n))
            for n in range(900, 1900)]  # fmt: skip
    rows += [SetAside("c", "layout", f"x{n}", f"there is no file /d/x{n}", n) for n in range(5)]
    lines = list(set_aside_lines(set_aside_table(rows)))
    assert lines[0].startswith("set aside: 1,005")
    assert lines[1].strip() == "1,000  label: age of … is outside"
    assert len(lines) == 1 + 2 * (1 + 3)


def test_nothing_set_aside_is_said_as_well() -> None:
    assert list(set_aside_lines(set_aside_table())) == ["set aside: nothing"]


def test_the_list_touches_no_file(tmp_path: Path) -> None:
    out = io.StringIO()
    corpora = [Coswara(root=tmp_path / "none"), Demo(root=tmp_path / "demo"), Manifest(name="m")]
    print_list(corpora, Console(file=out, width=60))
    text = out.getvalue()
    assert "SYNTHETIC" in text
    assert "CC BY 4.0" in text
    assert "labels: age, sex, covid_status, smoker, country" in text
    assert "labels: as you map them" in text
    assert "subjects unknown" in text
    assert not list(tmp_path.iterdir())


def test_the_real_labels_are_checked_without_the_audio(test_data: Path) -> None:
    paper = {"modality": "cough-shallow", "quality": {"min": 1}, "age": {"min": 7, "max": 87}}
    text = printed(Coswara(root=test_data / "coswara"), Cohort(filters=paper))  # type: ignore[arg-type]
    assert "2,561" in text
    for number in ("7–87", "35.08", "13.94", "11.31"):
        assert number in text
    assert "of 2,561 recordings" in text


@pytest.mark.parametrize("item", ["e", "1", "yea"])
def test_a_short_id_leaves_the_words_of_a_reason_whole(item: str) -> None:
    row = SetAside("mine", "label", item, "age of -1 is outside 0.001-120 year", value="-1")
    assert "age of … is outside 0.001-120 year" in list(set_aside_lines(set_aside_table([row])))[1]
