"""Empty cells that mean something: read by rule, and counted."""

from __future__ import annotations

import polars as pl

from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.corpora.missing import Assumed, read_unticked

SOURCES = {"asthma": LabelColumn("asthma"), "fever": LabelColumn("fever")}
TABLE = pl.DataFrame(
    {
        "asthma": ["True", None, "", None, "maybe"],
        "fever": [None, "True", None, None, "True"],
        "asked": ["y", "y", "y", None, "y"],
        "(row)": [2, 3, 4, 5, 6],
    }
)


def test_an_empty_check_box_is_no_only_where_the_form_was_filled_in() -> None:
    item = pl.Series(["a", "b", "c", "d", "e"])
    values, aside = read_attributes(TABLE, SOURCES, corpus="x", item=item)
    read, assumed = read_unticked(
        values, TABLE, SOURCES, filled_in=pl.col("asked") == "y", why="a form was filled in"
    )
    assert read["asthma"].to_list() == ["yes", "no", "no", None, None]
    assert read["fever"].to_list() == ["no", "yes", "no", None, "yes"]
    assert aside["item"].to_list() == ["e"]  # unreadable is not empty: it stays missing
    assert assumed == (
        Assumed("asthma", "asthma", "no", 2, "a form was filled in"),
        Assumed("fever", "fever", "no", 2, "a form was filled in"),
    )
