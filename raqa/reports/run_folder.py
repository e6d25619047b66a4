"""The one place that knows the files of a run folder: how they are written, checked and read."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polars as pl
from pydantic import TypeAdapter

from raqa.corpora.base import Step
from raqa.errors import UserError
from raqa.metrics import AnyScores
from raqa.metrics.transfer import TransferScores
from raqa.reports.provenance import Provenance
from raqa.reports.scoring import Own, Scored, score_own, score_run
from raqa.tables import FOLD, SET_ASIDE, Columns, check_table, prediction_columns

CONFIG = "config.yaml"
PROVENANCE = "provenance.json"
HEADS = "heads.safetensors"
FOLDS = "fold.parquet"
PREDICTED = "predictions.parquet"
OWN_FOLD = "own_fold.parquet"
OWN_PREDICTED = "own_predictions.parquet"
ASIDE = "set_aside.csv"
STEPS = "steps.csv"
HISTORY = "history.csv"
METRICS = "metrics.json"

REQUIRED = (CONFIG, PROVENANCE, FOLDS, PREDICTED, ASIDE, STEPS)
"""Files of every finished run besides METRICS; HEADS and HISTORY depend on the head, OWN_FOLD and
OWN_PREDICTED are those of a run that is tested on another corpus."""

_STEPS: Columns = {"name": pl.String, "recordings": pl.Int64, "subjects": pl.Int64}
_ATTEMPTS = 100  # to take the place of a run that others replace at the same time
_SCORES = TypeAdapter[AnyScores](AnyScores)
_TRANSFER = TypeAdapter(TransferScores | None)


@dataclass(frozen=True)
class Run(Scored):
    """A finished run, read back.

    Attributes:
        config: the resolved config.
        fold: FOLD columns; age and sex follow where the corpus has them.
        predictions: PREDICTIONS columns, or CLASS_PREDICTIONS of a classification.
        set_aside: SET_ASIDE columns.
        steps: what each step of the cohort left.
        scores: as stored; `rescore(run)` computes them again.
        own: of a run that is tested on another corpus, what it is measured against.
        transfer: the scores of that.
    """

    path: Path
    config: dict[str, Any]
    provenance: Provenance
    fold: pl.DataFrame
    predictions: pl.DataFrame
    set_aside: pl.DataFrame
    steps: tuple[Step, ...]
    scores: AnyScores
    own: Own | None = None
    transfer: TransferScores | None = None


class RunFolder:
    """A run's folder: absent, finished (its metrics.json exists) or damaged."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()

    @property
    def finished(self) -> bool:
        """Whether a finished run is here; metrics.json is written last."""
        return (self.path / METRICS).is_file()

    def draft(self) -> Draft:
        """Start the run's files in a hidden folder beside it."""
        return Draft(self)

    def verify(self) -> list[str]:
        """Compare every file with the SHA-256 noted when the run finished, and read them.

        Returns:
            what is wrong, a sentence each that names the file; empty for a sound run.
        """
        if not self.finished:
            return [f"{self.path} is not a finished run: it has no {METRICS}"]
        try:
            stored = json.loads((self.path / METRICS).read_text(encoding="utf-8"))
            files = dict(stored["files"])
        except (ValueError, KeyError, TypeError, OSError):
            return [f"{self.path / METRICS} can not be read as the metrics of a run"]
        problems = [
            f"{self.path / METRICS} has no checksum of {name}"
            for name in REQUIRED
            if name not in files
        ]
        for name, expected in files.items():
            file = self.path / name
            if not file.is_file():
                problems.append(f"{file} is missing")
            elif _sha256(file) != expected:
                problems.append(f"{file} was changed or damaged after the run finished")
        if not problems:
            try:
                _read(self.path)
            except (UserError, ValueError, OSError, pl.exceptions.PolarsError) as error:
                reason = " ".join(str(error).split())
                problems = [f"{self.path} can not be read as a run of this version: {reason}"]
        return problems


