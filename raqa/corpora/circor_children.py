"""CirCor's children under two ids: which ids are one child, and where their labels differ."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from raqa.corpora.label_table import ROW
from raqa.tables import SET_ASIDE

_NO_ID = ("", "nan", "na")


def one_id_per_child(people: pl.DataFrame, identity: str, other: str) -> pl.Series:
    """The id that all ids of one child share: the first in order of number of those linked.

    Args:
        people: a row for each id.
        identity: column of the id.
        other: column of the same child's other id, or nan.
    """
    first = {name: name for name in people[identity]}

    def root(name: str) -> str:
        while first[name] != name:
            name = first[name]
        return name

    for name, written in people.select(identity, other).iter_rows():
        link = (written or "").strip().removesuffix(".0")
        if link.lower() in _NO_ID:
            continue
        first.setdefault(link, link)
        low, high = sorted((root(name), root(link)), key=lambda one: (len(one), one))
        first[high] = low
    return pl.Series([root(name) for name in people[identity]], dtype=pl.String)


def contradictions(
    people: pl.DataFrame, identity: str, columns: Sequence[str], *, corpus: str
) -> pl.DataFrame:
    """SET_ASIDE rows for labels that differ between the ids of one child; both are kept.

    Args:
        people: a row for each id, with `subject_id`.
        columns: the labels that are compared.
    """
    found = [pl.DataFrame(schema=dict(SET_ASIDE))]
    for column in columns:
        several = people.filter(pl.col(column).n_unique().over("subject_id") > 1)
        says = pl.format("{} under {}", column, identity).sort_by(identity)
        found.append(
            several.group_by("subject_id", maintain_order=True)
            .agg(row=pl.col(ROW).first(), value=says.str.join(" and "))
            .select(
                corpus=pl.lit(corpus),
                stage=pl.lit("label"),
                item="subject_id",
                row="row",
                field=pl.lit(column),
                value="value",
                reason=pl.lit(f"{column} differs between the ids of a child; "
                              "each recording keeps its own"),
            )
        )  # fmt: skip
    return pl.concat(found)
