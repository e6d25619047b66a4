"""The registry of canonical attributes: what can be known about a recording, under one name."""

from __future__ import annotations

from collections.abc import Mapping

from raqa.corpora.attributes.acoustic import ACOUSTIC
from raqa.corpora.attributes.consultation import CONSULTATION
from raqa.corpora.attributes.definition import FAMILIES, Attribute, Family, Kind
from raqa.corpora.attributes.profile import PROFILE
from raqa.corpora.attributes.recording import RECORDING
from raqa.errors import UserError, neighbours

__all__ = ["ATTRIBUTES", "FAMILIES", "Attribute", "Family", "Kind", "attribute"]

ATTRIBUTES: Mapping[str, Attribute] = {
    one.name: one for one in (*PROFILE, *CONSULTATION, *ACOUSTIC, *RECORDING)
}


def attribute(name: str) -> Attribute:
    """Look an attribute up by its canonical name.

    Raises:
        UserError: there is none of that name; the message names the neighbours.
    """
    if name not in ATTRIBUTES:
        raise UserError(f"There is no attribute {name!r}. {neighbours(name, ATTRIBUTES)}")
    return ATTRIBUTES[name]
