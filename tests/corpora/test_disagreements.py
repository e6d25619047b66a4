"""Two sources of one fact: the first is used, and what the second says against it is told."""

from __future__ import annotations

import polars as pl

from raqa.corpora.disagreements import STAGE, Source, read_both
from raqa.corpora.label_table import ROW
from raqa.corpora.labels import LabelColumn

COLUMNS = {"age": LabelColumn("age"), "sex": LabelColumn("sex")}


def source(name: str, age: list[str | None], sex: list[str | None]) -> Source:
    rows = pl.DataFrame({"age": age, "sex": sex, ROW: range(2, 2 + len(age))})
    return Source(name, rows.cast({"age": pl.String, "sex": pl.String, ROW: pl.Int64}), COLUMNS)


def read(first: Source, second: Source) -> tuple[pl.DataFrame, list[tuple[str, ...]]]:
    item = pl.Series([f"r{place}" for place in range(first.table.height)])
    values, aside = read_both(first, second, corpus="c", item=item)
    return values, aside.select("stage", "item", "field", "reason").rows()


def test_the_same_fact_in_other_words_is_no_disagreement() -> None:
    values, aside = read(source("a", ["30.0"], ["F"]), source("b", ["30"], ["Female"]))
    assert values.rows() == [(30, "female")]
    assert aside == []


def test_the_first_is_used_and_the_disagreement_told() -> None:
    values, aside = read(source("table", ["30"], ["F"]), source("name", ["31"], ["F"]))
    assert values["age"].to_list() == [30]
    assert aside == [(STAGE, "r0", "age", "age: table says '30' (used), name says '31'")]


def test_a_fact_of_the_second_fills_what_the_first_leaves_out() -> None:
    values, aside = read(
        source("a", [None, "old"], ["F", "F"]), source("b", ["31", "32"], [None, ""])
    )
    assert values["age"].to_list() == [31, 32]
    assert values["sex"].to_list() == ["female", "female"]
    assert aside == []


def test_text_of_the_second_that_means_nothing_is_a_disagreement() -> None:
    _, aside = read(source("a", ["30"], ["F"]), source("b", ["thirty"], [" "]))
    assert [(stage, field) for stage, _, field, _ in aside] == [(STAGE, "age")]


def test_what_neither_can_say_is_set_aside() -> None:
    values, aside = read(source("a", ["old"], ["F"]), source("b", [None], ["F"]))
    assert values["age"].to_list() == [None]
    assert aside == [("label", "r0", "age", "age of old is not a number")]
