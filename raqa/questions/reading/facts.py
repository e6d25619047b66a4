"""What must be known about a question to read an answer to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from raqa.corpora.attributes import Attribute
from raqa.questions.reading.words import listed, plain, stems, words

NEGATIONS = listed(
    "no not never without nor neither none absent absence lack lacks lacking denies denied deny",
    "excluded excludes free unlikely",
)
JOINT = " + "
"""Between the labels of an answer with several."""

Alias = tuple[str, ...]


@dataclass(frozen=True)
class QuestionFacts:
    """A question as far as its answer's reading depends on it.

    Attributes:
        kind: of the attribute; see raqa.corpora.attributes.
        question: its text; an echo of it is not an answer.
        labels: valid labels and how each is said, in order.
        offered: label texts as a multiple-choice question offers them; A is the first.
        asked: the label that a single-verify question asks about.
        about: the attribute in words.
        units: factor from each unit that a number may have to the canonical one.
        low, high: the closed range of believable numbers.
        known: whole sentences that are known to mean a label.
    """

    question_type: str
    kind: str
    question: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    offered: tuple[str, ...] = ()
    asked: str | None = None
    about: str = ""
    units: tuple[tuple[str, float], ...] = ()
    low: float | None = None
    high: float | None = None
    known: tuple[tuple[str, str], ...] = ()
    aliases: Mapping[Alias, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "aliases", _aliases(self.labels))

    @property
    def yes_or_no(self) -> bool:
        """Whether the answer is yes or no."""
        return self.question_type == "single_verify" or self.kind == "binary"

    @cached_property
    def asked_text(self) -> str:
        """How the asked label is said, in plain words; empty where it is yes or none."""
        if self.asked is None or self.kind == "binary":
            return ""
        return plain(dict(self.labels).get(self.asked, self.asked))

    @cached_property
    def starting(self) -> Mapping[str, tuple[Alias, ...]]:
        """Aliases by their first word, the longest first."""
        found: dict[str, list[Alias]] = {}
        for alias in sorted({*self.aliases, *self.options}, key=len, reverse=True):
            found.setdefault(alias[0], []).append(alias)
        return {first: tuple(all_of_it) for first, all_of_it in found.items()}

    @cached_property
    def starting_names(self) -> frozenset[Alias]:
        """Everything that labels are called."""
        return frozenset({*self.aliases, *self.options})

    @cached_property
    def options(self) -> Mapping[Alias, tuple[str, ...]]:
        """The labels that each offered text means."""
        return {
            stems(plain(text)): labels
            for text, labels in zip(self.offered, self.lettered, strict=True)
            if stems(plain(text))
        }

    @cached_property
    def asked_words(self) -> Alias:
        """Stems of the question, the offered texts left out."""
        listed_texts = r"\W.{,12}?".join(re.escape(plain(text)) for text in self.offered)
        text = plain(self.question)
        return stems(re.sub(listed_texts, " QQ ", text) if self.offered else text)

    @cached_property
    def sentences(self) -> Mapping[Alias, str]:
        """Labels by the stems of the sentences that are known to mean them."""
        return {stems(plain(sentence)): label for sentence, label in self.known}

    @cached_property
    def lettered(self) -> tuple[tuple[str, ...], ...]:
        """The labels that A, B, ... mean."""
        return tuple(map(self._meant, self.offered))

    def _meant(self, text: str) -> tuple[str, ...]:
        alias = stems(plain(text))
        if alias in self.aliases:
            return (self.aliases[alias],)
        if self.kind == "binary":
            return ("no" if NEGATIONS & {*words(plain(text))} else "yes",)
        parts = [stems(part) for part in plain(text).replace(" and ", ",").split(",")]
        labels = [self.aliases[part] for part in parts if part in self.aliases]
        return tuple(labels) if len(labels) == len(parts) else (text,)

    def labels_of(self, alias: Alias) -> tuple[str, ...]:
        """The labels that an alias of `starting` means."""
        return self.options[alias] if alias in self.options else (self.aliases[alias],)

    def joined(self, labels: Sequence[str]) -> str:
        """Labels as the label column has them: in the registry's order, joined."""
        order = {label: place for place, (label, _) in enumerate(self.labels)}
        return JOINT.join(sorted({*labels}, key=lambda label: (order.get(label, 10**6), label)))


def facts_about(
    attribute: Attribute,
    question_type: str,
    *,
    question: str = "",
    offered: Sequence[str] = (),
    asked: str | None = None,
    own_labels: Sequence[str] = (),
    texts: Mapping[str, str] | None = None,
    known: Sequence[tuple[str, str]] = (),
) -> QuestionFacts:
    """What the registry knows about an attribute, and what the question adds.

    Args:
        own_labels: valid labels beside the registry's: a corpus's own words.
        texts: how the collection says labels, where that is not the registry's way.
        known: sentences of the collection, each with the label that it means.
    """
    names = dict.fromkeys([*attribute.label_texts, *own_labels])
    return QuestionFacts(
        question_type=question_type,
        kind=attribute.kind,
        question=question,
        labels=tuple((name, (texts or {}).get(name, attribute.label_text(name))) for name in names),
        offered=tuple(offered),
        asked=asked,
        about=f"{attribute.name.replace('_', ' ')} {attribute.text}",
        units=tuple(attribute.units.items()),
        low=attribute.low,
        high=attribute.high,
        known=tuple(known),
    )


def _aliases(labels: Sequence[tuple[str, str]]) -> dict[Alias, str]:
    """Everything that each label is called; what two labels share means neither."""
    meant: dict[Alias, set[str]] = {}
    certain: dict[Alias, str] = {}
    for label, text in labels:
        for name in (label, text):
            certain.setdefault(stems(plain(name)), label)
        before, bracket, after = text.partition("(")
        for part in (before, after.partition(")")[0]) if bracket else ():
            meant.setdefault(stems(plain(part)), set()).add(label)
    shared = {alias: next(iter(found)) for alias, found in meant.items() if len(found) == 1}
    return {alias: label for alias, label in {**shared, **certain}.items() if alias}
