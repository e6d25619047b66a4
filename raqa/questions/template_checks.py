"""From what template files say to templates, noting everything that is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from raqa.corpora.attributes import Attribute
from raqa.errors import neighbours
from raqa.questions.sentences import fill, is_torn, slots
from raqa.questions.template_faults import Faults, Place
from raqa.questions.template_files import Entry
from raqa.questions.templates import ANY, AttributeTemplates, Wording
from raqa.tables import QUESTION_TYPES

_TYPES = {"numeric": ("open_ended",), "multilabel": ("open_ended", "single_verify")}
_WHY = {
    "numeric": "a number is asked for open-ended only",
    "multilabel": "several labels may be right, which is no single choice",
}
_KEYS = {
    "open_ended": ("question", "answer"),
    "multiple_choice": ("question", "answer"),
    "single_verify": ("question", "yes", "no", "balance"),
}


class Builder:
    """Makes templates of entries.

    Args:
        units: how units are said.
        faults: what is wrong is added here.
    """

    def __init__(self, units: Mapping[str, Any], faults: Faults) -> None:
        self._units = units
        self._note = faults.add

    def build(self, attribute: Attribute, entry: Entry) -> AttributeTemplates:
        """Make an attribute's templates; incomplete where a problem was noted."""
        if "exclude" in entry.settings:
            reason = str(entry.settings["exclude"]).strip()
            if not reason:
                self._note(entry.place("exclude"), "exclude: say why nothing is asked")
            return AttributeTemplates(attribute, excluded=reason)
        texts = self._label_texts(attribute, entry)
        wordings = [
            wording
            for question_type in QUESTION_TYPES
            for wording in self._of_type(attribute, entry, question_type, texts)
        ]
        self._check_words(entry)
        if not entry.sentences:
            self._note(entry.place(""), "has no sentences: like: PATTERN, a question type, or "
                       "exclude: REASON")  # fmt: skip
        return AttributeTemplates(
            attribute, tuple(wordings), texts, self._unit(attribute, entry), self._decimals(entry)
        )

    def _label_texts(self, attribute: Attribute, entry: Entry) -> dict[str, str]:
        given, known = entry.settings.get("labels", {}), attribute.label_texts
        place = entry.place("labels")
        if not isinstance(given, Mapping):
            self._note(place, "labels: expected how each label is said, `label: text`")
            given = {}
        for label in given:
            if label not in known and not attribute.own_words:
                self._note(place, f"labels: no label {label!r}. {neighbours(label, known)}")
        texts = {**known, **{label: str(text) for label, text in given.items()}}
        said: dict[str, str] = {}
        for label, text in texts.items():
            if text.lower() in said:
                self._note(place, f"two options are the same: {said[text.lower()]!r} and "
                           f"{label!r} are both said {text!r}")  # fmt: skip
            said[text.lower()] = label
        return texts

    def _unit(self, attribute: Attribute, entry: Entry) -> tuple[str, str]:
        if attribute.kind != "numeric":
            return "", ""
        given = entry.settings.get("unit", self._units.get(attribute.unit or "", attribute.unit))
        forms = [given] if isinstance(given, str) else given
        if not isinstance(forms, list) or len(forms) not in {1, 2} or not all(forms):
            self._note(entry.place("unit"), f"unit: {given}: expected how {attribute.unit} is "
                       "said, in one form or as [after 1, otherwise]")  # fmt: skip
            return "", ""
        return str(forms[0]), str(forms[-1])

    def _decimals(self, entry: Entry) -> int | None:
        given = entry.settings.get("decimals")
        if given is None:
            return None
        if not str(given).isdecimal():
            self._note(entry.place("decimals"), f"decimals: {given}: expected how many, 0 or more")
            return None
        return int(given)

    def _check_words(self, entry: Entry) -> None:
        """Words that no sentence has a slot for are misspelt keys."""
        used = set(slots(str(entry.sentences)))
        for word, text in entry.words.items():
            if not isinstance(text, str):
                self._note(entry.place(word), f"{word}: there is no such setting or question type. "
                           f"{neighbours(word, QUESTION_TYPES)}")  # fmt: skip
            elif word not in used and entry.own:
                self._note(entry.place(word), f"{word}: no sentence has a slot {{{word}}} for it")

    def _of_type(
        self, attribute: Attribute, entry: Entry, question_type: str, texts: Mapping[str, str]
    ) -> Iterator[Wording]:
        given = entry.sentences.get(question_type)
        if given is None:
            return
        where = entry.place(question_type).below(question_type)
        if question_type not in _TYPES.get(attribute.kind, QUESTION_TYPES):
            self._note(where, f"{attribute.kind} attribute: {_WHY[attribute.kind]}")
            return
        if not isinstance(given, list) or not given:
            self._note(where, "expected a list of wordings, each with `question:`")
            return
        if question_type == "multiple_choice" and not attribute.own_words and len(texts) < 2:
            self._note(where, f"has one option only: {', '.join(texts) or 'none'}")
        for number, raw in enumerate(given, 1):
            place, name = where.below(number), f"{attribute.name}/{question_type}/{number}"
            if wording := self._wording(attribute, entry, question_type, raw, place, name, texts):
                yield wording

    def _wording(  # noqa: PLR0917
        self,
        attribute: Attribute,
        entry: Entry,
        question_type: str,
        raw: Any,
        where: Place,
        template_id: str,
        texts: Mapping[str, str],
    ) -> Wording | None:
        if not isinstance(raw, Mapping):
            self._note(where, "expected `question:` and its answer below it")
            return None
        keys = _KEYS[question_type]
        unknown = [key for key in raw if key not in keys]
        absent = [key for key in keys if key not in raw and key != "balance"]
        for key in unknown:
            self._note(where, f"{key}: there is no such key. {neighbours(key, keys)}")
        if absent:
            self._note(where, f"lacks {', '.join(absent)}")
            return None
        sentences = {"question": raw["question"], **_answers(raw, question_type)}
        words = {word: text for word, text in entry.words.items() if isinstance(text, str)}
        filled = {key: fill(str(text), **words) for key, text in sentences.items()}
        question = filled.pop("question")
        wording = Wording(
            template_id, question_type, question, filled, raw.get("balance", "true") != "false"
        )
        found = list(_wording_problems(attribute, wording, texts))
        for problem in found:
            self._note(where, problem)
        return None if found else wording


