"""A task: which canonical attribute is predicted, as a number or as one of some classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, ClassVar

import polars as pl
from pydantic import ConfigDict, Field, field_validator, model_validator
from pydantic.dataclasses import dataclass

from raqa.corpora.attributes import ATTRIBUTES, Attribute, attribute
from raqa.corpora.base import Recordings
from raqa.errors import UserError, neighbours
from raqa.tables import SetAside, TaskKind, set_aside_table

_SHOWN = 10
"""Labels of a corpus that a message lists."""


class Task(ABC):
    """What is predicted of a recording.

    Attributes:
        target: canonical name of the attribute.
        kind: regression or classification.
    """

    target: str
    kind: ClassVar[TaskKind]

    @property
    def attribute(self) -> Attribute:
        """The target's entry in the registry."""
        return attribute(self.target)

    @property
    @abstractmethod
    def class_names(self) -> tuple[str, ...]:
        """The classes in the order of their numbers; none where a number is predicted."""

    @property
    @abstractmethod
    def label(self) -> pl.Expr:
        """FOLD's label, from the columns of recordings that `apply` has seen; null: unknown."""

    @abstractmethod
    def apply(self, recordings: Recordings) -> Recordings:
        """Leave only labels that the task knows; others become null and are set aside."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class RegressionTask(Task):
    """Predict a numeric attribute in its canonical unit.

    Args:
        target: canonical name, for example ``age``.
    """

    target: str
    kind: ClassVar[TaskKind] = "regression"

    @field_validator("target")
    @classmethod
    def _is_numeric(cls, target: str) -> str:
        return _known(target, "numeric", [*_named("numeric")])

    @property
    def class_names(self) -> tuple[str, ...]:
        """None: a number has no classes."""
        return ()

    @property
    def label(self) -> pl.Expr:
        """The attribute itself."""
        return pl.col(self.target)

    def apply(self, recordings: Recordings) -> Recordings:
        """Return the recordings as they are: every number is a label."""
        return recordings


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ClassificationTask(Task):
    """Predict which class an attribute's label belongs to.

    Args:
        target: canonical name, for example ``covid_status``.
        classes: class to the corpora's labels that belong to it, so that corpora with other words
            can be compared; labels that stand in no class are set aside. Of two classes the last
            is the positive one. None: every label of the attribute is a class. A recording with
            several labels belongs to a class if all that stand in one stand in the same;
            otherwise it is set aside.
    """

    target: str
    classes: Mapping[str, Annotated[tuple[str, ...], Field(min_length=1)]] | None = None
    kind: ClassVar[TaskKind] = "classification"

    @field_validator("target")
    @classmethod
    def _has_labels(cls, target: str) -> str:
        named = [*_named("binary"), *_named("categorical"), *_named("ordinal"),
                 *_named("multilabel")]  # fmt: skip
        return _known(target, "categorical", named)

    @field_validator("classes", mode="before")
    @classmethod
    def _words(cls, classes: object) -> object:
        """YAML reads an unquoted yes or no, as class or as label, as a truth value."""
        if not isinstance(classes, Mapping):
            return classes
        return {
            _word(name): [_word(label) for label in labels] if isinstance(labels, list) else labels
            for name, labels in classes.items()
        }

    @model_validator(mode="after")
    def _fit_together(self) -> ClassificationTask:
        valid = self.attribute.labels
        if self.classes is None:
            if not valid:
                raise ValueError(
                    f"corpora have words of their own for {self.target}: "
                    "say which labels make which class in task.classes"
                )
            return self
        if len(self.classes) < 2:
            raise ValueError(f"at least 2 classes are needed, not {len(self.classes)}")
        labels = [label for group in self.classes.values() for label in group]
        problems = [
            f"{label!r} stands in more than one class"
            for label in dict.fromkeys(labels)
            if labels.count(label) > 1
        ]
        if valid:
            problems += [
                f"{self.target} has no label {label!r}; {neighbours(label, valid)}"
                for label in labels
                if label not in valid
            ]
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes in the order of their numbers, which is the order in the config."""
        return self.attribute.labels if self.classes is None else tuple(self.classes)

    @property
    def label(self) -> pl.Expr:
        """The class's number."""
        numbers = {name: float(number) for number, name in enumerate(self.class_names)}
        label = pl.col(self.target)
        if self.attribute.kind == "multilabel":  # `apply` has left one class in each list
            label = label.list.first()
        return label.replace_strict(numbers, default=None, return_dtype=pl.Float64)

    def apply(self, recordings: Recordings) -> Recordings:
        """Replace labels by their class; labels of no class become null and are set aside.

        Raises:
            UserError: there are labels, but none is in a class.
        """
        if self.attribute.kind == "multilabel":
            return self._apply_lists(recordings)
        if self.classes is None:
            return recordings
        table, target = recordings.table, pl.col(self.target)
        self._require_some(recordings)
        class_of = {label: name for name, group in self.classes.items() for label in group}
        unnamed = table.filter(target.is_in(list(class_of)).not_())
        rows = unnamed.select("recording_id", self.target).iter_rows()
        aside = set_aside_table(
            SetAside(
                recordings.corpus,
                "label",
                recording_id,
                f"{self.target} of {label} is in no class of the task",
                field=self.target,
                value=label,
            )
            for recording_id, label in rows
        )
        merged = target.replace_strict(class_of, default=None, return_dtype=pl.String)
        return replace(
            recordings,
            table=table.with_columns(merged),
            set_aside=pl.concat([recordings.set_aside, aside]),
        )

    def _apply_lists(self, recordings: Recordings) -> Recordings:
        """Give each recording the one class that its labels name, or set it aside."""
        groups = self.classes or {label: (label,) for label in self.class_names}
        class_of = {label: name for name, group in groups.items() for label in group}
        self._require_some(recordings)
        named = (
            pl.col(self.target)
            .list.eval(pl.element().replace_strict(class_of, default=None, return_dtype=pl.String))
            .list.drop_nulls()
            .list.unique()
            .list.sort()
        )
        table = recordings.table.with_columns(_named=named)
        unclear = table.filter(pl.col("_named").list.len() != 1)
        aside = set_aside_table(
            SetAside(
                recordings.corpus,
                "label",
                recording_id,
                f"{self.target} of {' + '.join(labels)} is in "
                + (f"the classes {' and '.join(classes)}" if classes else "no class")
                + " of the task",
                field=self.target,
                value=" + ".join(labels),
            )
            for recording_id, labels, classes in unclear.select(
                "recording_id", self.target, "_named"
            ).iter_rows()
        )
        one = pl.when(pl.col("_named").list.len() == 1).then("_named")
        return replace(
            recordings,
            table=table.with_columns(one.alias(self.target)).drop("_named"),
            set_aside=pl.concat([recordings.set_aside, aside]),
        )

    def _require_some(self, recordings: Recordings) -> None:
        classes = self.classes or {label: (label,) for label in self.class_names}
        named = [label for group in classes.values() for label in group]
        given = recordings.table[self.target].drop_nulls()
        labels = given.explode() if given.dtype == pl.List else given
        found = labels.value_counts(sort=True)
        if found.height and not found[self.target].is_in(named).any():
            shown = [f"{label} ({count:,})" for label, count in found.head(_SHOWN).rows()]
            more = ", ..." if found.height > _SHOWN else ""
            raise UserError(
                f"{recordings.corpus}: no {self.target} is in a class of the task. Recordings have "
                f"{', '.join(shown)}{more}; the classes hold {', '.join(named)}. "
                f"task.classes.{next(iter(classes))}=[...] says which labels make that class."
            )


def _named(kind: str) -> tuple[str, ...]:
    return tuple(name for name, known in ATTRIBUTES.items() if known.kind == kind)


def _known(target: str, kind: str, names: list[str]) -> str:
    if target not in names:
        raise ValueError(f"{target!r} is no {kind} attribute. {neighbours(target, names)}")
    return target


def _word(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value
