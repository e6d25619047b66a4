"""What is wrong with template files; a pattern's fault is told once and not at every attribute."""

from __future__ import annotations

from dataclasses import dataclass, replace

SHOWN = 3
"""Attributes that a message names before it counts the rest."""


@dataclass(frozen=True)
class Place:
    """Where something stands in the files.

    Attributes:
        own: at the attribute that uses it.
        pattern: in the pattern that it is taken from; empty: the attribute has its own.
        attribute: which one uses it.
    """

    own: str
    pattern: str
    attribute: str

    def below(self, name: str | int) -> Place:
        """A part of it."""
        pattern = f"{self.pattern}/{name}" if self.pattern else ""
        return replace(self, own=f"{self.own}/{name}", pattern=pattern)


class Faults:
    """Collects what is wrong, in the order in which it is met."""

    def __init__(self) -> None:
        self._met: dict[tuple[str, str], list[Place]] = {}

    def add(self, place: Place, problem: str) -> None:
        """Note what is wrong at a place."""
        self._met.setdefault((place.pattern or place.own, problem), []).append(place)

    def told(self) -> list[str]:
        """A message for each fault; one that several attributes share names their pattern."""
        return [
            f"{places[0].own}: {problem}"
            if len(places) == 1
            else f"{where}: {problem} (for {_named(places)})"
            for (where, problem), places in self._met.items()
        ]


def _named(places: list[Place]) -> str:
    names = list(dict.fromkeys(place.attribute for place in places))
    rest = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {rest} more attributes" if rest > 0 else "")
