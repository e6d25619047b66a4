"""The questions of a corpus: each wording, with each label it asks about, and who is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from raqa.questions.columns import MISSING, Column
from raqa.questions.keys import Keys, mix, pair, text_key
from raqa.questions.templates import Wording
from raqa.tables import QUESTION_TYPES

ROUNDS = 4
"""Orders of all labels that the options of a multiple-choice question are cut out of."""

Mask = NDArray[np.bool_]
_NOBODY = np.uint64(0)
_TOP = np.uint64(1)  # hashes are halved before they are compared, so that a limit can be above all
EVERYBODY = np.uint64(2**63)


@dataclass(frozen=True)
class Unit:
    """One question of a corpus.

    Attributes:
        column: the attribute's values in this corpus.
        position: of the wording among the `wordings` of its type, of which `asked` are used.
        asked_label: what a single_verify question asks about.
        seed: of the choice of wordings and options; ids do not depend on it.
        most_options: that a multiple-choice question offers.
        limits: [splits, 2] the hash below which cases with no and with yes are kept.
    """

    column: Column
    wording: Wording
    position: int
    wordings: int
    asked: int
    asked_label: str | None = None
    seed: int = 0
    most_options: int = 8
    limits: Keys | None = field(default=None, compare=False)

    @cached_property
    def key(self) -> Keys:
        """The numbers that ids are made of: they change with what is asked, not with the seed."""
        wording = self.wording
        return text_key(wording.template_id, wording.question, self.asked_label or "")

    @cached_property
    def _choice(self) -> np.uint64:
        """The same for all wordings that a recording has to choose from."""
        number: np.uint64 = text_key(
            "wording", str(self.seed), self.column.name, self.wording.question_type,
            self.asked_label or "",
        )[0]  # fmt: skip
        return number

    @cached_property
    def _order(self) -> np.uint64:
        number: np.uint64 = text_key("options", str(self.seed), self.wording.template_id)[0]
        return number

    @cached_property
    def _holding(self) -> Mask:
        return self.column.holding(self.asked_label or "")

    def asked_of(self, keys: Keys, part: slice) -> Mask:
        """Which recordings of a part this wording is used for; keys: [recordings, 2]."""
        known: Mask = self.column.codes[part] != MISSING
        if self.asked >= self.wordings:
            return known
        first = pair(keys[part, 0], self._choice) % np.uint64(self.wordings)
        turn = (self.position - first.astype(np.int64)) % self.wordings
        mask: Mask = known & (turn < self.asked)
        return mask

    def says_yes(self, part: slice) -> Mask:
        """Which recordings of a part have the asked label."""
        mask: Mask = self._holding[self.column.codes[part]]
        return mask

    def kept(self, keys: Keys, part: slice, split: NDArray[np.int8]) -> Mask:
        """Which recordings of a part get this question."""
        mask = self.asked_of(keys, part)
        if self.limits is None:
            return mask
        limit = self.limits[split[part], self.says_yes(part).astype(np.int8)]
        return mask & ((pair(keys[part, 0], self.key[0]) >> _TOP) < limit)

    def options_of(self, keys: Keys, part: slice, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Which of `option_orders` each of some rows of a part is shown."""
        orders, circles = self.option_orders
        labels, width = circles.shape[1], orders.shape[1]
        drawn = pair(keys[part][rows, 1], self._order)
        which = (drawn % np.uint64(len(circles))).astype(np.int64)
        place = (mix(drawn) % np.uint64(width)).astype(np.int64)
        label = self._single[self.column.codes[part][rows]]
        first = (circles[which, label] - place) % labels
        numbers: NDArray[np.int64] = which * labels + first
        return numbers

    @cached_property
    def _single(self) -> NDArray[np.int64]:
        place = {label: number for number, label in enumerate(self.column.labels)}
        return np.array([place[value[0]] for value in self.column.values])

    @cached_property
    def option_orders(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Options as they may be shown, and where each label stands in every circle.

        Labels are laid out in ROUNDS circles, shuffled by hash, and options are consecutive ones.
        Which order is shown depends on the label only in that it is among them, at any place
        alike: neither place nor order gives the answer away.

        Returns:
            [circles * labels, options] numbers of labels, and [circles, labels] places.
        """
        labels = self.column.labels
        count = len(labels)
        places, orders = [], []
        for turn in range(ROUNDS):
            hashes = [int(text_key(str(self.seed), self.wording.template_id, str(turn), one)[0])
                      for one in labels]  # fmt: skip
            circle = np.argsort(np.array(hashes, dtype=np.uint64), kind="stable")
            places.append(np.argsort(circle, kind="stable"))
            orders += [np.roll(circle, -first)[: self.most_options] for first in range(count)]
        return np.array(orders), np.array(places)


def units_of(
    column: Column, *, wordings: int | None, most_options: int, seed: int
) -> Iterator[Unit]:
    """Every question that can be asked about one attribute of a corpus.

    Args:
        wordings: how many of each question type a recording is asked with; None: all.
    """
    for question_type in QUESTION_TYPES:
        given: Sequence[Wording] = column.templates.of_type(question_type)
        if question_type == "multiple_choice" and len(column.labels) < 2:
            continue
        for position, wording in enumerate(given):
            for label in _asked_labels(column, wording):
                yield Unit(
                    column, wording, position, len(given), wordings or len(given), label, seed,
                    most_options=most_options,
                )  # fmt: skip


def _asked_labels(column: Column, wording: Wording) -> Sequence[str | None]:
    if wording.question_type != "single_verify":
        return (None,)
    return column.labels if wording.asks_label else ("yes",)


def balance(
    unit: Unit, keys: Keys, split: NDArray[np.int8], splits: int
) -> tuple[Keys, NDArray[np.int64]]:
    """Keep as many cases with yes as with no in every split, those with the lowest hashes.

    Returns:
        limits: [splits, 2] as Unit has them.
        surplus: [splits, 2] cases with no and with yes that are dropped.
    """
    everybody = slice(None)
    asked, yes = unit.asked_of(keys, everybody), unit.says_yes(everybody)
    hashes = pair(keys[:, 0], unit.key[0]) >> _TOP
    limits = np.full((splits, 2), EVERYBODY)
    surplus = np.zeros((splits, 2), dtype=np.int64)
    for side in range(splits):
        there = asked & (split == side)
        cases = [hashes[there & ~yes], hashes[there & yes]]
        fewest = min(map(len, cases))
        for answer, found in enumerate(cases):
            surplus[side, answer] = len(found) - fewest
            if fewest < len(found):
                limits[side, answer] = (
                    np.partition(found, fewest - 1)[fewest - 1] + _TOP if fewest else _NOBODY
                )
    return limits, surplus
