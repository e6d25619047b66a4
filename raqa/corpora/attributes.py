"""The registry of canonical attributes: name, kind, range, unit and units it is read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from raqa.errors import UserError, neighbours

Kind = Literal["numeric", "binary", "categorical", "ordinal"]


@dataclass(frozen=True)
class Attribute:
    """One thing that is known about a recording or its subject, under one name in all corpora.

    Attributes:
        kind: numeric attributes are Float64 columns, all others String.
        unit: the canonical unit of a numeric attribute.
        low, high: the closed range of believable values, in the canonical unit.
        units: factor from every unit it may be given in to the canonical one.
        labels: valid labels of a non-numeric attribute, in order where it is ordinal.
    """

    name: str
    kind: Kind
    text: str
    unit: str | None = None
    low: float | None = None
    high: float | None = None
    units: Mapping[str, float] = field(default_factory=dict)
    labels: tuple[str, ...] = ()


_PROBABILITY = {"probability": 1.0, "percent": 0.01}
_NO_YES = ("no", "yes")

ATTRIBUTES: Mapping[str, Attribute] = {
    attribute.name: attribute
    for attribute in (
        # 0 is what forms store when the question was skipped; infants need months or days.
        Attribute("age", "numeric", "age at the recording", "year", 0.001, 120,
                  {"year": 1.0, "month": 1 / 12, "day": 1 / 365.25}),
        Attribute("bmi", "numeric", "body mass index", "kg/m2", 8, 100,
                  {"kg/m2": 1.0, "lb/in2": 703.07}),
        Attribute("xray_abnormality", "numeric", "chest X-ray abnormality score", "probability",
                  0, 1, _PROBABILITY),
        Attribute("tb_probability", "numeric", "probability of tuberculosis (score)", "probability",
                  0, 1, _PROBABILITY),
        Attribute("quality", "ordinal", "annotated recording quality", labels=("0", "1", "2")),
        Attribute("sex", "categorical", "sex", labels=("female", "male", "other")),
        Attribute("covid_status", "categorical", "COVID-19 status as the corpus states it"),
        Attribute("smoker", "binary", "smokes", labels=_NO_YES),
        Attribute("respiratory_condition", "binary", "has a respiratory condition, as told",
                  labels=_NO_YES),
        Attribute("fever_muscle_pain", "binary", "has fever or muscle pain, as told",
                  labels=_NO_YES),
        Attribute("cough_detected", "numeric", "probability of a cough by CoughVID's detector",
                  "probability", 0, 1, _PROBABILITY),
        Attribute("expert_quality", "ordinal", "recording quality as experts heard it",
                  labels=("no_cough", "poor", "ok", "good")),
        Attribute("expert_cough_type", "categorical", "kind of cough as experts heard it",
                  labels=("dry", "wet")),
        Attribute("expert_diagnosis", "categorical", "diagnosis as experts heard it",
                  labels=("healthy_cough", "upper_infection", "lower_infection",
                          "obstructive_disease", "COVID-19")),
        Attribute("murmur", "categorical", "heart murmur as heard by an expert",
                  labels=("absent", "present", "unknown")),
    )
}  # fmt: skip


def attribute(name: str) -> Attribute:
    """Look an attribute up by its canonical name.

    Raises:
        UserError: there is none of that name; the message names the neighbours.
    """
    if name not in ATTRIBUTES:
        raise UserError(f"There is no attribute {name!r}. {neighbours(name, ATTRIBUTES)}")
    return ATTRIBUTES[name]
