"""Support vector machines, one for each corpus and attribute: audio alone, many specialists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked

from raqa.answering.base import (
    AUDIO_ROW,
    Asked,
    FittedQuestionHead,
    Fitting,
    QuestionHead,
    QuestionPairs,
    learnt_answers,
)
from raqa.errors import UserError
from raqa.folders import make_folder
from raqa.heads.data import FloatArray
from raqa.training.history import HISTORY

_FILE = "machines.skops"
_SEVERAL = " + "
# What a file of fitted machines may hold; anything else in it is refused, not loaded.
_TRUSTED = ("numpy.dtype", "numpy.float64")


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class SVMHead(QuestionHead):
    """One machine for each corpus and attribute that was asked about in training.

    The question's wording is not seen. A yes-or-no question is answered by comparing the label
    with the asked one; where an attribute was only ever asked so, there is a machine for each
    asked label. Inputs are standardised per machine. Source: RA-QA's audio-only baseline.

    Attributes:
        penalty: the C of scikit-learn's SVC and SVR.
        kernel: likewise.
        workers: processes that fit machines; 0: as many as there are cores.
    """

    penalty: Annotated[float, Field(gt=0)] = 1.0
    kernel: Literal["rbf", "linear"] = "rbf"
    workers: Annotated[int, Field(ge=0)] = 0

    def fit(self, train: QuestionPairs, validation: QuestionPairs, fitting: Fitting) -> FittedSVM:  # noqa: ARG002
        """Fit all machines, several at once; nothing is chosen, so validation is not needed."""
        from joblib import Parallel, delayed

        jobs = list(_jobs(train))
        run = Parallel(n_jobs=self.workers or -1, prefer="threads")
        machines = run(
            delayed(self._machine)(train.audio[rows], wanted) for _, rows, wanted in jobs
        )
        fitted = {key: one for (key, _, _), one in zip(jobs, machines, strict=True)}
        empty = pl.DataFrame(schema=dict(HISTORY))
        return FittedSVM(fitted, tuple(fitting.seeds), empty)

    def load(self, folder: Path, seeds: Sequence[int]) -> FittedSVM:
        """Read what `save` wrote; nothing in the file is executed.

        Raises:
            UserError: it is not there, damaged, or holds something else than machines.
        """
        import skops.io

        file = folder / _FILE
        if not file.is_file():
            raise UserError(f"There is no fitted head at {folder}.")
        try:
            machines = skops.io.load(file, trusted=list(_TRUSTED))
        except Exception as error:  # skops's own, those of zip files and of types it refuses
            raise UserError(f"{file} is not a file of fitted machines ({error}).") from error
        return FittedSVM(machines, tuple(seeds), pl.DataFrame(schema=dict(HISTORY)))

    def _machine(self, inputs: FloatArray, wanted: np.ndarray) -> Any:
        """A standardising machine, or a constant where training knows one answer only."""
        from sklearn.dummy import DummyClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import SVC, SVR

        if wanted.dtype.kind == "f":
            machine = SVR(C=self.penalty, kernel=self.kernel)
            centre, spread = float(wanted.mean()), float(wanted.std()) or 1.0
            fitted = make_pipeline(StandardScaler(), machine).fit(
                inputs, (wanted - centre) / spread
            )
            return {"machine": fitted, "centre": centre, "spread": spread}
        if len(set(wanted)) == 1:
            return {"machine": DummyClassifier().fit(inputs[:1], wanted[:1])}
        machine = SVC(C=self.penalty, kernel=self.kernel)
        return {"machine": make_pipeline(StandardScaler(), machine).fit(inputs, wanted)}


@dataclass(frozen=True, eq=False)
class FittedSVM(FittedQuestionHead):
    """All machines; nothing in them is random, so every seed says the same.

    Attributes:
        machines: by corpus/attribute, or corpus/attribute/asked label.
    """

    machines: Mapping[str, Any]
    seeds: tuple[int, ...]
    history: pl.DataFrame

    def answer(self, asked: Asked) -> pl.DataFrame:
        """Ask each question's machine; one without a machine has an empty answer.

        Where a corpus taught nothing of an attribute and one other did, that one's is asked.
        """
        taught = pl.coalesce(
            pl.when(_name().is_in(self._taught)).then("corpus"),
            pl.col("attribute").replace_strict(self._only, default=None, return_dtype=pl.String),
        )
        rows = asked.rows.with_columns(corpus=taught).with_columns(
            general=_name(), own=pl.concat_str(_name(), pl.col("asked_label"), separator="/")
        ).with_columns(machine=pl.coalesce(
            pl.when(pl.col(name).is_in(list(self.machines))).then(name)
            for name in ("general", "own")
        ))  # fmt: skip
        said = [self._said(asked.audio, part) for _, part in rows.group_by("machine")]
        one = pl.concat(said).select(
            "qa_id", "label", "value", response=pl.lit(None, pl.String),
            probability=pl.lit(None, pl.Float64),
        )  # fmt: skip
        return learnt_answers(
            pl.concat([one.with_columns(seed=pl.lit(seed, pl.Int64)) for seed in self.seeds])
        )

    @cached_property
    def _taught(self) -> list[str]:
        """Every corpus/attribute that training asked about."""
        return sorted({"/".join(name.split("/")[:2]) for name in self.machines})

    @cached_property
    def _only(self) -> dict[str, str]:
        """The corpus of each attribute that a single one taught."""
        corpora: dict[str, list[str]] = {}
        for name in self._taught:
            corpus, attribute = name.split("/")
            corpora.setdefault(attribute, []).append(corpus)
        return {name: known[0] for name, known in corpora.items() if len(known) == 1}

    def _said(self, audio: FloatArray, rows: pl.DataFrame) -> pl.DataFrame:
        """The answers of one machine; recordings that are asked about often are heard once."""
        name = rows["machine"][0]
        none = rows.with_columns(label=pl.lit(None, pl.String), value=pl.lit(None, pl.Float64))
        if name is None:
            return none
        machine = self.machines[name]
        heard = rows[AUDIO_ROW].unique().sort()
        answers = machine["machine"].predict(audio[heard.to_numpy()])
        if "spread" in machine:
            values = answers * machine["spread"] + machine["centre"]
            found = pl.DataFrame({AUDIO_ROW: heard, "found": values})
            return none.join(found, on=AUDIO_ROW).with_columns(value="found").drop("found")
        found = pl.DataFrame({AUDIO_ROW: heard, "found": [str(one) for one in answers]})
        label = pl.col("found")
        if rows["own"][0] != name:
            named = label.str.split(_SEVERAL).list.contains(pl.col("asked_label"))
            verified = pl.when(named).then(pl.lit("yes")).otherwise(pl.lit("no"))
            label = pl.when(pl.col("asked_label").is_not_null()).then(verified).otherwise(label)
        return none.join(found, on=AUDIO_ROW).with_columns(label=label).drop("found")

    def save(self, folder: Path) -> None:
        """Write all machines in a format that executes nothing when it is read."""
        import skops.io

        make_folder(folder)
        skops.io.dump(dict(self.machines), folder / _FILE)


def _name() -> pl.Expr:
    return pl.concat_str("corpus", "attribute", separator="/")


def _jobs(train: QuestionPairs) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """What each machine learns: its name, rows of the audio, and labels or numbers."""
    rows = train.rows.with_columns(
        general=_name(), own=pl.concat_str(_name(), pl.col("asked_label"), separator="/")
    )
    stated = rows.filter(pl.col("asked_label").is_null())
    verified = rows.join(stated.select("general").unique(), on="general", how="anti")
    jobs = []
    for column, table in (("general", stated), ("own", verified)):
        for (name,), part in table.group_by(column, maintain_order=True):
            once = part.unique([AUDIO_ROW], maintain_order=True, keep="first").sort(AUDIO_ROW)
            wanted = once["label"] if once["value"].is_null().all() else once["value"]
            values = wanted.to_numpy()
            if wanted.dtype == pl.String:
                values = values.astype(np.str_)
            jobs.append((str(name), once[AUDIO_ROW].to_numpy(), values))
    return jobs