def _answers(raw: Mapping[str, Any], question_type: str) -> dict[str, Any]:
    if question_type == "single_verify":
        return {"yes": raw["yes"], "no": raw["no"]}
    given = raw["answer"]
    return dict(given) if isinstance(given, Mapping) else {ANY: given}


def _wording_problems(
    attribute: Attribute, wording: Wording, texts: Mapping[str, str]
) -> Iterator[str]:
    """What is wrong with one wording: slots first, then what it gives away."""
    wanted = _question_slots(attribute, wording)
    problems = list(_slot_problems("question", wording.question, wanted, wanted))
    by_label = ANY not in wording.answers
    needed, allowed = _answer_slots(attribute, wording, by_label=by_label)
    for label, answer in wording.answers.items():
        name = f"answer {label}".rstrip()
        problems += _slot_problems(name, answer, needed, allowed)
    if by_label and wording.question_type != "single_verify":
        if attribute.own_words or attribute.kind == "numeric":
            problems.append("answer: expected one sentence with a slot, not one for each label")
        else:
            problems += [f"answer: lacks {label!r}" for label in texts if label not in
                         wording.answers]  # fmt: skip
            problems += [f"answer: {label!r} is no label. {neighbours(label, texts)}"
                         for label in wording.answers if label not in texts]  # fmt: skip
    sentences = list(wording.answers.values())
    if len(set(sentences)) < len(sentences):
        problems.append("two labels have the same answer")
    yield from problems
    if not problems:
        yield from _given_away(attribute, wording, texts)


def _question_slots(attribute: Attribute, wording: Wording) -> set[str]:
    if wording.question_type == "multiple_choice":
        return {"options"}
    asks = wording.question_type == "single_verify" and attribute.kind != "binary"
    return {"label"} if asks else set()


def _answer_slots(
    attribute: Attribute, wording: Wording, *, by_label: bool
) -> tuple[set[str], set[str]]:
    """The slots an answer needs, and those it may have."""
    if wording.question_type == "single_verify":
        return set(), _question_slots(attribute, wording)
    if attribute.kind == "numeric":
        return {"value", "unit"}, {"value", "unit"}
    slot = {"labels" if attribute.kind == "multilabel" else "label"}
    return (set() if by_label else slot), slot


def _slot_problems(name: str, text: str, needed: set[str], allowed: set[str]) -> Iterator[str]:
    if is_torn(text):
        yield f"{name}: a brace belongs to no slot: {text!r}"
    if not text.strip():
        yield f"{name}: is empty"
    there = set(slots(text))
    yield from (f"{name}: lacks the slot {{{slot}}}" for slot in sorted(needed - there))
    known = ", ".join(f"{{{slot}}}" for slot in sorted(allowed)) or "none but the entry's own words"
    yield from (
        f"{name}: there is no slot {{{slot}}} here. Slots: {known}"
        for slot in sorted(there - allowed)
    )


def _given_away(attribute: Attribute, wording: Wording, texts: Mapping[str, str]) -> Iterator[str]:
    """Answers that stand in the question; yes and no are no words that give anything away."""
    asked = wording.question.lower()
    one = AttributeTemplates(attribute, label_texts=texts)
    if wording.question_type == "single_verify":
        answers = list(wording.answers.values())
    else:
        answers = [one.answer(wording, (label,)) for label in texts]
        if attribute.kind != "binary":
            answers += texts.values()
    for answer in answers:
        bare = answer.lower().rstrip(".!")
        if bare and re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", asked):
            yield f"the question contains its answer {answer!r}"


def collisions(templates: Iterable[AttributeTemplates]) -> list[str]:
    """Questions that read the same and ask for different things, or stand twice."""
    seen: dict[str, tuple[str, str]] = {}
    problems = []
    for one in templates:
        for wording in one.wordings:
            labels = list(one.label_texts) if wording.asks_label else []
            for label in labels or [ANY]:
                text = fill(wording.question, label=one.said(label)) if label else wording.question
                bare = " ".join(text.lower().split())
                other = seen.setdefault(bare, (wording.template_id, label))
                if other != (wording.template_id, label):
                    first = " about ".join(filter(None, other))
                    second = " about ".join(filter(None, (wording.template_id, label)))
                    problems.append(f"{second}: asks the same as {first}: {text!r}")
    return problems