class Draft:
    """A run being written in `.<name>.<host>-<pid>.partial`; it appears whole or not at all.

    Used as `with RunFolder(path).draft() as draft: ...; draft.publish()`. Leaving the block
    without `publish` removes what was written.
    """

    def __init__(self, target: RunFolder) -> None:
        self.target = target
        self.path = _beside(target.path, "partial")
        self._classes: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        shutil.rmtree(self.path, ignore_errors=True)  # of an earlier process with this number
        self.path.mkdir(parents=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def write(
        self,
        *,
        config: str,
        provenance: Mapping[str, Any],
        fold: pl.DataFrame,
        predictions: pl.DataFrame,
        set_aside: pl.DataFrame,
        steps: Sequence[Step],
        own: Own | None = None,
        history: pl.DataFrame | None = None,
        save_heads: Callable[[Path], None] | None = None,
    ) -> None:
        """Write everything that metrics are not.

        Args:
            config: the resolved config as YAML.
            own: the tested corpus's own fold and predictions, where it is another corpus.
            history: one row per epoch and seed, where the head was trained in epochs.
            save_heads: writes the fitted heads to the safetensors path it is given.
        """
        self._classes = Provenance.of(dict(provenance), PROVENANCE).classes
        (self.path / CONFIG).write_text(config, encoding="utf-8")
        (self.path / PROVENANCE).write_text(
            json.dumps(provenance, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        check_table(fold, FOLD, name="fold").write_parquet(self.path / FOLDS)
        columns = prediction_columns(self._classes)
        check_table(predictions, columns, name="predictions").write_parquet(self.path / PREDICTED)
        if own is not None:
            check_table(own.fold, FOLD, name="own fold").write_parquet(self.path / OWN_FOLD)
            check_table(own.predictions, columns, name="own predictions").write_parquet(
                self.path / OWN_PREDICTED
            )
        check_table(set_aside, SET_ASIDE, name="set-aside").write_csv(self.path / ASIDE)
        rows = pl.DataFrame([asdict(step) for step in steps], schema=dict(_STEPS))
        rows.write_csv(self.path / STEPS)
        if history is not None:
            history.write_csv(self.path / HISTORY)
        if save_heads is not None:
            save_heads(self.path / HEADS)

    def publish(
        self, *, replace: bool = False, resamples: int = 10_000, bootstrap_seed: int = 0
    ) -> AnyScores:
        """Score the predictions, note every file's checksum and move the run into its place.

        Args:
            replace: put it in the place of a finished run; otherwise that one stays, for the
                same identity means the same result.

        Returns:
            the scores of this draft.
        """
        predictions, draws = pl.read_parquet(self.path / PREDICTED), (resamples, bootstrap_seed)
        fold, own = pl.read_parquet(self.path / FOLDS), _read_own(self.path, self._classes)
        scores = score_run(predictions, fold, self._classes, draws)
        transfer = score_own(predictions, own, self._classes, draws)
        files = {file.name: _sha256(file) for file in sorted(self.path.iterdir()) if file.is_file()}
        content = {
            "scores": json.loads(_SCORES.dump_json(scores)),
            "transfer": json.loads(_TRANSFER.dump_json(transfer)),
            "files": files,
        }
        (self.path / METRICS).write_text(
            json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        if replace or not self.target.finished:
            self._take_place()
        return scores

    def _take_place(self) -> None:
        """Move into place; another process may be doing the same with the same run."""
        old = _beside(self.target.path, "old")
        for attempt in range(_ATTEMPTS):
            with contextlib.suppress(FileNotFoundError):
                self.target.path.rename(old)
            shutil.rmtree(old, ignore_errors=True)
            try:
                self.path.rename(self.target.path)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or attempt + 1 == _ATTEMPTS:
                    raise
            else:
                return


def read_run(path: str | Path) -> Run:
    """Read a finished run whose files are as they were when it finished.

    Raises:
        UserError: it is not finished, or files are missing, changed or unreadable; all named.
    """
    folder = RunFolder(path)
    if problems := folder.verify():
        raise UserError([*problems, "Run the same command with force=true to make it again."])
    return _read(folder.path)


def rescore(run: Run) -> AnyScores:
    """Compute a run's scores again from its predictions and fold."""
    draws = (run.scores.resamples, run.scores.bootstrap_seed)
    return score_run(run.predictions, run.fold, run.provenance.classes, draws)


def _read_own(path: Path, classes: Sequence[str]) -> Own | None:
    if not (path / OWN_FOLD).is_file():
        return None
    columns = prediction_columns(classes)
    return Own(
        check_table(pl.read_parquet(path / OWN_FOLD), FOLD, name="own fold"),
        check_table(pl.read_parquet(path / OWN_PREDICTED), columns, name="own predictions"),
    )


def _read(path: Path) -> Run:
    from omegaconf import OmegaConf

    facts = json.loads((path / PROVENANCE).read_text(encoding="utf-8"))
    stored = json.loads((path / METRICS).read_text(encoding="utf-8"))
    config = OmegaConf.to_container(OmegaConf.load(path / CONFIG))
    if not isinstance(config, dict):
        raise ValueError(f"{CONFIG} is not a mapping")
    aside = pl.read_csv(path / ASIDE, schema=dict(SET_ASIDE))
    steps = pl.read_csv(path / STEPS, schema=dict(_STEPS))
    known = Provenance.of(facts, str(path / PROVENANCE))
    predictions = check_table(
        pl.read_parquet(path / PREDICTED), prediction_columns(known.classes), name="predictions"
    )
    return Run(
        path=path,
        config={str(key): value for key, value in config.items()},
        provenance=known,
        fold=check_table(pl.read_parquet(path / FOLDS), FOLD, name="fold"),
        predictions=predictions,
        set_aside=aside,
        steps=tuple(Step(**row) for row in steps.iter_rows(named=True)),
        scores=_SCORES.validate_python(stored["scores"]),
        own=_read_own(path, known.classes),
        transfer=_TRANSFER.validate_python(stored.get("transfer")),
    )


def _beside(path: Path, kind: str) -> Path:
    return path.with_name(f".{path.name}.{socket.gethostname()}-{os.getpid()}.{kind}")


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
