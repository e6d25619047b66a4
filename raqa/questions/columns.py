"""An attribute's column of a corpus as numbers: which label, which labels, which value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.questions.sentences import LIST
from raqa.questions.templates import LABELS, AttributeTemplates

Codes = NDArray[np.int32]
MISSING = -1


@dataclass(frozen=True)
class Column:
    """What a corpus knows of one attribute.

    Attributes:
        codes: for every recording which of `values` it has, MISSING for none; [recordings].
        values: the labels that occur, as tuples: of one, or of several where it is multilabel.
        labels: the labels that occur anywhere, in the registry's order, then by alphabet.
        numbers: of a numeric attribute, NaN where missing; [recordings]. `codes` are then 0.
        unsayable: recordings with a label that could not be read back from an answer, and why.
    """

    templates: AttributeTemplates
    codes: Codes
    values: tuple[tuple[str, ...], ...] = ()
    labels: tuple[str, ...] = ()
    numbers: NDArray[np.float64] | None = None
    unsayable: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.templates.attribute.name

    @property
    def known(self) -> int:
        """How many recordings have a value."""
        return int((self.codes != MISSING).sum())

    def holding(self, label: str) -> NDArray[np.bool_]:
        """For every value, and last for MISSING, whether it holds a label."""
        return np.array([*(label in value for value in self.values), False])


def read_column(series: pl.Series, templates: AttributeTemplates) -> Column:
    """Number a recordings table's column."""
    if templates.attribute.kind == "numeric":
        numbers = series.cast(pl.Float64).to_numpy().astype(np.float64)
        numbers = np.where(np.isfinite(numbers), numbers, np.nan)
        codes = np.where(np.isnan(numbers), MISSING, 0).astype(np.int32)
        return Column(templates, codes, numbers=numbers)
    text = series
    if series.dtype == pl.List:
        text = series.list.drop_nulls().list.unique().list.sort().list.join("\x1f")
    written = sorted(set(text.drop_nulls()) - {""})
    order = {label: place for place, label in enumerate(templates.attribute.label_texts)}

    def rank(label: str) -> tuple[int, str]:
        return order.get(label, len(order)), label

    parts = {one: tuple(sorted(one.split("\x1f"), key=rank)) for one in written}
    reasons = {one: reason for one, labels in parts.items()
               if (reason := _why_unsayable(labels, templates))}  # fmt: skip
    sayable = [one for one in written if one not in reasons]
    numbered = text.replace_strict(
        sayable, range(len(sayable)), default=MISSING, return_dtype=pl.Int32
    ).fill_null(MISSING)
    counts = dict(text.value_counts().iter_rows()) if reasons else {}
    return Column(
        templates,
        numbered.to_numpy().astype(np.int32),
        values=tuple(parts[one] for one in sayable),
        labels=tuple(sorted({label for one in sayable for label in parts[one]}, key=rank)),
        unsayable=tuple((reason, counts[one]) for one, reason in reasons.items()),
    )


def _why_unsayable(labels: tuple[str, ...], templates: AttributeTemplates) -> str:
    """Why an answer with these labels could be read in two ways; empty if it can not."""
    for label in labels:
        said = templates.said(label)
        if templates.meant(said) != label:
            return f"{label!r} would be said {said!r}, as {templates.meant(said)!r} is"
        if said != said.strip() or not said.strip():
            return f"{label!r} begins or ends with a space"
        separators = (LIST, LABELS) if templates.attribute.kind == "multilabel" else ()
        for separator in separators:
            if separator in said or separator in label:
                return f"{label!r} holds {separator!r}, which stands between labels"
    return ""
