"""Where a run's numbers come from: the facts that every table and page needs, checked."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from raqa.errors import UserError
from raqa.tables import TaskKind


class Provenance(BaseModel):
    """The facts of `provenance.json` that reports rely on; further ones are kept as they are.

    Attributes:
        run: readable slug and hash, the run's identity.
        task: canonical attribute name; `unit` is its unit.
        kind: of the task; a classification has `classes`, names in the order of their numbers.
        weights: "none", "random" or the checkpoint's SHA-256.
        weights_real: False only for random weights.
        subject_known: whether every subject is known to be one person.
        tested_on: the corpus of the test side, where that is not `corpus`, the training one.
        regime_settings: what tells variants of the regime apart, for example its size.
        subjects_on_two_sides: of an official split that was kept as it is.
        rendered: whether responses to questions are made from labels by the templates.
        text_scorer: settings of the model that compares responses with the right answers.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    run: str
    corpus: str
    corpus_title: str
    synthetic: bool
    task: str
    unit: str | None
    kind: TaskKind = "regression"
    classes: tuple[str, ...] = ()
    encoder: str
    encoder_fingerprint: str | None
    weights: str
    weights_real: bool
    head: str
    regime: str
    seeds: tuple[int, ...]
    subject_known: bool
    tested_on: str | None = None
    regime_settings: dict[str, Any] = {}
    subjects_on_two_sides: int = 0
    rendered: bool = False
    text_scorer: dict[str, Any] | None = None
    clip: str | None = None
    commit: str | None = None
    finished_at: str | None = None

    @property
    def transfer(self) -> bool:
        """Whether the test side belongs to another corpus than the training side."""
        return self.tested_on not in {None, self.corpus}

    @classmethod
    def of(cls, facts: dict[str, Any], source: str) -> Provenance:
        """Check the facts.

        Raises:
            UserError: a fact is missing or of another type; all are named with their source.
        """
        try:
            return cls.model_validate(facts)
        except ValidationError as error:
            problems = [
                f"{'.'.join(map(str, problem['loc']))}: {problem['msg'].lower()}"
                for problem in error.errors()
            ]
            raise UserError(f"{source} is not a run's provenance: {'; '.join(problems)}") from None
