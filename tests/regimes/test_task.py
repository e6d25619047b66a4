"""Tasks: numbers in their unit, or classes that merge the words of several corpora."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from pydantic import ValidationError

from raqa.configuration.build import build_node
from raqa.configuration.overrides import compose_config
from raqa.corpora.attributes import attribute
from raqa.corpora.base import Recordings
from raqa.corpora.coswara import Coswara
from raqa.corpora.coughvid import CoughVid
from raqa.errors import UserError
from raqa.regimes.task import ClassificationTask, RegressionTask, Task
from raqa.regimes.within import Within
from raqa.tables import RECORDINGS, SIDES

COVID = {"negative": ["healthy", "well"], "positive": ["positive_mild", "COVID-19"]}


def recordings(target: str, labels: list[Any], sides: list[str] | None = None) -> Recordings:
    """A subject with one recording for each label, the sides in turn."""
    rows = [
        {"recording_id": f"r{number}", "corpus": "made", "subject_id": f"s{number}",
         "subject_known": True, "path": f"/nowhere/{number}.wav", "audio": True,
         "modality": "cough", target: label,
         "side": sides[number] if sides else SIDES[number % 3]}
        for number, label in enumerate(labels)
    ]  # fmt: skip
    optional = {"start_s": None, "end_s": None, "split": None}
    schema = {**RECORDINGS, target: attribute(target).dtype, "side": pl.String}
    return Recordings("made", pl.DataFrame([{**optional, **row} for row in rows], schema=schema))


def numbers(task: Task, given: Recordings) -> list[float | None]:
    return task.apply(given).table.select(label=task.label)["label"].to_list()


def test_labels_become_the_numbers_of_their_classes_in_the_configs_order() -> None:
    task = ClassificationTask("covid_status", COVID)
    assert task.class_names == ("negative", "positive")
    given = recordings("covid_status", ["COVID-19", "healthy", None, "well", "positive_mild"])
    assert numbers(task, given) == [1, 0, None, 0, 1]


def test_several_labels_are_one_class_or_none() -> None:
    task = ClassificationTask("diagnosis", {"lung": ["asthma", "copd"], "heart": ["heart_failure"]})
    given = recordings(
        "diagnosis",
        [["asthma"], ["asthma", "copd"], ["copd", "heart_failure"], ["pneumonia"], None,
         ["heart_failure", "pneumonia"]],
    )  # fmt: skip
    assert numbers(task, given) == [0, 0, None, None, None, 1]
    aside = task.apply(given).set_aside
    assert dict(zip(aside["item"], aside["reason"], strict=True)) == {
        "r2": "diagnosis of copd + heart_failure is in the classes heart and lung of the task",
        "r3": "diagnosis of pneumonia is in no class of the task",
    }


def test_without_classes_every_label_of_a_list_is_a_class() -> None:
    task = ClassificationTask("breath_phase", None)
    given = recordings("breath_phase", [["expiration"], ["inspiration", "expiration"]])
    assert numbers(task, given) == [1, None]


def test_labels_of_no_class_are_set_aside_and_named_missing_ones_are_not() -> None:
    task = ClassificationTask("covid_status", COVID)
    given = task.apply(recordings("covid_status", ["healthy", "under_validation", None]))
    assert given.table["covid_status"].to_list() == ["negative", None, None]
    (row,) = given.set_aside.rows(named=True)
    assert (row["stage"], row["item"], row["field"]) == ("label", "r1", "covid_status")
    assert row["reason"] == "covid_status of under_validation is in no class of the task"


def test_labels_that_are_all_in_no_class_are_shown_beside_those_that_would_be() -> None:
    task = ClassificationTask("covid_status", COVID)
    with pytest.raises(UserError) as refused:
        task.apply(recordings("covid_status", ["sick", "ok", "sick", None]))
    message = str(refused.value)
    assert "made: no covid_status is in a class" in message
    assert "sick (2), ok (1); the classes hold healthy, well, positive_mild, COVID-19" in message
    nobody = recordings("covid_status", [None, None])
    assert task.apply(nobody).table.height == 2


def test_without_classes_every_label_of_the_attribute_is_one() -> None:
    task = ClassificationTask("smoker")
    assert task.class_names == ("no", "yes")
    given = recordings("smoker", ["yes", "no", None])
    assert numbers(task, given) == [1, 0, None]
    assert task.apply(given).set_aside.height == 0


def test_a_yes_that_yaml_read_as_true_is_a_yes() -> None:
    task = ClassificationTask("smoker", {"never": [False], "smokes": [True]})
    assert numbers(task, recordings("smoker", ["yes", "no"])) == [1, 0]


def test_a_number_is_its_own_label_and_has_no_classes() -> None:
    task = RegressionTask("age")
    assert (task.kind, task.class_names) == ("regression", ())
    given = recordings("covid_status", ["healthy"])
    assert task.apply(given) is given


@pytest.mark.parametrize(
    ("target", "classes", "why"),
    [
        ("age", None, "'age' is no categorical attribute"),
        ("sexx", None, "sex"),
        ("covid_status", None, "say which labels make which class"),
        ("covid_status", {"one": ["healthy"]}, "at least 2 classes"),
        ("sex", {"a": ["female"], "b": ["female"]}, "'female' stands in more than one class"),
        ("sex", {"a": ["femal"], "b": ["male"]}, "has no label 'femal'.*female"),
        ("sex", {"a": [], "b": ["male"]}, "at least 1 item"),
    ],
)
def test_classes_that_can_not_be_are_refused(target: str, classes: object, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        ClassificationTask(target, classes)


def test_a_fold_holds_class_numbers_and_names() -> None:
    task = ClassificationTask("covid_status", COVID)
    labels = ["healthy", "well", "COVID-19", "COVID-19", "healthy", "healthy", "strange"]
    fold = Within().folds([task.apply(recordings("covid_status", labels))], task).main
    assert fold.classes == ("negative", "positive")
    assert fold.table.height == 6
    assert fold.side("train")["label"].to_list() == [0, 1]


def test_a_training_side_of_one_class_is_refused_with_the_counts() -> None:
    task = ClassificationTask("covid_status", COVID)
    labels, sides = ["healthy", "well", "COVID-19", "well"], ["train", "train", *SIDES[:0:-1]]
    given = recordings("covid_status", labels, sides)
    with pytest.raises(UserError, match="made: .*at least two.*negative 2, positive 0"):
        Within().folds([task.apply(given)], task)


@pytest.mark.parametrize(
    ("corpus", "counts", "aside"),
    [("coswara", (1838, 681), 227), ("coughvid", (8562, 1010), 1742)],
)
def test_the_shipped_covid_classes_fit_the_published_tables(
    corpus: str, counts: tuple[int, int], aside: int, test_data
) -> None:
    root = test_data / corpus
    made = Coswara(root) if corpus == "coswara" else CoughVid(root)
    task = build_node(compose_config(["task=covid_status"]), "task")
    before = made.read()
    after = task.apply(before)
    labels = after.table.unique("subject_id").select(label=task.label)["label"]
    assert ((labels == 0).sum(), (labels == 1).sum()) == counts
    fields = after.set_aside.height - before.set_aside.height
    per_subject = after.table.height // after.table["subject_id"].n_unique()
    assert fields == aside * per_subject
