"""Some recordings' questions as an Arrow table with dictionary-encoded text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from raqa.questions.keys import Keys, ids, pair
from raqa.questions.sentences import fill, say_numbers
from raqa.questions.templates import LABELS
from raqa.questions.units import Unit
from raqa.tables import SIDES

Rows = NDArray[np.intp]
Codes = NDArray[np.int32]
Number = TypeVar("Number", bound=np.generic)
OPTIONS = "; "
"""Between the options in a multiple-choice question."""

_TEXTS = ("attribute", "family", "kind", "question_type", "template_id", "question", "asked_label",
          "answer", "label", "unit")  # fmt: skip
_DICTIONARY = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema([
    ("qa_id", pa.string()), ("corpus", _DICTIONARY), ("recording_id", _DICTIONARY),
    ("subject_id", _DICTIONARY), ("split", _DICTIONARY), ("attribute", _DICTIONARY),
    ("family", _DICTIONARY), ("kind", _DICTIONARY), ("question_type", _DICTIONARY),
    ("template_id", _DICTIONARY), ("question", _DICTIONARY), ("asked_label", _DICTIONARY),
    ("answer", _DICTIONARY), ("label", _DICTIONARY), ("value", pa.float64()),
    ("unit", _DICTIONARY), ("options", pa.list_(_DICTIONARY)),
])  # fmt: skip
"""The columns of QUESTIONS, in memory; as written they are plain text for any reader."""


@dataclass(frozen=True)
class People:
    """The recordings of a corpus that are asked about, in the order of their ids.

    Attributes:
        keys: [recordings, 2] of corpus and recording_id.
        split: place in SIDES, len(SIDES) for none; [recordings].
    """

    corpus: str
    recording_id: Sequence[str]
    subject_id: Sequence[str]
    split: NDArray[np.int8]
    keys: Keys


class _Pool:
    """Texts and their numbers in a dictionary column; no text is missing."""

    def __init__(self) -> None:
        self._codes: dict[str | None, int] = {None: -1}

    def code(self, text: str | None) -> int:
        return self._codes.setdefault(text, len(self._codes) - 1)

    def codes(self, texts: Sequence[str | None]) -> Codes:
        return np.array([self.code(text) for text in texts], dtype=np.int32)

    def column(self, codes: Codes) -> pa.DictionaryArray:
        texts = [text for text in self._codes if text is not None]
        return dictionary(codes, texts)


def dictionary(codes: Codes, texts: Sequence[str]) -> pa.DictionaryArray:
    """A dictionary column; codes below 0 are null."""
    missing = codes < 0
    indices = pa.array(codes, mask=missing if missing.any() else None)
    return pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()))


@dataclass
class _Parts:
    """What is collected column by column, an array for every unit."""

    pools: dict[str, _Pool] = field(default_factory=lambda: {name: _Pool() for name in _TEXTS})
    codes: dict[str, list[Codes]] = field(default_factory=lambda: {name: [] for name in _TEXTS})
    rows: list[Rows] = field(default_factory=list)
    keys: list[tuple[Keys, Keys]] = field(default_factory=list)
    values: list[NDArray[np.float64]] = field(default_factory=list)
    option_counts: list[Codes] = field(default_factory=list)
    option_codes: list[Codes] = field(default_factory=list)
    options: _Pool = field(default_factory=_Pool)

    def constant(self, name: str, text: str | None, count: int) -> None:
        self.codes[name].append(np.full(count, self.pools[name].code(text), dtype=np.int32))

    def chosen(self, name: str, texts: Sequence[str | None], which: NDArray[np.int64]) -> None:
        self.codes[name].append(self.pools[name].codes(texts)[which])


def build_block(units: Sequence[Unit], people: People, part: slice) -> pa.Table:
    """Ask every question of every recording of a part that it is kept for.

    Returns:
        a table of SCHEMA, the questions one after another, recordings in order.
    """
    parts = _Parts()
    for unit in units:
        rows = np.flatnonzero(unit.kept(people.keys, part, people.split))
        if len(rows):
            _add(parts, unit, people, part, rows)
    return _table(parts, people, part)


def _add(parts: _Parts, unit: Unit, people: People, part: slice, rows: Rows) -> None:
    attribute, wording, count = unit.column.templates.attribute, unit.wording, len(rows)
    keys = people.keys[part][rows]
    parts.rows.append(rows)
    parts.keys.append((pair(keys[:, 0], unit.key[0]), pair(keys[:, 1], unit.key[1])))
    for name, text in (
        ("attribute", attribute.name), ("family", attribute.family), ("kind", attribute.kind),
        ("question_type", wording.question_type), ("template_id", wording.template_id),
        ("asked_label", unit.asked_label), ("unit", attribute.unit),
    ):  # fmt: skip
        parts.constant(name, text, count)
    if attribute.kind == "numeric":
        _add_numbers(parts, unit, part, rows)
    elif wording.question_type == "single_verify":
        _add_verification(parts, unit, part, rows)
    else:
        _add_labels(parts, unit, part, rows)
    if wording.question_type == "multiple_choice":
        _add_options(parts, unit, people, part, rows)
    else:
        said = {} if unit.asked_label is None else {
            "label": unit.column.templates.said(unit.asked_label)
        }  # fmt: skip
        parts.constant("question", fill(wording.question, **said), count)
        parts.option_counts.append(np.full(count, -1, dtype=np.int32))


def _add_numbers(parts: _Parts, unit: Unit, part: slice, rows: Rows) -> None:
    templates = unit.column.templates
    assert unit.column.numbers is not None
    values = unit.column.numbers[part][rows]
    unique, which = np.unique(values, return_inverse=True)
    (pattern,) = unit.wording.answers.values()
    answers = [fill(pattern, value=number, unit=templates.unit_after(number))
               for number in say_numbers(unique, templates.decimals)]  # fmt: skip
    parts.chosen("answer", answers, which)
    parts.constant("label", None, len(rows))
    parts.values.append(values)


def _add_verification(parts: _Parts, unit: Unit, part: slice, rows: Rows) -> None:
    yes = unit.says_yes(part)[rows].astype(np.int64)
    said = {"label": unit.column.templates.said(unit.asked_label or "")}
    answers = [fill(unit.wording.answers[label], **said) for label in ("no", "yes")]
    parts.chosen("answer", answers, yes)
    parts.chosen("label", ["no", "yes"], yes)
    parts.values.append(np.full(len(rows), np.nan))


def _add_labels(parts: _Parts, unit: Unit, part: slice, rows: Rows) -> None:
    column = unit.column
    which = column.codes[part][rows].astype(np.int64)
    answers = [column.templates.answer(unit.wording, value) for value in column.values]
    parts.chosen("answer", answers, which)
    parts.chosen("label", [LABELS.join(value) for value in column.values], which)
    parts.values.append(np.full(len(rows), np.nan))


def _add_options(parts: _Parts, unit: Unit, people: People, part: slice, rows: Rows) -> None:
    shown = unit.options_of(people.keys, part, rows)
    orders = unit.option_orders[0]
    said = [unit.column.templates.said(label) for label in unit.column.labels]
    questions = [fill(unit.wording.question, options=OPTIONS.join(said[one] for one in order))
                 for order in orders]  # fmt: skip
    parts.chosen("question", questions, shown)
    parts.option_counts.append(np.full(len(rows), orders.shape[1], dtype=np.int32))
    parts.option_codes.append(parts.options.codes(said)[orders[shown]].ravel())


def _table(parts: _Parts, people: People, part: slice) -> pa.Table:
    rows = _joined(parts.rows, np.intp)
    first, second = (_joined([key[lane] for key in parts.keys], np.uint64) for lane in (0, 1))
    recordings = people.recording_id[part]
    subjects = _Pool()
    subject_codes = subjects.codes(people.subject_id[part])
    split = people.split[part][rows].astype(np.int32)
    split[split == len(SIDES)] = -1
    values = _joined(parts.values, np.float64)
    columns = {
        "qa_id": ids(first, second),
        "corpus": dictionary(np.zeros(len(rows), dtype=np.int32), [people.corpus]),
        "recording_id": dictionary(rows.astype(np.int32), recordings),
        "subject_id": subjects.column(subject_codes[rows]),
        "split": dictionary(split, SIDES),
        "value": pa.array(values, mask=np.isnan(values)),
        "options": _options(parts),
    }
    for name in _TEXTS:
        columns[name] = parts.pools[name].column(_joined(parts.codes[name], np.int32))
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def _options(parts: _Parts) -> pa.ListArray:
    counts = _joined(parts.option_counts, np.int32)
    offsets = np.concatenate([[0], np.cumsum(np.maximum(counts, 0))]).astype(np.int32)
    without = np.append(counts < 0, False)
    texts = parts.options.column(_joined(parts.option_codes, np.int32))
    return pa.ListArray.from_arrays(pa.array(offsets, mask=without), texts)


def _joined(arrays: Sequence[NDArray[Number]], kind: type[Number]) -> NDArray[Number]:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=kind)
