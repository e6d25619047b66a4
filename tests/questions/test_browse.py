import polars as pl

from raqa.questions.browse import draw
from raqa.tables import QUESTIONS

from .made import numbers, rows, subjects, table


def test_rare_answers_are_shown_before_common_ones_run_out():
    drawn = draw(table(rows(subjects(200, "no") | subjects(2, "yes"))), rows=10)
    assert drawn.table.filter(label="yes").height == 2
    assert drawn.table.height == 10
    assert (drawn.questions, drawn.strata, drawn.strata_shown) == (202, 2, 2)


def test_kinds_that_have_no_room_are_counted():
    labels = {f"s{number}": f"label {number}" for number in range(9)}
    drawn = draw(table(rows(labels)), rows=4)
    assert (drawn.strata, drawn.strata_shown) == (9, 4)


def test_kinds_share_recordings_so_that_few_are_copied():
    labels = subjects(100, "yes")
    asked = [rows(labels, attribute=name) for name in ("asthma", "cold", "fever")]
    drawn = draw(table(*asked), rows=30)
    assert drawn.table["recording_id"].n_unique() == 10


def test_recordings_at_hand_come_first():
    at_hand = pl.DataFrame({"corpus": ["here"], "recording_id": ["yes042-0"]})
    drawn = draw(table(rows(subjects(100, "yes"))), rows=1, at_hand=at_hand)
    assert drawn.table["recording_id"].to_list() == ["yes042-0"]
    assert drawn.heard_first


def test_high_and_low_numbers_are_two_kinds():
    ages = {f"s{number:03d}": float(number) for number in range(100)}
    values = draw(table(numbers(ages)), rows=10).table["value"]
    assert (values <= 49.5).sum() == 5


def test_what_is_drawn_does_not_depend_on_the_order_of_rows():
    questions = table(rows(subjects(50, "no") | subjects(50, "yes"), recordings=2))
    shuffled = questions.collect().sample(fraction=1, shuffle=True, seed=1).lazy()
    assert draw(questions, rows=20).table.equals(draw(shuffled, rows=20).table)


def test_an_empty_collection_has_nothing_to_show():
    drawn = draw(pl.LazyFrame(schema=dict(QUESTIONS)))
    assert drawn.table.is_empty()
    assert drawn.table.columns == list(QUESTIONS)
