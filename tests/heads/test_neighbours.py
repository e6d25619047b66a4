"""Nearest neighbours: mean label or class shares, as many neighbours as validation prefers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError

from raqa.heads.data import FitData
from raqa.heads.neighbours import NeighboursHead

LINE = np.arange(10.0)[:, None]


def on_a_line(labels: list[float], classes: int = 0) -> FitData:
    """Training recordings at 0, 1, ..., 9; validation recordings between them."""
    known = np.array(labels, np.float64)
    return FitData(LINE, known, LINE[:-1] + 0.4, known[:-1], classes)


def test_a_number_is_the_mean_of_the_nearest() -> None:
    head = NeighboursHead(neighbours=(2,))
    state = head.fit(on_a_line([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]))
    assert head.predict(state, np.array([[0.6], [7.1]])).tolist() == [5.0, 75.0]


def test_classes_are_shares_with_the_training_frequencies_as_one_more_neighbour() -> None:
    head = NeighboursHead(neighbours=(3,))
    state = head.fit(on_a_line([0, 0, 0, 0, 0, 0, 1, 1, 1, 1], classes=3))
    low, high = head.predict(state, np.array([[1.0], [5.6]]))
    assert low == pytest.approx([3.6 / 4, 0.4 / 4, 0])
    assert high == pytest.approx([1.6 / 4, 2.4 / 4, 0])


def test_the_validation_side_chooses_how_many() -> None:
    jagged = on_a_line([0, 10, 0, 10, 0, 10, 0, 10, 0, 10])
    head = NeighboursHead(neighbours=(2, 1, 4))
    assert head.fit(jagged)["neighbours"] == 1  # the nearest has the very label
    smooth = replace(jagged, validation_labels=np.full(9, 5.0))
    assert head.fit(smooth)["neighbours"] == 2


def test_the_cross_entropy_chooses_for_classes() -> None:
    clean = on_a_line([0, 0, 0, 0, 0, 1, 1, 1, 1, 1], classes=2)
    assert NeighboursHead(neighbours=(10, 3)).fit(clean)["neighbours"] == 3
    shuffled = replace(clean, validation_labels=np.array([1, 0, 1, 1, 0, 0, 1, 0, 0], float))
    assert NeighboursHead(neighbours=(3, 10)).fit(shuffled)["neighbours"] == 10


def test_more_neighbours_than_recordings_are_all_recordings() -> None:
    head = NeighboursHead(neighbours=(40,))
    state = head.fit(on_a_line([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]))
    assert head.predict(state, LINE[:2]).tolist() == [45.0, 45.0]
    assert head.predict(state, LINE[:0]).shape == (0,)


def test_a_class_that_training_lacks_does_not_stop_it() -> None:
    data = on_a_line([0, 0, 0, 0, 0, 1, 1, 1, 1, 1], classes=3)
    strange = replace(data, validation_labels=np.full(9, 2.0))
    assert NeighboursHead(neighbours=(3, 5)).fit(strange)["neighbours"] == 3


def test_cosine_looks_at_directions_only() -> None:
    points = np.array([[1.0, 0.0], [0.0, 1.0]])
    data = FitData(points, np.array([10.0, 20.0]), points, np.array([10.0, 20.0]))
    head = NeighboursHead(neighbours=(1,), metric="cosine")
    assert head.predict(head.fit(data), np.array([[9.0, 1.0]])).tolist() == [10.0]


@pytest.mark.parametrize(
    "wrong", [{"neighbours": ()}, {"neighbours": (0,)}, {"neighbours": (3,), "metric": "edit"}]
)
def test_a_wrong_setting_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=[*wrong][-1]):
        NeighboursHead(**wrong)
