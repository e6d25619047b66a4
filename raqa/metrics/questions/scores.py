"""Scores of answers as plain data: for every part what was answered, how well, on how many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.questions.slices import By
from raqa.metrics.scores import FEW_SUBJECTS


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Answers of all seeds.

    Attributes:
        questions, subjects, groups: how many there are; a group is corpus x attribute x type.
        expected: answers, one for every seed and question.
        scored: all but those that never came back.
    """

    questions: int
    subjects: int
    groups: int
    expected: int
    scored: int
    right: int
    wrong: int
    unreadable: int
    refused: int
    unscored: int


@dataclass(frozen=True, kw_only=True)
class LabelScores:
    """Of questions whose answer is a label. Unreadable and refused answers are wrong.

    Attributes:
        asked: how many there are, among which no question about a number is.
        macro_f1: mean F1 over the classes that the truth of a group has, averaged unweighted over
            groups. A group whose truth has one class is left out: it tells nothing.
        pooled_f1: mean F1 over the labels of all groups in one pool.
        balanced_accuracy: mean recall over classes, averaged over groups.
        accuracy, accuracy_readable: over questions; the second over those that could be read.
        one_class: groups that were left out.
        absent: classes that training has and the test side lacks, as "group: class".
    """

    asked: int
    macro_f1: OverSeeds
    macro_f1_interval: Interval
    pooled_f1: OverSeeds
    pooled_f1_interval: Interval
    balanced_accuracy: OverSeeds
    balanced_accuracy_interval: Interval
    accuracy: OverSeeds
    accuracy_interval: Interval
    accuracy_readable: OverSeeds
    one_class: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class NumberScores:
    """Of questions whose answer is a number.

    An unreadable or refused answer counts as the number within training's range that is farthest
    from the truth, so that saying nothing is never better than saying something.

    Attributes:
        unit: of every MAE; None where attributes have several, and then there is no MAE.
        mae, mae_readable: over questions; the second over those that could be read.
        median_mae: of always saying the training median.
        relative_mae: MAE divided by that of the training median, averaged unweighted over groups;
            below 1 is better than the median.
    """

    unit: str | None
    mae: OverSeeds
    mae_interval: Interval
    mae_readable: OverSeeds
    median_mae: Number
    relative_mae: OverSeeds
    relative_mae_interval: Interval


@dataclass(frozen=True, kw_only=True)
class TextScores:
    """Of what was said beside the reference answer, over all answers that came back.

    Attributes:
        exact_match: share that is the same but for case, punctuation and articles.
        rouge_l: ROUGE-L F1.
        bertscore, bertscore_rescaled: F1; raw and on the scale of the model's baseline.
        said: answers that have a text.
        empty, truncated: of these, without a word (they score 0), and longer than the model reads.
    """

    exact_match: OverSeeds
    exact_match_interval: Interval
    rouge_l: OverSeeds
    rouge_l_interval: Interval
    bertscore: OverSeeds
    bertscore_interval: Interval
    bertscore_rescaled: OverSeeds
    bertscore_rescaled_interval: Interval
    said: int
    empty: int
    truncated: int


@dataclass(frozen=True, kw_only=True)
class PartScores:
    """One part of the questions; what it has none of is None."""

    by: By
    name: str
    counts: Counts
    labels: LabelScores | None
    numbers: NumberScores | None
    text: TextScores


@dataclass(frozen=True, kw_only=True)
class QuestionScores:
    """What one model's answers reached on the test questions.

    Attributes:
        seeds: in the order of every `by_seed`.
        parts: everything first, then by question type, corpus, family, attribute and group.
        text_model: the model behind BERTScore, or None.
        rendered: whether texts are made from labels by the templates of the reference answers.
        resamples, bootstrap_seed: how intervals were drawn: 95 %, over subjects.
    """

    kind: Literal["questions"] = "questions"
    seeds: tuple[int, ...]
    parts: tuple[PartScores, ...]
    text_model: str | None
    rendered: bool
    resamples: int
    bootstrap_seed: int

    @property
    def all(self) -> PartScores:
        """Over all questions."""
        return self.parts[0]

    def part(self, by: By, name: str) -> PartScores:
        """The part of a name.

        Raises:
            KeyError: there is none.
        """
        for one in self.parts:
            if (one.by, one.name) == (by, name):
                return one
        raise KeyError((by, name))

    @property
    def complete(self) -> bool:
        """Whether every question was answered by every seed, be it badly."""
        return self.all.counts.unscored == 0

    @property
    def few_subjects(self) -> bool:
        """Whether there are too few subjects for the intervals to be relied on."""
        return self.all.counts.subjects < FEW_SUBJECTS

    @property
    def remarks(self) -> tuple[str, ...]:
        """What must be known before believing the numbers, a sentence each."""
        counts, labels = self.all.counts, self.all.labels
        found = []
        if not self.complete:
            found.append(
                f"Incomplete: {counts.unscored:,} of {counts.expected:,} answers never came back; "
                "they are left out."
            )
        if self.rendered:
            found.append(
                "Rendered: texts are made from labels in the reference answers' own wording, which "
                "inflates exact match, ROUGE-L and BERTScore: compare them among such models only."
            )
        if labels is not None and labels.one_class:
            found.append(
                f"One class: {len(labels.one_class)} of {counts.groups} groups have a truth of one "
                f"class and are left out of macro-F1: {_some(labels.one_class)}."
            )
        if labels is not None and labels.absent:
            found.append(
                f"Absent: {len(labels.absent)} class(es) of training are not in the test truth: "
                f"{_some(labels.absent)}."
            )
        return tuple(found)


def _some(names: tuple[str, ...], most: int = 5) -> str:
    return "; ".join(names[:most]) + ("; ..." if len(names) > most else "")
