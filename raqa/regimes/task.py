"""A task: which canonical attribute is predicted, and how."""

from __future__ import annotations

from pydantic import ConfigDict, field_validator
from pydantic.dataclasses import dataclass

from raqa.corpora.attributes import ATTRIBUTES, Attribute, attribute
from raqa.errors import neighbours


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class RegressionTask:
    """Predict a numeric attribute in its canonical unit.

    Args:
        target: canonical name, for example ``age``.
    """

    target: str

    @field_validator("target")
    @classmethod
    def _is_numeric(cls, target: str) -> str:
        numeric = [name for name, known in ATTRIBUTES.items() if known.kind == "numeric"]
        if target not in numeric:
            raise ValueError(f"{target!r} is no numeric attribute. {neighbours(target, numeric)}")
        return target

    @property
    def attribute(self) -> Attribute:
        """The target's entry in the registry."""
        return attribute(self.target)
