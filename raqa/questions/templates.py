"""Question templates: loaded from files a clinician can edit, checked whole, and read back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from raqa.corpora.attributes import ATTRIBUTES, Attribute
from raqa.errors import UserError, neighbours
from raqa.questions.sentences import fill, join_labels, part_labels, plain_list, reader, slots
from raqa.questions.template_files import read_entries, template_folder
from raqa.tables import QUESTION_TYPES

ANY = ""
"""Stands for every label where an answer is one sentence with a slot."""

LABELS = " + "
"""Between the labels of the QUESTIONS table's `label`."""


@dataclass(frozen=True)
class Wording:
    """One way to ask about an attribute, and to answer.

    Attributes:
        template_id: attribute/question_type/number.
        question: may hold {options}, or {label} for the label that is asked about.
        answers: sentence by label, ANY for all others; by yes and no where it is single_verify.
        balance: whether as many cases with yes as with no are kept.
    """

    template_id: str
    question_type: str
    question: str
    answers: Mapping[str, str]
    balance: bool = True

    @property
    def asks_label(self) -> bool:
        """Whether the question is about one of several labels."""
        return self.question_type == "single_verify" and "label" in slots(self.question)


@dataclass(frozen=True)
class AttributeTemplates:
    """Everything that is asked about one attribute.

    Attributes:
        label_texts: how labels are said; labels that are not here are said as written.
        unit: after the number 1, and after all others.
        decimals: of a number that is said; None: three significant digits.
        excluded: why nothing is asked, or empty.
    """

    attribute: Attribute
    wordings: tuple[Wording, ...] = ()
    label_texts: Mapping[str, str] = field(default_factory=dict)
    unit: tuple[str, str] = ("", "")
    decimals: int | None = None
    excluded: str = ""

    def of_type(self, question_type: str) -> tuple[Wording, ...]:
        """The wordings of one question type."""
        return tuple(one for one in self.wordings if one.question_type == question_type)

    @cached_property
    def plain(self) -> bool:
        """Whether several labels are listed with commas and "and"."""
        return not self.attribute.own_words and plain_list(self.label_texts.values())

    @cached_property
    def _meant(self) -> dict[str, str]:
        return {text: label for label, text in self.label_texts.items()}

    def said(self, label: str) -> str:
        """How a label is said."""
        return self.label_texts.get(label, label)

    def meant(self, text: str) -> str:
        """Which label is said so."""
        return self._meant.get(text, text)

    def answer(self, wording: Wording, labels: tuple[str, ...]) -> str:
        """The whole sentence that answers an open-ended or multiple-choice question."""
        pattern = wording.answers.get(labels[0], wording.answers.get(ANY, ""))
        said = [self.said(label) for label in labels]
        return fill(pattern, label=said[0], labels=join_labels(said, plain=self.plain))

    def unit_after(self, number: str) -> str:
        """The unit as it is said after a number."""
        return self.unit[0] if number == "1" else self.unit[1]

    def read_back(self, wording: Wording, answer: str, asked: str | None) -> str | float:
        """Read the label (or number) out of an answer; the exact inverse of making it.

        Args:
            asked: the label that the question asks about, or null.

        Raises:
            ValueError: the answer is not one that this wording gives.
        """
        said = {} if asked is None else {"label": self.said(asked)}
        if wording.question_type == "single_verify":
            exact = {fill(text, **said): label for label, text in wording.answers.items()}
            if answer in exact:
                return exact[answer]
        for label, pattern in wording.answers.items():
            found = reader(pattern, self.unit).fullmatch(answer)
            if not found or wording.question_type == "single_verify":
                continue
            slot = found.groupdict()
            if "value" in slot:
                return float(slot["value"])
            if label != ANY:
                return label
            if "labels" in slot:
                parts = part_labels(slot["labels"], plain=self.plain)
                return LABELS.join(self.meant(part) for part in parts)
            return self.meant(slot["label"])
        raise ValueError(f"{answer!r} is no answer of {wording.template_id}")


@dataclass(frozen=True)
class Templates:
    """A checked set of templates, by attribute; all that are not excluded have wordings."""

    by_attribute: Mapping[str, AttributeTemplates]

    @cached_property
    def hash(self) -> str:
        """Of what is asked and answered, whatever files and comments it came from."""
        text = json.dumps(
            {
                name: asdict(one) | {"attribute": name}
                for name, one in sorted(self.by_attribute.items())
            },
            sort_keys=True, default=dict,
        )  # fmt: skip
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def _by_id(self) -> dict[str, tuple[AttributeTemplates, Wording]]:
        return {w.template_id: (one, w) for one in self.by_attribute.values() for w in one.wordings}

    def wording(self, template_id: str) -> tuple[AttributeTemplates, Wording] | None:
        """A template by its id, with its attribute's others; None: it is not of this set."""
        return self._by_id.get(template_id)

    def read_back(self, template_id: str, answer: str, asked_label: str | None) -> str | float:
        """Read an answer's label: yes or no, a label, labels joined by LABELS, or a number.

        Raises:
            UserError: there is no such template in this set.
            ValueError: the answer is not one that the template gives.
        """
        if template_id not in self._by_id:
            raise UserError(
                f"There is no template {template_id!r}. {neighbours(template_id, self._by_id)}"
            )
        one, wording = self._by_id[template_id]
        return one.read_back(wording, answer, asked_label)


def load_templates(given: str | Path | None = None) -> Templates:
    """Load and check a set of templates.

    Args:
        given: a folder, the name of a shipped set, or None for the shipped default.

    Raises:
        UserError: with everything that is wrong in the files, together.
    """
    from raqa.questions.template_checks import Builder, collisions
    from raqa.questions.template_faults import Faults

    folder = template_folder(given)
    entries, units, problems = read_entries(folder)
    faults = Faults()
    builder = Builder(units, faults)
    found = {name: builder.build(ATTRIBUTES[name], entry) for name, entry in entries.items()}
    problems += [*faults.told(), *collisions(found.values())]
    if problems:
        raise UserError([f"{folder}/{problem}" for problem in problems])
    if not any(one.wordings for one in found.values()):
        raise UserError(f"{folder}: nothing is asked. Question types: {', '.join(QUESTION_TYPES)}")
    return Templates({name: found[name] for name in ATTRIBUTES if name in found})
