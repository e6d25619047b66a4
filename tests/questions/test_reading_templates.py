"""Every sentence that the shipped templates can say is read as the label that it was made from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from raqa.corpora.attributes import Attribute
from raqa.questions.reading import QuestionFacts, facts_about, read_answer
from raqa.questions.sentences import fill, say_numbers
from raqa.questions.templates import AttributeTemplates, Wording, load_templates

OWN = ("Nokia 3", "iPhone 12 mini")
"""Labels where a corpus has words of its own."""
TURNED = ("asymptomatic", "expert_nothing")
"""Attributes that say that something is not: "had symptoms" is no, which the collection tells."""
TEMPLATES = [one for one in load_templates().by_attribute.values() if one.wordings]


def labels_of(one: AttributeTemplates) -> tuple[str, ...]:
    return tuple(one.attribute.label_texts) or OWN


def facts_of(one: AttributeTemplates, wording: Wording, asked: str | None = None) -> QuestionFacts:
    said = [one.said(label) for label in labels_of(one)]
    slots = {"options": ", ".join(said), "label": "" if asked is None else one.said(asked)}
    return facts_about(
        one.attribute,
        wording.question_type,
        question=fill(wording.question, **slots),
        offered=said if wording.question_type == "multiple_choice" else (),
        asked=asked,
        own_labels=labels_of(one),
        texts=one.label_texts,
        known=known_of(one, wording),
    )


def known_of(one: AttributeTemplates, wording: Wording) -> list[tuple[str, str]]:
    turned = one.attribute.name in TURNED and wording.question_type == "open_ended"
    return [(sentence, label) for label, sentence in wording.answers.items()] if turned else []


def numbers(attribute: Attribute) -> list[float]:
    assert attribute.low is not None
    assert attribute.high is not None
    return [attribute.low + share * (attribute.high - attribute.low) for share in (0.1, 0.37, 1.0)]


def sentences(one: AttributeTemplates) -> Iterator[tuple[QuestionFacts, str, str | float]]:
    labels = labels_of(one)
    for wording in one.wordings:
        if one.attribute.kind == "numeric":
            for text in say_numbers(np.array(numbers(one.attribute)), one.decimals):
                (pattern,) = wording.answers.values()
                answer = fill(pattern, value=text, unit=one.unit_after(text))
                yield facts_of(one, wording), answer, float(text)
        elif wording.question_type == "single_verify":
            asked_labels = labels if wording.asks_label else ("yes",)
            for asked in asked_labels:
                for decided, pattern in wording.answers.items():
                    answer = fill(pattern, label=one.said(asked))
                    yield facts_of(one, wording, asked), answer, decided
        else:
            several = [(labels[0], labels[-1])] if one.attribute.kind == "multilabel" else []
            for chosen in [*((label,) for label in labels), *several]:
                yield facts_of(one, wording), one.answer(wording, chosen), " + ".join(chosen)


@pytest.mark.parametrize("one", TEMPLATES, ids=lambda one: one.attribute.name)
def test_what_a_template_says_reads_back(one):
    misread = []
    for facts, answer, meant in sentences(one):
        reading = read_answer(answer, facts)
        if (reading.value if facts.kind == "numeric" else reading.label) != meant:
            misread.append((facts.question, answer, meant, reading))
    assert not misread
