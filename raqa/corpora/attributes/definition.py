"""What an attribute is: family, kind, unit, believable range, labels and how they are said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

Kind = Literal["numeric", "binary", "categorical", "ordinal", "multilabel"]
Family = Literal["acoustic", "consultation", "profile", "recording"]

FAMILIES: Mapping[Family, str] = {
    "acoustic": "acoustic features",
    "consultation": "consultation context",
    "profile": "demographics and health profile",
    "recording": "recording context",
}
"""The four families of the RA-QA collection (its section 2.1)."""

NO_YES = {"no": "no", "yes": "yes"}


@dataclass(frozen=True)
class Attribute:
    """One thing that is known about a recording or its subject, under one name in all corpora.

    Attributes:
        family: which of FAMILIES it belongs to.
        kind: decides the column's type, see `dtype`; a multilabel value is never an empty list.
        text: what it is, in words that a reader of a table understands.
        unit: the canonical unit of a numeric attribute.
        low, high: the closed range of believable values, in the canonical unit.
        units: factor from every unit it may be given in to the canonical one.
        label_texts: how each label of a non-numeric attribute is said, in order where it is
            ordinal.
        own_words: whether corpora may have labels that are not in `label_texts`.
    """

    name: str
    family: Family
    kind: Kind
    text: str
    unit: str | None = None
    low: float | None = None
    high: float | None = None
    units: Mapping[str, float] = field(default_factory=dict)
    label_texts: Mapping[str, str] = field(default_factory=dict)
    own_words: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The valid labels; none where it is numeric or corpora have words of their own."""
        return () if self.own_words else tuple(self.label_texts)

    @property
    def dtype(self) -> pl.DataType:
        """The type of its column in a recordings table."""
        if self.kind == "numeric":
            return pl.Float64()
        return pl.List(pl.String) if self.kind == "multilabel" else pl.String()

    def label_text(self, label: str) -> str:
        """How a label is said."""
        return self.label_texts.get(label, label)


def number(  # noqa: PLR0917
    name: str,
    family: Family,
    text: str,
    unit: str,
    span: tuple[float, float],
    units: Mapping[str, float] | None = None,
) -> Attribute:
    """A numeric attribute; `units` are factors from other units than the canonical one."""
    factors = {unit: 1.0, **(units or {})}
    return Attribute(name, family, "numeric", text, unit, *span, units=factors)


def yes_no(name: str, family: Family, text: str) -> Attribute:
    """A binary attribute with the labels no and yes."""
    return Attribute(name, family, "binary", text, label_texts=NO_YES)


def words(
    name: str,
    family: Family,
    text: str,
    labels: Mapping[str, str] | tuple[str, ...] = (),
    kind: Kind = "categorical",
    *,
    own_words: bool = False,
) -> Attribute:
    """An attribute with labels; those given without a text are said as they are written.

    Without labels, or with `own_words`, a corpus may have any.
    """
    if not isinstance(labels, Mapping):
        labels = {label: label.replace("_", " ") for label in labels}
    own = own_words or not labels
    return Attribute(name, family, kind, text, label_texts=labels, own_words=own)
